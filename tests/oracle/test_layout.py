"""Breaking lines of code."""

from __future__ import annotations

from notes2code.oracle.layout import Bracket, Chain, Row, flat, lines

LONG = "x" * 40


def test_what_fits_stays_on_one_line() -> None:
    doc = Bracket("f(", ("a", Chain(("b", "+ c"))), ")")
    assert flat(doc) == "f(a, b + c)"
    assert lines(doc, 4, "y = ", ":") == ["    y = f(a, b + c):"]


def test_arguments_go_to_a_line_together_then_each_to_its_own() -> None:
    together = Bracket(f"{LONG}(", (LONG, LONG[:30]), ")")
    assert lines(together) == [f"{LONG}(", f"    {LONG}, {LONG[:30]}", ")"]
    apart = Bracket("f(", (LONG, LONG, LONG), ")")
    assert lines(apart) == ["f(", *[f"    {LONG},"] * 3, ")"]


def test_a_generator_has_no_commas() -> None:
    generator = Bracket("sum(", (LONG, f"for {LONG}", f"if {LONG}"), ")", "")
    assert lines(generator) == ["sum(", f"    {LONG}", f"    for {LONG}", f"    if {LONG}", ")"]


def test_a_long_sum_gets_parentheses_and_a_line_for_each_term() -> None:
    total = Chain((LONG, f"+ {LONG}", f"- {LONG}"))
    wanted = ["y = (", f"    {LONG}", f"    + {LONG}", f"    - {LONG}", ")"]
    assert lines(total, 0, "y = ") == wanted


def test_a_product_of_two_breaks_in_a_bracket() -> None:
    call = Bracket("f(", (f"{LONG} + {LONG}",), ")")
    product = Chain((LONG, Row(("* ", call))))
    assert lines(product, 0, "y = ") == [f"y = {LONG} * f(", f"    {LONG} + {LONG}", ")"]
    turned = Chain((call, Row(("/ ", Bracket("g(", (LONG[:20],), ")")))))
    name = "a_name_of_some_length = "
    wanted = [f"{name}f(", f"    {LONG} + {LONG}", f") / g({LONG[:20]})"]
    assert lines(turned, 0, name) == wanted
