import io
import threading
import tracemalloc
import weakref
from fractions import Fraction
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
import torch
from datasets import Dataset, Features, Video
from transformers import pipeline

import hf_ppar
from hf_ppar.models.privrate import PrivRateAnonymizer, PrivRateConfig
from hf_ppar.pipelines.timeline import Timeline
from hf_ppar.pipelines.views import Views
from hf_ppar.processing import to_clip
from hf_ppar.video import even_indices, probe, read_even_frames, read_frames, read_video, resize_frames

from ..classifiers import ACTIONS, make_classifier, make_inverted, make_recognizer
from ..conftest import moving_square, write_with_av
from ..vlms import save_xclip

TASK = "privacy-video-classification"


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    folder = tmp_path_factory.mktemp("videos")
    lengths = {"a": 6, "b": 11, "c": 30}
    return [str(write_with_av(folder / f"{n}.mp4", moving_square(lengths[n], seed=i))) for i, n in enumerate("abc")]


@pytest.fixture(scope="module")
def xclip_directory(tmp_path_factory):
    return save_xclip(tmp_path_factory.mktemp("xclip"))


@pytest.fixture
def classify():
    return pipeline(TASK, model=make_classifier())


def expected(model, clips):
    """Mean probabilities of clips (n, T, H, W, 3) by hand."""
    with torch.inference_mode():
        return model(torch.stack([to_clip(clip) for clip in clips])).logits.softmax(-1).mean(0)


def scores(answer):
    return {row["label"]: row["score"] for row in answer}


def same(first, second):
    return scores(first) == pytest.approx(scores(second), abs=1e-5)


def test_a_whole_video(classify, paths):
    answer = classify(paths[2])
    assert [row["score"] for row in answer] == sorted((row["score"] for row in answer), reverse=True)
    assert sum(scores(answer).values()) == pytest.approx(1)
    by_hand = expected(classify.model, read_even_frames(paths[2], 4, (16, 16))[None])
    assert scores(answer) == pytest.approx(dict(zip(ACTIONS, by_hand.tolist(), strict=True)), abs=1e-5)


def test_the_recognizer_sees_nothing_else_than_what_the_anonymizer_releases(classify, paths):
    released, seen = [], []
    classify.model.anonymizer.register_forward_hook(lambda _, args, output: released.append(output.videos))
    classify.model.recognizer.register_forward_pre_hook(lambda _, args: seen.append(args[0]))
    classify(paths[2], num_clips=3, batch_size=2)
    classify(paths[2], window=0.4)
    classify(paths)
    assert len(seen) > 5 and all(torch.equal(a, b) for a, b in zip(released, seen, strict=True))


def test_clips_and_crops_are_averaged(classify, paths):
    answer = classify(paths[2], num_clips=3, num_crops=2)
    clips = []
    for first in (0, 10, 20):
        frames = read_frames(paths[2], first + even_indices(10, 4), (16, 21))
        clips += [frames[:, :, :16], frames[:, :, 5:]]
    by_hand = expected(classify.model, clips)
    assert scores(answer) == pytest.approx(dict(zip(ACTIONS, by_hand.tolist(), strict=True)), abs=1e-5)
    assert same(classify(paths[2], num_clips=3, num_crops=2, batch_size=1), answer)


def test_the_number_of_clips_follows_the_length():
    views = Views(4, (8, 8))
    assert [views.count_clips(seconds) for seconds in (0.1, 10, 31, 3600)] == [1, 1, 3, 8]
    assert Views(4, (8, 8), clips=5).count_clips(0.1) == 5


def test_the_anonymizer_works_on_a_clip_of_its_own(paths):
    inverted = make_inverted()
    answer = pipeline(TASK, model=inverted)(paths[2], return_anonymized=True)
    assert inverted.anonymizer.seen == [(1, 6, 3, 24, 32)]  # 30 frames at 25 a second are 1.2 s, a clip lasts 1 s
    assert answer["anonymized"].shape == (1, 4, 16, 16, 3)
    raw = read_even_frames(paths[2], 6, (24, 32))
    shown = resize_frames(255 - raw[even_indices(6, 4)][:, :, 4:28], (16, 16))
    assert np.abs(answer["anonymized"][0].astype(int) - shown).mean() < 4


def test_every_kind_of_source_gives_the_same_answer(classify, paths, tmp_path):
    data = Path(paths[1]).read_bytes()
    first = classify(paths[1])
    sources = [data, io.BytesIO(data), {"path": None, "bytes": data}, {"path": paths[1], "bytes": None}]
    for source in sources:
        assert same(classify(source), first)
    # Scaled from RGB, a file from what is stored in it.
    assert scores(classify(read_video(paths[1]))) == pytest.approx(scores(first), abs=0.05)
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    (tmp_path / "b.mp4").write_bytes(data)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        assert same(classify(f"http://127.0.0.1:{server.server_port}/b.mp4"), first)
        server.shutdown()


def test_lists_generators_columns_batches_and_workers_agree(classify, paths):
    one_by_one = [classify(path) for path in paths]
    column = Dataset.from_dict({"video": paths}, features=Features({"video": Video(decode=False)}))["video"]
    ways = {
        "list": classify(paths),
        "tuple": classify(tuple(paths)),
        "generator": list(classify(path for path in paths)),
        "batches": classify(paths, batch_size=2, num_clips=1),
        "workers": classify(paths, num_workers=1),
        "column": classify(column),
    }
    for way, answers in ways.items():
        assert len(answers) == 3 and all(map(same, answers, one_by_one)), way
    assert classify([]) == []


def test_good_and_bad_files_in_one_list(classify, paths, tmp_path):
    (tmp_path / "text.mp4").write_text("not a video")
    bad = [str(tmp_path / "text.mp4"), "none.mp4", b"", np.zeros((2, 2)), 7]
    mixed = [paths[0], *bad, paths[1]]
    for answers in (classify(mixed), classify(mixed, num_workers=1), classify(mixed, window=1)):
        assert [isinstance(answer, list) for answer in answers] == [True, *[False] * 5, True]
        messages = ["is not a video", "no such file", "no bytes", "a video array must be uint8", "from int"]
        assert all(message in answer["error"] for message, answer in zip(messages, answers[1:-1], strict=True))
    assert same(classify(mixed)[-1], classify(paths[1]))
    for way in ({}, {"window": 1}):
        with pytest.raises(hf_ppar.VideoError, match="there is no such file"):
            classify("none.mp4", **way)


@pytest.mark.parametrize("frames", [1, 2])
def test_fewer_frames_than_the_model_takes_are_repeated(classify, frames):
    video = moving_square(frames)
    seen = classify(video, return_anonymized=True, num_clips=3)["anonymized"]
    assert seen.shape == (3, 4, 16, 16, 3)
    assert classify(video)[0]["score"] > 0 and len(classify(video, window=1)) == 1


def test_top_k_and_functions(classify, paths):
    assert len(classify(paths[0], top_k=1)) == 1 and len(classify(paths[0])) == 3
    raw = scores(classify(paths[0], function_to_apply="none"))
    sure = scores(classify(paths[0], function_to_apply="sigmoid"))
    assert sure == pytest.approx({name: 1 / (1 + np.exp(-value)) for name, value in raw.items()})
    recognizer = make_recognizer(problem_type="multi_label_classification")
    several = pipeline(TASK, anonymizer="blur-weak", recognizer=recognizer)
    assert several.model.config.problem_type == "multi_label_classification"
    assert scores(several(paths[0])) == pytest.approx(sure, abs=1e-5)


def test_strength(paths):
    model = make_classifier("pixelate")
    strong = pipeline(TASK, model=model, strength=1.0)
    weak = strong(paths[0], strength=0.0, return_anonymized=True)["anonymized"]
    assert not np.array_equal(strong(paths[0], return_anonymized=True)["anonymized"], weak)
    with pytest.raises(ValueError, match=r"strength must be between 0 .*, got 2"):
        strong(paths[0], strength=2)
    with pytest.raises(ValueError, match="has no strength to set"):
        pipeline(TASK, model=make_classifier("blacken"), strength=0.5)


def test_a_timeline(classify, paths):
    rows = classify(paths[2], window=0.5, stride=0.25)
    assert [(row["start"], row["end"]) for row in rows] == [(0, 0.5), (0.25, 0.75), (0.5, 1.0), (0.75, 1.2)]
    frames = read_video(paths[2], (16, 16))
    # frames 19 to 29: those from 0.75 s on
    for row, (first, last) in zip(rows, [(0, 13), (7, 19), (13, 25), (19, 30)], strict=True):
        by_hand = expected(classify.model, frames[first:last][even_indices(last - first, 4)][None])
        assert row["label"] == ACTIONS[int(by_hand.argmax())] and row["score"] == pytest.approx(float(by_hand.max()))
    assert len(classify(paths[2], window=0.5, top_k=2)) == 4
    whole = classify(paths[2], window=100, top_k=3)
    assert same(whole, classify(paths[2])) and (whole[0]["start"], whole[0]["end"]) == (0, 1.2)
    assert [row["end"] for row in classify(moving_square(50), window=1)] == [1, 2]


@pytest.mark.parametrize(
    ("frames", "window", "stride", "spans"),
    [
        (60, 1.0, 1.0, [(0, 1), (1, 2.4)]),  # 0.4 s are left over
        (51, 1.0, 1.0, [(0, 1), (1, 2.04)]),
        (63, 1.0, 1.0, [(0, 1), (1, 2), (2, 2.52)]),
        (50, 1.0, 1.0, [(0, 1), (1, 2)]),
        (30, 1.0, 1.0, [(0, 1.2)]),
        (10, 1.0, 1.0, [(0, 0.4)]),
        (50, 1.0, 0.8, [(0, 1), (0.8, 2)]),  # from 1.6 s on
        (55, 1.0, 0.8, [(0, 1), (0.8, 1.8), (1.6, 2.2)]),
        (55, 1.0, 0.4, [(0, 1), (0.4, 1.4), (0.8, 1.8), (1.2, 2.2)]),
    ],
)
def test_the_end_of_a_timeline(frames, window, stride, spans):
    video = np.zeros((frames, 8, 8, 3), np.uint8) + np.arange(frames, dtype=np.uint8)[:, None, None, None]
    moments = list(Timeline(window, stride, Views(200, (8, 8))).moments(video))
    assert [(moment.start, moment.end) for moment in moments] == spans
    for moment, (start, end) in zip(moments, spans, strict=True):
        shown = sorted(set(moment.clips[0, :, 0, 0, 0].tolist()))
        assert shown == [number for number in range(frames) if start <= number / 25 < end - 1e-9]


def test_a_stretch_without_frames_has_no_window(tmp_path):
    times = [*range(10), *range(60, 71)]  # up to 0.4 s, and from 2.4 to 2.8 s
    path = write_with_av(tmp_path / "gap.mkv", moving_square(21), times=times, time_base=Fraction(1, 25))
    moments = list(Timeline(1.0, 1.0, Views(4, (8, 8))).moments(path))
    assert [moment.start for moment in moments] == [0, 2] and moments[0].end == 1


def test_the_memory_of_a_timeline_does_not_grow_with_the_video():
    timeline = Timeline(2.0, 1.0, Views(4, (24, 32)))
    video = moving_square(1600)
    peaks = []
    for frames in (200, 1600):
        tracemalloc.start()
        windows = sum(1 for _ in timeline.moments(video[:frames]))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert windows == frames // 25 - 1
    assert peaks[1] < 1.2 * peaks[0]


def test_a_timeline_keeps_no_tensor_of_earlier_calls(classify):
    """A small one from each call is enough to make the heap grow with the video."""
    given, alive = [], []

    def count(model, args, output):
        alive.append(sum(reference() is not None for reference in given))
        given.extend(map(weakref.ref, (args[0], output.logits, output.anonymized)))

    classify.model.register_forward_hook(count)
    classify(moving_square(200), window=0.4, batch_size=2)
    assert alive == [0] * 10


def test_what_the_recognizer_saw_can_be_returned_and_saved(classify, paths, tmp_path):
    answer = classify(paths[2], num_clips=2, return_anonymized=True, save_anonymized=tmp_path / "safe")
    assert answer["anonymized"].shape == (2, 4, 16, 16, 3) and same(answer["labels"], classify(paths[2], num_clips=2))
    assert answer["path"] == str(tmp_path / "safe" / "c_anonymized.mp4")
    info = probe(answer["path"])
    assert (info.frames, float(info.duration)) == (8, pytest.approx(1.2, abs=0.01))
    difference = read_video(answer["path"]).astype(int) - np.concatenate(answer["anonymized"])
    assert np.abs(difference).mean() < 6
    with pytest.raises(hf_ppar.VideoError, match="it exists already"):
        classify(paths[2], save_anonymized=tmp_path / "safe")
    timeline = classify(paths[2], window=0.5, save_anonymized=tmp_path / "safe", overwrite=True)
    assert len(timeline["timeline"]) == 2 and probe(timeline["path"]).frames == 8
    with pytest.raises(hf_ppar.VideoError, match="a video without a path has no name"):
        classify(read_video(paths[0]), save_anonymized=tmp_path)
    with pytest.raises(ValueError, match="return_anonymized would hold a whole timeline in memory"):
        classify(paths[2], window=0.5, return_anonymized=True)


def test_nothing_is_left_behind_when_a_model_fails(classify, paths, tmp_path, monkeypatch):
    calls = []

    def fail_late(clip, *rest):
        calls.append(1)
        if len(calls) > 1:
            raise RuntimeError("out of memory")
        return type(classify.model.anonymizer).anonymize(classify.model.anonymizer, clip, *rest)

    monkeypatch.setattr(classify.model.anonymizer, "anonymize", fail_late)
    with pytest.raises(RuntimeError, match="out of memory"):
        classify(paths[2], window=0.2, batch_size=1, save_anonymized=tmp_path)
    assert len(calls) == 2 and list(tmp_path.iterdir()) == []


def test_zero_shot(paths, xclip_directory, tmp_path):
    labels = ["a person walks", "clapping"]
    zero_shot = pipeline(TASK, anonymizer="blur-strong", recognizer=str(xclip_directory), candidate_labels=labels)
    before = zero_shot(paths[1])
    assert set(scores(before)) == set(labels)
    other = zero_shot(paths[1], candidate_labels=["running", "waving", "clapping"], hypothesis_template="a {}")
    assert set(scores(other)) == {"running", "waving", "clapping"}
    assert same(zero_shot(paths[1]), before)
    assert not same(zero_shot(paths[1], hypothesis_template="while {}"), before)
    zero_shot.save_pretrained(tmp_path)
    assert same(pipeline(TASK, model=str(tmp_path))(paths[1]), before)
    again = pipeline(TASK, model=str(tmp_path), candidate_labels=["running", "waving"])
    assert set(scores(again(paths[1]))) == {"running", "waving"}
    for wrong in ([], ["one"], ["same", "same"], ["walk", None]):
        with pytest.raises(ValueError, match="candidate_labels must"):
            zero_shot(paths[1], candidate_labels=wrong)


def test_parts_and_directories(paths, tmp_path):
    recognizer = make_recognizer()
    recognizer.save_pretrained(tmp_path / "recognizer")
    combined = pipeline(TASK, anonymizer="blur-weak", recognizer=str(tmp_path / "recognizer"))
    first = combined(paths[0])
    combined.save_pretrained(tmp_path / "both")
    assert same(pipeline(TASK, model=str(tmp_path / "both"))(paths[0]), first)
    assert same(pipeline(TASK, model=hf_ppar.load_privacy_classifier(tmp_path / "both"))(paths[0]), first)


def test_a_method_with_a_window_and_noise(paths):
    model = make_classifier(PrivRateAnonymizer(PrivRateConfig.tiny()), num_clips=2)
    answer = pipeline(TASK, model=model, strength=0.9)(paths[2], return_anonymized=True)
    assert answer["anonymized"].shape == (2, 4, 16, 16, 3) and len(answer["labels"]) == 3


def test_a_model_without_an_anonymizer_is_refused(tmp_path):
    make_recognizer().save_pretrained(tmp_path)
    for model in (str(tmp_path), make_recognizer()):
        with pytest.raises(hf_ppar.ModelError, match=r"without an anonymizer, and raw frames are never classified"):
            pipeline(TASK, model=model)
    with pytest.raises(hf_ppar.ModelError, match="and raw frames are never classified; add anonymizer="):
        pipeline(TASK, recognizer=str(tmp_path))
    with pytest.raises(hf_ppar.ModelError, match="without an anonymizer"):
        hf_ppar.PrivacyVideoClassificationPipeline(make_recognizer())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"candidate_labels": ["a", "b"]}, "candidate_labels are for a zero-shot recognizer; .* knows walk, wave"),
        ({"hypothesis_template": "a {}"}, "are for a zero-shot recognizer"),
        ({"top_k": 0}, "top_k must be a whole number of at least 1, got 0"),
        ({"function_to_apply": "relu"}, "function_to_apply must be one of softmax, sigmoid, none, got 'relu'"),
        ({"num_clips": 0}, "num_clips must be a whole number of at least 1, got 0"),
        ({"num_crops": 1.5}, "num_crops must be a whole number of at least 1, got 1.5"),
        ({"window": 0}, "window must be a number of seconds above 0, got 0"),
        ({"window": 1, "stride": 2}, "stride must be at most the window of 1 s or moments are missed, got 2"),
        ({"stride": 2}, "stride=2 is for a timeline; give window as well"),
        ({"window": 1, "num_clips": 2}, "num_clips=2 and window do not go together"),
    ],
)
def test_arguments_that_make_no_sense(classify, paths, arguments, message):
    with pytest.raises(ValueError, match=message):
        classify(paths[0], **arguments)
    with pytest.raises(ValueError, match=message):
        classify(paths, **arguments)


def test_unknown_arguments(classify, paths):
    with pytest.raises(TypeError, match=r"unknown arguments \['colour'\]; privacy-video-classification takes \['cand"):
        classify(paths[0], colour="red")
