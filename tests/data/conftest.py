"""Small folders of videos, and a cache that no test leaves behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from hf_ppar.data import load_ppar_dataset

from ..conftest import moving_square, write_with_av


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """Every test has its own empty cache root."""
    root = tmp_path / "cache"
    monkeypatch.setenv("HF_PPAR_CACHE", str(root))
    return root


def write_videos(folder: Path, names: list[str], frames: int = 12) -> None:
    """Real little videos, each of another picture."""
    for seed, name in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_with_av(path, moving_square(frames, seed=seed))


def fake_videos(folder: Path, names: list[str]) -> None:
    """Files that are named like videos and are none."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("not a video")


METADATA = """file_name,action,person,face,skin
a.mp4,walk,ann,1,0
b.mp4,wave,bob,0,1
c.mp4,walk,ann,1,
d.mp4,wave,bob,-1,1
"""


@pytest.fixture
def labelled_folder(tmp_path) -> Path:
    """Four real videos with a metadata.csv."""
    folder = tmp_path / "videos"
    write_videos(folder, ["a.mp4", "b.mp4", "c.mp4", "d.mp4"])
    (folder / "metadata.csv").write_text(METADATA)
    return folder


@pytest.fixture
def labelled(labelled_folder):
    return load_ppar_dataset("folder", labelled_folder)


@pytest.fixture(scope="session")
def lsa64_folder(real_data) -> Path:
    folder = real_data / "lsa64"
    if not folder.is_dir():
        pytest.skip("HF_PPAR_DATA has no folder lsa64")
    return folder
