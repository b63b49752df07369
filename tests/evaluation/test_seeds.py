import numpy as np
import pytest

from hf_ppar.evaluation import Number, evaluate, read_report
from hf_ppar.evaluation.measure import average_number

from .conftest import case, stage


def test_privacy_is_the_maximum_and_utility_the_mean_over_seeds(tmp_path):
    report = evaluate(case(tmp_path, "pixelate", seed=3, seeds=2))
    assert [entry["seed"] for entry in report.seeds] == [3, 4]
    assert report.utility.value == pytest.approx(np.mean([entry["utility"] for entry in report.seeds]))
    for target, number in report.privacy.items():
        assert number.value == max(entry["privacy"][target] for entry in report.seeds)
        assert [n.details["seed"] for n in report.attackers[target]] == [3, 4]
    folders = sorted(path.name for path in (tmp_path / "work" / "judges").iterdir())
    assert folders == [f"frame-resnet-{t}-{seed}" for t in ("action", "person-attributes") for seed in (3, 4)]
    assert "2 seeds: utility is their mean, an attack their maximum." in report.as_markdown()
    report.write(tmp_path / "out")
    assert read_report(tmp_path / "out" / "report.json") == report


def test_each_seed_is_what_it_is_alone(tmp_path):
    splits = stage()
    both = evaluate(case(tmp_path, "pixelate", splits, seeds=2))
    second = evaluate(case(tmp_path, "pixelate", splits, seed=1))  # from the same work folder
    assert both.seeds[1]["utility"] == second.utility.value
    assert both.seeds[1]["privacy"]["person"] == second.privacy["person"].value
    assert second.seeds == []


def test_the_mean_of_numbers():
    first, second = (Number("m", v, v - 0.1, v + 0.1, 0.1, None, judge) for v, judge in ((0.2, "a"), (0.6, "b")))
    mean = average_number([first, second])
    assert (mean.value, mean.low, mean.high) == pytest.approx((0.4, 0.3, 0.5)) and mean.judge == "a, b"
    assert average_number([first]) is first and average_number([]) is None


def test_no_seed_is_refused(tmp_path):
    with pytest.raises(ValueError, match="seeds must be at least 1, got 0"):
        evaluate(case(tmp_path, seeds=0))
