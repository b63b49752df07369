import pytest
from datasets import ClassLabel

from hf_ppar.data import attribute_names, class_names, load_ppar_dataset
from hf_ppar.data.schema import Vocabulary, all_features, build_dataset, media_column

from .conftest import METADATA, fake_videos


def nameless(features):
    """Types of the columns, without the names of classes and attributes."""
    plain = {}
    for name, feature in features.items():
        if isinstance(feature, ClassLabel):
            plain[name] = "ClassLabel"
        elif name == "attributes":
            plain[name] = {str(value) for value in feature.values()}
        else:
            plain[name] = str(feature)
    return plain


def check_follows_schema(dataset):
    every = list(all_features(Vocabulary(attributes=("any",))))
    assert dataset.column_names == [name for name in every if name in dataset.column_names]
    schema = nameless(all_features(Vocabulary(attributes=("any",))))
    assert nameless(dataset.features) == {name: schema[name] for name in dataset.column_names}


def test_stage_and_folder_have_one_schema(tmp_path):
    fake_videos(tmp_path, ["a.mp4", "b.mp4", "c.mp4", "d.mp4"])
    (tmp_path / "metadata.csv").write_text(METADATA)
    for dataset in (load_ppar_dataset("stage", train_clips=4), load_ppar_dataset("folder", tmp_path)):
        check_follows_schema(dataset)
        assert {"video", "action", "attributes", "person"} <= set(dataset.column_names)


def test_lsa64_has_the_same_schema(lsa64_folder):
    check_follows_schema(load_ppar_dataset("lsa64", lsa64_folder))


def test_every_column_can_be_filled():
    columns = {
        "image": ["a.jpg"],
        "action": ["walk"],
        "attributes": [{"face": -1}],
        "person": [0],
        "subject_group": ["x"],
        "domain": ["dark"],
        "view": [90],
        "condition": ["coat"],
        "segments": [[{"start": 0.0, "end": 1.5, "label": "walk"}]],
        "frame_labels": [[{"name": "face", "first": 0, "last": 9, "value": 1}]],
        "text": ["a person walks"],
    }
    dataset = build_dataset(columns, Vocabulary(("walk",), ("face",), ("ann",), ("x",)), "train", terms="CC0")
    assert dataset[0]["image"] == {"path": "a.jpg", "bytes": None}
    assert dataset[0]["action"] == 0 and dataset[0]["segments"][0]["end"] == 1.5
    assert media_column(dataset) == "image" and dataset.info.license == "CC0"
    assert class_names(dataset, "person") == ("ann",) and attribute_names(dataset) == ("face",)
    assert class_names(dataset, "text") == ()


def test_a_column_outside_of_the_schema_is_refused():
    with pytest.raises(ValueError, match=r"columns colour are not in the schema; it has video, image, action"):
        build_dataset({"video": ["a.mp4"], "colour": ["red"]}, Vocabulary(), "train")


def test_no_pixels_no_media_column():
    dataset = build_dataset({"text": ["x"]}, Vocabulary(), "train")
    with pytest.raises(ValueError, match='neither a "video" nor an "image" column'):
        media_column(dataset)
    assert attribute_names(dataset) == ()
