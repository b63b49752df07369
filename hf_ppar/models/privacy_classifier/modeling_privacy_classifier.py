"""An anonymizer and a recognizer as one model: frames -> anonymized frames -> labels, and no way around."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import torch
from transformers import AutoModel, AutoTokenizer, CLIPTokenizer, PreTrainedModel
from transformers.initialization import no_init_weights
from transformers.utils import ModelOutput, cached_file

from ..base import AnonymizerModel, load_completely
from ..loading import ModelError, hub_arguments, load_anonymizer
from ..recognizers.fitting import fit_frames, fit_picture
from ..recognizers.heads import Labels
from ..recognizers.loading import load_recognizer
from ..recognizers.modeling_recognizer import RecognizerModel
from ..recognizers.modeling_xclip import XCLIPRecognizer
from .configuration_privacy_classifier import PrivacyClassifierConfig
from .labels import check_labels, check_template


@dataclass
class PrivacyClassifierOutput(ModelOutput):
    """What a privacy classifier returns.

    Args:
        loss: scalar, if labels were given.
        logits: (batch, num_labels), before softmax or sigmoid.
        anonymized: (batch, frames, 3, height, width) in [0, 1]: what the recognizer saw.
        rate_bits: (batch,) bits about the input spent on each clip; None if the anonymizer does not limit them.
    """

    loss: torch.Tensor | None = None
    logits: torch.Tensor | None = None
    anonymized: torch.Tensor | None = None
    rate_bits: torch.Tensor | None = None


class PrivacyVideoClassifier(PreTrainedModel):
    """Names what happens in a clip from its anonymized version alone.

    The anonymizer works on the clip that it is given; the result is fitted to the recognizer's length and size. A
    zero-shot recognizer brings its tokenizer along, so that a saved model can choose from other labels.

    Example:
        >>> model = PrivacyVideoClassifier.from_parts("blur-strong", "MCG-NJU/videomae-base-finetuned-kinetics")
        >>> model(torch.rand(1, 16, 3, 224, 224)).logits.shape
        torch.Size([1, 400])
    """

    config_class = PrivacyClassifierConfig
    base_model_prefix = "privacy_classifier"
    main_input_name = "pixel_values"
    input_modalities = ("video",)
    _supports_sdpa = True

    def __init__(self, config: PrivacyClassifierConfig) -> None:
        super().__init__(config)
        self.tokenizer: Any = None
        self.anonymizer: AnonymizerModel = AutoModel.from_config(config.anonymizer)
        self.recognizer: RecognizerModel = AutoModel.from_config(config.recognizer)
        self._share_configs()
        self.post_init()

    def forward(
        self,
        pixel_values: torch.Tensor,
        labels: Labels | None = None,
        strength: float | None = None,
        generator: torch.Generator | None = None,
    ) -> PrivacyClassifierOutput:
        """Clip (batch, frames, 3, height, width) in [0, 1] -> logits (batch, num_labels).

        Args:
            labels: for the loss, as the recognizer takes them.
            strength, generator: as an anonymizer takes them.
        """
        released = self.anonymizer(pixel_values, strength=strength, generator=generator)
        anonymized = self._fit(released.videos)
        answer = self.recognizer(anonymized, labels=labels)
        return PrivacyClassifierOutput(
            loss=answer.loss, logits=answer.logits, anonymized=anonymized, rate_bits=released.rate_bits
        )

    def _fit(self, clip: torch.Tensor) -> torch.Tensor:
        """An anonymized clip at the recognizer's length and size; one that has them stays as it is."""
        frames, size = self.config.recognizer_clip
        if frames is not None:
            clip = fit_frames(clip, frames)
        if size is not None and tuple(clip.shape[-2:]) != size:
            clip = fit_picture(clip, size).clamp(0, 1)
        return clip

    @classmethod
    def from_parts(
        cls,
        anonymizer: str | os.PathLike[str] | AnonymizerModel,
        recognizer: str | os.PathLike[str] | RecognizerModel,
        *,
        candidate_labels: Sequence[str] | None = None,
        hypothesis_template: str = "{}",
        **settings: Any,
    ) -> PrivacyVideoClassifier:
        """Combine two parts, each a model, a directory or a Hub id; an anonymizer may be a built-in name.

        Args:
            candidate_labels, hypothesis_template: for an X-CLIP, the labels that it chooses from and the text made of
                each.
            settings: other fields of `PrivacyClassifierConfig`.
        """
        first = load_anonymizer(_check_part("anonymizer", anonymizer, AnonymizerModel))
        second, tokenizer = _load_recognizer(
            _check_part("recognizer", recognizer, RecognizerModel), candidate_labels, hypothesis_template
        )
        config = cls.config_class(anonymizer=first.config, recognizer=second.config, **settings)
        with no_init_weights(), torch.device("meta"):  # only to be replaced
            model = cls(config)
        model.anonymizer, model.recognizer, model.tokenizer = first, second, tokenizer
        model._share_configs()
        return model.eval()

    def _share_configs(self) -> None:
        """One config object for a part and for the whole, so that a change of labels is saved."""
        self.config.anonymizer, self.config.recognizer = self.anonymizer.config, self.recognizer.config

    @property
    def label_names(self) -> list[str]:
        """The labels, in the order of the logits."""
        return [self.config.id2label[number] for number in range(self.config.num_labels)]

    def check_labels(self, labels: Any) -> list[str]:
        """Labels that this model can choose from; refused where its labels are fixed."""
        if not isinstance(self.recognizer, XCLIPRecognizer):
            raise ModelError(
                f"candidate_labels are for a zero-shot recognizer; this {self.recognizer.config.model_type!r} knows "
                f"{', '.join(self.label_names)}. Leave candidate_labels out, or give an X-CLIP as recognizer"
            )
        names = check_labels(labels)
        if self.tokenizer is None:
            raise ModelError(
                "candidate_labels need the X-CLIP's tokenizer, which this model was built without; "
                "give recognizer= the directory or Hub id of the X-CLIP itself"
            )
        return names

    def set_labels(self, labels: Sequence[str], hypothesis_template: str = "{}") -> None:
        """Choose from other labels, with a zero-shot recognizer; the template makes a text of a label."""
        names = self.check_labels(labels)
        self.recognizer.set_labels(names, self.tokenizer, check_template(hypothesis_template))
        self._take_labels()

    @contextmanager
    def choosing_from(self, labels: Sequence[str], hypothesis_template: str = "{}") -> Iterator[None]:
        """`set_labels` for the length of a `with` block."""
        config = self.recognizer.config
        names = ("label_token_ids", "id2label", "label2id")
        before = {name: getattr(config, name, None) for name in names}
        self.set_labels(labels, hypothesis_template)
        try:
            yield
        finally:
            for name, value in before.items():
                setattr(config, name, value)
            self._take_labels()

    def _take_labels(self) -> None:
        self.config.id2label, self.config.label2id = self.recognizer.config.id2label, self.recognizer.config.label2id

    def save_pretrained(
        self, save_directory: str | os.PathLike[str], *args: Any, as_remote_code: bool = False, **kwargs: Any
    ) -> None:
        """Save config, weights and, if there is one, the tokenizer.

        Args:
            as_remote_code: also write the code, so that `trust_remote_code=True` loads the directory where hf_ppar is
                not installed.
        """
        if kwargs.get("push_to_hub") and (as_remote_code or self.tokenizer is not None):
            raise ValueError("push_to_hub would leave out what is saved beside the model; call model.push_to_hub(id)")
        super().save_pretrained(save_directory, *args, **kwargs)
        if self.tokenizer is not None:
            self.tokenizer.save_pretrained(save_directory)
        if as_remote_code:  # by name, because the written copy of this file comes without that module
            import_module("hf_ppar.remote_code").write_remote_code(self, save_directory)

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: str | os.PathLike[str], *args: Any, **kwargs: Any) -> Any:
        """Load from a directory or Hub id.

        Weights come from safetensors only, and all of them have to be there: with a layer left at random an
        anonymizer protects nobody.
        """
        loaded = load_completely(super().from_pretrained, pretrained_model_name_or_path, *args, **kwargs)
        model = loaded[0] if isinstance(loaded, tuple) else loaded
        if isinstance(model.recognizer, XCLIPRecognizer):
            hub = {"revision": kwargs.get("revision"), **hub_arguments(kwargs)}
            model.tokenizer = _read_tokenizer(os.fspath(pretrained_model_name_or_path), hub)
        return loaded


def _check_part(name: str, part: Any, kind: type[PreTrainedModel]) -> Any:
    """Refuse what is neither a name nor a model of that kind."""
    if part is None:
        raise ModelError(f"{name} is missing; give a model, a directory or a Hub id")
    if isinstance(part, (str, os.PathLike, kind)):
        return part
    hint = f"; save it, with its image processor, and give the directory as {name}="
    raise ModelError(
        f"{name}: a {type(part).__name__} is not an {name} of hf_ppar"
        + (hint if isinstance(part, PreTrainedModel) and kind is RecognizerModel else "")
    )


def _load_recognizer(
    recognizer: Any, labels: Sequence[str] | None, template: str
) -> tuple[RecognizerModel, CLIPTokenizer | None]:
    """The recognizer, and the tokenizer that belongs to candidate labels."""
    if labels is None:
        return load_recognizer(recognizer), None
    names = check_labels(labels)
    if isinstance(recognizer, RecognizerModel):
        raise ModelError("candidate_labels need a tokenizer; give recognizer= the directory or Hub id of an X-CLIP")
    # Refuses labels for anything but an X-CLIP.
    loaded = load_recognizer(recognizer, candidate_labels=names, template=check_template(template))
    return loaded, AutoTokenizer.from_pretrained(os.fspath(recognizer))


def _read_tokenizer(name: str, hub: dict[str, Any]) -> CLIPTokenizer | None:
    """The tokenizer beside a saved model, None if there is none."""
    found = cached_file(
        name,
        "tokenizer_config.json",
        **hub,
        _raise_exceptions_for_missing_entries=False,
        _raise_exceptions_for_connection_errors=False,
    )
    return None if found is None else CLIPTokenizer.from_pretrained(name, **hub)
