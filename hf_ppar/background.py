"""Two small pieces of concurrency: read ahead in a thread, and hand work to a thread, both with bounded queues."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Generic, TypeVar

T = TypeVar("T")
_POLL_SECONDS = 0.1


class _Done:
    """Marks the end of a queue, with the exception that ended it, if one did."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


def read_ahead(items: Iterable[T], depth: int = 2) -> Generator[T]:
    """Yield `items`, produced in a thread at most `depth` items ahead.

    An exception of the producer is raised here. Closing this generator, or leaving its loop early, stops the thread.
    """
    ready: queue.Queue[T | _Done] = queue.Queue(depth)
    stop = threading.Event()

    def produce() -> None:
        done = _Done()
        try:
            for item in items:
                if not _put(ready, item, stop):
                    return
        except BaseException as error:
            done = _Done(error)
        _put(ready, done, stop)

    thread = threading.Thread(target=produce, name="hf_ppar-read", daemon=True)
    thread.start()
    try:
        while not isinstance(item := ready.get(), _Done):
            yield item
        if item.error is not None:
            raise item.error
    finally:
        stop.set()
        thread.join()


class BackgroundCalls(AbstractContextManager["BackgroundCalls[T]"], Generic[T]):
    """Calls `work(item)` in a thread for each submitted item, in order, at most `depth` items behind.

    The first exception of `work` is raised by the next `submit` or on leaving the `with` block. Leaving the block
    normally waits for all items; leaving it by an exception drops those that wait.
    """

    def __init__(self, work: Callable[[T], None], depth: int = 2) -> None:
        self._work = work
        self._waiting: queue.Queue[T | _Done] = queue.Queue(depth)
        self._stop = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="hf_ppar-write", daemon=True)
        self._thread.start()

    def submit(self, item: T) -> None:
        """Queue an item; waits while the queue is full."""
        if not _put(self._waiting, item, self._stop):
            self._raise()

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None:
            self._stop.set()
        else:
            _put(self._waiting, _Done(), self._stop)
        self._thread.join()
        if error is None:
            self._raise()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                item = self._waiting.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                continue
            if isinstance(item, _Done):
                return
            try:
                self._work(item)
            except BaseException as error:
                self._error = error
                self._stop.set()

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error


def _put(place: queue.Queue[T | _Done], item: T | _Done, stop: threading.Event) -> bool:
    """Queue an item unless asked to stop; False when it was not queued."""
    while not stop.is_set():
        try:
            place.put(item, timeout=_POLL_SECONDS)
            return True
        except queue.Full:
            continue
    return False
