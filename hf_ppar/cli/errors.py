"""How a command fails: one line that says what, which value and what to do, and an exit code."""

from __future__ import annotations

import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import typer

FAILED, USAGE, INTERRUPTED = 1, 2, 130


def complain(error: BaseException | str, debug: bool = False) -> None:
    """Print an error in one line; with `debug` its traceback first."""
    if debug and isinstance(error, BaseException):
        typer.echo("".join(traceback.format_exception(error)), err=True)
    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, BaseException) and not isinstance(error, (ValueError, OSError)):
        text = f"{type(error).__name__}: {text} (--debug shows where)"
    typer.echo(f"error: {text}", err=True)


@contextmanager
def exit_on_error(code: int, debug: bool = False) -> Iterator[None]:
    """Turn any exception into one line and an exit code; Ctrl-C and a kill request into 130, with files cleaned up."""
    previous = signal.signal(signal.SIGTERM, _raise_interrupt)
    try:
        yield
    except (typer.Exit, typer.Abort):
        raise
    except KeyboardInterrupt:
        complain("interrupted; nothing unfinished was left behind")
        raise typer.Exit(INTERRUPTED) from None
    except Exception as error:
        complain(error, debug)
        raise typer.Exit(code) from None
    finally:
        signal.signal(signal.SIGTERM, previous)


def _raise_interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
