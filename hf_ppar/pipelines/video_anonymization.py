"""`pipeline("video-anonymization")`: a video in, an anonymized video out."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from transformers import Pipeline

from ..models import AnonymizerModel
from ..processing import AnonymizerProcessor
from ..streaming import AnonymizeOptions, anonymize, anonymize_video
from ..video import VideoError, VideoSource, WriteOptions, probe

_PARAMETERS = {"strength", "size", "keep_audio", "keep_metadata", "output_dir", "overwrite"}


class VideoAnonymizationPipeline(Pipeline):
    """Anonymizes whole videos with any anonymizer.

    Takes a path, URL, bytes, file object, `datasets` value or array, a list or a generator of them. Each answer is a
    dict: `frames` (T, H, W, 3) uint8 and `fps`, or with `output_dir` the `path` written and its `receipt`.
    Batching happens inside a video, window by window, so `batch_size` changes nothing here.

    Example:
        >>> import hf_ppar
        >>> from transformers import pipeline
        >>> anonymizer = pipeline("video-anonymization", model="motion-mask")
        >>> anonymizer("ward.mp4", output_dir="safe")["path"]
        'safe/ward_anonymized.mp4'
    """

    _load_processor = False
    _load_image_processor = False
    _load_feature_extractor = False
    _load_tokenizer = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not isinstance(self.model, AnonymizerModel):
            raise ValueError(f"video-anonymization needs an anonymizer, got {type(self.model).__name__}")

    def __call__(self, inputs: VideoSource | Iterable[VideoSource], **kwargs: Any) -> Any:
        """Anonymize one video, or each of a list or generator.

        Args:
            strength, size, keep_audio, keep_metadata: as in `hf_ppar.AnonymizeOptions`.
            output_dir: write files there instead of returning frames.
            overwrite: replace existing files.
        """
        kwargs.pop("batch_size", None)
        return super().__call__(inputs, batch_size=1, **kwargs)

    def _sanitize_parameters(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        unknown = sorted(set(kwargs) - _PARAMETERS)
        if unknown:
            raise TypeError(f"unknown arguments {unknown}; video-anonymization takes {sorted(_PARAMETERS)}")
        return {}, kwargs, {}

    def preprocess(self, source: VideoSource) -> dict[str, Any]:
        """Nothing is read here: a video is streamed through the model, never held raw as a whole."""
        return {"source": source}

    def _forward(
        self,
        model_inputs: dict[str, Any],
        output_dir: str | os.PathLike[str] | None = None,
        overwrite: bool = False,
        strength: float | None = None,
        **for_files: Any,
    ) -> dict[str, Any]:
        source = model_inputs["source"]
        if output_dir is None:
            if for_files:
                raise ValueError(f"{', '.join(sorted(for_files))} apply to files; give output_dir as well")
            return {"frames": anonymize(source, self.model, strength), "fps": probe(source).fps}
        target = Path(output_dir) / anonymized_name(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        options = AnonymizeOptions(strength, write=WriteOptions(overwrite=overwrite), **for_files)
        return {"path": str(target), "receipt": anonymize_video(source, target, self.model, options)}

    def save_pretrained(self, save_directory: str | os.PathLike[str], **kwargs: Any) -> None:
        """Save the model and its processor; loading them needs hf_ppar, not code from the directory."""
        self.model.save_pretrained(save_directory, **kwargs)
        AnonymizerProcessor.for_model(self.model.config).save_pretrained(save_directory, **kwargs)

    def postprocess(self, model_outputs: dict[str, Any]) -> dict[str, Any]:
        """The answer as it is."""
        return model_outputs


def anonymized_name(source: VideoSource) -> str:
    """`ward.avi` -> `ward_anonymized.mp4`."""
    path = source.get("path") if isinstance(source, dict) else source
    if not isinstance(path, (str, os.PathLike)):
        raise VideoError("a video without a path has no name to write under; use hf_ppar.anonymize_video")
    return f"{Path(path).stem}_anonymized.mp4"
