import pytest
import torch

from hf_ppar.models.classic import MotionConfig, MotionModel
from hf_ppar.models.layers import TubeletDecoder, TubeletGrid, soft_motion_mask


@pytest.mark.parametrize("heads", [0, 2])
def test_codes_become_clips(heads):
    torch.manual_seed(0)
    decoder = TubeletDecoder(5, TubeletGrid(4, 3, 2), (2, 4, 8), 3, 16, num_layers=2, num_heads=heads)
    codes = torch.randn(2, 5, requires_grad=True)
    clip = decoder(codes)
    assert clip.shape == (2, 8, 3, 12, 16) and clip.min() > 0 and clip.max() < 1
    assert torch.allclose(decoder(codes[:1]), clip[:1], atol=1e-6)
    (clip * torch.randn_like(clip)).sum().backward()
    assert codes.grad.abs().sum() > 0
    assert all(value.grad.abs().sum() > 0 for value in decoder.parameters())


def test_it_can_paint_a_moving_square():
    """A code that says where: the pixels follow."""
    torch.manual_seed(0)
    decoder = TubeletDecoder(2, TubeletGrid(2, 2, 2), (2, 4, 4), hidden_size=32)
    codes, clips = torch.eye(2), torch.zeros(2, 4, 1, 8, 8)
    clips[0, :2, :, :4], clips[0, 2:, :, 4:], clips[1, :, :, :, 2:6] = 1, 1, 1
    optimizer = torch.optim.Adam(decoder.parameters(), 1e-2)
    for _ in range(100):
        loss = (decoder(codes) - clips).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.01


def test_soft_mask_is_the_classic_mask_with_a_ramp():
    clip = torch.rand(2, 5, 3, 6, 6, generator=torch.Generator().manual_seed(0))
    soft = soft_motion_mask(clip, threshold=0.4)
    hard = MotionModel(MotionConfig(threshold=0.4))(clip).videos[:, :, :1]
    assert soft.shape == hard.shape and torch.equal((soft >= 1).float(), hard)
    assert not soft[:, 0].any() and soft.min() >= 0 and soft.max() <= 1
