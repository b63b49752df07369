import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from hf_ppar.cli.main import app
from hf_ppar.data.stage import COMPOUNDS, describe_action
from hf_ppar.evaluation import evaluate
from hf_ppar.evaluation.zero_shot import candidate_texts, name_actions
from hf_ppar.models.lafprivacy import LaFPrivacyAnonymizer, LaFPrivacyConfig, load_vision_language_model

from ..vlms import save_clip, save_xclip
from .conftest import TINY, case, stage

SMALL = {"num_frames": 4, "image_size": (32, 32), "hidden_size": 24, "num_attention_heads": 2}


class Oracle(torch.nn.Module):
    """Names actions by the brightness of the clip; says what it was asked."""

    kind, fingerprint, num_frames, frame_size = "oracle", "oracle-1", 4, (16, 16)

    def __init__(self, unseen=()):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.config = type("Config", (), {"unseen_actions": list(unseen)})
        self.seen, self.texts = [], []

    def compare(self, clip, texts):
        self.seen.append(tuple(clip.shape[1:]))
        self.texts = list(texts)
        return clip.mean((1, 2, 3, 4))[:, None] * torch.arange(len(texts))


@pytest.fixture(scope="module")
def xclip_directory(tmp_path_factory):
    return save_xclip(tmp_path_factory.mktemp("xclip"), unseen=COMPOUNDS)


def test_texts_of_actions():
    splits = stage(train_clips=200)
    names = candidate_texts(splits, "names")
    assert len(names) == 28 and names[3] == ["wave one hand"] and names[18] == ["walk and wave one hand"]
    descriptions = candidate_texts(splits, "descriptions")
    assert set(descriptions[0]) <= set(describe_action("walk")) and len(descriptions) == 28
    with pytest.raises(ValueError, match="needs a column text, which the data set lacks; use names"):
        candidate_texts({n: d.remove_columns("text") for n, d in splits.items()}, "descriptions")
    with pytest.raises(ValueError, match="there is no text for"):
        candidate_texts({"test": splits["test"].select(range(3))}, "descriptions")


def test_a_model_names_anonymized_test_clips_from_texts(tmp_path):
    oracle = Oracle(COMPOUNDS)
    splits = stage(train_clips=28)  # each action once
    made = case(tmp_path, "pixelate", splits, protocol="zero-shot", vlm=oracle, labels_from="descriptions")
    judgement, number = name_actions(made)
    assert oracle.seen == [(4, 3, 16, 16)], "the test split alone, one view, at the size of the model"
    sizes = [len(texts) for texts in candidate_texts(made.splits, "descriptions")]
    ends = np.cumsum(sizes)
    means = np.array([np.arange(end - size, end).mean() for end, size in zip(ends, sizes, strict=True)])
    assert judgement.logits["action"].shape == (24, 28)
    ratio = judgement.logits["action"] / judgement.logits["action"][:, [-1]]
    assert np.allclose(ratio, means / means[-1], atol=1e-4), "a label's logit is the mean over its texts"
    assert number.judge == "oracle, zero-shot" and number.details["vlm"] == "oracle-1"
    assert number.details["seen"]["chance"] == pytest.approx(1 / 18)
    assert number.details["unseen"]["chance"] == pytest.approx(1 / 10)


def test_protocol_has_attackers_and_no_trained_recognizer(tmp_path, xclip_directory):
    vlm = load_vision_language_model(xclip_directory)
    made = case(tmp_path, protocol="zero-shot", vlm=vlm)
    report = evaluate(made)
    assert report.utility.judge == "xclip, zero-shot" and set(report.privacy) == {"person", "attributes"}
    judges = sorted(path.name for path in (made.work / "judges").iterdir())
    assert judges == ["frame-resnet-person-attributes-0"]
    assert set(report.baselines) == {"label-only", "length-only"} and report.multi_clip
    plain = evaluate(case(tmp_path / "plain"))
    assert report.privacy["person"] == plain.privacy["person"], "attackers are those of the panel"


def test_the_two_protocols_are_told_apart(tmp_path, xclip_directory):
    vlm = load_vision_language_model(xclip_directory)
    other = load_vision_language_model(save_clip(tmp_path / "clip"))
    torch.manual_seed(0)
    config = LaFPrivacyConfig.tiny(**SMALL, trained_against=vlm.fingerprint)
    laf = LaFPrivacyAnonymizer(config).eval()
    same = case(tmp_path, laf, protocol="zero-shot", vlm=vlm)
    crossed = evaluate(replace(same, protocol="cross-vlm", vlm=other, work=tmp_path / "crossed"))
    assert crossed.protocol == "cross-vlm" and crossed.utility.judge == "clip, zero-shot"
    with pytest.raises(ValueError, match="trained against another vlm than this, which makes the protocol cross-vlm"):
        evaluate(replace(same, vlm=other))
    with pytest.raises(ValueError, match="trained against this vlm, which makes the protocol zero-shot"):
        evaluate(replace(same, protocol="cross-vlm"))
    with pytest.raises(ValueError, match="zero-shot and cross-vlm, and no other protocol, need a vlm"):
        evaluate(replace(same, vlm=None))
    with pytest.raises(ValueError, match="zero-shot and cross-vlm, and no other protocol, need a vlm"):
        evaluate(replace(same, protocol="same-dataset"))
    with pytest.raises(ValueError, match="labels_from='dreams' is unknown; choose one of: names, descriptions"):
        evaluate(replace(same, labels_from="dreams"))
    assert not same.work.exists()


def test_command(tmp_path, monkeypatch, xclip_directory):
    monkeypatch.chdir(tmp_path)
    options = [part for key, value in TINY.items() for part in ("--option", f"{key}={value}")]
    options += ["--option", "train_clips=28"]
    common = ["--dataset", "stage", "--budget", "quick", "--epochs", "1", *options, "--protocol", "zero-shot"]
    named = ["--vlm", str(xclip_directory), "--labels-from", "descriptions"]
    result = CliRunner().invoke(app, ["evaluate", "pixelate", "-o", "out", *common, *named])
    assert result.exit_code == 0, result.output
    values = json.loads((tmp_path / "out" / "report.json").read_text())
    assert values["utility"]["judge"] == "xclip, zero-shot" and values["protocol"] == "zero-shot"
    assert values["utility"]["details"]["labels_from"] == "descriptions"
    assert set(values["utility"]["details"]) >= {"seen", "unseen", "vlm"}
    missing = CliRunner().invoke(app, ["evaluate", "pixelate", "-o", "none", *common])
    assert missing.exit_code == 1 and "need a vlm" in missing.output
