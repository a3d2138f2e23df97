"""What the template of diagrams prints: texts and the attributes of shapes, every number already a text.

The template decides nothing but the order of what it prints, from back to front.
"""

from __future__ import annotations

from dataclasses import dataclass

from atlas.render.diagram_text import Run


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a label."""

    text: str
    """Its characters."""
    style: str
    """`i`, `b` or empty."""
    size: str
    """Its font's size; empty where it is the label's."""
    down: str
    """How far its baseline lies below the last piece's; empty where it does not."""


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle as SVG wants it."""

    x: str
    """Its left edge."""
    y: str
    """Its upper edge."""
    width: str
    """How wide it is."""
    height: str
    """How high it is."""
    radius: str
    """The radius of its corners."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, anchored as its template says."""

    text: str
    """Its characters."""
    x: str
    """Where its anchor is …"""
    y: str
    """… and its baseline."""


@dataclass(frozen=True, slots=True)
class Card:
    """A node."""

    number: int
    """Its number among the nodes, from 1, which its card of facts has too."""
    kind: str
    """Its kind."""
    href: str
    """Where it leads; empty where it is no link."""
    name: str
    """What is seen on it, its title in full."""
    is_cut: bool
    """Whether its title is too long to be seen in full."""
    detail: str
    """What is known of it besides, such as shapes."""
    place: Rectangle
    """Its outline."""
    title: tuple[Line, ...]
    """The lines of its title."""
    second: Line | None
    """The line below the title."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The outline of a group with its title."""

    depth: int
    """How many groups are around it: 0 or 1, by turns, as its tint follows from it."""
    place: Rectangle
    """Its outline."""
    title: Line
    """Its title."""
    badge: Rectangle | None
    """The outline of the badge that says how often it is repeated."""
    times: Line | None
    """The badge's text."""


@dataclass(frozen=True, slots=True)
class Cards:
    """Cards and groups of them in the order of reading."""

    name: str
    """What a screen reader calls the group; empty at the outermost."""
    parts: tuple[Card | Cards, ...]
    """What is in it."""


@dataclass(frozen=True, slots=True)
class Wire:
    """An edge."""

    kind: str
    """Its kind."""
    path: str
    """Its line."""
    head: str
    """Its arrow head."""


@dataclass(frozen=True, slots=True)
class Label:
    """The name and shape of a value."""

    x: str
    """Where it begins …"""
    y: str
    """… and its baseline."""
    pieces: tuple[Piece, ...]
    """Its text."""


@dataclass(frozen=True, slots=True)
class About:
    """The facts of a node that leads to a page, shown while it is pointed at or has the focus."""

    number: int
    """The node's number."""
    kind: str
    """Its kind."""
    kind_name: str
    """Its kind in words."""
    title: str
    """Its title in full."""
    takes: tuple[tuple[Run, ...], ...]
    """Each value that it takes, with its axes."""
    gives: tuple[tuple[Run, ...], ...]
    """Each value that others take from it."""
    parameters: str
    """Its parameters in words."""


@dataclass(frozen=True, slots=True)
class Told:
    """A node or group in the text alternative."""

    text: str
    """What is said of it."""
    inner: tuple[Told, ...] = ()
    """What is in it."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """What the template prints."""

    id: str
    """What its ids begin with, so that those of two diagrams on a page differ."""
    title: str
    """Its accessible name."""
    description: str
    """What it shows."""
    width: str
    """Its natural width."""
    height: str
    """Its natural height."""
    least: str
    """The width down to which it shrinks before it scrolls."""
    frames: tuple[Frame, ...]
    """The groups' outlines, outer ones first."""
    wires: tuple[Wire, ...]
    """The edges, those of the main path last and so on top."""
    forks: tuple[tuple[str, str], ...]
    """Where a value forks."""
    labels: tuple[Label, ...]
    """The edges' labels."""
    cards: Cards
    """The nodes in the order of reading."""
    about: tuple[About, ...]
    """The facts of its nodes, for those who point at one."""
    told: tuple[Told, ...]
    """The text alternative."""
    kinds: tuple[tuple[str, str], ...]
    """The legend: each kind of node that it has, with its name."""
    lines: tuple[tuple[str, str], ...]
    """The legend: each kind of edge that it has, with its name; empty where all are of the main path."""
