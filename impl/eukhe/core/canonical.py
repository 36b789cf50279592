"""JSON values as bytes that are equal exactly when the values are: what the core compares and digests.

Python's `==` takes `true`, `1` and `1.0` for one value, and both `==` and `json.dumps` give up on deep nesting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["canonical"]


def _by_key(value: Mapping[object, object]) -> list[object]:
    """Give the items of an object, key and value in turn, in an order that does not depend on who wrote it."""
    items = sorted(value.items(), key=lambda item: canonical(item[0]))
    return [part for item in items for part in item]


def canonical(value: object) -> bytes:
    """Give a JSON value as bytes; the order of an object's keys makes no difference.

    Each part says its type and its length, so no two values run into each other. What is no JSON value counts
    by the name of its type.

    Args:
        value: A JSON value of any depth; it holds itself nowhere.
    """
    parts: list[bytes] = []
    waiting = [value]
    while waiting:
        item = waiting.pop()
        match item:
            case None | bool():
                parts.append(f"{item};".encode())
            case int():
                parts.append(f"i{item:x};".encode())  # hexadecimal has no limit of digits
            case float():
                parts.append(f"f{item!r};".encode())
            case str():
                text = item.encode("utf-8", "surrogatepass")
                parts.append(b"s%d:%b" % (len(text), text))
            case dict():
                parts.append(b"o%d:" % len(item))
                waiting.extend(reversed(_by_key(item)))
            case list() | tuple():
                parts.append(b"a%d:" % len(item))
                waiting.extend(reversed(item))
            case _:
                parts.append(f"t{type(item).__qualname__};".encode("utf-8", "surrogatepass"))
    return b"".join(parts)
