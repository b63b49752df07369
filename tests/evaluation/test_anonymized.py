import numpy as np
import pytest

from hf_ppar import load_anonymizer
from hf_ppar.data import ClipOptions, open_clip_cache
from hf_ppar.evaluation.anonymized import anonymize_split, working_clip
from hf_ppar.evaluation.anonymizing import fit_clip
from hf_ppar.models import AnonymizerConfig
from hf_ppar.video import resize_frames

from .conftest import stage
from .toys import LeakyModel, SizedConfig, SizedModel, TubeletConfig, TubeletModel

JUDGED = ClipOptions(frames=4, size=(32, 32), fit="stretch")


@pytest.fixture(scope="module")
def test_split():
    return stage(test_clips=6)["test"]


def test_computed_once_and_by_content(test_split, tmp_path):
    model = load_anonymizer("pixelate")
    clips = anonymize_split(test_split, JUDGED, model, tmp_path)
    assert clips.shape == (6, 1, 4, 32, 32, 3)
    assert anonymize_split(test_split, JUDGED, model, tmp_path).path == clips.path
    assert anonymize_split(test_split, JUDGED, model, tmp_path, strength=0.9).path != clips.path
    raw = anonymize_split(test_split, JUDGED, None, tmp_path)
    assert np.abs(raw.read(0).astype(int) - clips.read(0)).mean() > 1
    assert clips.latents is None and clips.rate_bits is None and clips.token_mask is None


def test_a_size_of_its_own_and_then_the_judges(test_split, tmp_path):
    model = SizedModel(SizedConfig()).eval()
    clips = anonymize_split(test_split, JUDGED, model, tmp_path)
    assert set(model.seen) == {(6, 3, 24, 40)} and clips.shape == (6, 1, 4, 32, 32, 3)
    own = open_clip_cache(test_split, ClipOptions(frames=6, size=(24, 40), fit="stretch"))
    expected = resize_frames(own.read(2)[[0, 2, 3, 5]], (32, 32))
    assert np.array_equal(clips.read(2), expected)


def test_the_name_covers_the_clip_of_the_judge(test_split, tmp_path):
    model = SizedModel(SizedConfig()).eval()
    paths = {
        anonymize_split(test_split, ClipOptions(frames=frames, size=size, fit="stretch"), model, tmp_path).path
        for frames in (4, 6)
        for size in ((32, 32), (24, 40))
    }
    assert len(paths) == 4


def test_only_what_is_given_is_its_own():
    assert working_clip(JUDGED, load_anonymizer("pixelate")) == JUDGED
    frames_only = SizedModel(SizedConfig(image_size=None))
    assert working_clip(JUDGED, frames_only) == ClipOptions(frames=6, size=(32, 32), fit="stretch")
    size_only = SizedModel(SizedConfig(num_frames=None))
    assert working_clip(JUDGED, size_only) == ClipOptions(frames=4, size=(24, 40), fit="stretch")


def test_fewer_frames_are_repeated_in_order():
    frames = np.arange(2, dtype=np.uint8)[:, None, None, None] * np.ones((1, 32, 32, 3), np.uint8)
    assert fit_clip(frames, JUDGED)[:, 0, 0, 0].tolist() == [0, 0, 1, 1]


def test_latents_and_bits_are_kept_beside_the_clips(test_split, tmp_path):
    model = LeakyModel(AnonymizerConfig()).eval()
    clips = anonymize_split(test_split, JUDGED, model, tmp_path)
    assert clips.latents.shape == (6, 1, 192) and clips.latents.dtype == np.float32
    assert clips.rate_bits.tolist() == [[12.0]] * 6 and not clips.read(0).any()
    names = sorted(path.name.split(".", 1)[1] for path in tmp_path.glob("test-*"))
    assert names == ["latents.npy", "npy", "rate_bits.npy"]


def test_a_tubelet_is_visible_where_any_of_it_was_kept(test_split, tmp_path):
    model = TubeletModel(TubeletConfig(kept=0.3)).eval()  # 10 of 32 columns: one tubelet and a bit
    mask = anonymize_split(test_split, JUDGED, model, tmp_path).token_mask
    assert mask.shape == (6, 1, 2 * 4 * 4)
    assert mask[0, 0].reshape(2, 4, 4)[1, 3].tolist() == [1, 1, 0, 0]


def test_an_interruption_leaves_nothing_that_looks_done(test_split, tmp_path):
    class Failing(LeakyModel):
        def anonymize(self, *arguments):
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power cut"):
        anonymize_split(test_split, JUDGED, Failing(AnonymizerConfig()).eval(), tmp_path)
    assert not list(tmp_path.glob("test-*"))
