from __future__ import annotations

from atlas.render.diagram_placed import Box
from atlas.render.diagram_straight import Route, around, simple, straightened

# From a card's right side down past another card, with a step aside at y = 100.
STEPPED: Route = ((50, 20), (70, 20), (70, 100), (64, 100), (64, 200), (50, 200))
STRAIGHT: Route = ((50, 20), (64, 20), (64, 200), (50, 200))


def test_a_small_step_is_taken_out() -> None:
    assert straightened([STEPPED], []) == [STRAIGHT]


def test_a_horizontal_step_is_taken_out_too() -> None:
    turned = tuple((y, x) for x, y in STEPPED)
    assert straightened([turned], []) == [tuple((y, x) for x, y in STRAIGHT)]


def test_where_a_card_is_in_the_way_the_other_stretch_is_moved() -> None:
    beside = Box(0, 50, 60, 30)  # 64 is too near, 70 is not
    assert straightened([STEPPED], [beside]) == [((50, 20), (70, 20), (70, 200), (50, 200))]


def test_where_there_is_no_room_the_step_stays() -> None:
    obstacles = [Box(0, 50, 60, 30), Box(75, 120, 30, 30)]
    assert straightened([STEPPED], obstacles) == [STEPPED]


def test_a_stretch_moves_neither_onto_nor_away_from_another_edge() -> None:
    there: Route = ((62, 0), (62, 300))
    assert straightened([STEPPED, there], [])[0] == ((50, 20), (70, 20), (70, 200), (50, 200))
    shared: Route = ((50, 20), (70, 20), (70, 300))
    other_side: Route = ((77, 110), (77, 300))
    assert straightened([STEPPED, shared, other_side], [])[0] == STEPPED


def test_an_end_never_moves() -> None:
    at_the_end: Route = ((50, 20), (50, 60), (56, 60), (56, 100))
    assert straightened([at_the_end], []) == [at_the_end]


def test_a_large_step_and_a_turn_back_stay() -> None:
    large: Route = ((50, 20), (120, 20), (120, 100), (64, 100), (64, 200), (50, 200))
    back: Route = ((50, 20), (70, 20), (70, 100), (64, 100), (64, 40), (60, 40))
    assert straightened([large, back], []) == [large, back]


def test_corners_alone_are_kept() -> None:
    assert simple([(0, 0), (0, 0), (0, 5), (0, 9), (4, 9), (9, 9)]) == ((0, 0), (0, 9), (9, 9))
    assert around(((0, 9), (9, 9)), 2) == Box(-2, 7, 13, 4)
