import pytest
import torch

from hf_ppar.data import ClipDataset, ClipOptions, LoadingOptions, build_mixed_loader, load_ppar_dataset
from hf_ppar.data.mixing import MixedBatchSampler

OPTIONS = ClipOptions(frames=2, size=(16, 16))


def stage(domain, clips, **options):
    return ClipDataset(load_ppar_dataset("stage", train_clips=clips, domain=domain, **options), OPTIONS)


def test_batches_are_half_source_half_target():
    source, target = stage("normal", 8), stage("dark", 3)
    loader = build_mixed_loader(source, target, LoadingOptions(batch_size=4, seed=1))
    batches = list(loader)
    assert len(batches) == len(loader) == 4
    for batch in batches:
        assert batch["pixel_values"].shape == (4, 2, 3, 16, 16)
        assert batch["domain"].tolist() == [0, 0, 1, 1] and "person" not in batch
        for place in range(4):
            clips = (source, target)[batch["domain"][place]]
            row = int(batch["index"][place])
            assert batch["labels"][place] == clips.labels[row]
            assert torch.equal(batch["attributes"][place], clips.attributes[row])
    assert sorted(row for batch in batches for row in batch["index"][:2].tolist()) == list(range(8))
    assert {row for batch in batches for row in batch["index"][2:].tolist()} == {0, 1, 2}


def test_target_labels_can_be_hidden():
    loader = build_mixed_loader(stage("normal", 2), stage("dark", 2), LoadingOptions(2), hide_target_labels=True)
    for batch in loader:
        assert batch["labels"][0] >= 0 and batch["labels"][1] == -1


def test_order_depends_on_seed_and_epoch_only():
    first, second = MixedBatchSampler(9, 5, 4, seed=2), MixedBatchSampler(9, 5, 4, seed=2)
    epochs = [list(first), list(first)]
    assert epochs == [list(second), list(second)]
    positions = [[position for batch in epoch for _, position in batch] for epoch in epochs]
    assert positions[0] != positions[1]
    first.set_epoch(0)
    assert list(first) == epochs[0]
    assert list(MixedBatchSampler(9, 5, 4, seed=3)) != epochs[0]


def test_the_loader_can_be_set_to_an_epoch():
    loader = build_mixed_loader(stage("normal", 6), stage("dark", 6), LoadingOptions(2))
    zero, one = ([batch["index"].tolist() for batch in loader] for _ in range(2))
    loader.set_epoch(1)
    assert [batch["index"].tolist() for batch in loader] == one != zero


def test_errors():
    with pytest.raises(ValueError, match="batch_size=3 must be even: half source, half target"):
        MixedBatchSampler(4, 4, 3)
    with pytest.raises(ValueError, match="source has 4 clips and target 0; both need at least one"):
        MixedBatchSampler(4, 0, 2)
    with pytest.raises(ValueError, match=r"the same actions in the same order; only in source: \['jump_and_punch'"):
        build_mixed_loader(stage("normal", 2), stage("dark", 2, compounds=False))
