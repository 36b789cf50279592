"""The request body of Google's generateContent: contents and parts, thought signatures on the parts they came on.

A signature, and the id that the model gave a call, go back to the same provider, API and model only.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from eukhe.core.arguments import sent_text
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.history import NO_OUTPUT, origin_of, rounds
from eukhe.wire.messages import (
    AssistantMessage,
    ImageBlock,
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    UserMessage,
)
from eukhe.wire.payload import json_bytes, present
from eukhe.wire.strict_tools import plan
from eukhe.wire.unicode import encodable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from eukhe.wire.history import Answered
    from eukhe.wire.messages import ToolSpec, UserBlock
    from eukhe.wire.request import Request

__all__ = ["API", "LEVELS", "Compat", "body"]

API: Final = "google-generative-ai"

#: The thinking levels that the API knows.
LEVELS: Final = ("MINIMAL", "LOW", "MEDIUM", "HIGH")

Part: TypeAlias = "dict[str, object]"

_GENERATION: Final = "generationConfig"
_EMPTY: Final = "(empty message)"
_SEE: Final = "(see the images in the next message)"
_NOT_IN_NAMES: Final = re.compile(r"[^a-zA-Z0-9_.:-]")
_NAME_LIMIT: Final = 64
#: What the API takes in the place of a signature that was never given.
_UNSIGNED: Final = "skip_thought_signature_validator"


@dataclass(frozen=True, slots=True)
class Compat:
    """What differs between servers and models. It is data, found by whoever builds the request.

    Attributes:
        api: The wire API that replies come from.
        signed_calls: Whether a call must bear a signature, so that one of another model gets a stand-in.
        strict: Whether the model can be held to the schemas of the tools, all of them at once.
    """

    api: str = API
    signed_calls: bool = False
    strict: bool = False


def body(request: Request, compat: Compat) -> bytes:
    """Return the request body: UTF-8 JSON, its keys always in the same order, so that prompt caches hit.

    Raises:
        WireError: `INVALID_REQUEST`: a value that JSON cannot carry, a thinking level that the API does not know,
            or a tool that requires a strict schema where there is none.
    """
    options = request.options
    fields: dict[str, object] = {}
    system = [
        {"text": message.text}
        for message in request.messages
        if isinstance(message, SystemMessage) and encodable(message.text)
    ]
    if system:
        fields["systemInstruction"] = {"parts": system}
    if request.tools:
        fields["tools"] = [{"functionDeclarations": list(map(_tool, request.tools))}]
        if choice := _choice(request, compat):
            fields["toolConfig"] = {"functionCallingConfig": choice}
    contents = list(_contents(request, compat))
    if not contents or contents[0]["role"] != "user":
        contents.insert(0, {"role": "user", "parts": [{"text": _EMPTY}]})
    fields["contents"] = contents
    generation: dict[str, object] = {
        "temperature": options.temperature,
        "topP": options.top_p,
        "maxOutputTokens": options.max_tokens,
        "stopSequences": list(options.stop) or None,
        "seed": options.seed,
    }
    generation = present(generation)
    extra = dict(options.extra)
    if isinstance(more := extra.pop(_GENERATION, None), dict):
        generation |= more
    _check(generation.get("thinkingConfig"), request.model)
    if generation:
        fields[_GENERATION] = generation
    return json_bytes(fields | extra)


def _check(thinking: object, model: str) -> None:
    level = thinking.get("thinkingLevel") if isinstance(thinking, dict) else None
    if level is not None and level not in LEVELS:
        raise WireError(
            ErrorKind.INVALID_REQUEST,
            f"{model}: {level!r} is no thinking level of this API; it knows {', '.join(LEVELS)} "
            "(the model's thinkingLevelMap says which is sent)",
        )


def _tool(tool: ToolSpec) -> Part:
    return {
        "name": tool.name,
        "description": tool.description,
        "parametersJsonSchema": tool.schema,
    }


def _choice(request: Request, compat: Compat) -> Part:
    """How tools may be called; empty for the server's own way."""
    wanted = request.options.tool_choice
    if not compat.strict:
        plan(
            request.tools, on=False, cap=None, subset=frozenset()
        )  # refuses one that must be strict
    match wanted:
        case None | "auto":
            mode = "VALIDATED" if compat.strict else "AUTO"
            return {"mode": mode} if compat.strict or wanted else {}
        case "none":
            return {"mode": "NONE"}
        case "required":
            return {"mode": "ANY"}
        case _:
            return {"mode": "ANY", "allowedFunctionNames": [wanted.removeprefix("tool:")]}


def _contents(request: Request, compat: Compat) -> Iterator[Part]:
    """Yield the contents: the results of a reply stand alone, and other neighbours of one role are one content."""
    origin = origin_of(request, compat.api)
    role, parts = "", list[Part]()
    given: Mapping[str, str] = {}
    for item in rounds(request.messages):
        match item:
            case SystemMessage():
                continue
            case UserMessage(blocks):
                speaker, said = "user", list(_user(blocks))
            case AssistantMessage():
                given = _given_ids(item) if item.origin == origin else {}
                speaker, said = (
                    "model",
                    list(_model(item, compat, given, own=item.origin == origin)),
                )
            case _:
                if parts:
                    yield {"role": role, "parts": parts}
                yield {"role": "user", "parts": [_result(one, given) for one in item]}
                speaker, said = "user", [_part(image) for one in item for image in _images(one)]
                role, parts = "user", []
        if not said:
            continue
        if speaker != role and parts:
            yield {"role": role, "parts": parts}
            parts = []
        role, parts = speaker, parts + said
    if parts:
        yield {"role": role, "parts": parts}


def _user(blocks: Sequence[UserBlock]) -> Iterator[Part]:
    sent = [block for block in blocks if isinstance(block, ImageBlock) or encodable(block.text)]
    for block in sent or [TextBlock(_EMPTY)]:
        yield _part(block)


def _part(block: UserBlock) -> Part:
    match block:
        case TextBlock(text=text):
            return {"text": text}
        case ImageBlock(data, media_type):
            return {"inlineData": {"mimeType": media_type, "data": data}}


def _model(
    message: AssistantMessage, compat: Compat, given: Mapping[str, str], *, own: bool
) -> Iterator[Part]:
    """Yield the parts of a reply; an empty part is sent only where it bears a signature."""
    unsigned = compat.signed_calls and not any(_signature(call, own=own) for call in message.calls)
    for block in message.content:
        signature = _signature(block, own=own)
        match block:
            case ThinkingBlock(text=text):
                if not own:
                    continue
                part: Part = {"thought": True, "text": text}
            case TextBlock(text=text):
                part = {"text": text}
            case ToolCall():
                part = {"functionCall": _call(block, given)}
                if unsigned:
                    signature, unsigned = _UNSIGNED, False
        if signature:
            part["thoughtSignature"] = signature
        if isinstance(block, ToolCall) or signature or encodable(block.text):
            yield part


def _call(call: ToolCall, given: Mapping[str, str]) -> Part:
    sent: Part = {"name": _name(call.name), "args": json.loads(sent_text(call.arguments))}
    return {**sent, "id": given[call.id]} if call.id in given else sent


def _result(answered: Answered, given: Mapping[str, str]) -> Part:
    call, result = answered
    text = result.text or (_SEE if _images(answered) else NO_OUTPUT)
    sent: Part = {
        "name": _name(call.name),
        "response": {"error" if result.is_error else "output": text},
    }
    if call.id in given:
        sent["id"] = given[call.id]
    return {"functionResponse": sent}


def _images(answered: Answered) -> list[ImageBlock]:
    return [block for block in answered.result.content if isinstance(block, ImageBlock)]


def _given_ids(message: AssistantMessage) -> dict[str, str]:
    """The ids that the model itself gave its calls; a minted one is unknown to the server."""
    found = ((call.id, _kept(call).get("id")) for call in message.calls)
    return {call_id: given for call_id, given in found if isinstance(given, str)}


def _signature(block: TextBlock | ThinkingBlock | ToolCall, *, own: bool) -> str:
    found = _kept(block).get("thoughtSignature") if own else None
    return found if isinstance(found, str) else ""


def _kept(block: TextBlock | ThinkingBlock | ToolCall) -> Mapping[str, object]:
    found = json.loads(block.replay) if block.replay else {}
    return found if isinstance(found, dict) else {}


def _name(name: str) -> str:
    """A name that the server takes; a model can write another one."""
    found = _NOT_IN_NAMES.sub("_", name) or "unnamed"
    return (found if found[0].isalpha() or found[0] == "_" else f"_{found}")[:_NAME_LIMIT]
