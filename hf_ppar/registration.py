"""The only import-time effects of hf_ppar: Auto classes, pipeline tasks, and built-in names in `pipeline`."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import transformers
from transformers import AutoConfig, AutoImageProcessor, AutoModel, Pipeline, PreTrainedModel
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
from .models.privacy_classifier import PrivacyClassifierConfig, PrivacyVideoClassifier, load_privacy_classifier
from .models.privrate import PrivRateAnonymizer, PrivRateConfig
from .models.recognizers import RECOGNIZERS
from .models.stprivacy import STPrivacyAnonymizer, STPrivacyConfig
from .pipelines import PrivacyVideoClassificationPipeline, VideoAnonymizationPipeline
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
_ANONYMIZATION, _CLASSIFICATION = "video-anonymization", "privacy-video-classification"
_TASKS: dict[str, type[Pipeline]] = {
    _ANONYMIZATION: VideoAnonymizationPipeline,
    _CLASSIFICATION: PrivacyVideoClassificationPipeline,
}


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
    AutoConfig.register(PrivacyClassifierConfig.model_type, PrivacyClassifierConfig)
    AutoModel.register(PrivacyClassifierConfig, PrivacyVideoClassifier)
    for task, pipeline_class in _TASKS.items():
        PIPELINE_REGISTRY.register_pipeline(task, pipeline_class=pipeline_class, pt_model=AutoModel, type="video")
    original = transformers.pipelines.pipeline
    transformers.pipeline = transformers.pipelines.pipeline = accept_names(original)
    # And where `from transformers import pipeline` stands above `import hf_ppar`.
    for module in list(sys.modules.values()):
        if vars(module).get("pipeline") is original:
            module.pipeline = transformers.pipeline  # type: ignore[attr-defined]


def accept_names(pipeline: Callable[..., Any]) -> Callable[..., Any]:
    """`transformers.pipeline`, except that for our tasks a model is named as everywhere in hf_ppar."""

    @functools.wraps(pipeline)
    def with_names(task: str | None = None, model: Any = None, *args: Any, **kwargs: Any) -> Any:
        if task == _ANONYMIZATION and not isinstance(model, PreTrainedModel):
            model = load_anonymizer(model or DEFAULT_ANONYMIZER, **take_loading(kwargs))
        if task == _CLASSIFICATION:
            model = load_privacy_classifier(model, **take_loading(kwargs), **take_parts(kwargs))
        return pipeline(task, model, *args, **kwargs)

    return with_names


def take_loading(arguments: dict[str, Any]) -> dict[str, Any]:
    """How to load a model by its name: `revision`, `token` and, removed from `arguments`, `model_kwargs`."""
    given = {name: arguments[name] for name in ("revision", "token") if arguments.get(name) is not None}
    return {**(arguments.pop("model_kwargs", None) or {}), **given}


def take_parts(arguments: dict[str, Any]) -> dict[str, Any]:
    """Remove the parts of a privacy classifier from `arguments`, and with them the labels that one of them needs."""
    parts = {name: arguments.pop(name, None) for name in ("anonymizer", "recognizer")}
    if any(part is not None for part in parts.values()):
        labels = {name: arguments.pop(name, None) for name in ("candidate_labels", "hypothesis_template")}
        parts |= {name: value for name, value in labels.items() if value is not None}
    return parts
