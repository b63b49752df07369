import numpy as np
import pytest

from hf_ppar.data import load_ppar_dataset, read_example_frames, stage_export, write_stage
from hf_ppar.data.stage import StageOptions, clip_specs, render_clip

OPTIONS = StageOptions(train_clips=3, validation_clips=0, test_clips=2, persons=4, frames=6, height=64, width=64)


def test_written_clips_are_the_rendered_ones(tmp_path):
    assert write_stage(tmp_path / "stage", OPTIONS, progress=False) == 5
    assert sorted(path.name for path in (tmp_path / "stage").iterdir()) == ["test", "train"]
    for split in ("train", "test"):
        specs = clip_specs(OPTIONS, split)
        dataset = load_ppar_dataset("folder", tmp_path / "stage", split)
        assert len(dataset) == len(specs)
        for row, spec in zip(dataset, specs, strict=True):
            frames, clip = read_example_frames(row["video"]).astype(int), render_clip(spec).rgb
            assert frames.shape == clip.shape
            assert np.abs(frames - clip).mean() < 4  # what the codec loses
            assert dataset.features["action"].int2str(row["action"]) == spec.action
            assert dataset.features["person"].int2str(row["person"]) == f"person_{spec.person:02d}"
            assert row["attributes"] == dict(spec.attributes)
            assert (row["domain"], row["view"], row["condition"], row["text"]) == (
                *(spec.domain, spec.view, spec.condition, spec.text),
            )


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_nothing_stands_there_after_an_interruption(tmp_path, monkeypatch, error):
    calls = []

    def render(spec):
        calls.append(spec)
        if len(calls) == 3:
            raise error
        return render_clip(spec)

    monkeypatch.setattr(stage_export, "render_clip", render)
    with pytest.raises(error):
        write_stage(tmp_path / "stage", OPTIONS, progress=False)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_in_use_is_refused(tmp_path):
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(ValueError, match="exists already; choose a new or empty folder"):
        write_stage(tmp_path, OPTIONS, progress=False)
    with pytest.raises(ValueError, match="there are no clips in the splits validation"):
        write_stage(tmp_path / "stage", OPTIONS, ["validation"], progress=False)
