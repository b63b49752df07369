import json
import os
import subprocess
import sys

import pytest
from transformers import pipeline

import hf_ppar
from hf_ppar.models.privrate import PrivRateAnonymizer, PrivRateConfig
from hf_ppar.remote_code import flatten_module, needed_modules

from .classifiers import ACTIONS, make_classifier, make_inverted
from .conftest import moving_square, write_with_av
from .vlms import save_xclip

TASK = "privacy-video-classification"
# Stands for a machine without hf_ppar: importing it fails.
WITHOUT = """
import json, sys
sys.modules["hf_ppar"] = None
from transformers import AutoModel, pipeline
folder, video = sys.argv[1:]
classify = pipeline("privacy-video-classification", model=folder, trust_remote_code=True)
assert type(classify.model).__module__.startswith("transformers_modules.")
rows = classify([video, "none.mp4"])
model = AutoModel.from_pretrained(folder, trust_remote_code=True)
print(json.dumps({"rows": rows, "weights": len(model.state_dict()), "parts": type(model.anonymizer).__name__}))
"""


def run_without(folder, video, cache):
    environment = {**os.environ, "HF_MODULES_CACHE": str(cache), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-c", WITHOUT, str(folder), str(video)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=cache, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture
def video(tmp_path):
    return write_with_av(tmp_path / "a.mp4", moving_square(8))


@pytest.mark.parametrize("kind", ["closed-set", pytest.param("zero-shot", marks=pytest.mark.slow)])
def test_a_directory_works_where_hf_ppar_is_not_installed(kind, tmp_path, video):
    if kind == "closed-set":
        model = make_classifier("blur-weak")
    else:
        names = ["a person walks", "clapping"]
        recognizer = save_xclip(tmp_path / "xclip")
        model = hf_ppar.PrivacyVideoClassifier.from_parts("pixelate", recognizer, candidate_labels=names)
    model.save_pretrained(tmp_path / "saved", as_remote_code=True)
    cache = tmp_path / "cache"
    cache.mkdir()
    found = run_without(tmp_path / "saved", video, cache)
    expected = pipeline(TASK, model=model)(str(video))
    assert [row["label"] for row in found["rows"][0]] == [row["label"] for row in expected]
    assert [row["score"] for row in found["rows"][0]] == pytest.approx([row["score"] for row in expected], abs=1e-5)
    assert "no such file" in found["rows"][1]["error"]
    assert found["weights"] == len(model.state_dict()) and found["parts"] == type(model.anonymizer).__name__


def test_where_hf_ppar_is_installed_its_own_code_is_used(tmp_path, video):
    model = make_classifier(PrivRateAnonymizer(PrivRateConfig.tiny()))
    model.save_pretrained(tmp_path / "saved", as_remote_code=True)
    assert "auto_map" in (tmp_path / "saved" / "config.json").read_text()
    classify = pipeline(TASK, model=str(tmp_path / "saved"))
    assert type(classify.model) is hf_ppar.PrivacyVideoClassifier and len(classify(str(video))) == len(ACTIONS)
    classify.save_pretrained(tmp_path / "again")
    assert "auto_map" not in (tmp_path / "again" / "config.json").read_text()
    assert not list((tmp_path / "again").glob("*.py"))


def test_only_what_is_needed_is_written():
    modules = needed_modules({"hf_ppar.models.base"})
    assert "hf_ppar.models.base" in modules and "hf_ppar.models.classic.configuration_classic" in modules
    assert not [module for module in modules if "pipelines" in module or module == "hf_ppar.models"]
    text = flatten_module("hf_ppar.models.privrate.modeling_privrate")
    assert "from .hf_ppar_models_layers_bottleneck import GaussianBottleneck\n" in text
    assert "from ." not in text.replace("from .hf_ppar_", "")


def test_refusals(tmp_path):
    with pytest.raises(ValueError, match="writes modules of hf_ppar only, and InvertConfig, InvertModel is not from"):
        make_inverted().save_pretrained(tmp_path, as_remote_code=True)
    with pytest.raises(ValueError, match=r"push_to_hub would leave out what is saved beside the model"):
        make_classifier().save_pretrained(tmp_path, as_remote_code=True, push_to_hub=True)
