from hf_ppar.data.stage import StageOptions, clip_specs
from hf_ppar.demo.samples import choose_samples


def test_samples_are_the_first_of_the_test_split_that_differ(tmp_path):
    specs = clip_specs(StageOptions(), "test")
    chosen = choose_samples(tmp_path, 20)
    assert [sample.spec.index for sample in chosen[:3]] == [0, 1, 2]
    assert len({sample.spec.action for sample in chosen}) == len({sample.person for sample in chosen}) == len(chosen)
    taken = {sample.spec.index for sample in chosen}
    for spec in specs[: max(taken)]:
        before = [sample.spec for sample in chosen if sample.spec.index < spec.index]
        repeats = any(spec.action == other.action or spec.person == other.person for other in before)
        assert (spec.index in taken) != repeats
