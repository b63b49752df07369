"""References to check the metrics against: scikit-learn, and the official labels of the VP sets."""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest


@pytest.fixture(scope="session")
def sklearn_metrics() -> ModuleType:
    return pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed: nothing to compare with")


class LabelUnpickler(pickle.Unpickler):
    """Builds dicts and numpy arrays, and refuses every other name."""

    allowed = ("_reconstruct", "ndarray", "dtype")

    def find_class(self, module: str, name: str) -> object:
        if module.split(".")[0] != "numpy" or name not in self.allowed:
            raise pickle.UnpicklingError(f"{module}.{name} is not allowed in a label file")
        return super().find_class(module.replace("numpy.core", "numpy._core"), name)


def read_vp_labels(path: Path) -> np.ndarray:
    """Labels (videos, 5): face, skin colour, gender, nudity, relationship."""
    labels = LabelUnpickler(io.BytesIO(path.read_bytes())).load()
    return np.concatenate(list(labels.values()))


@pytest.fixture(scope="session")
def vp_labels(real_data: Path) -> dict[str, np.ndarray]:
    folder = real_data / "annotations" / "vp"
    return {name: read_vp_labels(folder / f"{name}_privacy_attribute_label.pickle") for name in ("hmdb51", "ucf101")}
