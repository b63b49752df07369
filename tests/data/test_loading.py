import pytest

from hf_ppar.data import LOADERS, load_ppar_dataset
from hf_ppar.data.stage import StageOptions, clip_specs


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"name='lsa' is not a known data set; choose one of: stage, lsa64, folder"):
        load_ppar_dataset("lsa")


@pytest.mark.parametrize("name", ["lsa64", "folder"])
def test_data_dir_is_needed_and_must_exist(name, tmp_path):
    with pytest.raises(ValueError, match=f"data_dir is missing: '{name}' reads videos from a folder"):
        load_ppar_dataset(name)
    with pytest.raises(ValueError, match=r"data_dir='.*nowhere' does not exist"):
        load_ppar_dataset(name, tmp_path / "nowhere")


@pytest.mark.parametrize("name", sorted(LOADERS))
def test_an_unknown_option_is_refused_with_the_known_ones(name, tmp_path):
    data_dir = tmp_path if LOADERS[name].needs_data_dir else None
    with pytest.raises(ValueError, match=rf"{name} has no option colour; it takes "):
        load_ppar_dataset(name, data_dir, colour="red")


def test_every_loader_describes_itself():
    assert all(len(loader.description) > 20 for loader in LOADERS.values())


def test_stage_rows_are_addresses_with_labels():
    dataset = load_ppar_dataset("stage", split="test", test_clips=8, persons=3)
    specs = clip_specs(StageOptions(test_clips=8, persons=3), "test")
    assert [row["video"]["path"] for row in dataset] == [spec.uri for spec in specs]
    assert dataset.features["action"].int2str(dataset["action"][:]) == [spec.action for spec in specs]
    assert dataset["attributes"][:] == [dict(spec.attributes) for spec in specs]
    assert dataset["person"][:] == [spec.person for spec in specs]
    assert str(dataset.split) == "test"


def test_stage_gait_splits():
    dataset = load_ppar_dataset("stage", split="probe", persons=2)
    assert set(dataset["condition"]) == {"normal", "coat", "bag"}


def test_stage_refuses_a_folder_and_an_unknown_split(tmp_path):
    with pytest.raises(ValueError, match="the stage is rendered and has no folder"):
        load_ppar_dataset("stage", tmp_path)
    with pytest.raises(ValueError, match="split='dev' is not a split of the stage"):
        load_ppar_dataset("stage", split="dev")
