import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel, VideoMAEConfig

from hf_ppar import AnonymizerModel, ModelError, load_anonymizer


@pytest.fixture
def saved(tmp_path):
    load_anonymizer("blur-weak").save_pretrained(tmp_path / "model")
    return tmp_path / "model"


def test_by_name_directory_and_object(saved):
    by_name = load_anonymizer("blur-weak")
    assert by_name.config.kernel_size == 13 and not by_name.training
    assert load_anonymizer(saved).config.kernel_size == 13
    assert load_anonymizer(str(saved)).config.kernel_size == 13
    assert load_anonymizer(by_name) is by_name
    assert AnonymizerModel.from_pretrained("pixelate").config.block_size == 16


def test_two_models_of_one_name_do_not_share_a_config():
    first = load_anonymizer("blur-weak")
    first.config.kernel_size = 99
    assert load_anonymizer("blur-weak").config.kernel_size == 13


@pytest.mark.parametrize("name", ["blur-stronk", "a/b/c", "./none", "/none/at/all"])
def test_unknown_names_are_not_sent_to_the_hub(name):
    with pytest.raises(ModelError, match=r"unknown model .*the built-in ones are downsample-2x"):
        load_anonymizer(name)


def test_a_hub_id_that_cannot_be_reached():
    with pytest.raises(ModelError, match="cannot load someone/something"):
        load_anonymizer("someone/something")


def test_directories_without_an_anonymizer(tmp_path):
    with pytest.raises(ModelError, match=r"holds no model: there is no config\.json in it"):
        load_anonymizer(tmp_path)
    VideoMAEConfig().save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="holds a 'videomae' model, which is not an anonymizer"):
        load_anonymizer(tmp_path)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ModelError, match="cannot load"):
        load_anonymizer(tmp_path)
    file = tmp_path / "weights.safetensors"
    file.write_bytes(b"")
    with pytest.raises(ModelError, match="is a file; give the directory"):
        load_anonymizer(file)


def test_missing_weights_are_refused(saved):
    (saved / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="cannot load"):
        load_anonymizer(saved)


def test_weights_that_do_not_fit_are_refused_everywhere(saved):
    weights = load_file(saved / "model.safetensors")
    save_file({**weights, "stranger": torch.zeros(1)}, saved / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"do not fit its config .*unexpected keys: stranger"):
        load_anonymizer(saved)
    with pytest.raises(ValueError, match="unexpected keys: stranger"):
        AutoModel.from_pretrained(saved)
    save_file({"other": torch.zeros(1)}, saved / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match="missing keys: anchor"):
        load_anonymizer(saved)


def test_pickled_weights_are_never_loaded(saved):
    torch.save(load_file(saved / "model.safetensors"), saved / "pytorch_model.bin")
    (saved / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="cannot load"):
        load_anonymizer(saved)


def test_corrupt_weights(saved):
    (saved / "model.safetensors").write_bytes(b"\x08\x00\x00\x00garbage!")
    with pytest.raises(ModelError, match="cannot load"):
        load_anonymizer(saved)


def test_wrong_values_in_a_saved_config(saved):
    config = json.loads((saved / "config.json").read_text())
    (saved / "config.json").write_text(json.dumps(config | {"kernel_size": 4}))
    with pytest.raises(ModelError, match="kernel_size must be odd"):
        load_anonymizer(saved)
