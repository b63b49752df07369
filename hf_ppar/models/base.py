"""The anonymizer contract: configuration, model and output that every method shares.

An anonymizer takes a clip (batch, frames, channels, height, width), float RGB in [0, 1], and returns a clip of the
same shape, dtype and range. It gives the same answer for a clip alone or in a batch, is deterministic in eval mode
for a given `generator`, and round-trips through `save_pretrained` / `from_pretrained` exactly.
"""

# No postponed annotations in this file: `strict` checks only types it can see.
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import torch
from huggingface_hub.dataclasses import strict
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.utils import ModelOutput


@strict
class AnonymizerConfig(PreTrainedConfig):
    """What the streaming code has to know about a method, whatever the method is.

    Args:
        num_frames: frames of one window; None for methods that take any number.
        window: how windows of a long video meet. "disjoint": each frame is in one window (methods whose every
            window costs privacy). "blend": windows overlap by half and are cross-faded, so that no seam shows.
        context_frames: earlier frames that a method without a fixed window looks back at.
        image_size: (height, width) at which the model works; None for the video's own.
        frame_rate: frames a second of the clips that a model with a window was trained on. A faster video is thinned
            out for it, and each answer shown for as long; None takes every frame.
        strength: the dial's setting when a call gives none; None is the method's own default.
    """

    num_frames: int | None = None
    window: Literal["disjoint", "blend"] = "blend"
    context_frames: int = 0
    image_size: tuple[int, int] | list[int] | None = None
    frame_rate: float | None = None
    strength: float | None = None

    has_strength = False

    def resolve_strength(self, strength: float | None) -> float | None:
        """The strength to use for a call that gives `strength`; checks its range and that there is a dial."""
        chosen = self.strength if strength is None else strength
        if chosen is None:
            return None
        if not self.has_strength:
            raise ValueError(f"strength={chosen}: {self.model_type!r} has no strength to set; leave it out")
        if not 0.0 <= chosen <= 1.0:
            raise ValueError(f"strength must be between 0 (least private) and 1 (most private), got {chosen}")
        return float(chosen)


@dataclass
class AnonymizerOutput(ModelOutput):
    """What an anonymizer returns.

    Args:
        videos: (batch, frames, channels, height, width), range [0, 1]: the anonymized clip.
        mask: (batch, frames, 1, height, width) in [0, 1], 1 where the picture was kept; None if it does not apply.
        latents: the code a clip was squeezed through; None if there is none.
        rate_bits: (batch,) bits about the input spent on each clip; None if they are not limited.
    """

    videos: torch.Tensor | None = None
    mask: torch.Tensor | None = None
    latents: torch.Tensor | None = None
    rate_bits: torch.Tensor | None = None


class AnonymizerModel(PreTrainedModel):
    """Base of every pixel anonymizer. A method implements `anonymize`; `forward` keeps the contract around it.

    `AnonymizerModel.from_pretrained` takes the name of a built-in method, a directory or a Hub id, and returns the
    right subclass.

    Example:
        >>> model = AnonymizerModel.from_pretrained("blur-strong")
        >>> model(torch.rand(1, 16, 3, 112, 112)).videos.shape
        torch.Size([1, 16, 3, 112, 112])
    """

    config_class = AnonymizerConfig
    base_model_prefix = "anonymizer"
    main_input_name = "pixel_values"
    input_modalities = ("video",)

    def __init__(self, config: AnonymizerConfig) -> None:
        super().__init__(config)

    def forward(
        self,
        pixel_values: torch.Tensor,
        strength: float | None = None,
        generator: torch.Generator | None = None,
    ) -> AnonymizerOutput:
        """Anonymize a clip (batch, frames, 3, height, width) in [0, 1].

        Args:
            strength: from 0 to 1, 1 is most private; None is the config's own.
            generator: source of noise, for tests; a method whose noise protects uses the operating system's without.
        """
        check_clip(pixel_values)
        output = self.anonymize(pixel_values, self.config.resolve_strength(strength), generator)
        videos = output.videos
        if videos is None or videos.shape != pixel_values.shape or videos.dtype != pixel_values.dtype:
            got = None if videos is None else (tuple(videos.shape), videos.dtype)
            raise RuntimeError(
                f"{type(self).__name__} broke the anonymizer contract: it was given "
                f"{(tuple(pixel_values.shape), pixel_values.dtype)} and returned {got}"
            )
        return output

    def anonymize(
        self, pixel_values: torch.Tensor, strength: float | None, generator: torch.Generator | None
    ) -> AnonymizerOutput:
        """The method itself; `strength` is None or in [0, 1], the input is checked."""
        raise NotImplementedError(f"{type(self).__name__} must implement anonymize")

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: str | os.PathLike[str], *args: Any, **kwargs: Any) -> Any:
        """Load by built-in name, directory or Hub id; on the base class this finds the right subclass.

        Weights come from safetensors only, and all of them have to be there: a model with missing or unexpected
        weights is refused, because a half-initialised anonymizer protects nobody.
        """
        if cls is AnonymizerModel:
            from .loading import load_anonymizer

            return load_anonymizer(pretrained_model_name_or_path, *args, **kwargs)
        return load_completely(super().from_pretrained, pretrained_model_name_or_path, *args, **kwargs)


def load_completely(load: Callable[..., Any], name: str | os.PathLike[str], *args: Any, **kwargs: Any) -> Any:
    """Call transformers' own `from_pretrained`, on safetensors only, and refuse weights that do not fit."""
    wants_info = kwargs.pop("output_loading_info", False)
    model, info = load(name, *args, **{**kwargs, "use_safetensors": True, "output_loading_info": True})
    check_weights(str(name), info)
    return (model, info) if wants_info else model


def check_weights(name: str, info: dict[str, Any]) -> None:
    """Refuse weights that are missing, unexpected or of another shape; `info` is what transformers loaded."""
    wrong = {kind: sorted(map(str, info[kind])) for kind in ("missing_keys", "unexpected_keys", "mismatched_keys")}
    if any(wrong.values()):
        found = "; ".join(f"{kind.replace('_', ' ')}: {', '.join(keys)}" for kind, keys in wrong.items() if keys)
        raise ValueError(f"the weights of {name} do not fit its config ({found})")


def check_clip(pixel_values: torch.Tensor) -> None:
    """Refuse anything but a float clip (batch, frames, 3, height, width) in [0, 1]."""
    if pixel_values.ndim != 5 or pixel_values.shape[2] != 3 or 0 in pixel_values.shape:
        raise ValueError(
            "pixel_values must have the shape (batch, frames, 3, height, width), got "
            f"{tuple(pixel_values.shape)}; the processor makes this shape"
        )
    if not pixel_values.is_floating_point():
        raise ValueError(f"pixel_values must be floating point in [0, 1], got {pixel_values.dtype}; divide by 255")
    low, high = (float(value) for value in pixel_values.detach().aminmax())
    if not (low >= 0.0 and high <= 1.0):  # also catches NaN
        raise ValueError(f"pixel_values must lie in [0, 1], got [{low}, {high}]; the processor makes this range")
