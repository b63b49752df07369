import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from hf_ppar import load_anonymizer
from hf_ppar.models.base import AnonymizerConfig
from hf_ppar.windows import Joiner, WindowPlan, cut_windows


def numbered(length):
    """Frames whose pixels say which frame they are."""
    return np.broadcast_to(np.arange(length, dtype=np.float32)[:, None, None, None], (length, 1, 1, 3))


def chunks_of(frames, sizes):
    start = 0
    for size in sizes:
        yield frames[start : start + size]
        start += size
    yield frames[start:]


def through(frames, plan, sizes=(), answer=lambda window: window):
    joiner = Joiner(plan)
    out = []
    for window in cut_windows(chunks_of(frames, sizes), plan):
        if plan.fixed:
            assert len(window.frames) == plan.length
        out.append(joiner.add(answer(torch.from_numpy(window.frames.copy()) / 1000).permute(0, 3, 1, 2), window))
    rest = joiner.finish()
    return torch.cat(out + ([] if rest is None else [rest]))[:, 0, 0, 0].numpy() * 1000


@settings(max_examples=200, deadline=None)
@given(
    length=st.integers(1, 70),
    window=st.integers(1, 16),
    overlap=st.booleans(),
    context=st.integers(0, 3),
    fixed=st.booleans(),
    sizes=st.lists(st.integers(0, 20), max_size=6),
)
def test_every_frame_in_is_one_frame_out_in_order(length, window, overlap, context, fixed, sizes):
    hop = max(1, window // 2) if overlap and fixed else window
    plan = WindowPlan(window, hop, 0 if fixed else context, fixed, batch=1)
    assert through(numbered(length), plan, sizes) == pytest.approx(np.arange(length), abs=1e-3)


def test_context_is_the_frames_before():
    plan = WindowPlan(length=4, hop=4, context=2, fixed=False, batch=1)
    windows = list(cut_windows([numbered(10)], plan))
    assert [window.frames[:, 0, 0, 0].tolist() for window in windows] == [
        [0, 1, 2, 3],
        [2, 3, 4, 5, 6, 7],
        [6, 7, 8, 9],
    ]
    assert [window.context for window in windows] == [0, 2, 2]


def test_short_window_is_played_backwards():
    plan = WindowPlan(length=8, hop=8, context=0, fixed=True, batch=1)
    (window,) = cut_windows([numbered(3)], plan)
    assert window.frames[:, 0, 0, 0].tolist() == [0, 1, 2, 1, 0, 1, 2, 1] and window.count == 3


def test_no_seam_shows_between_blended_windows():
    plan = WindowPlan(length=8, hop=4, context=0, fixed=True, batch=1)
    brightness = iter([0.1, 0.3, 0.1, 0.3, 0.1, 0.3, 0.1])  # a model that disagrees with itself
    out = through(numbered(28), plan, answer=lambda window: torch.full_like(window, next(brightness))) / 1000
    assert np.abs(np.diff(out)).max() < 0.2 / 3


def test_disjoint_windows_do_not_share_frames():
    plan = WindowPlan.for_model(AnonymizerConfig(num_frames=8, window="disjoint", image_size=(16, 16)), 16, 16)
    windows = list(cut_windows([numbered(32)], plan))
    assert [int(window.frames[0, 0, 0, 0]) for window in windows] == [0, 8, 16, 24]


def test_plan_keeps_memory_bounded_for_large_pictures():
    config = load_anonymizer("blur-strong").config
    assert WindowPlan.for_model(config, 2160, 3840).length == 1
    assert WindowPlan.for_model(config, 64, 64).length == 64


@pytest.mark.parametrize(("rate", "stride"), [(None, 1), (6.25, 1), (25, 4), (60, 10), (3, 1)])
def test_a_faster_video_is_thinned_out(rate, stride):
    config = AnonymizerConfig(num_frames=8, window="disjoint", image_size=(16, 16), frame_rate=6.25)
    plan = WindowPlan.for_model(config, 16, 16, rate)
    assert (plan.stride, plan.length, plan.hop) == (stride, 8 * stride, 8 * stride)
    assert WindowPlan.for_model(AnonymizerConfig(num_frames=8), 16, 16, rate).stride == 1
