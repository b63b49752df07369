"""A privacy classifier that carries its code along: modules of hf_ppar, flattened into the model's directory.

transformers loads such a directory with `trust_remote_code=True` where hf_ppar is not installed. It copies files of
one folder only, so every module becomes a file named after its place, and imports are pointed at those files.
"""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .pipelines import PrivacyVideoClassificationPipeline
from .version import __version__

ENTRY = "hf_ppar_remote"
TASK = "privacy-video-classification"
_PACKAGE = __name__.partition(".")[0]


def write_remote_code(model: Any, directory: str | os.PathLike[str]) -> list[Path]:
    """Write the modules that `model` needs into the directory that it was saved to; returns the files."""
    folder = Path(directory)
    parts = [(type(part.config), type(part)) for part in (model.anonymizer, model.recognizer)]
    offered = [type(model.config), type(model), PrivacyVideoClassificationPipeline]
    strangers = [kind.__name__ for pair in parts for kind in pair if not kind.__module__.startswith(f"{_PACKAGE}.")]
    if strangers:
        raise ValueError(
            f"as_remote_code writes modules of {_PACKAGE} only, and {', '.join(strangers)} is not from there; "
            "save without as_remote_code"
        )
    files = {f"{ENTRY}.py": write_entry(parts, offered)}
    for module in needed_modules({kind.__module__ for kind in [*offered, *sum(parts, ())]}):
        files[f"{flat_name(module)}.py"] = flatten_module(module)
    for name, text in files.items():
        (folder / name).write_text(f"# From hf_ppar {__version__}, by save_pretrained(as_remote_code=True).\n{text}")
    _point_config(folder / "config.json", [kind.__name__ for kind in offered])
    return [folder / name for name in files]


def write_entry(parts: list[tuple[type, type]], offered: list[type]) -> str:
    """The file that transformers is pointed to: it registers the parts and offers the classes."""
    kinds = [kind for pair in parts for kind in pair] + offered
    lines = ["from transformers import AutoConfig, AutoModel\n"]
    lines += [f"from .{flat_name(kind.__module__)} import {kind.__name__}" for kind in kinds]
    lines += [f"\n__all__ = {[kind.__name__ for kind in offered]}\n"]
    for config, model in parts:
        lines += [f"AutoConfig.register({config.__name__}.model_type, {config.__name__}, exist_ok=True)"]
        lines += [f"AutoModel.register({config.__name__}, {model.__name__}, exist_ok=True)"]
    return "\n".join(lines) + "\n"


def needed_modules(start: set[str]) -> list[str]:
    """The modules of the package that these import, themselves included, sorted."""
    found: set[str] = set()
    waiting = set(start)
    while waiting:
        module = waiting.pop()
        found.add(module)
        waiting |= {source for _, names in relative_imports(module) for source, _ in names} - found
    return sorted(found)


def flatten_module(module: str) -> str:
    """A module's text with its relative imports pointed at flat files."""
    lines = _read(module).splitlines()
    for node, names in reversed(list(relative_imports(module))):
        margin = " " * node.col_offset
        pointed = [f"{margin}from .{flat_name(source)} import {_spell(alias)}" for source, alias in names]
        lines[node.lineno - 1 : node.end_lineno] = pointed
    return "\n".join(lines) + "\n"


def relative_imports(module: str) -> Iterator[tuple[ast.ImportFrom, list[tuple[str, ast.alias]]]]:
    """Each relative import of a module, with the module that every name of it is defined in."""
    imports = [node for node in ast.walk(ast.parse(_read(module))) if isinstance(node, ast.ImportFrom) and node.level]
    for node in sorted(imports, key=lambda node: node.lineno):
        yield node, [(_defining(_absolute(module, node), alias.name), alias) for alias in node.names]


def flat_name(module: str) -> str:
    """hf_ppar.models.base -> hf_ppar_models_base."""
    return module.replace(".", "_")


def _defining(module: str, name: str) -> str:
    """The module that defines a name: a package mostly passes on what its modules define."""
    if _is_package(module):
        for node, names in relative_imports(module):
            for source, alias in names:
                if name == (alias.asname or alias.name) and node.col_offset == 0:
                    return source
    return module


def _absolute(module: str, node: ast.ImportFrom) -> str:
    """What a relative import names: the dots go up from the package that the module is in."""
    inside = module if _is_package(module) else module.rpartition(".")[0]
    for _ in range(node.level - 1):
        inside = inside.rpartition(".")[0]
    if node.module is None:
        raise ValueError(f"{module} imports from its package as a whole, which cannot be flattened")
    return f"{inside}.{node.module}"


def _spell(alias: ast.alias) -> str:
    return alias.name if alias.asname is None else f"{alias.name} as {alias.asname}"


def _is_package(module: str) -> bool:
    return _origin(module).name == "__init__.py"


def _read(module: str) -> str:
    return _origin(module).read_text(encoding="utf-8")


def _origin(module: str) -> Path:
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise ValueError(f"there is no source of {module}")
    return Path(spec.origin)


def _point_config(path: Path, names: list[str]) -> None:
    """Tell transformers which classes of the entry to load."""
    config, model, pipeline = (f"{ENTRY}.{name}" for name in names)
    settings = json.loads(path.read_text(encoding="utf-8"))
    settings["auto_map"] = {"AutoConfig": config, "AutoModel": model}
    settings["custom_pipelines"] = {TASK: {"impl": pipeline, "pt": ["AutoModel"], "type": "video"}}
    path.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
