"""A gated feed-forward layer as a PyTorch module."""

import torch.nn.functional as F
from torch import nn


class Gated(nn.Module):
    def __init__(self, d: int, f: int):
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(d, f), nn.Linear(d, f), nn.Linear(f, d)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))
