"""The complementary error function and the normal distribution, which NumPy lacks and GELU needs over whole arrays.

The coefficients are those of (1 + 2x)·exp(x²)·erfc(x) for x ≥ 0 as a series of Chebyshev polynomials in
u = (x - 3.75)/(x + 3.75), computed with 60 digits; what is left out is below 3e-18.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from atlas.operators.contract import Floats

if TYPE_CHECKING:
    from numpy.polynomial.chebyshev import chebval
else:

    def chebval(*given):
        """NumPy's, which is looked up when it is called: to import it by name would load NumPy."""
        return np.polynomial.chebyshev.chebval(*given)


_MIDDLE = 3.75
_SERIES = (
    1.1775789345674017, -0.004590054580646478, -0.08424913336651792, 0.05920993999819189, -0.026658668435305753,
    0.009074997670705265, -0.002413163540417608, 0.0004907758365258086, -6.916973302501207e-05, 4.13902798607301e-06,
    7.74038306619849e-07, -2.1886401049234397e-07, 1.076499946567091e-08, 4.521959811218287e-09,
    -7.754400208831351e-10, -6.318088340886684e-11, 2.86879501093067e-11, 1.9455868545777347e-13,
    -9.65469674843344e-13, 3.25254814814874e-14, 3.3478119482868056e-14, -1.864562880419313e-15,
    -1.2507950530688648e-15, 7.418235256624044e-17, 5.068148904796111e-17,
)  # fmt: skip


def complementary_error(x: Floats) -> Any:
    """1 - erf(x) in float64, relative to itself correct to 1e-15 near 0 and to x²·2⁻⁵³ in the tail."""
    size = np.minimum(np.abs(np.asarray(x, np.float64)), 30)  # erfc(30) is 0 in float64
    scaled = chebval(1 - 2 * _MIDDLE / (size + _MIDDLE), _SERIES)  # (1 + 2x)·exp(x²)·erfc(x)
    tail = np.exp(-np.square(size)) * scaled / (1 + 2 * size)
    return np.where(x < 0, 2 - tail, tail)


def normal_distribution(x: Floats) -> Any:
    """Φ(x), the share of the standard normal distribution below x; small values keep their relative accuracy."""
    return complementary_error(np.asarray(-x, np.float64) / math.sqrt(2)) / 2
