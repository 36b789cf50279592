"""Work with the disk beside the loop: a slow disk holds up nobody, and a dead one does not hold up the end."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Stop:
    """Tells work in a thread that nobody waits for it any more."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def __bool__(self) -> bool:
        return self._event.is_set()

    def set(self) -> None:
        """Say so."""
        self._event.set()


async def in_thread(name: str, work: Callable[[Stop], T]) -> T:
    """Run the work in a thread of its own and wait for it.

    A cancelled wait ends at once; the work is told by its argument and ends on its own.

    Args:
        name: the thread's name.
        work: what to do; what it raises is raised here.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()
    stop = Stop()

    def settle(result: Callable[[], T]) -> None:
        if done.done():
            return
        try:
            done.set_result(result())
        except Exception as error:
            done.set_exception(error)

    def call() -> None:
        try:
            value = work(stop)
        except Exception as error:
            failure = error

            def result() -> T:
                raise failure
        else:

            def result() -> T:
                return value

        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody asks any more
            loop.call_soon_threadsafe(settle, result)

    # Not a thread of the loop's pool: the end of the process would wait for a dead disk.
    threading.Thread(target=call, name=name, daemon=True).start()
    try:
        return await done
    finally:
        stop.set()
