"""The only import-time effects of hf_ppar: Auto classes, pipeline tasks, and built-in names in `pipeline`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import transformers
from transformers import AutoConfig, AutoImageProcessor, AutoModel
from transformers.pipelines import PIPELINE_REGISTRY

from .models import AnonymizerConfig, AnonymizerModel, list_anonymizers, load_anonymizer
from .models.classic import (
    BlackenConfig,
    BlackenModel,
    BlurConfig,
    BlurModel,
    DownsampleConfig,
    DownsampleModel,
    MotionConfig,
    MotionModel,
    PixelateConfig,
    PixelateModel,
)
from .pipelines import VideoAnonymizationPipeline
from .processing import AnonymizerProcessor

ANONYMIZERS: dict[type[AnonymizerConfig], type[AnonymizerModel]] = {
    BlackenConfig: BlackenModel,
    BlurConfig: BlurModel,
    DownsampleConfig: DownsampleModel,
    MotionConfig: MotionModel,
    PixelateConfig: PixelateModel,
}
DEFAULT_ANONYMIZER = "blur-strong"
_TASK = "video-anonymization"


def register() -> None:
    """Make `Auto*.from_pretrained` and `pipeline` know our models. Called once, when hf_ppar is imported."""
    for config_class, model_class in ANONYMIZERS.items():
        AutoConfig.register(config_class.model_type, config_class)
        AutoModel.register(config_class, model_class)
        processors: dict[str, type] = {"pil": AnonymizerProcessor, "torchvision": AnonymizerProcessor}
        AutoImageProcessor.register(config_class, image_processor_classes=processors)
    PIPELINE_REGISTRY.register_pipeline(
        _TASK, pipeline_class=VideoAnonymizationPipeline, pt_model=AutoModel, type="video"
    )
    # Both places from which people import it.
    transformers.pipeline = transformers.pipelines.pipeline = accept_names(transformers.pipelines.pipeline)


def accept_names(pipeline: Callable[..., Any]) -> Callable[..., Any]:
    """`transformers.pipeline`, except that for our task a built-in name or no model at all does not go to the Hub."""

    @functools.wraps(pipeline)
    def with_names(task: str | None = None, model: Any = None, *args: Any, **kwargs: Any) -> Any:
        if task == _TASK and (model is None or model in list_anonymizers()):
            model = load_anonymizer(model or DEFAULT_ANONYMIZER)
        return pipeline(task, model, *args, **kwargs)

    return with_names
