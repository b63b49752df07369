"""Configuration of R(2+1)D."""

# No postponed annotations in this file: `strict` checks only types it can see.
from typing import Any

from huggingface_hub.dataclasses import strict

from .configuration_recognizer import RecognizerConfig

# Of Kinetics-400, as the public weights of this network expect.
KINETICS_MEAN = (0.43216, 0.394666, 0.37645)
KINETICS_STD = (0.22803, 0.22145, 0.216989)


@strict
class R2Plus1DRecognizerConfig(RecognizerConfig):
    """R(2+1)D-18 (Tran et al., "A Closer Look at Spatiotemporal Convolutions", 2018), the judge of GenPriv.

    The defaults are the usual 18-layer network, 31,505,325 parameters with 400 classes.

    Args:
        stem_sizes: channels after the spatial and after the temporal convolution of the stem.
        hidden_sizes: channels of each stage; every stage but the first halves time, height and width.
        depths: residual blocks of each stage.
    """

    model_type = "ppar_r2plus1d_recognizer"

    stem_sizes: tuple[int, int] | list[int] = (45, 64)
    hidden_sizes: tuple[int, ...] | list[int] = (64, 128, 256, 512)
    depths: tuple[int, ...] | list[int] = (2, 2, 2, 2)
    image_mean: tuple[float, ...] | list[float] = KINETICS_MEAN
    image_std: tuple[float, ...] | list[float] = KINETICS_STD

    def __post_init__(self, **kwargs: Any) -> None:
        if len(self.hidden_sizes) != len(self.depths):
            raise ValueError(
                f"hidden_sizes and depths must name the same stages, got {self.hidden_sizes} and {self.depths}"
            )
        super().__post_init__(**kwargs)

    @classmethod
    def tiny(cls, **changes: Any) -> "R2Plus1DRecognizerConfig":
        """A size for clips of 8 x 48 x 48 that trains in minutes on two CPU cores: 0.2 M parameters."""
        sizes: dict[str, Any] = {"stem_sizes": (8, 12), "hidden_sizes": (12, 32, 64), "depths": (1, 1, 1)}
        return cls(**{**sizes, **changes})
