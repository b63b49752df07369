import numpy as np
import pytest
import torch

from hf_ppar.metrics import psnr, ssim


def pictures(shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    raw = torch.rand(shape, generator=generator, dtype=torch.float64)
    return raw, (raw + 0.2 * torch.randn(shape, generator=generator, dtype=torch.float64)).clamp(0, 1)


def slow_ssim(left, right):
    """SSIM of two planes (H, W), window by window."""
    axis = np.arange(11) - 5
    window = np.exp(-(axis[:, None] ** 2 + axis[None, :] ** 2) / (2 * 1.5**2))
    window /= window.sum()
    values = []
    for top in range(left.shape[0] - 10):
        for start in range(left.shape[1] - 10):
            a, b = (plane[top : top + 11, start : start + 11] for plane in (left, right))
            mean_a, mean_b = (window * a).sum(), (window * b).sum()
            var_a, var_b = (window * (a - mean_a) ** 2).sum(), (window * (b - mean_b) ** 2).sum()
            both = (window * (a - mean_a) * (b - mean_b)).sum()
            top_part = (2 * mean_a * mean_b + 0.01**2) * (2 * both + 0.03**2)
            values.append(top_part / ((mean_a**2 + mean_b**2 + 0.01**2) * (var_a + var_b + 0.03**2)))
    return np.mean(values)


def test_ssim_equals_the_slow_reference():
    raw, other = pictures((2, 2, 3, 14, 17))
    values = ssim(raw, other)
    assert values.shape == (2,)
    for clip in range(2):
        planes = zip(raw[clip].flatten(0, 1).numpy(), other[clip].flatten(0, 1).numpy(), strict=True)
        assert values[clip].item() == pytest.approx(np.mean([slow_ssim(a, b) for a, b in planes]))


def test_ssim_equals_scikit_image():
    metrics = pytest.importorskip("skimage.metrics", reason="scikit-image is not installed: nothing to compare with")
    raw, other = pictures((1, 3, 32, 40))
    # scikit-image pads and then crops 5 pixels from each side, which leaves the places where the window fits
    expected = metrics.structural_similarity(
        raw[0].numpy(), other[0].numpy(), channel_axis=0, gaussian_weights=True, sigma=1.5,
        use_sample_covariance=False, data_range=1.0,
    )  # fmt: skip
    assert ssim(raw, other).item() == pytest.approx(expected, abs=1e-9)


def test_psnr_equals_the_formula():
    raw, other = pictures((2, 4, 3, 6, 5))
    expected = [-10 * np.log10(((raw[i] - other[i]).numpy() ** 2).mean()) for i in range(2)]
    np.testing.assert_allclose(psnr(raw, other), expected)
    assert psnr(torch.zeros(1, 3, 4, 4), torch.full((1, 3, 4, 4), 0.1)).item() == pytest.approx(20, abs=1e-4)


def test_bounds():
    raw, _ = pictures((2, 3, 16, 16))
    assert ssim(raw, raw).tolist() == pytest.approx([1, 1])
    assert psnr(raw, raw).tolist() == pytest.approx([100, 100])
    black, white = torch.zeros(1, 3, 16, 16), torch.ones(1, 3, 16, 16)
    assert psnr(black, white).item() == pytest.approx(0)
    assert 0 <= ssim(black, white).item() < 1e-3


@pytest.mark.parametrize("measure", [psnr, ssim])
def test_a_clip_has_the_same_value_alone_and_in_a_batch_and_images_are_one_frame_clips(measure):
    raw, other = pictures((3, 2, 3, 16, 16))
    torch.testing.assert_close(measure(raw[1:2], other[1:2]), measure(raw, other)[1:2])
    torch.testing.assert_close(measure(raw[:, 0], other[:, 0]), measure(raw[:, :1], other[:, :1]))


@pytest.mark.parametrize("measure", [psnr, ssim])
def test_gradients_are_right(measure):
    raw, other = pictures((1, 1, 1, 12, 13))
    inner = (0.1 + 0.8 * other).requires_grad_()
    assert torch.autograd.gradcheck(lambda clip: measure(raw, clip).mean(), inner)


def test_as_a_loss_ssim_moves_the_picture_away():
    raw, _ = pictures((1, 2, 3, 16, 16))
    raw = raw.float()
    logits = torch.logit(raw.clamp(0.05, 0.95)).requires_grad_()
    optimizer = torch.optim.Adam([logits], lr=0.1)
    before = ssim(raw, logits.sigmoid()).item()
    for _ in range(10):
        optimizer.zero_grad()
        ssim(raw, logits.sigmoid()).mean().backward()
        optimizer.step()
    assert ssim(raw, logits.sigmoid()).item() < before - 0.1


def test_gradients_of_equal_clips_are_finite():
    raw, _ = pictures((1, 3, 16, 16))
    for measure in (psnr, ssim):
        clip = raw.clone().requires_grad_()
        measure(raw, clip).sum().backward()
        assert clip.grad.isfinite().all()


def test_half_precision_and_autocast_are_computed_in_float32():
    raw, other = (clip.bfloat16() for clip in pictures((1, 3, 24, 24)))
    expected = ssim(raw.double(), other.double()).float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        value = ssim(raw, other)
    assert value.dtype == torch.float32
    torch.testing.assert_close(value, expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("measure", [psnr, ssim])
@pytest.mark.parametrize(
    ("raw", "other", "message"),
    [
        (torch.zeros(1, 3, 16, 16), torch.zeros(1, 3, 16, 15), r"got shapes \(1, 3, 16, 16\) and \(1, 3, 16, 15\)"),
        (torch.zeros(3, 16, 16), torch.zeros(3, 16, 16), r"must both be \(B, T, C, H, W\) or \(N, C, H, W\)"),
        (torch.zeros(0, 3, 16, 16), torch.zeros(0, 3, 16, 16), "not empty"),
        (
            torch.zeros(1, 3, 16, 16).byte(),
            torch.zeros(1, 3, 16, 16),
            "raw must be float .* divide uint8 frames by 255",
        ),
        (torch.zeros(1, 3, 16, 16), torch.full((1, 3, 16, 16), 255.0), r"anonymized must be in \[0, 1\], got .* 255"),
        (torch.full((1, 3, 16, 16), torch.nan), torch.zeros(1, 3, 16, 16), r"raw must be in \[0, 1\], got .* nan"),
    ],
)
def test_wrong_input_is_refused(measure, raw, other, message):
    with pytest.raises(ValueError, match=message):
        measure(raw, other)


def test_frames_smaller_than_the_window_are_refused():
    with pytest.raises(ValueError, match=r"frames must be at least 11 x 11 for SSIM, got \(8, 16\); enlarge them"):
        ssim(torch.zeros(1, 3, 8, 16), torch.zeros(1, 3, 8, 16))
