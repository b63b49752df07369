"""Configuration of zero-shot recognition with X-CLIP."""

# No postponed annotations in this file: `strict` checks only types it can see.
from typing import Any, ClassVar

from huggingface_hub.dataclasses import strict
from transformers import AutoConfig, PreTrainedConfig

from ..layers.normalization import IMAGENET_MEAN, IMAGENET_STD
from .configuration_recognizer import RecognizerConfig
from .configuration_video_classifier import as_config


@strict
class XCLIPRecognizerConfig(RecognizerConfig):
    """X-CLIP (Ni et al., 2022) and the labels that it chooses from, the zero-shot judge of LaF-Privacy.

    Args:
        xclip: X-CLIP's own config.
        label_token_ids: the tokens of each candidate label's text, in the order of `id2label`.
        image_mean, image_std: for pixels in [0, 1].
    """

    model_type = "ppar_xclip_recognizer"
    sub_configs: ClassVar[dict[str, Any]] = {"xclip": AutoConfig}

    xclip: dict[str, Any] | PreTrainedConfig | None = None
    label_token_ids: list[list[int]] | None = None
    image_mean: tuple[float, ...] | list[float] = IMAGENET_MEAN
    image_std: tuple[float, ...] | list[float] = IMAGENET_STD

    def __post_init__(self, **kwargs: Any) -> None:
        self.xclip = as_config(self.xclip, default="xclip")
        if self.heads is not None:
            raise ValueError("heads are not possible here: X-CLIP compares a clip with one list of labels")
        if self.label_token_ids is not None and self.id2label is None:
            kwargs["num_labels"] = len(self.label_token_ids)
        super().__post_init__(**kwargs)
        if self.label_token_ids is not None and len(self.label_token_ids) != self.num_labels:
            raise ValueError(
                f"label_token_ids has {len(self.label_token_ids)} texts but there are {self.num_labels} labels"
            )

    @property
    def num_frames(self) -> int:
        """Frames that X-CLIP takes, no more and no fewer."""
        return self.xclip.vision_config.num_frames  # type: ignore[union-attr]

    @property
    def frame_size(self) -> tuple[int, int]:
        """(height, width) of the frames that X-CLIP takes."""
        size = self.xclip.vision_config.image_size  # type: ignore[union-attr]
        return (size, size) if isinstance(size, int) else (size[0], size[1])

    @classmethod
    def tiny(cls, num_labels: int = 2, **changes: Any) -> "XCLIPRecognizerConfig":
        """An X-CLIP for 8 x 48 x 48 with texts of one made-up word each: 0.4 M parameters."""
        width: dict[str, Any] = {"hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 2}
        sizes: dict[str, Any] = {
            "model_type": "xclip",
            "projection_dim": 64,
            "prompt_num_attention_heads": 2,
            "text_config": {**width, "num_hidden_layers": 2, "vocab_size": 600, "max_position_embeddings": 16},
            "vision_config": {
                **width,
                "num_hidden_layers": 3,
                "image_size": 48,
                "patch_size": 8,
                "num_frames": 8,
                "mit_hidden_size": 64,
                "mit_intermediate_size": 128,
                "mit_num_attention_heads": 2,
            },
        }
        words = [[597, word, 599] for word in range(num_labels)]
        return cls(**{"xclip": sizes, "label_token_ids": words, **changes})
