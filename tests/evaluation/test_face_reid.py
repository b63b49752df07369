import sys

import numpy as np
import pytest

from hf_ppar.evaluation.face_reid import load_face_embedder, match_faces, reidentify_faces

from .conftest import case, stage, tinted


def colour_of_face(frames):
    """Stands for a face recognizer: tells people by colour, and finds nobody in the dark."""
    bright = frames[frames.mean((1, 2, 3)) > 10]
    return bright.mean((1, 2)).astype(float)


@pytest.fixture(scope="module")
def videos(tmp_path_factory):
    return tinted(tmp_path_factory.mktemp("tinted"), counts=(6, 1, 6))


def test_raw_probes_are_found_and_named(videos, tmp_path):
    number = reidentify_faces(case(tmp_path, "raw", videos), colour_of_face)
    assert number.value == 1.0 and number.chance == pytest.approx(1 / 3) and number.details["found"] == 1.0
    assert number.details == {"found": 1.0, "probes": 6, "gallery_faces": 6 * 5}
    assert number.metric == "face_reid_top1" and number.judge == "dlib, frozen, raw gallery"


def test_a_probe_without_a_face_is_a_miss(videos, tmp_path):
    number = reidentify_faces(case(tmp_path, "blacken", videos), colour_of_face)
    assert number.value == 0.0 and number.details["found"] == 0.0 and number.details["probes"] == 6


def test_the_nearest_face_decides():
    gallery = [np.array([[0.0, 0.0], [9.0, 9.0]]), np.zeros((0, 2)), np.array([[4.0, 0.0]])]
    probes = [np.array([[3.5, 0.0], [20.0, 20.0]]), np.array([[8.0, 8.0]]), np.zeros((0, 2))]
    assert match_faces(gallery, np.array([5, 6, 7]), probes).tolist() == [7, 5, -1]


def test_unknown_persons_are_neither_shown_nor_asked(videos, tmp_path):
    unknown = {name: data.map(lambda row, i: {"person": None if i == 0 else row["person"]}, with_indices=True)
               for name, data in videos.items()}  # fmt: skip
    number = reidentify_faces(case(tmp_path, "raw", unknown), colour_of_face)
    assert number.details["probes"] == 5 and number.details["gallery_faces"] == 5 * 5 and number.value == 1.0


def test_data_that_cannot_tell_is_refused(videos, tmp_path):
    nameless = {name: data.remove_columns("person") for name, data in videos.items()}
    with pytest.raises(ValueError, match="face re-identification needs persons, and the data set names none"):
        reidentify_faces(case(tmp_path, "raw", nameless), colour_of_face)
    with pytest.raises(ValueError, match="no face was found in any raw train video"):
        reidentify_faces(case(tmp_path, "raw", stage(train_clips=3)), lambda frames: np.zeros((0, 3)))


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "dlib", None)
    with pytest.raises(ValueError, match=r"pip install 'hf-ppar\[attack\]'"):
        load_face_embedder()


def test_the_real_embedder_knows_a_face():
    pytest.importorskip("dlib", reason="the extra `attack` is not installed")
    data = pytest.importorskip("skimage.data")
    picture = data.astronaut()[:256, 100:356]
    darker = (0.8 * picture).astype(np.uint8)
    faces = load_face_embedder()(np.stack([picture, darker, np.zeros_like(picture)]))
    assert faces.shape == (2, 128)  # no face in the dark
    assert np.linalg.norm(faces[0] - faces[1]) < 0.3  # people are told apart by more than 0.6
