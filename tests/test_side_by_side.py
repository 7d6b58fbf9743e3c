"""Two listings beside each other."""

from wheatstone.viewer.panels.kernels.kernel_card import side_by_side
from wheatstone.viewer.panels.kernels.listing import Language, Listing, listing


def of(text: str, language: Language = "cuda") -> Listing:
    return listing({"a": text}, language, "f")


def marks(left: str, right: str) -> list[tuple[str, str, str]]:
    rows = side_by_side(of(left), of(right))[1:]
    return [
        (row.mark, row.left.text if row.left else "", row.right.text if row.right else "")
        for row in rows
    ]


def test_lines_that_changed_stand_beside_each_other() -> None:
    left = "int a = 1;\nint width = left(x, y);\nreturn a;"
    right = "int a = 1;\nfence();\nint width = right(x, y);\nreturn a;"
    assert marks(left, right) == [
        (" ", "int a = 1;", "int a = 1;"),
        ("+", "", "fence();"),
        ("~", "int width = left(x, y);", "int width = right(x, y);"),
        (" ", "return a;", "return a;"),
    ]


def test_lines_with_nothing_in_common_stand_apart() -> None:
    assert marks("one(two);", "three(four);") == [("-", "one(two);", ""), ("+", "", "three(four);")]


def test_every_line_appears_once_and_in_order() -> None:
    left = "\n".join(f"int a{i} = {i % 3};" for i in range(40))
    right = "\n".join(f"int a{i} = {i % 4};" for i in range(5, 50))
    rows = side_by_side(of(left), of(right))
    assert tuple(row.left for row in rows if row.left) == of(left).lines
    assert tuple(row.right for row in rows if row.right) == of(right).lines


def test_empty_lines_bear_no_mark() -> None:
    assert marks("int a;\n\nint b;", "int a;\nint b;")[1] == (" ", "", "")


def test_languages_are_not_compared_but_begin_together() -> None:
    left, right = of("int a;\nint b;\nint f(int c);"), of("def f(c):\n    return c", "python")
    rows = side_by_side(left, right)
    assert [row.mark for row in rows] == [" "] * len(rows)
    assert (left.lines[left.entry], right.lines[right.entry]) in [(r.left, r.right) for r in rows]
