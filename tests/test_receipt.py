import json

from hf_ppar import Receipt


def test_receipt_is_json_with_the_speed(tmp_path):
    receipt = Receipt("blur-strong", None, 0.5, "cpu", frames=100, elapsed_seconds=4.0, dropped=["metadata"])
    receipt.write(tmp_path / "r.json")
    values = json.loads((tmp_path / "r.json").read_text())
    assert values["frames_per_second"] == 25.0 and values["dropped"] == ["metadata"]
    assert Receipt("m", None, None, "cpu").frames_per_second == 0
