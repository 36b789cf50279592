"""Pictures that the tool `read` gives to a model."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest

from eukhe.tools import ToolContext, ToolFailedError
from eukhe.tools.images import MAX_IMAGE_BYTES
from eukhe.wire.messages import ImageBlock
from tests.tools.calls import output_of

if TYPE_CHECKING:
    from pathlib import Path

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"),
        (b"GIF89a\1\0\1\0", "image/gif"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
    ],
)
def test_a_picture_is_a_block_for_a_model_that_takes_them(
    tmp_path: Path, data: bytes, media_type: str
) -> None:
    (tmp_path / "odd.name").write_bytes(data)
    output = output_of(
        ToolContext(tmp_path, {}, takes_images=lambda: True), "read", path="odd.name"
    )
    assert output.text == f"[odd.name: a picture, {media_type}]"
    assert output.images == (ImageBlock(base64.b64encode(data).decode(), media_type),)


def test_a_picture_is_refused_for_a_model_that_takes_none(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(PNG)
    with pytest.raises(
        ToolFailedError, match=r"a.png is a picture \(image/png, 7\d bytes\), and this"
    ):
        output_of(ToolContext(tmp_path, {}), "read", path="a.png")


def test_a_picture_that_no_provider_takes_is_refused(tmp_path: Path) -> None:
    context = ToolContext(tmp_path, {}, takes_images=lambda: True)
    (tmp_path / "big.png").write_bytes(PNG.ljust(MAX_IMAGE_BYTES + 1, b"\0"))
    with pytest.raises(ToolFailedError, match=f"{MAX_IMAGE_BYTES + 1} bytes; the most"):
        output_of(context, "read", path="big.png")
    (tmp_path / "a.wav").write_bytes(b"RIFF\x10\0\0\0WAVEfmt \0")
    with pytest.raises(ToolFailedError, match="binary file"):
        output_of(context, "read", path="a.wav")
