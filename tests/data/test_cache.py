import logging
import os
import stat
import subprocess
import sys

import numpy as np
import pytest

from hf_ppar.data import ClipDataset, ClipOptions, UnreadableVideos, cache_building, clear_cache, load_ppar_dataset
from hf_ppar.data import open_clip_cache as open_cache
from hf_ppar.data.cache import cache_root
from hf_ppar.data.clips import read_clips_of

from ..conftest import moving_square, write_with_av

OPTIONS = ClipOptions(frames=4, stride=2, clips=2, size=(24, 24))


@pytest.fixture
def builds(monkeypatch):
    """Counts how often a cache is built."""
    calls = []
    original = cache_building._write_clips
    monkeypatch.setattr(cache_building, "_write_clips", lambda *args: calls.append(1) or original(*args))
    return calls


def test_hit_equals_miss_bit_for_bit(labelled, builds):
    first, second = open_cache(labelled, OPTIONS), open_cache(labelled, OPTIONS)
    assert len(builds) == 1 and first.shape == (4, 2, 4, 24, 24, 3)
    for row in range(4):
        decoded = read_clips_of(labelled[row]["video"], OPTIONS)
        for number in range(2):
            assert np.array_equal(first.read(row, number), decoded[number])
            assert np.array_equal(second.read(row, number), decoded[number])
    plain = ClipDataset(labelled, OPTIONS, seed=5)
    cached = ClipDataset(labelled, OPTIONS, seed=5, cache=second)
    for key in ((0, 1), (3, 1), (3, 2)):
        assert np.array_equal(plain[key]["pixel_values"], cached[key]["pixel_values"])


def test_stage_clips_are_cached_too(builds):
    dataset = load_ppar_dataset("stage", train_clips=2)
    options = ClipOptions(size=(32, 32))
    cache = open_cache(dataset, options)
    open_cache(dataset, options)
    assert len(builds) == 1
    assert np.array_equal(cache.read(1), read_clips_of(dataset[1]["video"], options)[0])


def test_workers_build_the_same_cache(labelled, tmp_path):
    alone, helped = open_cache(labelled, OPTIONS), open_cache(labelled, OPTIONS, tmp_path / "other", workers=2)
    assert all(np.array_equal(alone.read(row, 1), helped.read(row, 1)) for row in range(4))


@pytest.mark.parametrize(
    "change", [{"frames": 5}, {"stride": 1}, {"clips": 1}, {"size": (24, 26)}, {"fit": "stretch"}], ids=str
)
def test_every_setting_makes_another_cache(labelled, builds, change):
    from dataclasses import replace

    open_cache(labelled, OPTIONS)
    open_cache(labelled, replace(OPTIONS, **change))
    assert len(builds) == 2


def test_a_changed_video_replaces_the_cache(labelled, labelled_folder, builds, own_cache):
    before = open_cache(labelled, OPTIONS).read(0)
    write_with_av(labelled_folder / "a.mp4", moving_square(12, seed=77))
    assert not np.array_equal(open_cache(labelled, OPTIONS).read(0), before)
    assert len(builds) == 2
    assert len(list(own_cache.glob("clips-*/*"))) == 1  # the old frames are gone


def test_a_subset_is_another_cache(labelled, builds):
    open_cache(labelled, OPTIONS)
    assert open_cache(labelled.select([2, 0]), OPTIONS).shape[0] == 2
    assert len(builds) == 2


def test_the_version_of_the_library_is_part_of_the_key(labelled, builds, monkeypatch):
    open_cache(labelled, OPTIONS)
    monkeypatch.setattr("hf_ppar.data.fingerprint.__version__", "999")
    open_cache(labelled, OPTIONS)
    assert len(builds) == 2


def test_only_the_owner_can_read_it(labelled, own_cache):
    previous = os.umask(0)
    try:
        open_cache(labelled, OPTIONS)
    finally:
        os.umask(previous)
    for path in (own_cache, *own_cache.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.parametrize("name", ["clips.npy", "index.json"])
@pytest.mark.parametrize("damage", ["cut", "garbage", "empty", "gone"])
def test_a_damaged_cache_is_built_again(labelled, own_cache, builds, caplog, name, damage):
    expected = open_cache(labelled, OPTIONS).read(3)
    (path,) = own_cache.glob(f"clips-*/*/{name}")
    content = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes({"cut": content[: len(content) // 2], "garbage": b"\x00" * 300, "empty": b""}[damage])
    assert np.array_equal(open_cache(labelled, OPTIONS).read(3), expected)
    assert len(builds) == 2 and "is damaged and will be built again" in caplog.text


def test_a_flipped_bit_is_noticed_and_the_video_decoded(labelled, own_cache, caplog):
    expected = open_cache(labelled, OPTIONS).read(3)
    (path,) = own_cache.glob("clips-*/*/clips.npy")
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(content)
    cache = open_cache(labelled, OPTIONS)
    assert cache.read(3) is None and "row 3 of the cache" in caplog.text
    clips = ClipDataset(labelled, ClipOptions(4, 2, 2, (24, 24)), cache=cache, every_clip=True)
    assert np.array_equal(clips[6]["pixel_values"], expected)


def test_nothing_stays_when_building_is_interrupted(labelled, own_cache, monkeypatch):
    def interrupt(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(cache_building, "read_clips_of", interrupt)
    with pytest.raises(KeyboardInterrupt):
        open_cache(labelled, OPTIONS)
    assert [path for path in own_cache.rglob("*") if path.suffix != ".lock" and not path.is_dir()] == []


def test_leftovers_of_a_killed_build_are_removed(labelled, own_cache):
    open_cache(labelled, OPTIONS)
    (parent,) = own_cache.glob("clips-*[0-9a-f]")
    (parent / next(iter(parent.iterdir())).name / "clips.npy").unlink()
    (parent / ".partial-x").mkdir()
    open_cache(labelled, OPTIONS)
    assert not (parent / ".partial-x").exists()


_BUILD = """
import sys
from hf_ppar.data import ClipOptions, cache_building, load_ppar_dataset, open_clip_cache
original = cache_building._write_clips
cache_building._write_clips = lambda *args: print("built", flush=True) or original(*args)
dataset = load_ppar_dataset("folder", sys.argv[1])
cache = open_clip_cache(dataset, ClipOptions(frames=4, stride=2, clips=2, size=(24, 24)), progress=False)
print(int(cache.read(3).sum()))
"""


def test_two_processes_build_it_once(labelled_folder, labelled):
    command = [sys.executable, "-c", _BUILD, str(labelled_folder)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    printed = "".join(process.communicate()[0] for process in running).split()
    assert [process.returncode for process in running] == [0, 0]
    assert printed.count("built") == 1
    assert set(printed) - {"built"} == {str(int(open_cache(labelled, OPTIONS).read(3).sum()))}


def test_unreadable_videos_stop_the_build_or_are_noted(labelled, labelled_folder, builds):
    (labelled_folder / "b.mp4").write_text("no video")
    with pytest.raises(
        UnreadableVideos, match=r'1 of 4 videos cannot be read: .*b.mp4: it is not a video.*on_error="s'
    ):
        open_cache(labelled, OPTIONS)
    assert builds == []
    cache = open_cache(labelled, OPTIONS, on_error="skip")
    assert list(cache.failures) == [1]
    with pytest.raises(UnreadableVideos, match="1 of 4 videos"):
        ClipDataset(labelled, OPTIONS, cache=cache)
    assert len(ClipDataset(labelled, OPTIONS, cache=cache, on_error="skip")) == 3


def test_clear_cache_removes_caches_and_nothing_else(labelled, own_cache):
    open_cache(labelled, OPTIONS)
    (own_cache / "notes.txt").write_text("mine")
    (own_cache / "clips-mine").mkdir()
    cleared = clear_cache()
    assert cleared.caches == 1 and cleared.size > 4 * 2 * 4 * 24 * 24 * 3 and cleared.root == own_cache
    assert sorted(path.name for path in own_cache.iterdir()) == ["clips-mine", "notes.txt"]
    assert clear_cache().caches == 0
    assert clear_cache(own_cache / "nowhere").caches == 0


def test_where_the_cache_is(tmp_path, monkeypatch):
    assert cache_root(tmp_path) == tmp_path
    monkeypatch.setenv("HF_PPAR_CACHE", str(tmp_path / "env"))
    assert cache_root() == tmp_path / "env"
    monkeypatch.delenv("HF_PPAR_CACHE")
    assert cache_root().parts[-3:] == (".cache", "hf_ppar", "clips")


def test_a_cache_of_something_else_is_refused(labelled):
    cache = open_cache(labelled, OPTIONS)
    with pytest.raises(
        ValueError, match=r"cache holds clips of shape \(4, 2, 4, 24, 24, 3\), but .* ask for \(4, 1, 16"
    ):
        ClipDataset(labelled, ClipOptions(), cache=cache)


def test_frames_are_not_logged(labelled, caplog):
    caplog.set_level(logging.DEBUG)
    open_cache(labelled, OPTIONS)
    assert "array" not in caplog.text
