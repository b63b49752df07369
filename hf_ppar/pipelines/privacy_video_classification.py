"""`pipeline("privacy-video-classification")`: what happens in a video, seen through an anonymizer."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import Pipeline

from ..metrics.views import ACTIVATIONS, average_views
from ..models.loading import ModelError
from ..models.privacy_classifier.labels import check_template
from ..models.privacy_classifier.loading import explain_refusal
from ..models.privacy_classifier.modeling_privacy_classifier import PrivacyVideoClassifier
from ..processing import to_clip, to_frames
from ..video import VideoError, VideoSource, WriteOptions
from .saving import ClipFile
from .timeline import Timeline
from .video_anonymization import anonymized_name
from .views import Views

_READING = ("num_clips", "num_crops", "window", "stride")
_LABELS = ("candidate_labels", "hypothesis_template")
_CLASSIFYING = (*_LABELS, "strength", "return_anonymized", "save_anonymized", "overwrite", "clips_at_once")
_ANSWERING = ("top_k", "function_to_apply")
_CLIPS_AT_ONCE = 4
_TOP_K = 5


class PrivacyVideoClassificationPipeline(Pipeline):
    """Names what happens in videos with a `PrivacyVideoClassifier`; raw frames never reach its recognizer.

    Takes a path, URL, bytes, file object, `datasets` value or array, or a list, generator or `datasets` column of
    them. The answer to a video is a list of {"label", "score"}, best first; with `window` a timeline, a list of
    {"start", "end", "label", "score"} in seconds. `return_anonymized` and `save_anonymized` make it a dict with the
    list under "labels" or "timeline". In a list of videos one that cannot be read is answered by {"error"}; alone
    it raises.

    Example:
        >>> import hf_ppar
        >>> from transformers import pipeline
        >>> classify = pipeline(
        ...     "privacy-video-classification",
        ...     anonymizer="blur-strong",
        ...     recognizer="microsoft/xclip-base-patch16-zero-shot",
        ...     candidate_labels=["a person falls", "a person walks"],
        ... )
        >>> classify("ward.mp4")[0]["label"]
        'a person walks'
    """

    _load_processor = False
    _load_image_processor = False
    _load_feature_extractor = False
    _load_tokenizer = False

    def __init__(self, model: Any, *args: Any, **kwargs: Any) -> None:
        if not isinstance(model, PrivacyVideoClassifier):
            raise ModelError(explain_refusal(type(model).__name__, model.config))
        super().__init__(model, *args, **kwargs)

    def __call__(self, inputs: Any, **kwargs: Any) -> Any:
        """Classify one video, or each of a list, generator or column.

        Args:
            candidate_labels, hypothesis_template: other labels for a zero-shot recognizer, and the text made of each.
            top_k: answers a video; None for 5, or 1 a window of a timeline.
            function_to_apply: "softmax", "sigmoid" or "none", before clips are averaged; None follows from the model.
            strength: of the anonymizer, from 0 to 1, 1 is most private.
            num_clips, num_crops: views that are averaged, see `hf_ppar.pipelines.views.Views`.
            window, stride: seconds of a timeline's windows, and from one to the next; None is `window`. Less than half
                a window at the end of the video belongs to the window before.
            return_anonymized: also give what the recognizer saw, (clips, frames, height, width, 3) uint8.
            save_anonymized: folder to write the same frames to, clip after clip, as `<name>_anonymized.mp4`.
            overwrite: replace existing files.
            batch_size: clips in one call of the model, 4 by default; it does not change answers.
            num_workers: processes that read videos of a list.
        """
        size = kwargs.pop("batch_size", None) or self._batch_size or _CLIPS_AT_ONCE
        kwargs |= {"batch_size": 1, "clips_at_once": size}
        if isinstance(inputs, Sequence) and not isinstance(inputs, (str, bytes, bytearray, memoryview, list)):
            return list(super().__call__((video for video in inputs), **kwargs))
        return super().__call__(inputs, **kwargs) if not isinstance(inputs, list) or inputs else []

    def _sanitize_parameters(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        known = (*_READING, *_CLASSIFYING, *_ANSWERING)
        unknown = sorted(set(kwargs) - set(known))
        if unknown:
            allowed = sorted(set(known) - {"clips_at_once"})
            raise TypeError(f"unknown arguments {unknown}; privacy-video-classification takes {allowed}")
        given = {name: value for name, value in kwargs.items() if value is not None}
        self._check_parameters(given)
        parts = [{name: given[name] for name in names if name in given} for names in (_READING, _CLASSIFYING)]
        return parts[0], parts[1], {name: given[name] for name in _ANSWERING if name in given}

    def _check_parameters(self, given: dict[str, Any]) -> None:
        if "candidate_labels" in given:
            self.model.check_labels(given["candidate_labels"])
        if "hypothesis_template" in given:
            self.model.check_labels(self.model.label_names)
            check_template(given["hypothesis_template"])
        self.model.config.anonymizer.resolve_strength(given.get("strength"))
        views = Views.for_model(self.model.config, given.get("num_clips"), given.get("num_crops"))
        if "window" in given:
            Timeline(given["window"], given.get("stride", given["window"]), views)
        top_k = given.get("top_k", 1)
        if isinstance(top_k, bool) or not isinstance(top_k, int) or top_k < 1:
            raise ValueError(f"top_k must be a whole number of at least 1, got {top_k!r}")
        function = given.get("function_to_apply", "none")
        if function not in ACTIVATIONS:
            raise ValueError(f"function_to_apply must be one of {', '.join(ACTIVATIONS)}, got {function!r}")

    def get_iterator(self, inputs: Any, num_workers: int, batch_size: int, preprocess_params: Any, *rest: Any) -> Any:
        """As in transformers, but a video that cannot be read does not stop the others."""
        return super().get_iterator(inputs, num_workers, batch_size, {**preprocess_params, "report": True}, *rest)

    def preprocess(
        self,
        source: VideoSource,
        num_clips: int | None = None,
        num_crops: int | None = None,
        window: float | None = None,
        stride: float | None = None,
        report: bool = False,
    ) -> dict[str, Any]:
        """Read the views of a video; for a timeline nothing is read yet."""
        views = Views.for_model(self.model.config, num_clips, num_crops)
        if window is not None:
            if num_clips is not None:
                raise ValueError(f"num_clips={num_clips} and window do not go together: a window is one clip")
            return {"source": source, "timeline": Timeline(window, stride or window, views), "report": report}
        if stride is not None:
            raise ValueError(f"stride={stride} is for a timeline; give window as well")
        try:
            clips, seconds = views.read(source)
        except (VideoError, OSError) as error:
            return report_error(error, report)
        return {"source": find_path(source), "clips": clips, "seconds": seconds, "report": report}

    def _forward(
        self,
        model_inputs: dict[str, Any],
        candidate_labels: Sequence[str] | None = None,
        hypothesis_template: str | None = None,
        **how: Any,
    ) -> dict[str, Any]:
        if "error" in model_inputs:
            return model_inputs
        try:
            if candidate_labels is None and hypothesis_template is None:
                return self._classify(model_inputs, **how)
            labels = candidate_labels or self.model.label_names
            with self.model.choosing_from(labels, hypothesis_template or "{}"):
                return self._classify(model_inputs, **how)
        except (VideoError, OSError) as error:
            return report_error(error, model_inputs["report"])

    def _classify(
        self,
        inputs: dict[str, Any],
        strength: float | None = None,
        return_anonymized: bool = False,
        save_anonymized: str | os.PathLike[str] | None = None,
        overwrite: bool = False,
        clips_at_once: int = _CLIPS_AT_ONCE,
    ) -> dict[str, Any]:
        """Logits (views, labels), the moment that each view belongs to, and the seconds of the moments."""
        if return_anonymized and "timeline" in inputs:
            raise ValueError("return_anonymized would hold a whole timeline in memory; use save_anonymized instead")
        # One buffer: a tensor kept of every call would leave gaps in the heap, which then grows with the video.
        logits = array("f")
        moments: list[int] = []
        seen: list[np.ndarray] = []
        spans: list[tuple[float, float]] = []
        views = list_views(inputs, spans)
        with open_clip_file(inputs, save_anonymized, overwrite) as file:
            while part := list(islice(views, clips_at_once)):
                moments += [moment for moment, _ in part]
                clips = torch.stack([to_clip(clip) for _, clip in part]).to(self.device)
                output = self.model(clips, strength=strength)
                logits.extend(output.logits.float().flatten().tolist())
                for frames in map(to_frames, output.anonymized) if file is not None or return_anonymized else ():
                    if file is not None:
                        file.add(frames)
                    if return_anonymized:
                        seen.append(frames)
                del part, clips, output  # before the next clips are read
        scores = np.frombuffer(logits, np.float32).reshape(len(moments), -1)
        answer = {"logits": scores, "moments": moments, "names": self.model.label_names}
        answer |= {"spans": spans} if "timeline" in inputs else {}
        answer |= {"anonymized": np.stack(seen)} if return_anonymized else {}
        return answer | ({} if file is None else {"path": str(file.target)})

    def postprocess(
        self, model_outputs: dict[str, Any], top_k: int | None = None, function_to_apply: str | None = None
    ) -> Any:
        """Average the views of a video, or of each window, and name the best labels."""
        if "error" in model_outputs:
            return model_outputs
        several = self.model.config.problem_type == "multi_label_classification"
        function = function_to_apply or ("sigmoid" if several else "softmax")
        scores = average_views(model_outputs["logits"], model_outputs["moments"], activation=function).scores
        names = model_outputs["names"]
        spans = model_outputs.get("spans")
        if spans is None:
            kind, rows = "labels", best_labels(scores[0], names, top_k or _TOP_K)
        else:
            kind = "timeline"
            rows = [
                {"start": start, "end": end, **best}
                for (start, end), score in zip(spans, scores, strict=True)
                for best in best_labels(score, names, top_k or 1)
            ]
        extra = {name: model_outputs[name] for name in ("anonymized", "path") if name in model_outputs}
        return {kind: rows, **extra} if extra else rows

    def save_pretrained(self, save_directory: str | os.PathLike[str], **kwargs: Any) -> None:
        """Save the model, as `PrivacyVideoClassifier.save_pretrained` does."""
        self.model.save_pretrained(save_directory, **kwargs)


def list_views(inputs: dict[str, Any], spans: list[tuple[float, float]]) -> Iterator[tuple[int, np.ndarray]]:
    """(moment, clip) of what was read; a whole video is one moment. The seconds of moments are added to `spans`."""
    if "timeline" not in inputs:
        yield from ((0, clip) for clip in inputs["clips"])
        return
    for number, moment in enumerate(inputs["timeline"].moments(inputs["source"])):
        spans.append((moment.start, moment.end))
        yield from ((number, clip) for clip in moment.clips)


def open_clip_file(
    inputs: dict[str, Any], folder: str | os.PathLike[str] | None, overwrite: bool
) -> AbstractContextManager[ClipFile | None]:
    """The file to save clips to, which lasts as long as the video; None without a folder."""
    if folder is None:
        return nullcontext()
    timeline = inputs.get("timeline")
    if timeline is None:
        fps = inputs["clips"].shape[0] * inputs["clips"].shape[1] / inputs["seconds"]
    else:
        fps = timeline.views.frames * (timeline.views.crops or 1) / timeline.stride
    return ClipFile(Path(folder) / anonymized_name(inputs["source"]), fps, WriteOptions(overwrite=overwrite))


def best_labels(scores: np.ndarray, names: Sequence[str], top_k: int) -> list[dict[str, Any]]:
    """The `top_k` labels of one row of scores, best first; of equal ones the first."""
    order = np.argsort(-scores, kind="stable")[:top_k]
    return [{"label": names[number], "score": float(scores[number])} for number in order.tolist()]


def find_path(source: VideoSource) -> str | os.PathLike[str] | None:
    """Where a video comes from, None for arrays and bytes."""
    path = source.get("path") if isinstance(source, Mapping) else source
    return path if isinstance(path, (str, os.PathLike)) else None


def report_error(error: Exception, report: bool) -> dict[str, str]:
    """The answer to a video that cannot be read; alone, the error itself."""
    if not report:
        raise error
    return {"error": str(error)}
