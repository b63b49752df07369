import gc
import pickle

import av
import numpy as np
import pytest
import torch

from hf_ppar.data import (
    ClipDataset,
    ClipOptions,
    LoadingOptions,
    SeededSampler,
    UnreadableVideos,
    build_loader,
    collate_clips,
    find_unreadable,
    load_ppar_dataset,
    open_clip_cache,
    to_unit_range,
    training_transform,
)
from hf_ppar.video import VideoError, WriteOptions, write_clip

from ..conftest import moving_square, write_with_av
from .conftest import fake_videos

OPTIONS = ClipOptions(frames=4, size=(24, 24))


def test_a_batch_has_clips_and_labels(labelled):
    batch = next(iter(build_loader(labelled, OPTIONS, loading=LoadingOptions(batch_size=4, shuffle=False))))
    pixels = batch["pixel_values"]
    assert pixels.shape == (4, 4, 3, 24, 24) and pixels.dtype == torch.float32 and pixels.is_contiguous()
    assert pixels.min() >= 0 and 0.5 < pixels.max() <= 1
    assert batch["labels"].tolist() == [0, 1, 0, 1] and batch["person"].tolist() == [0, 1, 0, 1]
    assert batch["attributes"].tolist() == [[1, 0], [0, 1], [1, -1], [-1, 1]]
    assert batch["index"].tolist() == [0, 1, 2, 3]


def test_uint8_is_kept_until_it_is_wanted(labelled):
    loading = LoadingOptions(batch_size=4, shuffle=False, as_float=False)
    whole = build_loader(labelled, OPTIONS, loading=LoadingOptions(batch_size=4, shuffle=False))
    pixels = next(iter(build_loader(labelled, OPTIONS, loading=loading)))["pixel_values"]
    assert pixels.dtype == torch.uint8 and pixels.shape == (4, 4, 3, 24, 24)
    assert torch.equal(to_unit_range(pixels), next(iter(whole))["pixel_values"])
    assert to_unit_range(pixels.float()).dtype == torch.float32


def test_float_clips_are_collated_as_they_are():
    example = {"pixel_values": torch.rand(4, 3, 8, 8), "index": 0}
    assert torch.equal(collate_clips([example])["pixel_values"][0], example["pixel_values"])


def test_unlabelled_videos_make_batches_of_pixels(tmp_path):
    write_with_av(tmp_path / "a.mp4", moving_square())
    batch = next(iter(build_loader(load_ppar_dataset("folder", tmp_path), OPTIONS)))
    assert set(batch) == {"pixel_values", "index"} and len(batch["index"]) == 1


def test_sampler_order_depends_on_seed_and_epoch_only():
    def order(seed, epoch):
        sampler = SeededSampler(50, seed)
        sampler.set_epoch(epoch)
        return list(sampler)

    assert order(1, 0) == order(1, 0) and order(1, 3) == order(1, 3)
    orders = [tuple(position for _, position in order(seed, epoch)) for seed in range(3) for epoch in range(3)]
    assert len(set(orders)) == 9 and all(sorted(one) == list(range(50)) for one in orders)
    assert order(1, 2)[0][0] == 2


def test_every_pass_is_a_new_epoch():
    sampler = SeededSampler(10)
    first, second = list(sampler), list(sampler)
    assert first != second and second[0][0] == 1
    sampler.set_epoch(0)
    assert list(sampler) == first and len(sampler) == 10
    assert list(SeededSampler(3, shuffle=False)) == [(0, 0), (0, 1), (0, 2)]


def batches(dataset, workers, epochs=2, **loading):
    loader = build_loader(
        dataset,
        ClipOptions(frames=4, stride=1, clips=3, size=(24, 24)),
        training_transform((16, 16)),
        LoadingOptions(batch_size=2, workers=workers, seed=4, **loading),
    )
    return [batch for _ in range(epochs) for batch in loader], loader


def same(first, second):
    return len(first) == len(second) and all(
        torch.equal(a[name], b[name]) for a, b in zip(first, second, strict=True) for name in a
    )


def test_workers_and_cache_change_nothing(labelled):
    alone, loader = batches(labelled, workers=0)
    assert same(alone, batches(labelled, workers=2)[0])
    assert same(alone, batches(labelled, workers=0, cache=True)[0])
    assert same(alone, batches(labelled, workers=2, cache=True)[0])
    loader.set_epoch(1)
    assert same(alone[2:], list(loader))


def test_augmentation_changes_with_the_epoch(labelled):
    clips = ClipDataset(labelled, OPTIONS, training_transform((16, 16)))
    assert torch.equal(clips[0, 1]["pixel_values"], clips[1]["pixel_values"])
    assert not torch.equal(clips[0, 1]["pixel_values"], clips[1, 1]["pixel_values"])


def test_every_clip_of_every_video(labelled):
    options = ClipOptions(frames=4, stride=1, clips=3, size=(24, 24))
    clips = ClipDataset(labelled, options, every_clip=True)
    assert len(clips) == 12 and [clips[position]["index"] for position in (0, 2, 3, 11)] == [0, 0, 1, 3]
    assert not torch.equal(clips[0]["pixel_values"], clips[1]["pixel_values"])
    with pytest.raises(IndexError, match="position 12 is outside of the 12 clips"):
        clips[12]


def test_a_cached_data_set_travels_to_a_spawned_worker_without_its_frames(labelled):
    clips = ClipDataset(labelled, OPTIONS, cache=open_clip_cache(labelled, OPTIONS))
    sent = pickle.dumps(clips)
    assert len(sent) < 20_000
    assert torch.equal(pickle.loads(sent)[2]["pixel_values"], clips[2]["pixel_values"])


def test_unreadable_videos_stop_at_the_start(labelled, labelled_folder):
    fake_videos(labelled_folder, ["b.mp4", "d.mp4"])
    for cache in (False, True):
        with pytest.raises(UnreadableVideos, match=r"2 of 4 videos cannot be read: .*b.mp4: .*d.mp4: ") as caught:
            build_loader(labelled, OPTIONS, loading=LoadingOptions(cache=cache))
        assert list(caught.value.reasons) == [1, 3]


@pytest.mark.parametrize("cache", [False, True])
def test_unreadable_videos_are_skipped_with_a_count(labelled, labelled_folder, caplog, cache):
    fake_videos(labelled_folder, ["b.mp4"])
    loading = LoadingOptions(batch_size=4, shuffle=False, on_error="skip", cache=cache)
    loader = build_loader(labelled, OPTIONS, loading=loading)
    (batch,) = list(loader)
    assert batch["index"].tolist() == [0, 2, 3] and batch["labels"].tolist() == [0, 0, 1]
    assert loader.dataset.skipped == 1 and "skipping 1 of 4 videos" in caplog.text and "b.mp4" in caplog.text


def cut_off(path):
    """A video that opens, but lacks its second half."""
    noise = np.random.default_rng(0).integers(0, 256, (30, 48, 64, 3), dtype=np.uint8)
    write_clip(path, noise, options=WriteOptions(overwrite=True))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


@pytest.mark.parametrize("workers", [0, 1])
def test_damage_further_on_is_reported_by_name_or_skipped(labelled, labelled_folder, workers):
    cut_off(labelled_folder / "c.mp4")
    assert find_unreadable(labelled) == {}
    assert list(find_unreadable(labelled, OPTIONS)) == [2]
    loading = LoadingOptions(batch_size=1, workers=workers)
    with pytest.raises(VideoError, match=r"c.mp4"):
        list(build_loader(labelled, OPTIONS, loading=loading))
    with pytest.raises(UnreadableVideos, match=r"c.mp4"):
        build_loader(labelled, OPTIONS, loading=LoadingOptions(cache=True))
    assert len(ClipDataset(labelled, OPTIONS, on_error="skip")) == 3


def test_nothing_readable_is_an_error_even_when_skipping(tmp_path):
    fake_videos(tmp_path, ["walk/a.mp4"])
    with pytest.raises(UnreadableVideos, match="1 of 1 videos cannot be read"):
        ClipDataset(load_ppar_dataset("folder", tmp_path), OPTIONS, on_error="skip")


def test_an_empty_data_set_is_an_error():
    empty = load_ppar_dataset("stage", train_clips=0)
    for cache in (False, True):
        with pytest.raises(ValueError, match="the data set has no clips"):
            build_loader(empty, OPTIONS, loading=LoadingOptions(cache=cache))


def test_bad_loading_options():
    with pytest.raises(ValueError, match="on_error='ignore' is unknown; choose one of: raise, skip"):
        LoadingOptions(on_error="ignore")
    with pytest.raises(ValueError, match="batch_size=0 must be at least 1"):
        LoadingOptions(batch_size=0)


def test_accelerate_keeps_order_and_epochs():
    accelerate = pytest.importorskip("accelerate")
    dataset = load_ppar_dataset("stage", train_clips=4)
    loading = LoadingOptions(batch_size=2, seed=3)
    loader = build_loader(dataset, OPTIONS, loading=loading)
    plain = [batch["index"].tolist() for _ in range(2) for batch in loader]
    prepared = accelerate.Accelerator(cpu=True).prepare(build_loader(dataset, OPTIONS, loading=loading))
    assert [batch["index"].tolist() for _ in range(2) for batch in prepared] == plain


def collect_garbage(clip, generator):
    gc.collect()
    return clip


def test_decoders_that_wait_for_collection_do_not_crash_workers(labelled):
    """They own threads, which are not there in a forked worker that frees them."""
    loader = build_loader(labelled, OPTIONS, collect_garbage, LoadingOptions(batch_size=1, workers=2))
    gc.disable()
    try:
        for row in range(4):
            frames = av.open(labelled[row]["video"]["path"])
            frames.streams.video[0].thread_type = "AUTO"
            cycle = [frames, next(frames.decode(video=0))]
            cycle.append(cycle)
        del cycle, frames
        assert sum(len(batch["index"]) for batch in loader) == 4
    finally:
        gc.enable()


def test_real_clips_reach_a_batch(lsa64_folder):
    dataset = load_ppar_dataset("lsa64", lsa64_folder, "test").select(range(0, 410, 50))
    batch = next(iter(build_loader(dataset, ClipOptions(8, size=(48, 48)), loading=LoadingOptions(8, cache=True))))
    assert batch["pixel_values"].shape == (8, 8, 3, 48, 48) and batch["pixel_values"].std() > 0.05
