import torch
from torch import nn

from hf_ppar.models.layers import DividedBlock, PatchDecoder, TubeletGrid, tubelets_to_clip


def block(**changes):
    torch.manual_seed(0)
    return DividedBlock(24, 2, 48, **changes).eval()


def test_a_block_equals_a_slow_one():
    """Section 3.1.2, one place and one frame at a time."""
    model, tokens, steps, places = block(), torch.randn(2, 3 * 5, 24), 3, 5
    grid = tokens.view(2, steps, places, 24)
    after_time = grid.clone()
    for place in range(places):
        row = grid[:, :, place]
        after_time[:, :, place] = row + model.time_linear(model.time_attention(model.norm_before_time(row)))
    after_space = after_time.clone()
    for step in range(steps):
        frame = after_time[:, step]
        after_space[:, step] = frame + model.space_attention(model.norm_before_space(frame))
    expected = after_space + model.mlp(model.norm_before_mlp(after_space))
    assert torch.allclose(model(tokens, steps), expected.flatten(1, 2), atol=1e-6)


def test_time_and_space_are_divided():
    """Without the attention over space a token depends on its own place only, and the other way round."""
    tokens = torch.randn(1, 3 * 5, 24)
    changed = tokens.clone().view(1, 3, 5, 24)
    changed[:, 1, 2] += torch.randn(24)
    for silent, reached in (("space_attention", (slice(None), 2)), ("time_attention", (1, slice(None)))):
        model = block(time_linear="none")
        nn.init.zeros_(getattr(model, silent).projection.weight)
        difference = (model(changed.flatten(1, 2), 3) - model(tokens, 3)).view(3, 5, 24).abs().sum(-1)
        touched = torch.zeros(3, 5, dtype=torch.bool)
        touched[reached] = True
        assert torch.equal(difference > 1e-6, touched)


def test_a_zero_linear_starts_without_time():
    model, tokens = block(time_linear="zero"), torch.randn(1, 3 * 5, 24)
    shuffled = tokens.view(1, 3, 5, 24)[:, [2, 0, 1]].flatten(1, 2)
    expected = model(tokens, 3).view(1, 3, 5, 24)[:, [2, 0, 1]].flatten(1, 2)
    assert not model.time_linear.weight.any() and torch.allclose(model(shuffled, 3), expected, atol=1e-6)
    assert block().time_linear.weight.any()


def test_the_decoder_is_a_transposed_convolution():
    torch.manual_seed(0)
    decoder, grid = PatchDecoder(24, 4), TubeletGrid(2, 3, 5)
    convolution = nn.ConvTranspose2d(24, 3, 4, stride=4)
    nn.init.normal_(decoder.bias)
    convolution.load_state_dict(decoder.state_dict())
    tokens = torch.randn(2, grid.tokens, 24)
    clip = tubelets_to_clip(decoder(tokens), grid, (1, 4, 4))
    frames = tokens.view(2 * 2, 3, 5, 24).permute(0, 3, 1, 2)
    assert torch.allclose(clip, convolution(frames).view(2, 2, 3, 12, 20), atol=1e-5)
