"""A kernel problem in the format of KernelBench: a model, and the inputs of one run."""

import torch
from torch import nn

batch_size, in_features, out_features = 1024, 512, 256


class Model(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, bias=False)

    def forward(self, x):
        return torch.relu(self.linear(x))


def get_inputs():
    return [torch.rand(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features]
