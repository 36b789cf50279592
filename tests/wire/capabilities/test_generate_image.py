"""`generate_image`: pictures by their bytes, refusals of filters, and what a dialect does not have (S6.7)."""

from __future__ import annotations

import base64

import pytest

from eukhe.wire.capabilities.generate_image import (
    GeneratedImage,
    GenerateImage,
    Images,
    generate_image,
)
from eukhe.wire.errors import ErrorKind, WireError
from tests.servers.operations import Answer, Asked, OperationServer
from tests.wire.capabilities.cases import PNG, PNG64, failure, run, site

CAT = GenerateImage("m", "a cat")
JPEG = b"\xff\xd8\xff\xe0 and so on"
WEBP = b"RIFF\x10\0\0\0WEBPVP8 "


def ask(dialect: str, base: str, what: GenerateImage, answer: object) -> tuple[Images, Asked]:
    with OperationServer({"*": Answer(answer)}) as server:
        return run(generate_image(dialect, site(server, base), what)), server.asked[0]


def refused(dialect: str, answer: object, what: GenerateImage = CAT) -> WireError:
    with OperationServer({"*": Answer(answer)}) as server:
        return failure(generate_image(dialect, site(server, "/v1"), what))


@pytest.mark.parametrize(("raw", "kind"), [
    (PNG, "image/png"), (JPEG, "image/jpeg"), (WEBP, "image/webp"),
])  # fmt: skip
def test_a_picture_is_what_its_bytes_say(raw: bytes, kind: str) -> None:
    data = base64.b64encode(raw).decode()
    answer = {"created": 1, "data": [{"b64_json": data, "revised_prompt": "one cat"}]}
    found, asked = ask("openai", "/v1", CAT, answer)
    assert found == Images((GeneratedImage(raw, kind, "", "one cat"),))
    assert asked.path == "/v1/images/generations"
    assert asked.body == {"model": "m", "prompt": "a cat"}


def test_openai_is_asked_for_several_in_a_size_and_may_give_addresses() -> None:
    what = GenerateImage("m", "a cat", 2, "1024x1536", quality="high", output_format="webp")
    rows = [{"b64_json": PNG64}, {"url": "https://x.example/1.png"}]
    found, asked = ask("openai", "/v1", what, {"data": rows})
    assert found.images[1] == GeneratedImage(b"", "", "https://x.example/1.png")
    assert asked.body == {
        "model": "m",
        "prompt": "a cat",
        "n": 2,
        "size": "1024x1536",
        "quality": "high",
        "output_format": "webp",
    }


def test_google_gives_pictures_among_parts_and_its_sketches_are_none() -> None:
    def inline(raw: bytes) -> dict[str, object]:
        return {"mimeType": "image/png", "data": base64.b64encode(raw).decode()}

    parts = [
        {"text": "I think of cats", "thought": True},
        {"inlineData": inline(JPEG), "thought": True},
        {"text": "A cat."},
        {"inlineData": inline(PNG)},
    ]
    what = GenerateImage("m", "a cat", size="2K", aspect_ratio="16:9")
    answer = {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}
    found, asked = ask("google", "/v1beta", what, answer)
    assert found == Images((GeneratedImage(PNG, "image/png"),), "A cat.")
    assert asked.path == "/v1beta/models/m:generateContent"
    assert asked.body["contents"] == [{"role": "user", "parts": [{"text": "a cat"}]}]
    assert asked.body["generationConfig"] == {
        "responseModalities": ["TEXT", "IMAGE"],
        "imageConfig": {"aspectRatio": "16:9", "imageSize": "2K"},
    }


def test_openrouter_gives_pictures_as_data_addresses() -> None:
    urls = [f"data:image/png;base64,{PNG64}", "https://x.example/1.png"]
    images = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    answer = {"choices": [{"message": {"content": "Here.", "images": images}}]}
    what = GenerateImage("m", "a cat", aspect_ratio="1:1")
    found, asked = ask("openrouter", "/api/v1", what, answer)
    expected = (GeneratedImage(PNG, "image/png"), GeneratedImage(b"", "", urls[1]))
    assert found == Images(expected, "Here.")
    assert asked.body["modalities"] == ["image", "text"]
    assert asked.body["image_config"] == {"aspect_ratio": "1:1"}


@pytest.mark.parametrize(
    ("dialect", "answer"),
    [
        ("google", {"promptFeedback": {"blockReason": "SAFETY"}}),
        ("google", {"candidates": [{"finishReason": "IMAGE_SAFETY"}]}),
        *(
            ("google", {"candidates": [{"finishReason": reason}]})
            for reason in ("PROHIBITED_CONTENT", "IMAGE_RECITATION", "BLOCKLIST", "SPII")
        ),
        ("openrouter", {"choices": [{"finish_reason": "content_filter", "message": {}}]}),
        ("openai", {"error": {"code": "content_filter", "message": "no"}}),
    ],
)
def test_a_refusal_of_the_filter_is_one(dialect: str, answer: object) -> None:
    assert refused(dialect, answer).kind is ErrorKind.SAFETY


@pytest.mark.parametrize(
    ("dialect", "answer"),
    [
        ("openai", {"data": []}),
        ("openai", {"data": [{}]}),
        ("google", {"candidates": [{"content": {"parts": [{"text": "I cannot."}]}}]}),
        ("openrouter", {"choices": [{"message": {"content": "I cannot."}}]}),
    ],
)
def test_an_answer_without_a_picture_is_an_error(dialect: str, answer: object) -> None:
    error = refused(dialect, answer)
    assert error.kind is ErrorKind.PROTOCOL
    said = "" if dialect == "openai" else ": 'I cannot.'"
    assert error.message == f"the model answered without a picture{said}"


@pytest.mark.parametrize("data", ["not base64!", "aGVsbG8", base64.b64encode(b"<svg/>").decode()])
def test_bytes_that_are_no_picture_are_refused(data: str) -> None:
    assert refused("openai", {"data": [{"b64_json": data}]}).kind is ErrorKind.PROTOCOL


@pytest.mark.parametrize(
    ("dialect", "what", "message"),
    [
        ("openai", GenerateImage("m", "x", aspect_ratio="1:1"), "have no aspect ratio"),
        ("google", GenerateImage("m", "x", quality="high"), "have no quality"),
        ("google", GenerateImage("m", "x", output_format="png"), "have no output format"),
        ("google", GenerateImage("m", "x", 2), "makes one picture a request"),
        ("openrouter", GenerateImage("m", "x", 2), "makes one picture a request"),
        ("openrouter", GenerateImage("m", "x", quality="high"), "have no quality"),
        ("openai", GenerateImage("m", "x", 0), "at least one picture"),
    ],
)
def test_what_a_dialect_does_not_have_is_refused_and_not_left_out(
    dialect: str, what: GenerateImage, message: str
) -> None:
    with OperationServer({}) as server:
        error = failure(generate_image(dialect, site(server, ""), what))
        assert server.asked == []
    assert error.kind is ErrorKind.INVALID_REQUEST
    assert message in error.message
