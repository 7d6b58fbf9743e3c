"""What is typed into the palette."""

from wheatstone.viewer.choices.dialogs import LONGEST, Palette


def test_characters_come_and_go_one_by_one() -> None:
    palette = Palette("p", chosen=3).typed("1").typed("\t\n").typed("ä")
    assert palette == Palette("p1ä")
    assert palette.erased().erased() == Palette("p")
    assert Palette().erased() == Palette()
    assert len(Palette().typed("x" * (LONGEST + 9)).query) == LONGEST


def test_the_choice_goes_round_and_stays_in_an_empty_list() -> None:
    assert Palette(chosen=2).moved(1, 3).chosen == 0
    assert Palette().moved(-1, 3).chosen == 2
    assert Palette().moved(-8, 0).chosen == 0
