"""Face re-identification by a frozen off-the-shelf model: raw gallery, anonymized probes.

This attacker is not trained on anonymized videos: it is somebody who has pictures of people and a ready-made face
recognizer. It complements the panel, which knows the anonymizer, and never replaces it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from datasets import Dataset
from tqdm import tqdm

from ..data import class_names, read_example_frames
from ..data.readability import iterate_videos
from ..metrics import bootstrap_mean
from ..streaming import anonymize
from ..video import even_indices
from .case import Case
from .labels import read_labels
from .measure import Number

# Frames (T, H, W, 3) uint8 -> embeddings (faces, d), at most one face a frame.
Embedder = Callable[[np.ndarray], np.ndarray]

_FRAMES = 5  # looked at in each video
_UPSAMPLING = 2  # the detector knows faces of 80 pixels; twice doubled, a picture shows it those of 20
_NO_FACE = -1


def load_face_embedder() -> Embedder:
    """dlib's frontal face detector and its ResNet embedding (128 values), with the weights of the extra `attack`."""
    weights = find_spec("face_recognition_models")  # never imported: it needs pkg_resources, and is files only
    if weights is None or weights.origin is None or find_spec("dlib") is None:
        raise ValueError("face re-identification needs dlib and its weights: pip install 'hf-ppar[attack]'")
    import dlib

    folder = Path(weights.origin).parent / "models"
    detect = dlib.get_frontal_face_detector()
    align = dlib.shape_predictor(str(folder / "shape_predictor_5_face_landmarks.dat"))
    network = dlib.face_recognition_model_v1(str(folder / "dlib_face_recognition_resnet_model_v1.dat"))

    def embed(frames: np.ndarray) -> np.ndarray:
        found = []
        for frame in map(np.ascontiguousarray, frames):
            boxes = detect(frame, _UPSAMPLING)
            if len(boxes):
                largest = max(boxes, key=lambda box: box.area())
                found.append(np.array(network.compute_face_descriptor(frame, align(frame, largest))))
        return np.stack(found) if found else np.zeros((0, 128))

    return embed


def reidentify_faces(case: Case, embed: Embedder) -> Number:
    """Share of test videos whose person the nearest face of the raw train videos names; no face found is a miss.

    Videos are anonymized whole, at their own size, as `hf-ppar anonymize` would.
    """
    train, test = case.splits["train"], case.splits["test"]
    if not class_names(train, "person"):
        raise ValueError("face re-identification needs persons, and the data set names none")
    gallery, probes = (read_labels(dataset)["person"] for dataset in (train, test))
    known = _embed_videos(train, gallery, embed, "faces of the gallery", lambda frames: frames)
    if not any(len(faces) for faces in known):
        raise ValueError("no face was found in any raw train video: face re-identification says nothing here")
    seen = _embed_videos(test, probes, embed, "faces of the probes", lambda frames: _anonymized(case, frames))
    right = match_faces(known, gallery, seen) == probes
    asked = probes >= 0
    interval = bootstrap_mean(right[asked].astype(float))
    details = {
        "found": float(np.array([len(faces) > 0 for faces in seen])[asked].mean()),
        "probes": int(asked.sum()),
        "gallery_faces": sum(map(len, known)),
    }
    chance = 1 / len(class_names(train, "person"))
    values = (interval.value, interval.low, interval.high, chance, None)
    return Number("face_reid_top1", *values, "dlib, frozen, raw gallery", details=details)


def match_faces(gallery: Sequence[np.ndarray], persons: np.ndarray, probes: Sequence[np.ndarray]) -> np.ndarray:
    """Who each probe is (probes,): the person of the gallery face nearest to any of its faces, -1 without a face.

    Args:
        gallery, probes: embeddings (faces, d) of each video, Euclidean.
        persons: (gallery videos,).
    """
    faces = np.concatenate([video for video in gallery if len(video)])
    owners = np.repeat(persons, [len(video) for video in gallery])
    named = np.full(len(probes), _NO_FACE)
    for number, probe in enumerate(probes):
        if len(probe):
            distances = np.linalg.norm(probe[:, None] - faces[None], axis=-1)  # (probe's faces, all faces)
            named[number] = owners[distances.min(axis=0).argmin()]
    return named


def _embed_videos(
    dataset: Dataset, persons: np.ndarray, embed: Embedder, title: str, change: Callable[[np.ndarray], np.ndarray]
) -> list[np.ndarray]:
    """Embeddings of each video after `change`; none of those whose person is unknown."""
    shown = tqdm(zip(iterate_videos(dataset), persons, strict=True), title, len(persons), leave=False, disable=None)
    return [_embed(video, embed, change) if person >= 0 else np.zeros((0, 1)) for video, person in shown]


def _embed(video: Any, embed: Embedder, change: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    frames = change(read_example_frames(video))
    return embed(frames[even_indices(len(frames), min(_FRAMES, len(frames)))])


def _anonymized(case: Case, frames: np.ndarray) -> np.ndarray:
    return frames if case.anonymizer is None else anonymize(frames, case.anonymizer, case.strength)
