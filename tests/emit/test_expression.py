"""Parts of equations as single expressions, for code that has its tensors already."""

from __future__ import annotations

from fractions import Fraction

import pytest

from notes2code.emit.graph import EmitError
from notes2code.emit.torch_expression import Local, torch_expression
from notes2code.meaning import ir
from notes2code.meaning.ir import Compare, Expr, Fn, Idx, Index, Num, Pow, Reduce, Ref, Size

N, M, D = Size("n"), Size("m"), Size("d_k")
ROW, COLUMN, AXIS = Index("i", N), Index("j", M), Index("a", D)
SCORE = Reduce(
    "sum", AXIS, ir.mul(Ref("Q", (Idx(ROW), Idx(AXIS))), Ref("K", (Idx(COLUMN), Idx(AXIS))))
)
SCORES = Local("scores", (ROW, COLUMN))


def test_a_scale() -> None:
    scale = ir.inverse(Pow(D, ir.HALF))
    given = {D: Local("self.head_dim", kind="int")}
    assert torch_expression(scale, given) == "1 / math.sqrt(self.head_dim)"
    assert torch_expression(scale, given, within="*") == "(1 / math.sqrt(self.head_dim))"
    assert torch_expression(Pow(D, Num(-1)), {D: Local("64", kind="int")}) == "1 / 64"


def test_a_changed_score() -> None:
    capped = ir.mul(Ref("c"), Fn("tanh", (ir.mul(SCORE, ir.inverse(Ref("c"))),)))
    given: dict[Expr | str, Local] = {SCORE: SCORES, "c": Local("self.cap", kind="float")}
    text = torch_expression(capped, given, (ROW, COLUMN))
    assert text == "self.cap * torch.tanh(scores / self.cap)"


def test_a_product_of_given_arrays() -> None:
    given: dict[Expr | str, Local] = {
        "Q": Local("query", (ROW, AXIS)),
        "K": Local("key", (COLUMN, AXIS)),
        D: Local("d", kind="int"),
    }
    scaled = ir.mul(SCORE, ir.inverse(Pow(D, ir.HALF)))
    text = torch_expression(scaled, given, (ROW, COLUMN))
    assert text == "query @ key.transpose(-2, -1) / math.sqrt(d)"


def test_an_array_in_other_axes_is_turned() -> None:
    bias = Ref("B", (Idx(COLUMN), Idx(ROW)))
    given: dict[Expr | str, Local] = {SCORE: SCORES, "B": Local("bias", (COLUMN, ROW))}
    text = torch_expression(ir.add(SCORE, bias), given, (ROW, COLUMN))
    assert text == "scores + bias.transpose(-2, -1)"


def test_only_batched_tensors_need_axes_on_the_left() -> None:
    bias = ir.add(SCORE, Ref("b", (Idx(COLUMN),)))
    for batched, expected in ((True, "scores + b.unsqueeze(-2)"), (False, "scores + b")):
        given: dict[Expr | str, Local] = {
            SCORE: SCORES,
            "b": Local("b", (COLUMN,), batched=batched),
        }
        assert torch_expression(bias, given, (ROW, COLUMN)) == expected


def test_a_weight_without_batch_dimensions() -> None:
    product = Reduce(
        "sum", AXIS, ir.mul(Ref("x", (Idx(AXIS),)), Ref("W", (Idx(AXIS), Idx(COLUMN))))
    )
    given: dict[Expr | str, Local] = {
        "x": Local("x", (AXIS,)),
        "W": Local("self.weight", (AXIS, COLUMN), batched=False),
    }
    assert torch_expression(product, given, (COLUMN,)) == "x @ self.weight"


def test_index_values_and_masks() -> None:
    sizes: dict[Expr | str, Local] = {
        N: Local("scores.shape[-2]", kind="int"),
        M: Local("scores.shape[-1]", kind="int"),
    }
    keep = Compare("≤", Idx(COLUMN), Idx(ROW))
    assert torch_expression(keep, sizes, (ROW, COLUMN), like="scores") == (
        "torch.arange(scores.shape[-1], device=scores.device) <= "
        "torch.arange(scores.shape[-2], device=scores.device).unsqueeze(-1)"
    )


def test_looser_texts_are_put_in_parentheses() -> None:
    given: dict[Expr | str, Local] = {SCORE: Local("a + b", (ROW, COLUMN))}
    assert torch_expression(ir.mul(Num(2), SCORE), given, (ROW, COLUMN)) == "2 * (a + b)"
    assert (
        torch_expression(Pow(SCORE, Num(Fraction(1, 2))), given, (ROW, COLUMN))
        == "torch.sqrt((a + b))"
    )


def test_what_is_not_given_is_refused() -> None:
    with pytest.raises(EmitError, match="K"):
        torch_expression(SCORE, {"Q": Local("query", (ROW, AXIS))}, (ROW, COLUMN))
    with pytest.raises(EmitError, match="d_k"):
        torch_expression(Pow(D, ir.HALF), {})
    with pytest.raises(EmitError, match="list"):
        torch_expression(Ref("x"), {"x": Local("x", kind="list")})
