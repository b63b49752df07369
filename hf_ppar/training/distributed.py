"""What processes have to agree on. Modules are not wrapped: minimax updates freeze and thaw them too often for that.

Every process works on its share of each batch; gradients are averaged before a step, so parameters stay equal, and
equal to those of a single process on the whole batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import torch
from accelerate import Accelerator
from torch import Tensor, nn


def share_weights(accelerator: Accelerator, modules: Mapping[str, nn.Module]) -> None:
    """Give every process the weights and buffers of the main one."""
    if accelerator.num_processes == 1:
        return
    for module in modules.values():
        for value in (*module.parameters(), *module.buffers()):
            torch.distributed.broadcast(value.data, src=0)


def average_gradients(accelerator: Accelerator, parameters: Iterable[Tensor]) -> None:
    """Replace gradients by their means over processes, in one message."""
    if accelerator.num_processes == 1:
        return
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    flat = torch.cat([gradient.reshape(-1) for gradient in gradients])
    torch.distributed.all_reduce(flat)
    flat /= accelerator.num_processes
    start = 0
    for gradient in gradients:
        gradient.copy_(flat[start : start + gradient.numel()].view_as(gradient))
        start += gradient.numel()
