"""Which raw symbols a formula must not hold, and the command to write instead.

KaTeX would show a raw ε, but the formula parser, search and the copied TeX would then know two spellings of one symbol.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

_GREEK = r"""
    α alpha  β beta  γ gamma  δ delta  ε varepsilon  ζ zeta  η eta  θ theta  ι iota  κ kappa  λ lambda  μ mu  ν nu  ξ xi
    ο omicron  π pi  ρ rho  ς varsigma  σ sigma  τ tau  υ upsilon  φ varphi  χ chi  ψ psi  ω omega
    Α Alpha  Β Beta  Γ Gamma  Δ Delta  Ε Epsilon  Ζ Zeta  Η Eta  Θ Theta  Ι Iota  Κ Kappa  Λ Lambda  Μ Mu  Ν Nu  Ξ Xi
    Ο Omicron  Π Pi  Ρ Rho  Σ Sigma  Τ Tau  Υ Upsilon  Φ Phi  Χ Chi  Ψ Psi  Ω Omega
    ϵ epsilon  ϑ vartheta  ϕ phi  ϖ varpi  ϱ varrho  ϰ varkappa  ϝ digamma  Ϝ digamma
"""
_SYMBOLS = r"""
    × times  · cdot  ⋅ cdot  ÷ div  ± pm  ∓ mp  ∘ circ  • bullet  ⋆ star  † dagger  ‡ ddagger
    ≤ le  ≥ ge  ≠ ne  ≈ approx  ≡ equiv  ∼ sim  ≃ simeq  ≅ cong  ∝ propto  ≪ ll  ≫ gg  ≺ prec  ≻ succ  ≔ coloneqq
    ≜ triangleq  → to  ← leftarrow  ↔ leftrightarrow  ↦ mapsto  ↑ uparrow  ↓ downarrow  ⇒ Rightarrow  ⇐ Leftarrow
    ⇔ Leftrightarrow  ⟶ longrightarrow  ⟵ longleftarrow
    ∑ sum  ∏ prod  ∫ int  ∂ partial  ∇ nabla  ∆ Delta  ∞ infty
    ∈ in  ∉ notin  ∋ ni  ⊂ subset  ⊃ supset  ⊆ subseteq  ⊇ supseteq  ∪ cup  ∩ cap  ∅ emptyset  ∖ setminus
    ∀ forall  ∃ exists  ∄ nexists  ∧ wedge  ∨ vee  ¬ neg
    ⊕ oplus  ⊖ ominus  ⊗ otimes  ⊙ odot  ⊘ oslash  ⊤ top  ⊥ perp  ‖ Vert  ∥ parallel  ∣ mid
    ⌊ lfloor  ⌋ rfloor  ⌈ lceil  ⌉ rceil  ⟨ langle  ⟩ rangle  … ldots  ⋯ cdots  ⋮ vdots  ⋱ ddots
    ℓ ell  ℏ hbar  ℜ Re  ℑ Im  ∠ angle  △ triangle  □ square  ∎ blacksquare  ı imath  ȷ jmath
"""
_SPELLED = r"""
    − -  – -  — -  ‐ -  ‑ -  ∗ *  ∕ /  ∶ :  ′ '  ″ ''  ‴ '''  ‘ '  ’ '  “ ''  ” ''
    √ \sqrt{…}  ∛ \sqrt[3]{…}  ° ^\circ  ½ \frac{1}{2}  ⅓ \frac{1}{3}  ¼ \frac{1}{4}  ¾ \frac{3}{4}
    ℂ \mathbb{C}  ℍ \mathbb{H}  ℕ \mathbb{N}  ℙ \mathbb{P}  ℚ \mathbb{Q}  ℝ \mathbb{R}  ℤ \mathbb{Z}
    ℬ \mathcal{B}  ℰ \mathcal{E}  ℱ \mathcal{F}  ℋ \mathcal{H}  ℐ \mathcal{I}  ℒ \mathcal{L}  ℳ \mathcal{M}
    ℛ \mathcal{R}
    ⁰ ^0  ¹ ^1  ² ^2  ³ ^3  ⁴ ^4  ⁵ ^5  ⁶ ^6  ⁷ ^7  ⁸ ^8  ⁹ ^9  ⁻ ^{-}  ⁺ ^{+}  ⁿ ^n  ᵀ ^\top
    ₀ _0  ₁ _1  ₂ _2  ₃ _3  ₄ _4  ₅ _5  ₆ _6  ₇ _7  ₈ _8  ₉ _9  ₋ _{-}  ₊ _{+}  ᵢ _i  ⱼ _j  ₙ _n
"""
_SPACES = {"\u00a0": "~", "\u2002": r"\enspace", "\u2003": r"\quad", "\u2009": r"\,", "\u202f": r"\,"}


def _pairs(table: str, before: str = "") -> dict[str, str]:
    """A table above as a dictionary."""
    words = table.split()
    return {symbol: before + instead for symbol, instead in zip(words[::2], words[1::2], strict=True)}


GREEK: Mapping[str, str] = MappingProxyType(_pairs(_GREEK, "\\"))
"""For each Greek letter, its command."""
INSTEAD: Mapping[str, str] = MappingProxyType({**GREEK, **_pairs(_SYMBOLS, "\\"), **_pairs(_SPELLED), **_SPACES})
"""For each raw symbol, what is written instead of it."""

TEXT_COMMANDS = frozenset(
    (
        *("text", "textrm", "textsf", "texttt", "textnormal", "textbf", "textmd", "textit", "textup", "emph"),
        *("mbox", "hbox", "tag"),
    )
)
"""Commands whose argument is text and not a formula."""

_TOKENS = re.compile(
    r"\\verb\*?(?P<verb>[^a-zA-Z\s*])[^\n]*?(?P=verb)|\\(?P<name>[A-Za-z]+)\*?\s*|\\.|%[^\n]*|.", re.DOTALL
)
_ALPHABETS = (
    *(("FRAKTUR", "mathfrak"), ("SCRIPT", "mathcal"), ("DOUBLE-STRUCK", "mathbb")),
    *(("MONOSPACE", "mathtt"), ("SANS-SERIF", "mathsf"), ("BOLD", "mathbf")),
)


def refuse_raw_symbols(tex: str) -> list[tuple[int, str]]:
    r"""The 0-based offset of each raw symbol outside `\text{…}` and the like, with what to write instead."""
    if tex.isascii():
        return []
    found: list[tuple[int, str]] = []
    # What is open around the current place: "{", "text" (the brace after a text command) and "$" (a formula in text).
    around: list[str] = []
    after_text_command = False
    for match in _TOKENS.finditer(tex):
        piece = match[0]
        if match["name"]:
            after_text_command = match["name"] in TEXT_COMMANDS
            continue
        if piece == "{":
            around.append("text" if after_text_command else "{")
        elif piece in ("}", r"\)") or (piece == "$" and "$" in around[-1:]):
            del around[-1:]
        elif piece in ("$", r"\("):
            around.append("$")
        elif not (after_text_command or _in_text(around)) and (instead := _instead(piece)):
            found.append(
                (match.start(), f"write {instead} instead of {piece if piece.isprintable() else _code(piece)}")
            )
        after_text_command = False
    return found


def _in_text(around: list[str]) -> bool:
    """Whether the innermost of text and formula is text."""
    return next((opened for opened in reversed(around) if opened != "{"), "$") == "text"


def _instead(symbol: str) -> str | None:
    """What to write instead of the symbol, also for a Greek letter with an accent and for a styled letter."""
    if symbol in INSTEAD:
        return INSTEAD[symbol]
    if len(symbol) != 1 or symbol.isascii():
        return None
    if 0x1D400 <= ord(symbol) <= 0x1D7FF:
        return _styled(symbol)
    plain = unicodedata.normalize("NFKD", symbol)[0]
    return INSTEAD[plain] if plain in GREEK else None


def _styled(symbol: str) -> str:
    r"""A letter or digit of Unicode's mathematical alphabets: `𝐱` is `\mathbf{x}`."""
    plain = unicodedata.normalize("NFKC", symbol)
    command = INSTEAD.get(plain, plain)
    name = unicodedata.name(symbol, "")
    alphabet = next((alphabet for style, alphabet in _ALPHABETS if style in name), None)
    if alphabet is None:
        return command
    return rf"\boldsymbol{{{command}}}" if plain in INSTEAD else rf"\{alphabet}{{{command}}}"


def _code(symbol: str) -> str:
    return f"U+{ord(symbol):04X}"
