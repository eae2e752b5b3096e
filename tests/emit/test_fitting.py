"""Lines that names made too long."""

from notes2code.emit.fitting import fitted


def test_what_fits_stays() -> None:
    text = "def f(x: int) -> int:\n    return g(x)"
    assert fitted(text) == text


def test_a_long_definition_is_broken_in_its_parentheses() -> None:
    name, inner = "f" * 60, "x: tuple[int, ...], y: Tensor | np.ndarray"
    broken = f"def {name}(\n    {inner}\n) -> np.ndarray:"
    assert fitted(f"def {name}({inner}) -> np.ndarray:") == broken


def test_what_does_not_fit_on_one_line_inside_gets_a_line_each() -> None:
    one, two = "a" * 50, "b" * 50
    assert fitted(f"    call({one}, {two})") == f"    call(\n        {one},\n        {two},\n    )"


def test_a_list_alone_on_its_line_is_broken_too() -> None:
    one, two = "a" * 45, "b" * 45
    assert fitted(f"{' ' * 16}[{one}, {two}]").count("\n") == 3
    assert fitted(f"{' ' * 16}[{one}, {two}]").splitlines()[1] == f"{' ' * 20}{one},"


def test_a_long_line_without_brackets_stays() -> None:
    text = "# " + "word " * 30
    assert fitted(text) == text


def test_what_is_inside_brackets_is_broken_too() -> None:
    one, two = "a" * 50 + "=1", "b" * 50 + "=2"
    assert fitted(f"    made(Of({one}, {two}))").splitlines() == [
        "    made(",
        "        Of(",
        f"            {one},",
        f"            {two},",
        "        )",
        "    )",
    ]


def test_brackets_in_a_string_are_no_places_to_break() -> None:
    text = f'    with raises(Error, match=r"{"a" * 60} (?s:.*), (b"):'
    made = fitted(text)
    assert text.strip()[19:-2] in made
    assert made.count("\n") > 1
