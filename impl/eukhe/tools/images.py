"""Pictures: which files are one, and the block that a model gets."""

from __future__ import annotations

import base64
import os
from typing import TYPE_CHECKING, BinaryIO

from eukhe.tools.tool import ToolFailedError
from eukhe.wire.messages import ImageBlock

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_IMAGE_BYTES = 3_750_000
"""The largest picture that is sent: with it the base64 text has five million characters, what providers take."""


def media_type_of(head: bytes) -> str:
    """The media type of a picture that every provider takes, by its first bytes; empty for all else."""
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    return ""


def picture(
    file: BinaryIO, name: str, media_type: str, takes_images: Callable[[], bool]
) -> ImageBlock:
    """The picture as a block.

    Args:
        file: the file, at its start.
        name: its path as messages show it.
        media_type: what it is.
        takes_images: whether the model can see it; asked only here, since the answer can cost time.

    Raises:
        ToolFailedError: the model takes no pictures, or not one this large.
    """
    size = os.fstat(file.fileno()).st_size
    if not takes_images():
        raise ToolFailedError(
            f"{name} is a picture ({media_type}, {size} bytes), and this model is not known to take pictures"
        )
    data = file.read(MAX_IMAGE_BYTES + 1)
    if len(data) > MAX_IMAGE_BYTES:
        raise ToolFailedError(
            f"{name} is a picture of {size} bytes; the most that can be sent is {MAX_IMAGE_BYTES}. "
            "Make a smaller copy of it and read that"
        )
    return ImageBlock(base64.b64encode(data).decode(), media_type)
