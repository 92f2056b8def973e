"""The Hugging Face module for a config.json, without weights, for model types without a rule here."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

from roofproof.errors import MissingExtra, RoofproofError, quoted
from roofproof.json_text import from_json
from roofproof.ops.models.config_json.reading import MAX_BYTES
from roofproof.toml import read_bytes

SHAPES = "tokens:int64[B,L]"
LAYERS = "num_hidden_layers"
SAID = (
    "{module} of transformers {version} at {layers} layers of {file}, without weights; its masks count every pair, "
    "and every expert is read"
)


def module_of_config(path: str) -> Any:
    """Return a module class that takes tokens. By default, `layers` is as in the configuration at the path.

    Nothing is downloaded, and code named in the configuration is not run. Raises a one-line RoofproofError for a
    configuration without a module in transformers.
    """
    given = from_json(read_bytes(path, MAX_BYTES, "model configuration "), quoted(path, 200))
    if not isinstance(given, dict) or not isinstance(given.get("model_type"), str):
        raise RoofproofError(f"{quoted(path, 200)}: expected the table of a config.json, with model_type")
    try:
        import torch
        import transformers
    except ImportError:
        raise MissingExtra("transformers", "transformers") from None
    transformers.logging.set_verbosity_error()

    class Module(torch.nn.Module):  # type: ignore[misc]
        def __init__(self, layers: int | None = None) -> None:
            super().__init__()
            self.model = _build_model(path, given, layers)
            count = getattr(self.model.config, LAYERS, None)
            words = {"module": type(self.model).__name__, "version": transformers.__version__}
            self.said = SAID.format(**words, layers=count, file=Path(path).name)

        def forward(self, tokens: Any) -> Any:
            return self.model(tokens, use_cache=False).logits

    Module.__name__ = Path(path).stem if Path(path).stem != "config" else Path(path).absolute().parent.name
    return Module


def _build_model(path: str, given: dict[str, Any], layers: int | None) -> Any:
    import torch
    import transformers

    unsaid = ("model_type", "architectures", "auto_map", "quantization_config", "torch_dtype", "dtype")
    settings = {name: value for name, value in given.items() if name not in unsaid}
    dtype = given.get("torch_dtype") or given.get("dtype") or "bfloat16"
    if layers is not None:
        settings[LAYERS] = layers
    try:
        config = transformers.AutoConfig.for_model(given["model_type"], **deepcopy(settings))
        with torch.device("meta"):
            form = getattr(torch, str(dtype), torch.bfloat16)
            made = transformers.AutoModelForCausalLM.from_config(config, dtype=form)
        return made.eval()
    except Exception as problem:  # transformers may raise anything for a type, a key or a size
        told = next((line.strip() for line in str(problem).splitlines() if line.strip()), type(problem).__name__)
        raise RoofproofError(f"{quoted(path, 200)}: transformers makes no module of it: {quoted(told, 200)}") from None
