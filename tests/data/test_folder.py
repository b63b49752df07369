import pytest

from hf_ppar.data import ListingMismatch, attribute_names, class_names, load_ppar_dataset

from .conftest import METADATA, fake_videos


def load(folder, split="train", **options):
    return load_ppar_dataset("folder", folder, split, **options)


def test_folders_of_splits_and_actions_without_decoding(tmp_path):
    fake_videos(tmp_path, ["train/walk/a.mp4", "train/wave/b.avi", "val/walk/c.MP4", "test/run/d.mkv"])
    train, validation, test = load(tmp_path), load(tmp_path, "validation"), load(tmp_path, "test")
    assert class_names(train, "action") == class_names(test, "action") == ("run", "walk", "wave")
    assert train["action"][:] == [1, 2] and validation["action"][:] == [1] and test["action"][:] == [0]
    assert train[0]["video"] == {"path": str(tmp_path / "train/walk/a.mp4"), "bytes": None}
    assert train.column_names == ["video", "action"]


def test_folders_of_actions_are_all_train(tmp_path):
    fake_videos(tmp_path, ["walk/a.mp4", "walk/deeper/b.mp4", "wave/c.mp4", ".hidden/d.mp4", "wave/notes.txt"])
    assert load(tmp_path)["action"][:] == [0, 0, 1]
    with pytest.raises(ValueError, match=r"split='test' is not in .*; it has train\."):
        load(tmp_path, "test")


@pytest.mark.parametrize("prefix", ["", "train/"])
def test_unlabelled_videos(tmp_path, prefix):
    fake_videos(tmp_path, [f"{prefix}b.mp4", f"{prefix}a.mp4"])
    dataset = load(tmp_path)
    assert dataset.column_names == ["video"]
    assert [row["video"]["path"][-5:] for row in dataset] == ["a.mp4", "b.mp4"]


def test_metadata_with_everything(tmp_path):
    fake_videos(tmp_path, ["a.mp4", "in/b.mp4"])
    (tmp_path / "metadata.csv").write_text(
        "\ufefffile_name,split,action,person,subject_group,domain,view,condition,text,face,hat\n"
        'a.mp4,train,walk,ann,x,dark,-18,coat,"a person, walking",1,\n'
        "in/b.mp4,val,wave,,,,,,,-1,0\n",
        encoding="utf-8",
    )
    train, validation = load(tmp_path)[0], load(tmp_path, "validation")[0]
    assert train["attributes"] == {"face": 1, "hat": -1} and validation["attributes"] == {"face": -1, "hat": 0}
    assert train["view"] == -18 and train["text"] == "a person, walking" and train["person"] == 0
    assert validation["person"] is None and validation["view"] is None and validation["domain"] is None


def test_a_metadata_file_per_split(tmp_path):
    for split, row in (("train", "a.mp4,walk,1"), ("test", "a.mp4,wave,0")):
        fake_videos(tmp_path / split, ["a.mp4"])
        (tmp_path / split / "metadata.csv").write_text(f"file_name,action,face\n{row}\n")
    assert load(tmp_path)["action"][:] == [0] and load(tmp_path, "test")["action"][:] == [1]
    (tmp_path / "test" / "metadata.csv").unlink()
    with pytest.raises(ValueError, match=r"the splits test have no metadata.csv; give every split one"):
        load(tmp_path)


def test_a_csv_file_may_list_some_of_the_videos(tmp_path):
    fake_videos(tmp_path, ["a.mp4", "b.mp4"])
    (tmp_path / "some.csv").write_text(f"file_name,label,note\n{tmp_path / 'b.mp4'},jump,hello\n")
    dataset = load(tmp_path / "some.csv", action_column="label", attribute_columns=[])
    assert len(dataset) == 1 and class_names(dataset, "action") == ("jump",) and attribute_names(dataset) == ()
    with pytest.raises(ValueError, match=r"a.mp4' is neither a folder nor a .csv file"):
        load(tmp_path / "a.mp4")


def test_action_order_can_be_given(tmp_path):
    fake_videos(tmp_path, ["walk/a.mp4", "jump/b.mp4"])
    dataset = load(tmp_path, actions=["walk", "jump", "run"])
    assert dataset["action"][:] == [1, 0]  # files are in order of their names
    with pytest.raises(ValueError, match=r"actions=\['walk'\] lacks jump, which occur in the data; add them"):
        load(tmp_path, actions=["walk"])


def test_missing_videos_are_named_and_counted(tmp_path):
    fake_videos(tmp_path, ["a.mp4"])
    names = [f"gone{number}.mp4" for number in range(7)]
    (tmp_path / "metadata.csv").write_text("file_name,action\na.mp4,walk\n" + "".join(f"{n},walk\n" for n in names))
    with pytest.raises(ListingMismatch, match=r"7 listed videos are missing: gone0.mp4, .*gone4.mp4 and 2 more\. "):
        load(tmp_path)
    assert len(load(tmp_path, on_mismatch="skip")) == 1
    with pytest.raises(ValueError, match="on_mismatch='drop' is unknown; choose one of: raise, skip"):
        load(tmp_path, on_mismatch="drop")
    (tmp_path / "a.mp4").unlink()
    with pytest.raises(ValueError, match="none of its 8 videos is there; file_name is relative to"):
        load(tmp_path, on_mismatch="skip")


def test_unlisted_videos_are_named(tmp_path, caplog):
    fake_videos(tmp_path, ["a.mp4", "b.mp4"])
    (tmp_path / "metadata.csv").write_text("file_name,action\na.mp4,walk\n")
    with pytest.raises(ListingMismatch, match=r'1 videos are not in the list: b.mp4\. .*on_mismatch="skip"'):
        load(tmp_path)
    assert len(load(tmp_path, on_mismatch="skip")) == 1
    assert "b.mp4" in caplog.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name\nx\n", r"has no column file_name; it has name"),
        ("", r"has no column file_name; it has none"),
        ("file_name\n", r"lists no videos"),
        ("file_name,action\na.mp4,\n", r"line 2: action is empty; fill it in, or leave the whole column out"),
        ("file_name,face\na.mp4,yes\n", r"line 2: attribute face='yes' must be 0, 1, or -1 or empty for unknown"),
        ("file_name,view\na.mp4,left\n", r"line 2: view='left' must be a whole number"),
        ("file_name,action\na.mp4,walk,1\n", r"line 2: it has more or fewer cells than the header"),
        ("file_name,action\na.mp4\n", r"line 2: it has more or fewer cells than the header"),
        ("file_name,action\n,walk\n", r"line 2: file_name is empty"),
        ("file_name,action\na.mp4,walk\na.mp4,wave\n", r"lists 1 videos more than once, such as a.mp4"),
    ],
)
def test_bad_metadata(tmp_path, text, message):
    fake_videos(tmp_path, ["a.mp4"])
    (tmp_path / "metadata.csv").write_text(text)
    with pytest.raises(ValueError, match=message):
        load(tmp_path)


def test_metadata_that_is_not_text(tmp_path):
    fake_videos(tmp_path, ["a.mp4"])
    (tmp_path / "metadata.csv").write_bytes(b"file_name,action\na.mp4,caf\xe9\n")
    with pytest.raises(ValueError, match=r"metadata.csv is not UTF-8 text; save it as UTF-8"):
        load(tmp_path)


def test_columns_that_are_not_there(tmp_path):
    fake_videos(tmp_path, ["a.mp4", "b.mp4", "c.mp4", "d.mp4"])
    (tmp_path / "metadata.csv").write_text(METADATA)
    with pytest.raises(ValueError, match=r"action_column='label' is not in .*; it has the columns file_name, action"):
        load(tmp_path, action_column="label")
    with pytest.raises(ValueError, match=r"attribute_columns: hat are not in "):
        load(tmp_path, attribute_columns=["hat"])


def test_layouts_that_would_drop_videos_are_refused(tmp_path):
    fake_videos(tmp_path, ["walk/a.mp4", "b.mp4"])
    with pytest.raises(ValueError, match=r"has 1 videos beside its folders of actions: b.mp4"):
        load(tmp_path)
    fake_videos(tmp_path, ["train/walk/c.mp4"])
    with pytest.raises(ValueError, match=r"split folders train and 2 videos outside of them: b.mp4, walk/a.mp4"):
        load(tmp_path)


def test_an_empty_folder_is_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"empty holds no videos, nor a metadata.csv"):
        load(tmp_path / "empty")
