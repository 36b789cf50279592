"""`models.json`: providers and models of the user's own, and changes to the built-in ones.

Each `providers.ID` entry loads alone: a bad one drops only that provider, and its diagnostic names it. A file that
cannot be read or parsed is one diagnostic and gives nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from eukhe.core.catalog import Cost, Entry
from eukhe.core.config import Missing, Parsed
from eukhe.core.effort import LADDER
from eukhe.models.compat import DIRECTIVE_OF, OTHER_KEYS, check_compat
from eukhe.models.compiled import compiled_ids
from eukhe.models.fields import Fault, Fields
from eukhe.models.jsonc import plain_json
from eukhe.models.provider_table import WIRE_APIS
from eukhe.models.values import looks_like_a_variable, variables_in
from eukhe.settings.disk import Text, parse, read_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = [
    "FILE",
    "MODEL_KEYS",
    "PROVIDER_KEYS",
    "CustomProvider",
    "Diagnostic",
    "ModelsConfig",
    "Override",
    "load_models_json",
]

#: The file's name, in the agent directory.
FILE: Final = "models.json"

_DEFAULT_WINDOW: Final = 128_000
_DEFAULT_MAX_TOKENS: Final = 16_384
_LONGEST_ID: Final = 128
_MOST_TOKENS: Final = 100_000_000
_MOST_DOLLARS: Final = 1_000_000
_ENDPOINTS: Final = ("/chat/completions", "/responses", "/messages")
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_COST: Final = {
    "input": "input",
    "output": "output",
    "cacheRead": "cache_read",
    "cacheWrite": "cache_write",
}
#: Keys of newer files that mean nothing here, and are kept.
_LATER: Final = (
    *("inputLimits", "promptCache", "samplingParams", "samplingParamsByThinkingLevel", "featured"),
    "type",
)
#: The keys of a provider.
PROVIDER_KEYS: Final = (
    *("name", "baseUrl", "apiKey", "api", "headers", "compat", "authHeader", "models"),
    "modelOverrides",
)
_OVERRIDE_KEYS: Final = (
    *("name", "reasoning", "thinkingLevelMap", "input", "cost", "contextWindow", "maxTokens"),
    *("headers", "compat"),
)
#: The keys of a model.
MODEL_KEYS: Final = ("id", "api", "baseUrl", *_OVERRIDE_KEYS)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Something to tell the user about `models.json`.

    Attributes:
        file: The file.
        id: `providers.ID`; empty for the whole file.
        message: What is wrong and what to do, by path.
        dropped: Whether the provider (or the file) is not used.
    """

    file: Path
    id: str
    message: str
    dropped: bool = True

    @property
    def text(self) -> str:
        """The diagnostic as a user reads it."""
        return f"{self.file}: {self.said}"

    @property
    def said(self) -> str:
        """The same without the file."""
        what = "the file gives nothing" if not self.id else f"{self.id} is not used"
        return self.message + (f"; {what}" if self.dropped else "")


@dataclass(frozen=True, slots=True)
class Override:
    """What `modelOverrides` changes of a built-in model; None (or an empty map) leaves it.

    Attributes:
        name, reasoning, input, context_window, max_tokens: As of a model.
        cost: The parts of the price that change.
        thinking_level_map, compat: Merged by key.
        headers: Merged by name.
    """

    name: str | None = None
    reasoning: bool | None = None
    input: tuple[str, ...] | None = None
    context_window: int | None = None
    max_tokens: int | None = None
    cost: Mapping[str, float] = field(default_factory=dict)
    thinking_level_map: Mapping[str, str | None] = field(default_factory=dict)
    compat: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class CustomProvider:
    """An entry of `models.json`, sound.

    Attributes:
        id: The provider's id.
        name: Its display name; None for the id.
        base_url: Its address; None keeps that of a built-in one.
        api_key: Its key as written, not resolved; None for none.
        headers: Its headers as written.
        compat: What goes under each model's own `compat`.
        auth_header: Whether `Authorization: Bearer KEY` is sent as well.
        models: Its models; they replace built-in ones of the same id.
        explicit: The ids of those models whose longest reply the user gave.
        overrides: Changes to built-in models by id.
    """

    id: str
    name: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    compat: Mapping[str, object] = field(default_factory=dict)
    auth_header: bool = False
    models: tuple[Entry, ...] = ()
    explicit: frozenset[str] = frozenset()
    overrides: Mapping[str, Override] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelsConfig:
    """What `models.json` says.

    Attributes:
        path: The file.
        providers: The sound entries, in the order of the file.
        diagnostics: What is wrong, and what is probably not meant.
    """

    path: Path
    providers: Mapping[str, CustomProvider] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()

    def variables(self, environ: Mapping[str, str]) -> tuple[str, ...]:
        """Return the environment variables that the keys and headers of its providers name."""
        texts: list[str] = []
        for one in self.providers.values():
            texts += [one.api_key or "", *one.headers.values()]
            for headers in (
                *(entry.headers or {} for entry in one.models),
                *(override.headers for override in one.overrides.values()),
            ):
                texts += headers.values()
        return tuple(dict.fromkeys(name for text in texts for name in variables_in(text, environ)))


def load_models_json(path: Path, environ: Mapping[str, str]) -> ModelsConfig:
    """Read `models.json`; one that is not there gives nothing.

    Args:
        path: The file.
        environ: The environment, to notice a literal that was meant as a variable. Nothing is resolved here.
    """
    found = read_text(path)
    disk = parse(Text(plain_json(found.text), found.missing, found.unreadable))
    if isinstance(disk, Missing):
        return ModelsConfig(path)
    if not isinstance(disk, Parsed):
        return ModelsConfig(path, {}, (Diagnostic(path, "", disk.why),))
    faults: list[Fault] = []
    document = Fields(disk.value, "", faults)
    entries = document.inner("providers")
    if faults:
        hint = '; write {"providers": {"ID": {...}}}'
        return ModelsConfig(path, {}, (Diagnostic(path, "", faults[0].text + hint),))
    document.only(("$schema", "providers"))
    diagnostics = [Diagnostic(path, "", fault.text, dropped=False) for fault in faults]
    providers: dict[str, CustomProvider] = {}
    for id_ in entries.keys:
        notes: list[Fault] = []
        wrong: list[Fault] = []
        where = entries.at(id_) if id_ else f'{entries.path}.""'
        if not _is_id(id_):
            text = f"{where}: expected an id of 1 to {_LONGEST_ID} characters without / and control characters"
            diagnostics.append(Diagnostic(path, where, text))
            continue
        entry = _Entry(id_, Fields(entries.value(id_), where, wrong), notes, environ)
        provider = entry.read()
        if not wrong:
            providers[id_] = provider
        diagnostics += [Diagnostic(path, where, fault.text) for fault in wrong]
        diagnostics += [Diagnostic(path, where, note.text, dropped=False) for note in notes]
    return ModelsConfig(path, providers, tuple(diagnostics))


def _is_id(text: str) -> bool:
    """Whether a text can name a provider, before the `/` of `provider/id`."""
    return (
        0 < len(text) <= _LONGEST_ID
        and text.isprintable()
        and "/" not in text
        and text == text.strip()
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    """The reader of one provider: faults drop it, notes do not."""

    id: str
    fields: Fields
    notes: list[Fault]
    environ: Mapping[str, str]

    def read(self) -> CustomProvider:
        fields = self.fields
        self._known(fields, PROVIDER_KEYS)
        built_in = self.id in compiled_ids()
        base_url = self._base_url(fields)
        api = self._api(fields)
        rows = fields.each("models")
        if rows and not built_in:
            self._complete(rows)
        if not rows and not any(
            key in fields for key in ("baseUrl", "headers", "compat", "modelOverrides", "apiKey")
        ):
            fields.note(
                "", "expected models, or one of baseUrl, apiKey, headers, compat, modelOverrides"
            )
        key = fields.maybe_secret("apiKey")
        if key is not None and looks_like_a_variable(key, self.environ):
            text = "it is spelled like an environment variable that is not set, so the text itself is the key; "
            text += "write $NAME for a variable"
            self.notes.append(Fault(fields.at("apiKey"), text))
        models = tuple(self._model(row, base_url, api, built_in=built_in) for row in rows)
        ids = [one.id for one in models]
        for row, id_ in zip(rows, ids, strict=True):
            if ids.count(id_) > 1 and id_:
                row.note("id", f"{id_} stands twice; ids are unique")
                break
        overrides = fields.inner("modelOverrides")
        if "modelOverrides" in fields and not built_in:
            overrides.note("", f"{self.id} is no built-in provider; change the model in `models`")
        return CustomProvider(
            self.id,
            fields.maybe_text("name"),
            base_url,
            key,
            _headers(fields),
            self._compat(fields) or {},
            fields.flag("authHeader", default=False),
            models,
            frozenset(id_ for row, id_ in zip(rows, ids, strict=True) if "maxTokens" in row),
            {id_: self._override(overrides.inner(id_)) for id_ in overrides.keys},
        )

    def _known(self, fields: Fields, keys: tuple[str, ...]) -> None:
        """A key that is not known is told; the entry is used all the same, a later eukhe may know it."""
        fields.only((*keys, *_LATER), self.notes)

    def _complete(self, rows: tuple[Fields, ...]) -> None:
        fields = self.fields
        if "baseUrl" not in fields and not all("baseUrl" in row for row in rows):
            fields.note(
                "baseUrl",
                "it is missing; write the server's address, such as http://127.0.0.1:8080/v1",
            )
        if "api" not in fields and not all("api" in row for row in rows):
            fields.note("api", f"it is missing; one of {', '.join(WIRE_APIS)}")
        if "apiKey" not in fields:
            fields.note(
                "apiKey",
                "it is missing; write a variable ($NAME), a text, or a command (!COMMAND); for a local server "
                "that takes none, any text will do",
            )

    def _api(self, fields: Fields) -> str | None:
        return fields.word("api", WIRE_APIS) if "api" in fields else None

    def _base_url(self, fields: Fields) -> str | None:
        url = fields.maybe_text("baseUrl", 2048)
        if url is None or not url:
            return None
        try:
            parts = urlsplit(url)
            sound = parts.scheme in ("http", "https") and bool(parts.hostname)
        except ValueError:
            sound = False
        if not sound:
            fields.fault("baseUrl", "an address such as https://api.example.com/v1", url)
            return None
        bare = url.rstrip("/")
        for end in _ENDPOINTS:
            if bare.endswith(end):
                bare = bare.removesuffix(end)
                text = f"it ends in {end}, which eukhe adds itself; {bare} is used"
                self.notes.append(Fault(fields.at("baseUrl"), text))
        return bare

    def _model(
        self, row: Fields, base_url: str | None, api: str | None, *, built_in: bool
    ) -> Entry:
        self._known(row, MODEL_KEYS)
        id_ = row.text("id")
        own_url, own_api = self._base_url(row), self._api(row)
        if built_in and id_ in compiled_ids()[self.id]:
            text = f"it replaces the whole built-in row of {id_}; modelOverrides changes only what it names"
            self.notes.append(Fault(row.at("id"), text))
        window = row.whole("contextWindow", 1, _MOST_TOKENS, _DEFAULT_WINDOW)
        reply = row.whole("maxTokens", 1, _MOST_TOKENS, _DEFAULT_MAX_TOKENS)
        url = own_url or base_url or ""
        if "contextWindow" not in row and urlsplit(url).hostname in _LOOPBACK:
            text = f"it is missing, so {_DEFAULT_WINDOW:,} tokens are taken; a local model often has fewer"
            self.notes.append(Fault(row.at("contextWindow"), text))
        if "maxTokens" in row and reply >= window:
            text = f"a reply of {reply:,} tokens leaves nothing of the window ({window:,}) for the request"
            self.notes.append(Fault(row.at("maxTokens"), text))
        return Entry(
            self.id,
            id_,
            own_api or api or "",
            url,
            row.text("name", id_),
            row.flag("reasoning", default=False),
            row.within("input", ("text", "image"), ("text",)),
            Cost(**self._cost(row)),
            window,
            reply,
            _levels(row),
            self._compat(row),
            None,
            _headers(row) or None,
        )

    def _cost(self, row: Fields) -> dict[str, float]:
        cost = row.inner("cost")
        cost.only((*_COST, "tiers"), self.notes)
        return {ours: cost.number(key, _MOST_DOLLARS) for key, ours in _COST.items() if key in cost}

    def _compat(self, row: Fields) -> Mapping[str, object] | None:
        if "compat" not in row:
            return None
        compat = row.inner("compat")
        compat.only((*DIRECTIVE_OF, *OTHER_KEYS), self.notes, "docs/models.md lists them")
        check_compat(compat)
        return compat.values

    def _override(self, row: Fields) -> Override:
        self._known(row, _OVERRIDE_KEYS)
        return Override(
            row.maybe_text("name"),
            row.flag("reasoning") if "reasoning" in row else None,
            row.within("input", ("text", "image")) if "input" in row else None,
            row.whole("contextWindow", 1, _MOST_TOKENS) if "contextWindow" in row else None,
            row.whole("maxTokens", 1, _MOST_TOKENS) if "maxTokens" in row else None,
            self._cost(row),
            _levels(row) or {},
            self._compat(row) or {},
            _headers(row),
        )


def _levels(row: Fields) -> Mapping[str, str | None] | None:
    row.inner("thinkingLevelMap").only(LADDER)
    return row.text_map("thinkingLevelMap", nulls=True)


def _headers(row: Fields) -> Mapping[str, str]:
    headers = row.text_map("headers", secret=True) or {}
    return {name: value for name, value in headers.items() if value is not None}
