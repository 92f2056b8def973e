"""Llama 3.1 from Hugging Face with any number of layers of the real sizes, built from its config without weights."""

from pathlib import Path

from torch import nn
from transformers import AutoConfig, AutoModelForCausalLM

CONFIGURATION = Path(__file__).parent / "models" / "llama-3.1-8b.json"


class Llama(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.model = AutoModelForCausalLM.from_config(
            AutoConfig.from_pretrained(CONFIGURATION, num_hidden_layers=layers)
        )

    def forward(self, tokens):
        return self.model(tokens, use_cache=False).logits
