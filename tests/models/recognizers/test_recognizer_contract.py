"""One contract for every kind of recognizer."""

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel

from hf_ppar.models.recognizers import RECOGNIZERS, FeatureRecognizer, RecognizerModel, XCLIPRecognizer

KINDS = list(RECOGNIZERS.values())
PIXEL_KINDS = [kind for kind in KINDS if kind is not FeatureRecognizer]
HEADS = {"identity": (4, "single_label_classification"), "attributes": (2, "multi_label_classification")}


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


@pytest.fixture(params=PIXEL_KINDS, ids=lambda kind: kind.__name__)
def pixel_kind(request):
    return request.param


def test_shapes_and_loss(kind, build, inputs_for):
    model = build(kind)
    clip = inputs_for(model)
    output = model(clip, labels=torch.tensor([0, 2]))
    assert output.logits.shape == (2, 3) and output.loss.shape == () and output.loss.isfinite()
    assert model(clip).loss is None
    expected = torch.nn.functional.cross_entropy(output.logits, torch.tensor([0, 2]))
    assert torch.allclose(output.loss, expected)


def test_multi_label_loss_ignores_unknown_labels(kind, build, inputs_for):
    model = build(kind, problem_type="multi_label_classification")
    clip = inputs_for(model)
    output = model(clip, labels=torch.tensor([[1, 0, -1], [-1, -1, -1]]))
    expected = torch.nn.functional.binary_cross_entropy_with_logits(output.logits[0, :2], torch.tensor([1.0, 0.0]))
    assert torch.allclose(output.loss, expected)


def test_alone_equals_in_a_batch(kind, build, inputs_for):
    model = build(kind)
    clip = inputs_for(model, batch=3)
    with torch.inference_mode():
        alone = torch.cat([model(part).logits for part in clip.split(1)])
        assert torch.allclose(model(clip).logits, alone, atol=1e-5)


def test_round_trip_is_exact(kind, build, inputs_for, tmp_path):
    model = build(kind)
    model.save_pretrained(tmp_path)
    clip = inputs_for(model)
    for loaded in (AutoModel.from_pretrained(tmp_path), RecognizerModel.from_pretrained(tmp_path)):
        assert type(loaded) is kind and not loaded.training
        assert loaded.config.id2label == model.config.id2label
        with torch.inference_mode():
            # Not to the last bit: weights read from a file lie differently in memory, which changes sums.
            assert torch.allclose(loaded(clip).logits, model(clip).logits, atol=1e-6)
    state = model.state_dict()
    assert all(torch.equal(value, state[name]) for name, value in loaded.state_dict().items())


@pytest.mark.parametrize("damage", ["missing", "unexpected"])
def test_weights_that_do_not_fit_are_refused(kind, build, tmp_path, damage):
    build(kind).save_pretrained(tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    if damage == "missing":
        weights.pop(next(iter(weights)))
    else:
        weights["stranger"] = torch.zeros(1)
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ValueError, match=f"do not fit its config .*{damage} keys"):
        kind.from_pretrained(tmp_path)


def test_gradients_reach_every_parameter_and_the_input(kind, build, inputs_for):
    model = build(kind).train()
    clip = inputs_for(model, batch=4).requires_grad_()
    model(clip, labels=torch.tensor([0, 1, 2, 0])).loss.backward()
    without = [name for name, parameter in model.named_parameters() if parameter.grad is None]
    assert not without
    assert clip.grad.abs().sum() > 0


def test_overfits_a_few_clips(kind, build, inputs_for):
    model = build(kind).train()
    clip, labels = inputs_for(model, batch=8), torch.arange(8) % 3
    if kind is not FeatureRecognizer:
        clip = 0.5 * clip + 0.5 * clip[:, :1, :, :1, :1]  # noise of different colours
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(50 if kind is XCLIPRecognizer else 20):
        loss = model(clip, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.6 * losses[0]


def test_several_heads_share_a_trunk(kind, build, inputs_for, tmp_path):
    if kind is XCLIPRecognizer:
        with pytest.raises(ValueError, match="heads are not possible here"):
            kind.config_class.tiny(heads=HEADS)
        return
    config = kind.config_class.tiny(heads=HEADS)
    assert config.num_labels == 6
    model = kind(config).eval()
    labels = {"identity": torch.tensor([3, -1]), "attributes": torch.tensor([[1, -1], [0, 1]])}
    output = model(inputs_for(model), labels=labels)
    assert {name: tuple(part.shape) for name, part in output.head_logits.items()} == {
        "identity": (2, 4),
        "attributes": (2, 2),
    }
    assert output.loss.isfinite()
    model.save_pretrained(tmp_path)
    loaded = kind.from_pretrained(tmp_path)(inputs_for(model)).head_logits
    assert all(torch.allclose(loaded[name], part, atol=1e-6) for name, part in output.head_logits.items())


def test_pixels_are_normalised_inside(pixel_kind, build, inputs_for):
    model = build(pixel_kind)
    clip = inputs_for(model)
    mean, std = torch.tensor(model.config.image_mean), torch.tensor(model.config.image_std)
    assert torch.allclose(model.prepare(clip), (clip - mean.view(3, 1, 1)) / std.view(3, 1, 1), atol=1e-6)
    before = model(clip).logits
    model.config.image_mean = tuple(value + 0.3 for value in model.config.image_mean)
    assert not torch.allclose(model(clip).logits, before, atol=1e-4)


@pytest.mark.parametrize(
    ("clip", "message"),
    [
        (torch.rand(8, 3, 48, 48), r"must have the shape \(batch, frames, 3, height, width\), got \(8, 3, 48, 48\)"),
        (torch.zeros(1, 8, 3, 48, 48, dtype=torch.uint8), "must be floating point"),
        (torch.full((1, 8, 3, 48, 48), 255.0), r"must lie in \[0, 1\], got \[255.0, 255.0\]"),
    ],
)
def test_wrong_clips_are_refused(pixel_kind, build, clip, message):
    with pytest.raises(ValueError, match=message):
        build(pixel_kind)(clip)


def test_an_anonymizer_in_training_may_overshoot(pixel_kind, build, inputs_for):
    model = build(pixel_kind)
    clip = inputs_for(model) * 1.2 - 0.1
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\]"):
        model(clip)
    assert model(clip.clone().requires_grad_()).logits.isfinite().all()
    assert model.train()(clip).logits.isfinite().all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_clips_are_accepted(pixel_kind, build, inputs_for, dtype):
    model = build(pixel_kind)
    assert model(inputs_for(model).to(dtype)).logits.dtype == torch.float32
