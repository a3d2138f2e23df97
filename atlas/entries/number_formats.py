"""The names that libraries and papers give the formats of numbers, as this atlas calls them.

One format has several names: `fp32` is `float32`, and `half` is `float16`.
"""

from __future__ import annotations

import re

_SHORT = re.compile(r"(?:float|fp|f)[-_ ]?(?P<bits>8|16|32|64)")
_WORDS = {"half": "float16", "single": "float32", "double": "float64", "float": "float32"}
_BRAIN = re.compile(r"(?:bfloat|bf)[-_ ]?16|brain[-_ ]?float(?:[-_ ]?16)?")


def number_format(name: str) -> str:
    """What the atlas calls the format that a name means; an empty string where it means none."""
    plain = name.strip().lower()
    plain = plain.removeprefix("torch.").removeprefix("np.").removeprefix("numpy.")
    if _BRAIN.fullmatch(plain):
        return "bfloat16"
    if plain in _WORDS:
        return _WORDS[plain]
    found = _SHORT.fullmatch(plain)
    if found is None:
        return ""
    return "fp8" if found["bits"] == "8" else f"float{found['bits']}"
