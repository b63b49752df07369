"""hf_ppar: understand what happens in a video without exposing who is in it.

`import hf_ppar` registers its models and pipelines with transformers. Only the `hf-ppar` command puts that off until
a command needs it, so that `hf-ppar --help` does not wait for torch.
"""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from .version import __version__

# Found when they are first used: not every program that anonymizes also loads data sets.
_ON_DEMAND = {"load_ppar_dataset": ".data"}

__all__ = ["__version__", *_ON_DEMAND]


def __getattr__(name: str) -> Any:
    if name in _ON_DEMAND:
        return getattr(import_module(_ON_DEMAND[name], __name__), name)
    from . import public

    if name in public.__all__:
        return getattr(public, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


if not (sys.argv and Path(sys.argv[0]).stem == "hf-ppar"):
    from .public import *  # noqa: F403
    from .public import __all__ as _public

    __all__ += _public
