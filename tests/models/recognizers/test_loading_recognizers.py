import pytest
from transformers import ResNetConfig

from hf_ppar.models import ModelError
from hf_ppar.models.recognizers import FeatureRecognizer, load_recognizer


def test_a_model_in_memory_is_returned_in_eval_mode(build):
    model = build(FeatureRecognizer).train()
    assert load_recognizer(model) is model and not model.training


@pytest.mark.parametrize("name", ["videomae", "./nowhere", "a/b/c", "/nowhere"])
def test_names_that_lead_nowhere_are_refused_without_asking_the_hub(name):
    with pytest.raises(ModelError, match="neither a directory nor a Hub id"):
        load_recognizer(name)


def test_directories_without_a_recognizer_are_refused(tmp_path, build):
    with pytest.raises(ModelError, match=r"there is no config.json in it"):
        load_recognizer(tmp_path)
    ResNetConfig().save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="holds a 'resnet' model, which is not a recognizer"):
        load_recognizer(tmp_path)


def test_candidate_labels_are_for_xclip_only(tmp_path, build):
    build(FeatureRecognizer).save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="candidate_labels are for an X-CLIP"):
        load_recognizer(tmp_path, candidate_labels=["a", "b"])


def test_missing_weights_are_said(tmp_path, build):
    build(FeatureRecognizer).save_pretrained(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=f"cannot load {tmp_path}"):
        load_recognizer(tmp_path)
