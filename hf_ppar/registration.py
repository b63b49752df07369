"""The only import-time effects of hf_ppar: Auto classes, pipeline tasks, and built-in names in `pipeline`."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import transformers
from transformers import AutoConfig, AutoImageProcessor, AutoModel, PreTrainedModel
from transformers.pipelines import PIPELINE_REGISTRY

from .models import AnonymizerConfig, AnonymizerModel, load_anonymizer
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
from .models.lafprivacy import LaFPrivacyAnonymizer, LaFPrivacyConfig
from .models.privrate import PrivRateAnonymizer, PrivRateConfig
from .models.recognizers import RECOGNIZERS
from .models.stprivacy import STPrivacyAnonymizer, STPrivacyConfig
from .pipelines import VideoAnonymizationPipeline
from .processing import AnonymizerProcessor

ANONYMIZERS: dict[type[AnonymizerConfig], type[AnonymizerModel]] = {
    BlackenConfig: BlackenModel,
    BlurConfig: BlurModel,
    DownsampleConfig: DownsampleModel,
    LaFPrivacyConfig: LaFPrivacyAnonymizer,
    MotionConfig: MotionModel,
    PixelateConfig: PixelateModel,
    PrivRateConfig: PrivRateAnonymizer,
    STPrivacyConfig: STPrivacyAnonymizer,
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
    for recognizer_config, recognizer_class in RECOGNIZERS.items():
        AutoConfig.register(recognizer_config.model_type, recognizer_config)
        AutoModel.register(recognizer_config, recognizer_class)
    PIPELINE_REGISTRY.register_pipeline(
        _TASK, pipeline_class=VideoAnonymizationPipeline, pt_model=AutoModel, type="video"
    )
    original = transformers.pipelines.pipeline
    transformers.pipeline = transformers.pipelines.pipeline = accept_names(original)
    # And where `from transformers import pipeline` stands above `import hf_ppar`.
    for module in list(sys.modules.values()):
        if vars(module).get("pipeline") is original:
            module.pipeline = transformers.pipeline  # type: ignore[attr-defined]


def accept_names(pipeline: Callable[..., Any]) -> Callable[..., Any]:
    """`transformers.pipeline`, except that for our task a model is named as everywhere in hf_ppar."""

    @functools.wraps(pipeline)
    def with_names(task: str | None = None, model: Any = None, *args: Any, **kwargs: Any) -> Any:
        if task == _TASK and not isinstance(model, PreTrainedModel):
            model = load_anonymizer(model or DEFAULT_ANONYMIZER, revision=kwargs.get("revision"))
        return pipeline(task, model, *args, **kwargs)

    return with_names
