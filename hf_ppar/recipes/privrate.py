"""Train PrivRate: name the action from the code and from the decoded clip, and pay for every nat of the code.

loss = CE(action | code) + video_weight * CE(action | decoded clip) + price * KL(q(z|x) || r(z|s))
       + mask_weight * MSE(decoded clip, motion mask of the input)

There is no adversary, and private labels are never read. Without action labels the first two terms give way to the
distance between a linear map of the code and the embedding of a frozen model. Both trainings may be joined.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import AutoConfig

from ..models.layers import soft_motion_mask
from ..models.privrate import PrivRateAnonymizer, PrivRateConfig
from ..models.recognizers import FeatureRecognizer, FeatureRecognizerConfig, RecognizerModel, load_recognizer
from ..models.recognizers.fitting import fit_frames
from .recipe import Batch, Losses, Modules, Optimization, Phase, Update
from .recognizer import RecognizerOptions, build_recognizer

_CHOICES = {
    "encoder": ("tubelet", "resnet3d", "r2plus1d"),
    "utility": ("labels", "embeddings", "both"),
    "prior": ("fixed", "learned", "action"),
}
_WARMUP_SHARE = 0.1  # of the price, in the first phase
_BIT_PENALTY = 0.002


@dataclass(frozen=True)
class PrivRateOptions:
    """How to train PrivRate.

    Args:
        encoder, input, latent, latent_tokens, latent_size, codes, prior, prior_hedge, decoder_*: see
            `PrivRateConfig`.
        dial: train one model for all prices from `min_price` to `max_price`, drawn afresh for each clip, so that
            `strength` chooses one at call time; otherwise for `price` alone.
        price_warmup: epochs of a first phase at a tenth of the price, in which a code worth paying for comes about.
        video_weight: of naming the action from the decoded clip.
        video_share: of a batch's clips that are decoded, which is half of the work of a step.
        mask_weight: of the mean squared distance to a motion mask, which keeps the picture readable.
        label_smoothing: share of a label that is spread over all actions.
        consistency: weight of the distance between a code's centre and the mean of its action in the batch.
        utility: what the code is for: "labels", "embeddings" of `feature_model`, or "both".
        feature_model: directory or Hub id of a recognizer, X-CLIP or video classifier; frozen. Its pooled features
            are the embedding, or the logits of a model that does not show its features.
        embedding_weight: of 1 - cosine(linear map of the code, embedding).
        epochs: of both phases together.
        lr: learning rate; with `reference_batch` it is the one for that batch size.
    """

    preset: Literal["tiny", "paper"] = "paper"
    encoder: str = "tubelet"
    input: Literal["raw", "difference"] = "difference"
    latent: Literal["gaussian", "discrete"] = "gaussian"
    latent_tokens: int = 1
    latent_size: int = 32
    codes: int = 16
    prior: str = "action"
    prior_hedge: float = 0.02
    decoder_channels: int = 1
    decoder_heads: int = 0
    dial: bool = True
    price: float = 0.02
    min_price: float = 0.002
    max_price: float = 0.2
    price_warmup: int = 10
    video_weight: float = 1.0
    video_share: float = 1.0
    mask_weight: float = 50.0
    label_smoothing: float = 0.0
    consistency: float = 0.0
    utility: str = "labels"
    feature_model: str | None = None
    embedding_weight: float = 1.0
    epochs: int = 80
    lr: float = 1e-3
    reference_batch: int | None = 512
    weight_decay: float = 0.05
    warmup_epochs: float = 2.0
    clip_norm: float | None = 1.0

    def __post_init__(self) -> None:
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name}={getattr(self, name)!r} is unknown; choose one of: {', '.join(allowed)}")
        if not 0 <= self.price_warmup < self.epochs:
            raise ValueError(f"price_warmup must be from 0 to epochs - 1 = {self.epochs - 1}, got {self.price_warmup}")
        if self.price <= 0 or not 0 < self.min_price < self.max_price:
            raise ValueError(
                "prices must be price > 0 and 0 < min_price < max_price, "
                f"got {self.price}, {self.min_price} and {self.max_price}"
            )
        if not 0 < self.video_share <= 1:
            raise ValueError(f"video_share must be greater than 0 and at most 1, got {self.video_share}")
        if (self.utility == "labels") != (self.feature_model is None):
            raise ValueError(
                f"utility={self.utility!r} and feature_model={self.feature_model!r} do not go together: embeddings, "
                "and only they, come from a feature_model"
            )
        if self.utility == "embeddings" and self.prior == "action":
            raise ValueError('utility="embeddings" reads no actions; choose prior="fixed" or "learned"')

    @property
    def uses_labels(self) -> bool:
        """Whether actions are read."""
        return self.utility != "embeddings"

    @classmethod
    def tiny(cls, **changes: Any) -> PrivRateOptions:
        """An anonymizer that trains in minutes on two CPU cores, with a convolutional encoder."""
        small: dict[str, Any] = {
            "preset": "tiny",
            "encoder": "resnet3d",
            "epochs": 60,
            "lr": 2e-3,
            "reference_batch": None,
            "video_share": 0.5,
        }
        values = {**small, **changes}
        return cls(**{"price_warmup": min(10, values["epochs"] - 1), **values})


class PrivRateRecipe:
    """The anonymizer and the heads that say what its code and its clip are good for.

    Args:
        outputs: target -> number of classes; only "action" is looked at.
        clip: (frames, height, width) of the clips it will see.
    """

    name = "privrate"

    def __init__(self, options: PrivRateOptions, outputs: dict[str, int], clip: tuple[int, int, int]) -> None:
        if options.uses_labels and "action" not in outputs:
            raise ValueError('the data set has no actions; choose utility="embeddings" and a feature_model')
        self.options, self.num_actions = options, outputs.get("action", 0)
        anonymizer = build_anonymizer(options, self.num_actions, clip)
        numbers = anonymizer.bottleneck.numbers
        self.modules: dict[str, nn.Module] = {"anonymizer": anonymizer}
        if options.uses_labels:
            head = FeatureRecognizerConfig(input_size=numbers, num_layers=1, num_labels=self.num_actions)
            self.modules["latent_head"] = FeatureRecognizer(head)
            judge = RecognizerOptions("resnet3d", ("action",), options.preset)
            self.modules["video_head"] = build_recognizer(judge, outputs, clip)
        self.feature_model: RecognizerModel | None = None
        if options.feature_model is not None:
            self.feature_model = load_feature_model(options.feature_model)
            width = embed(self.feature_model, torch.zeros(1, clip[0], 3, *clip[1:])).shape[-1]
            self.modules["embedding_head"] = nn.Linear(numbers, width)
        self.phases: Sequence[Phase] = self._phases()

    def _phases(self) -> tuple[Phase, ...]:
        options, moved = self.options, tuple(self.modules)
        full = options.epochs - options.price_warmup
        priced = Update("privrate", moved, self.loss, self._optimization("cosine", full))
        phases = [Phase("priced", full, (priced,))]
        if options.price_warmup:
            cheap = Update("privrate", moved, self.cheap_loss, self._optimization("constant", options.price_warmup))
            phases.insert(0, Phase("warm-up", options.price_warmup, (cheap,)))
        return tuple(phases)

    def _optimization(self, schedule: Literal["cosine", "constant"], epochs: int) -> Optimization:
        options = self.options
        return Optimization(
            lr=options.lr,
            reference_batch=options.reference_batch,
            weight_decay=options.weight_decay,
            schedule=schedule,
            warmup_epochs=min(options.warmup_epochs, epochs / 4),
            clip_norm=options.clip_norm,
        )

    def cheap_loss(self, batch: Batch, modules: Modules) -> Losses:
        """The loss at a tenth of the price."""
        return self.loss(batch, modules, _WARMUP_SHARE)

    def loss(self, batch: Batch, modules: Modules, price_share: float = 1.0) -> Losses:
        """The weighted sum that the module's docstring gives, and its parts."""
        options, clips = self.options, batch["pixel_values"]
        anonymizer = cast(PrivRateAnonymizer, modules["anonymizer"])
        strength = torch.rand(len(clips), device=clips.device) if options.dial else None
        posterior = anonymizer.encode(clips, strength)
        codes = anonymizer.bottleneck.sample(posterior)
        labels = batch["labels"] if options.uses_labels else None
        rates = anonymizer.bottleneck.rate(posterior, labels)
        prices = anonymizer.config.price_at(0.5 if strength is None else strength)
        shown = slice(math.ceil(options.video_share * len(clips)))
        decoded = anonymizer.decode(codes[shown], None if strength is None else strength[shown])
        parts: Losses = {"mask": F.mse_loss(decoded.float().mean(2, keepdim=True), soft_motion_mask(clips[shown]))}
        total = price_share * (prices * rates).mean() + options.mask_weight * parts["mask"]
        if labels is not None:
            targets = smooth_labels(labels, self.num_actions, options.label_smoothing)
            parts["latent"] = modules["latent_head"](codes, labels=targets).loss
            parts["video"] = modules["video_head"](decoded, labels={"action": targets[shown]}).loss
            total = total + parts["latent"] + options.video_weight * parts["video"]
            if options.consistency:
                parts["consistency"] = consistency(posterior.centre, labels)
                total = total + options.consistency * parts["consistency"]
        if self.feature_model is not None:
            parts["embedding"] = 1 - self._cosine(codes, clips, modules).mean()
            total = total + options.embedding_weight * parts["embedding"]
        return {"loss": total, "rate": rates.mean(), **parts}

    def _cosine(self, codes: Tensor, clips: Tensor, modules: Modules) -> Tensor:
        if self.feature_model is None:
            raise RuntimeError("there is no feature_model to compare with")
        wanted = embed(self.feature_model, clips)
        return F.cosine_similarity(modules["embedding_head"](codes).float(), wanted, dim=-1)

    def score(self, batch: Batch, modules: Modules) -> dict[str, Tensor]:
        """Per clip, at the middle of the dial: whether the code and the decoded clip name the action, and the bits.

        With the prior "action" these are the bits beyond the clip's action.
        """
        anonymizer, clips = cast(PrivRateAnonymizer, modules["anonymizer"]), batch["pixel_values"]
        labels = batch["labels"] if self.options.uses_labels else None
        posterior = anonymizer.encode(clips)
        codes = anonymizer.bottleneck.sample(posterior)
        scores = {"rate_bits": anonymizer.bottleneck.rate(posterior, labels) / math.log(2)}
        if labels is not None:
            answers = {
                "latent_top1": modules["latent_head"](codes).logits,
                "video_top1": modules["video_head"](anonymizer.decode(codes)).logits,
            }
            for name, logits in answers.items():
                scores[name] = (logits.argmax(-1) == labels).float().masked_fill(labels < 0, torch.nan)
        if self.feature_model is not None:
            scores["embedding_cosine"] = self._cosine(codes, clips, modules)
        return scores


def score_privrate(metrics: Mapping[str, float]) -> float:
    """Validation metrics -> what chooses the checkpoint: mean utility minus .002 a bit, so ten bits are two points.

    Utility comes first: the price has already set how many bits a model spends, and the penalty only turns down
    checkpoints of the warm-up, which spend several times as many.
    """
    useful = [value for name, value in metrics.items() if name != "rate_bits"]
    return sum(useful) / len(useful) - _BIT_PENALTY * metrics["rate_bits"]


def build_anonymizer(options: PrivRateOptions, num_actions: int, clip: tuple[int, int, int]) -> PrivRateAnonymizer:
    """A fresh anonymizer for clips of (frames, height, width)."""
    make = PrivRateConfig.tiny if options.preset == "tiny" else PrivRateConfig
    prices = (options.min_price, options.max_price) if options.dial else (options.price, options.price)
    sizes: dict[str, Any] = {}
    if options.encoder == "tubelet" and options.preset == "tiny" and clip[1] % 4 == clip[2] % 4 == 0:
        sizes["encoder_options"] = {"tubelet_size": (2, clip[1] // 4, clip[2] // 4)}
    config = make(
        num_frames=clip[0],
        image_size=clip[1:],
        encoder=options.encoder,
        input=options.input,
        latent=options.latent,
        latent_tokens=options.latent_tokens,
        latent_size=options.latent_size,
        codes=options.codes,
        prior=options.prior,
        prior_hedge=options.prior_hedge,
        num_actions=num_actions if options.prior == "action" else None,
        min_price=prices[0],
        max_price=prices[1],
        decoder_channels=options.decoder_channels,
        decoder_heads=options.decoder_heads,
        **sizes,
    )
    return PrivRateAnonymizer(config)


def smooth_labels(labels: Tensor, classes: int, share: float) -> Tensor:
    """Labels (batch,) as probabilities (batch, classes) with `share` spread evenly; rows of unknown labels are -1."""
    if share == 0:
        return labels
    own = F.one_hot(labels.clamp(min=0), classes).float()
    smooth = (1 - share) * own + share / classes
    return torch.where(labels[:, None] >= 0, smooth, torch.full_like(smooth, -1.0))


def consistency(centres: Tensor, labels: Tensor) -> Tensor:
    """Mean squared distance between centres (batch, numbers) and the mean of their action in the batch."""
    known = labels >= 0
    same = (labels[:, None] == labels[None, :]).to(centres) * known.to(centres)[:, None]
    means = same @ centres / same.sum(dim=1, keepdim=True).clamp(min=1)
    distances = (centres - means).square().mean(dim=1)
    return (distances * known).sum() / known.sum().clamp(min=1)


def load_feature_model(name: str) -> RecognizerModel:
    """A frozen recognizer to take embeddings from; an X-CLIP's texts do not matter here."""
    is_xclip = AutoConfig.from_pretrained(name).model_type == "xclip"
    texts = ("something happens", "nothing happens") if is_xclip else None
    return load_recognizer(name, candidate_labels=texts).requires_grad_(False)


@torch.no_grad()
def embed(model: RecognizerModel, clips: Tensor) -> Tensor:
    """Embeddings (batch, width) of clips in [0, 1]: the pooled features, or the logits where there are none."""
    frames = getattr(model.config, "num_frames", clips.shape[1])
    output = model.to(clips.device)(fit_frames(clips, frames))
    return (output.logits if output.features is None else output.features).float()
