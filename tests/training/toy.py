"""A toy minimax recipe on numbers: small enough to check everything about the loop itself."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from hf_ppar.data.batches import SeededSampler
from hf_ppar.recipes import Optimization, Phase, Update


class NumbersDataset(TensorDataset):
    """Answers (epoch, position) keys like the clip data set."""

    def __getitem__(self, key):
        values, labels = super().__getitem__(key[1])
        return {"values": values, "labels": labels}


class NumbersLoader(DataLoader):
    def set_epoch(self, epoch):
        self.sampler.set_epoch(epoch)


def numbers_loader(count=64, batch_size=8, seed=0, shuffle=True):
    generator = torch.Generator().manual_seed(5)
    values = torch.randn(count, 6, generator=generator)
    dataset = NumbersDataset(values, (values[:, 0] > 0).long())
    sampler = SeededSampler(count, seed, shuffle)
    return NumbersLoader(dataset, batch_size=batch_size, sampler=sampler, drop_last=shuffle)


class ToyRecipe:
    """An encoder that keeps the label and confuses an adversary; noise makes random numbers matter."""

    name = "toy"

    def __init__(self, epochs=(2, 3), seed=0, noise=0.1, **optimization):
        torch.manual_seed(seed)
        self.noise = noise
        self.modules = {
            "encoder": nn.Sequential(nn.Linear(6, 6), nn.Tanh()),
            "head": nn.Linear(6, 2),
            "adversary": nn.Sequential(nn.BatchNorm1d(6), nn.Dropout(0.1), nn.Linear(6, 1))
            if noise
            else nn.Linear(6, 1),
        }
        settings = Optimization(**{"lr": 0.01, "schedule": "cosine", **optimization})
        warm = Update("warm", ("encoder", "head"), self.utility_loss, settings)
        defend = Update("defend", ("encoder", "head"), self.defender_loss, settings, every=2, offset=0)
        attack = Update("attack", ("adversary",), self.attack_loss, settings, every=2, offset=1)
        self.phases = (Phase("initial", epochs[0], (warm,)), Phase("adversarial", epochs[1], (defend, attack)))

    def encode(self, batch, modules):
        values = batch["values"]
        return modules["encoder"](values + self.noise * torch.randn_like(values))

    def utility_loss(self, batch, modules):
        return {"loss": F.cross_entropy(modules["head"](self.encode(batch, modules)), batch["labels"])}

    def attack_loss(self, batch, modules):
        guess = modules["adversary"](self.encode(batch, modules))[:, 0]
        return {"loss": F.mse_loss(guess, batch["values"][:, 1])}

    def defender_loss(self, batch, modules):
        utility, leak = self.utility_loss(batch, modules)["loss"], self.attack_loss(batch, modules)["loss"]
        return {"loss": utility - 0.1 * leak, "utility": utility, "leak": leak}

    def score(self, batch, modules):
        logits = modules["head"](modules["encoder"](batch["values"]))
        return {"accuracy": (logits.argmax(-1) == batch["labels"]).float()}
