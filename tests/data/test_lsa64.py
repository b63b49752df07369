import csv
from collections import Counter

import pytest

from hf_ppar.data import ListingMismatch, class_names, load_ppar_dataset

from .conftest import fake_videos

HEADER = "file,sign,signer_code,repetition,session,person,apparent_gender\n"


@pytest.fixture
def small(tmp_path):
    """Signs 1 (session 1) and 24, 25 (session 2), persons 1 and 10 or 11 behind signer code 10, four repetitions."""
    lines = []
    for sign, session in ((1, 1), (24, 2), (25, 2)):
        for code in (1, 10):
            person = code if code == 1 or session == 1 else 11
            for repetition in (1, 2, 3, 4):
                name = f"{sign:03d}_{code:03d}_{repetition:03d}.mp4"
                gender = "f" if person == 11 else "m"
                lines.append(f"{name},{sign},{code},{repetition},{session},{person},{gender}\n")
    (tmp_path / "labels.csv").write_text(HEADER + "".join(lines))
    fake_videos(tmp_path / "videos", [line.split(",")[0] for line in lines])
    return tmp_path


def names(dataset):
    return [row["path"].rsplit("/", 1)[1] for row in dataset["video"]]


def test_default_protocol(small):
    train, validation, test = (load_ppar_dataset("lsa64", small, split) for split in ("train", "validation", "test"))
    assert [len(train), len(validation), len(test)] == [8, 4, 4]
    assert {name[-7:-4] for name in names(train)} == {"001", "002"}
    assert {name[-7:-4] for name in names(validation)} == {"003"} and {name[-7:-4] for name in names(test)} == {"004"}
    assert class_names(train, "action") == class_names(test, "action") == ("sign_24", "sign_25")
    assert train.info.license == "CC BY-NC-SA 4.0"


def test_signer_code_10_is_two_people(small):
    assert class_names(load_ppar_dataset("lsa64", small), "person") == ("person_01", "person_11")
    assert class_names(load_ppar_dataset("lsa64", small, session=1), "person") == ("person_01", "person_10")


def test_sessions_are_never_mixed(small):
    assert set(load_ppar_dataset("lsa64", small, session=1)["condition"]) == {"session_1"}
    with pytest.raises(ValueError, match=r"session=None must be 1 or 2; they differ in light, wall and clothes"):
        load_ppar_dataset("lsa64", small, session=None)


def test_apparent_gender_is_attribute_and_group(small):
    row = load_ppar_dataset("lsa64", small)[2]
    assert row["attributes"] == {"apparent_female": 1} and row["subject_group"] == 0
    assert class_names(load_ppar_dataset("lsa64", small), "subject_group") == ("f", "m")


def test_held_out_persons_appear_in_test_only(small):
    options = {"held_out_persons": [11]}
    train, test = (load_ppar_dataset("lsa64", small, split, **options) for split in ("train", "test"))
    assert set(train["person"]) == {0} and set(test["person"]) == {1}
    assert len(test) == 8  # two signs, all four repetitions
    assert len(load_ppar_dataset("lsa64", small, "validation", **options)) == 2


def test_only_some_signs(small):
    for split in ("train", "validation", "test"):
        dataset = load_ppar_dataset("lsa64", small, split, signs=(25,))
        assert class_names(dataset, "action") == ("sign_25",)
        assert set(dataset["action"]) == {0}
    with pytest.raises(ValueError, match=r"signs=\[1\] do not occur in session 2, which has \[24, 25\]"):
        load_ppar_dataset("lsa64", small, signs=(1,))


def test_held_out_signs_appear_in_test_only(small):
    train, test = (load_ppar_dataset("lsa64", small, split, held_out_signs=(25,)) for split in ("train", "test"))
    assert set(train["action"]) == {0} and set(test["action"]) == {1}
    both = load_ppar_dataset("lsa64", small, "test", held_out_signs=(25,), held_out_persons=(1,))
    assert len(both) == 4 and set(both["action"]) == {1} and set(both["person"]) == {0}


def test_one_number_is_enough(small):
    assert len(load_ppar_dataset("lsa64", small, "test", held_out_persons=11)) == 8
    with pytest.raises(ValueError, match=r"held_out_signs=\['a'\] must be whole numbers, such as \(1, 2\)"):
        load_ppar_dataset("lsa64", small, held_out_signs=["a"])


def test_unknown_hold_outs_and_splits_are_refused(small):
    with pytest.raises(ValueError, match=r"held_out_persons=\[10\] do not occur in session 2, which has \[1, 11\]"):
        load_ppar_dataset("lsa64", small, held_out_persons=(10,))
    with pytest.raises(ValueError, match=r"held_out_signs=\[1\] do not occur in session 2, which has \[24, 25\]"):
        load_ppar_dataset("lsa64", small, held_out_signs=(1,))
    with pytest.raises(
        ValueError, match="split='dev' is not a split of lsa64; choose one of: train, validation, test"
    ):
        load_ppar_dataset("lsa64", small, "dev")
    with pytest.raises(ValueError, match="repetition 2 is in train and in test; keep them apart"):
        load_ppar_dataset("lsa64", small, test_repetitions=(2,))


def test_missing_videos_are_named_and_counted(small):
    for repetition in (1, 2):
        for sign in (24, 25):
            (small / "videos" / f"0{sign}_001_00{repetition}.mp4").unlink()
    with pytest.raises(ListingMismatch, match=r"4 listed videos are missing: 024_001_001.mp4, 024_001_002.mp4, 025"):
        load_ppar_dataset("lsa64", small)
    assert len(load_ppar_dataset("lsa64", small, on_mismatch="skip")) == 4
    assert len(load_ppar_dataset("lsa64", small, "test")) == 4  # its own files are all there


def test_videos_that_the_list_does_not_know_are_named(small):
    fake_videos(small / "videos", ["024_001_005.mp4"])
    with pytest.raises(ListingMismatch, match=r"1 videos are not in the list: 024_001_005.mp4"):
        load_ppar_dataset("lsa64", small)


def test_bad_label_files(tmp_path):
    with pytest.raises(ValueError, match=r"has no labels.csv; it needs the columns file, sign"):
        load_ppar_dataset("lsa64", tmp_path)
    labels = tmp_path / "labels.csv"
    labels.write_text("file,sign\n")
    with pytest.raises(ValueError, match="lacks the columns repetition, session, person, apparent_gender"):
        load_ppar_dataset("lsa64", tmp_path)
    labels.write_text(HEADER + "a.mp4,x,1,1,2,1,f\n")
    with pytest.raises(ValueError, match=r"labels.csv, line 2: sign, repetition, session and person must be numbers"):
        load_ppar_dataset("lsa64", tmp_path)
    labels.write_text(HEADER + "a.mp4,24,1,1,2,1,?\n")
    with pytest.raises(ValueError, match=r"line 2: apparent_gender='\?' must be f or m"):
        load_ppar_dataset("lsa64", tmp_path)


@pytest.mark.parametrize(("session", "signs"), [(1, 23), (2, 41)])
def test_real_counts(lsa64_folder, session, signs):
    for split, repetitions in (("train", 2), ("validation", 1), ("test", 1)):
        dataset = load_ppar_dataset("lsa64", lsa64_folder, split, session=session)
        assert len(dataset) == signs * 10 * repetitions
        assert set(Counter(dataset["action"]).values()) == {10 * repetitions}
        assert set(Counter(dataset["person"]).values()) == {signs * repetitions}


def test_real_people_are_eleven(lsa64_folder):
    people = {
        name
        for session in (1, 2)
        for name in class_names(load_ppar_dataset("lsa64", lsa64_folder, session=session), "person")
    }
    assert len(people) == 11


def test_real_labels_agree_with_the_list(lsa64_folder):
    with (lsa64_folder / "labels.csv").open() as file:
        listed = {row["file"]: row for row in csv.DictReader(file)}
    dataset = load_ppar_dataset("lsa64", lsa64_folder, "test")
    for row in dataset:
        label = listed[row["video"]["path"].rsplit("/", 1)[1]]
        assert dataset.features["action"].int2str(row["action"]) == f"sign_{int(label['sign']):02d}"
        assert dataset.features["person"].int2str(row["person"]) == f"person_{int(label['person']):02d}"
