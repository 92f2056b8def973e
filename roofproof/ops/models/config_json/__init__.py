"""Models from the config.json that is published beside their weights.

architectures.toml  which key is what in each architecture, and which keys change nothing that is counted
reading.py          a file, checked key by key, as a Model
"""

from roofproof.ops.models.config_json.reading import from_config as from_config
