import json

import numpy as np
import pytest

from hf_ppar import Receipt, WriteOptions, anonymize_video, load_anonymizer
from hf_ppar.receipt import sum_certificates
from hf_ppar.streaming import AnonymizeOptions
from hf_ppar.video import write_clip


def test_receipt_is_json_with_the_speed(tmp_path):
    receipt = Receipt("blur-strong", None, 0.5, "cpu", frames=100, elapsed_seconds=4.0, dropped=["metadata"])
    receipt.write(tmp_path / "r.json")
    values = json.loads((tmp_path / "r.json").read_text())
    assert values["frames_per_second"] == 25.0 and values["dropped"] == ["metadata"]
    assert Receipt("m", None, None, "cpu").frames_per_second == 0


ONE = {"rate_bits": [1.0, 0.9, 1.2], "utility_bits": 0.4, "action_bits": 0.1, "private_bits": 3.3}


def test_windows_add_up_and_the_action_is_taken_off_once():
    one, three = (sum_certificates({"person": ONE}, windows)["person"] for windows in (1, 3))
    assert one["bound_bits"] == pytest.approx(0.1 + 1.2 - 0.4) and one["is_useful"]
    assert three["bound_bits"] == pytest.approx(0.1 + 3.6 - 0.4) and not three["is_useful"]
    assert sum_certificates(None, 3) == {}


def test_a_receipt_carries_the_bound_of_a_certified_model(tmp_path):
    frames = np.random.default_rng(0).integers(0, 256, (40, 48, 64, 3), dtype=np.uint8)
    write_clip(tmp_path / "in.mp4", frames, 8.0, WriteOptions())
    model = load_anonymizer("stage-privrate-tiny")
    windows = -(-40 // model.config.num_frames)
    receipt = anonymize_video(tmp_path / "in.mp4", tmp_path / "out.mp4", model)
    certificate = model.config.certificates["person"]
    expected = certificate["action_bits"] + windows * certificate["rate_bits"][2] - certificate["utility_bits"]
    assert receipt.bounds["person"]["bound_bits"] == pytest.approx(expected, abs=0.01)
    stronger = AnonymizeOptions(strength=0.9)
    assert anonymize_video(tmp_path / "in.mp4", tmp_path / "more.mp4", model, stronger).bounds == {}
