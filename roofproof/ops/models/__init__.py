"""Configurations of language models: one TOML file a model, in this folder or a user's own.

title = "LLaMA-2 7B"
source = "..."           where the sizes are from
layers = 32
d = 4096                 width
heads = 32
kv_heads = 32            groups of heads that share keys and values: heads for MHA, 1 for MQA
head = 128               size of a head
hidden = 11008           width inside the feed-forward network
gated = true             three matrices (SwiGLU) or two (GELU)
norm = "rms"             or "layer", which has shifts too
vocabulary = 32000
tied = false             whether the output head is the embedding table
bias = true              optional: biases on the four matrices of a layer
positions = 2048         optional: a learned table of positions
[experts]                optional: count, chosen (per token), hidden (of one), shared = 0,
                         dense_layers = 0 (layers before the first with experts), bias = false (on the router)
[latent]                 optional: query, cache, rope, value: ranks and head sizes of latent attention;
                         `head` is then the part of a query without position
[published]              parameters = "6.74B", source; active = "12.9B", active_embedding = true
"""

from __future__ import annotations

from roofproof.ops.models.configuration import Experts, Latent, Model, model, model_names

__all__ = ["Experts", "Latent", "Model", "model", "model_names"]
