import ast
import doctest
import importlib
import pkgutil
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import hf_ppar.metrics as package
from hf_ppar.metrics import METRICS

BETTER_AT_THE_TASK = {
    "top_1": lambda good: package.top_k_accuracy(good, LABELS).value,
    "top_5": lambda good: package.top_k_accuracy(good, LABELS, 5).value,
    "average_precision": lambda good: package.average_precision(good[:, 0], LABELS == 0).value,
    "cmap": lambda good: package.cmap(good, np.eye(8)[LABELS]).value,
    "f1_positive": lambda good: package.f1_positive(good, np.eye(8)[LABELS]).value,
    "f1_macro": lambda good: package.f1_macro(good, np.eye(8)[LABELS]).value,
    "roc_auc": lambda good: package.roc_auc(good[:, 0], LABELS == 0).value,
    "identity_top_1": lambda good: package.identity_top_1(good, LABELS).value,
    "mean_rank": lambda good: package.mean_rank(good, LABELS).value,
    "verification_eer": lambda good: package.verification_eer(*package.embedding_pairs(good, LABELS)).value,
    "recall_at_k": lambda good: package.retrieval(good, LABELS, np.eye(8), np.arange(8), [1]).recall[1].value,
    "retrieval_map": lambda good: (
        package.retrieval(good, LABELS, np.eye(8), np.arange(8), [1]).mean_average_precision.value
    ),
    "psnr": lambda good: package.psnr(picture(RIGHT), picture(good)).item(),
    "ssim": lambda good: package.ssim(picture(RIGHT), picture(good)).item(),
}
LABELS = np.arange(64) % 8
RIGHT = np.eye(8)[LABELS]
NOISY = np.clip(RIGHT * 0.1 + np.random.default_rng(0).random(RIGHT.shape) * 0.9, 0, 1)


def picture(scores):
    return torch.tensor(scores).reshape(1, 2, 16, 16)


@pytest.mark.parametrize("name", BETTER_AT_THE_TASK)
def test_range_and_direction_are_as_stated(name):
    info, score = METRICS[name], BETTER_AT_THE_TASK[name]
    best, worse = score(RIGHT), score(NOISY)
    assert info.minimum <= min(best, worse) and max(best, worse) <= info.maximum
    assert best == pytest.approx(info.maximum if info.higher_is_better else info.minimum)
    assert best > worse if info.higher_is_better else best < worse
    assert info.higher_is_more_private is (not info.higher_is_better)


def test_every_metric_is_tested_here_or_no_task():
    no_task = {name for name, info in METRICS.items() if not info.is_task}
    assert no_task == {"group_accuracy_gap", "nhv"}
    assert set(METRICS) == set(BETTER_AT_THE_TASK) | no_task
    assert all(METRICS[name].higher_is_more_private is None for name in no_task)
    assert all(name == info.name and info.meaning for name, info in METRICS.items())


@pytest.mark.parametrize("name", [m.name for m in pkgutil.iter_modules(package.__path__) if m.name != "wrappers"])
def test_examples_in_docstrings_run(name):
    assert doctest.testmod(importlib.import_module(f"hf_ppar.metrics.{name}")).failed == 0


@pytest.mark.parametrize("path", sorted(Path(package.__path__[0]).glob("*.py")), ids=lambda path: path.stem)
def test_only_the_wrappers_need_more_than_numpy_and_torch(path):
    allowed = {"__future__", "numpy", "torch"} | set(sys.stdlib_module_names)
    if path.stem == "wrappers":
        allowed |= {"evaluate", "datasets"}
    for node in ast.walk(ast.parse(path.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level <= 1, "metrics import nothing else of the package"
            names = [node.module] if node.level == 0 else []
        assert {name.split(".")[0] for name in names} <= allowed
