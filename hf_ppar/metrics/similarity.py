"""How much of the raw picture is left: PSNR and SSIM between raw and anonymized clips.

They measure leakage here, not quality: a high value means that the anonymized clip still looks like the raw one. A low
value proves nothing, since a picture may look different and still give a person away. Both are differentiable torch
functions and serve as loss terms.
"""

from __future__ import annotations

import torch
from torch import Tensor

WINDOW = 11
SIGMA = 1.5
STABILISERS = (0.01**2, 0.03**2)
LARGEST_PSNR = 100.0
TOLERANCE = 1e-3


def psnr(raw: Tensor, anonymized: Tensor) -> Tensor:
    """Peak signal-to-noise ratio in dB of each clip or image, (B,) in [0, 100]; higher is more alike.

    PSNR = -10 log10(MSE) for pixels in [0, 1], with the mean square error over the whole clip (B, T, C, H, W) or image
    (N, C, H, W). Equal clips have 100 instead of infinity, so that means stay finite.
    """
    raw, anonymized = _check(raw, anonymized)
    error = (raw - anonymized).square().flatten(1).mean(dim=1)
    return -10 * torch.log10(error.clamp(10 ** (-LARGEST_PSNR / 10), 1.0))


def ssim(raw: Tensor, anonymized: Tensor) -> Tensor:
    """Structural similarity of each clip or image, (B,) in [-1, 1]; 1 is equal. A loss term is `ssim(a, b).mean()`.

    Wang et al. 2004, eq. 13: Gaussian window of 11 x 11 with sigma 1.5 wherever it fits, K1 = .01, K2 = .03, data
    range 1, each channel for itself, averaged over places, channels and frames of (B, T, C, H, W) or (N, C, H, W).
    Computed in float32 or better, also under autocast.
    """
    raw, anonymized = _check(raw, anonymized)
    if min(raw.shape[-2:]) < WINDOW:
        raise ValueError(
            f"frames must be at least {WINDOW} x {WINDOW} for SSIM, got {tuple(raw.shape[-2:])}; enlarge them"
        )
    with torch.autocast(raw.device.type, enabled=False):
        planes = [clip.reshape(-1, 1, *clip.shape[-2:]) for clip in (raw, anonymized)]
        values = _ssim_planes(*planes)
    return values.reshape(len(raw), -1).mean(dim=1)


def _ssim_planes(left: Tensor, right: Tensor) -> Tensor:
    """Mean SSIM (P,) of single-channel planes (P, 1, H, W)."""
    count = len(left)
    stacked = torch.cat([left, right, left * left, right * right, left * right])
    mean_l, mean_r, square_l, square_r, product = _blur(stacked).split(count)
    variance_l, variance_r = square_l - mean_l**2, square_r - mean_r**2
    covariance = product - mean_l * mean_r
    small_mean, small_contrast = STABILISERS
    luminance = (2 * mean_l * mean_r + small_mean) / (mean_l**2 + mean_r**2 + small_mean)
    structure = (2 * covariance + small_contrast) / (variance_l + variance_r + small_contrast)
    return (luminance * structure).flatten(1).mean(dim=1)


def _blur(planes: Tensor) -> Tensor:
    """Gaussian mean (P, 1, H - 10, W - 10), rows then columns: the 2D window is separable.

    Two matrix products, many times faster on a CPU than convolutions with one channel.
    """
    height, width = planes.shape[-2:]
    return _blur_matrix(height, planes) @ planes @ _blur_matrix(width, planes).T


def _blur_matrix(side: int, like: Tensor) -> Tensor:
    """The Gaussian mean over a line of `side` pixels as a matrix (side - 10, side)."""
    places = torch.arange(WINDOW, device=like.device, dtype=like.dtype) - WINDOW // 2
    weights = torch.softmax(-(places**2) / (2 * SIGMA**2), dim=0)
    rows = torch.arange(side - WINDOW + 1, device=like.device)[:, None]
    columns = rows + torch.arange(WINDOW, device=like.device)
    return like.new_zeros(len(rows), side).scatter_(1, columns, weights.expand(len(rows), -1))


def _check(raw: Tensor, anonymized: Tensor) -> tuple[Tensor, Tensor]:
    """Both in float32 or better, after refusing what is not two clips of one shape in [0, 1]."""
    if raw.shape != anonymized.shape or raw.ndim not in (4, 5) or raw.numel() == 0:
        raise ValueError(
            "raw and anonymized must both be (B, T, C, H, W) or (N, C, H, W) and not empty, got shapes "
            f"{tuple(raw.shape)} and {tuple(anonymized.shape)}"
        )
    for name, clip in (("raw", raw), ("anonymized", anonymized)):
        if not clip.is_floating_point():
            raise ValueError(f"{name} must be float in [0, 1], got {clip.dtype}; divide uint8 frames by 255")
        low, high = (bound.item() for bound in clip.detach().aminmax())
        if not (low >= -TOLERANCE and high <= 1 + TOLERANCE):  # also refuses NaN
            raise ValueError(f"{name} must be in [0, 1], got values from {low:g} to {high:g}; rescale or clamp it")
    dtype = torch.promote_types(torch.promote_types(raw.dtype, anonymized.dtype), torch.float32)
    return raw.to(dtype), anonymized.to(dtype)
