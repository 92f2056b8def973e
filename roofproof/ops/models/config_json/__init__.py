"""Models from the config.json that is published with their weights.

architectures.toml  the meaning of the keys in each architecture, and the keys that change no counts
reading.py          conversion of a file, checked key by key, to a Model
"""

from roofproof.ops.models.config_json.reading import from_config as from_config
