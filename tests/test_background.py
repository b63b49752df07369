import threading
import time
from contextlib import closing

import pytest

from hf_ppar.background import BackgroundCalls, read_ahead


def test_read_ahead_yields_everything_in_order():
    assert list(read_ahead(range(100))) == list(range(100))


def test_read_ahead_is_bounded():
    produced = []

    def items():
        for number in range(100):
            produced.append(number)
            yield number

    with closing(read_ahead(items(), depth=2)) as ahead:
        next(ahead)
        time.sleep(0.2)
        assert len(produced) <= 1 + 2 + 1


def test_read_ahead_raises_what_the_producer_raised():
    def items():
        yield 1
        raise OSError("disk gone")

    with pytest.raises(OSError, match="disk gone"):
        list(read_ahead(items()))


def test_closing_read_ahead_stops_its_thread():
    with closing(read_ahead(iter(int, 1))) as ahead:
        next(ahead)
    assert not any(thread.name == "hf_ppar-read" for thread in threading.enumerate())


def test_calls_happen_in_order_and_are_waited_for():
    seen = []
    with BackgroundCalls(lambda item: (time.sleep(0.01), seen.append(item))) as calls:
        for number in range(10):
            calls.submit(number)
    assert seen == list(range(10))


def test_an_error_of_the_work_reaches_the_caller():
    def fail(item):
        raise OSError("full")

    with pytest.raises(OSError, match="full"), BackgroundCalls(fail) as calls:
        for number in range(50):
            calls.submit(number)
            time.sleep(0.01)
    with pytest.raises(OSError, match="full"), BackgroundCalls(fail) as calls:
        calls.submit(1)


def test_an_error_of_the_caller_drops_what_waits():
    seen = []
    with (
        pytest.raises(KeyboardInterrupt),
        BackgroundCalls(lambda item: (time.sleep(0.05), seen.append(item))) as calls,
    ):
        calls.submit(1)
        calls.submit(2)
        raise KeyboardInterrupt
    assert len(seen) <= 1
    assert not any(thread.name == "hf_ppar-write" for thread in threading.enumerate())
