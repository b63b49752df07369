import pytest
import torch

from hf_ppar.models.recognizers.fitting import fit_frames, fit_picture


@pytest.mark.parametrize("shape", [(48, 48), (30, 30), (60, 90), (90, 60), (200, 49), (5, 7)])
def test_pictures_are_scaled_and_cut(shape):
    clip = torch.rand(2, 3, 3, *shape)
    fitted = fit_picture(clip, (48, 48))
    assert fitted.shape == (2, 3, 3, 48, 48)
    assert fitted.min() >= 0 and fitted.max() <= 1


def test_the_centre_is_kept():
    clip = torch.zeros(1, 1, 3, 10, 30)
    clip[..., 10:20] = 1
    assert fit_picture(clip, (10, 10)).min() == 1


def test_shrinking_averages():
    checkers = (torch.arange(64) % 2).float().expand(1, 1, 3, 64, 64)
    assert (fit_picture(checkers, (16, 16)) - 0.5).abs().max() < 0.1


@pytest.mark.parametrize(
    ("length", "count", "expected"), [(8, 4, [0, 2, 5, 7]), (2, 4, [0, 0, 1, 1]), (3, 3, [0, 1, 2])]
)
def test_frames_are_spread_evenly(length, count, expected):
    clip = torch.arange(length).view(1, length, 1, 1, 1)
    assert fit_frames(clip, count).flatten().tolist() == expected
