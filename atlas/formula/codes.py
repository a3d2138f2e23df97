"""The stable codes of everything that the formula engine refuses, each with a title.

A code stays when its message is reworded, so that a contributor can look it up and a test can name it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

TITLES: Mapping[str, str] = MappingProxyType(
    {
        "A201": "a character or command outside the formula language",
        "A202": "brackets, braces or environments that do not match",
        "A203": "a script that LaTeX shows otherwise",
        "A204": "a product written as `*`",
        "A205": "a transpose written as `^T`",
        "A206": "a division whose divisor is unclear",
        "A207": "an argument without parentheses that is unclear",
        "A208": "subscripts without a comma",
        "A209": "a symbol that is not known",
        "A210": "a run of letters that is not declared",
        "A211": "a function with an exponent before its argument",
        "A212": "a name with a number as superscript",
        "A213": "one name for two things",
        "A214": "a product over axes that differ",
        "A215": "a function without parentheses",
        "A216": "a missing operand or an unexpected sign",
        "A217": "a number after a factor",
        "A218": "a power of a square matrix",
        "A219": "two vectors side by side",
        "A220": "a dot or cross without a scalar",
        "A221": "axes that do not fit elementwise",
        "A222": "axes that cannot be told apart",
        "A223": "a transpose that has no meaning",
        "A224": "subscripts that do not fit the axes",
        "A225": "an index that ranges over another axis",
        "A226": "an index without a range",
        "A227": "a read out of range",
        "A228": "a subscript that is not a whole number",
        "A229": "a function with the wrong number of arguments or subscripts",
        "A230": "a function applied to other axes than declared",
        "A231": "a function that needs an axis",
        "A232": "a set or condition where a number is needed, or the reverse",
        "A233": "a left side that cannot be read",
        "A234": "a symbol that is defined twice",
        "A235": "pieces that overlap or leave gaps",
        "A236": "axes other than declared",
        "A237": "a definition in a circle",
        "A238": "a recurrence that does not look back",
        "A239": "a recurrence without a start value",
        "A240": "two sides of one equation that differ",
        "A241": "a range whose bounds are not whole numbers",
        "A242": "dots between terms of two kinds",
        "A243": "an intermediate whose axes must be declared",
        "A244": "a declaration that cannot be read",
        "A245": "sizes that cannot be chosen",
        "A246": "a formula that defines no declared symbol",
        "A247": "a declared symbol that is not used",
        "A248": "braces that are not shown but would count",
        "A249": "an input that is missing or does not fit",
        "A250": "a formula that is too long or too deep",
        "A251": "an intermediate that is too large",
        "A252": "more steps than are taken",
        "A260": "a value that differs from the reference",
        "A261": "a shape that differs from the reference",
        "A262": "a reference that fails or gives no numbers",
    }
)
"""Every code with what it is about: A201 to A217 reading, A218 to A249 meaning, A25x bounds, A26x comparison."""
