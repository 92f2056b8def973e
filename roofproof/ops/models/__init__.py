"""Configurations of language models: one TOML file a model, in this folder or a user's own; README.md has the keys."""

from __future__ import annotations

from roofproof.ops.models.configuration import Experts, Latent, Model, model, model_names

__all__ = ["Experts", "Latent", "Model", "model", "model_names"]
