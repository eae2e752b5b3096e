"""How a formula is rewritten before it is read: what is rewritten, in this order, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from notes2code.latex import tree
from notes2code.latex.tree import (
    Accent,
    Apply,
    Big,
    Change,
    Clause,
    Formula,
    Frac,
    Group,
    Infix,
    Juxt,
    Matrix,
    Name,
    Node,
    Relation,
    Script,
)
from notes2code.meaning.notation import ahead
from notes2code.meaning.overview import means
from notes2code.meaning.rewriting import (
    arrows_below,
    barred,
    clipped,
    close_by,
    discounted_dots,
    estimates,
    examples_of_layers,
    families_of_elements,
    half_turns,
    in_brackets,
    in_parentheses,
    joined_families,
    joined_heads,
    letters_in_a_row,
    moments,
    names_in_brackets,
    nested,
    no_condition,
    normal_probabilities,
    norms_called_ln,
    numbered_ones,
    numbered_tokens,
    one_of_softmax,
    ordered_pairs,
    pairs_defined,
    planes,
    power_series,
    primed,
    products_end,
    real_parts,
    roles,
    sets_above,
    sides,
    signals,
    temperatures,
    turned_functions,
    unit_rows,
    weights_of_heads,
    windows,
    words_in_a_row,
)


def _always(change: Change) -> Callable[[Formula], Change]:
    """A rewrite that a node decides by itself."""
    return lambda _: change


@dataclass(frozen=True)
class Rewrite:
    """What is done to nodes of one kind, by what else stands in the formula; a formula without such
    a node pays nothing."""

    kind: type[Node]
    change: Callable[[Formula], Change | None]


REWRITES = (
    # A row of letters below a sum or a name is a word, but where they count one by one.
    Rewrite(Big, letters_in_a_row.apart),
    Rewrite(Script, letters_in_a_row.apart),
    # A set of members is no end of a range, and has to be known before ends are.
    Rewrite(Big, sets_above.as_members),
    Rewrite(Big, sets_above.as_neighbours),
    # The tokens of a sequence are as many where a sum goes up to them as where it is divided.
    Rewrite(Group, sets_above.as_lengths),
    # The real parts of all numbers of a vector are added up by a product of vectors.
    Rewrite(Juxt, _always(real_parts.without_sum)),
    Rewrite(Apply, _always(real_parts.without_sum)),
    # Both letters of a pair count, and a sum over several indices is several sums: nothing behind
    # this meets more than one.
    Rewrite(Big, ordered_pairs.with_both),
    Rewrite(Big, _always(nested.in_turn)),
    # A list is given to what has a name, and multiplied by no letter.
    Rewrite(Juxt, moments.by_name),
    # In a product, unlike in a sum, it matters how far the body goes.
    Rewrite(Big, _always(products_end.with_factors_behind)),
    # What a sum is divided by may be the only thing that says how many terms it has.
    Rewrite(Big, means.with_ends),
    # Dots behind what lies ahead stand for a sum over that.
    Rewrite(Infix, discounted_dots.as_sum),
    # A place counted from where one stands is no index of an array: all places are.
    Rewrite(Big, _always(ahead.as_places)),
    # What is kept between bounds below a name is clipped.
    Rewrite(Script, _always(clipped.in_place)),
    # So is what is kept near something: the two bounds are one sum and one difference.
    Rewrite(Juxt, _always(clipped.around)),
    # What tells a place by its value is no index.
    Rewrite(Frac, one_of_softmax.by_place),
    Rewrite(Infix, one_of_softmax.by_difference),
    # An index is written below its name, wherever people put it: as a time,
    Rewrite(Juxt, signals.as_indices),
    # in parentheses as what a function is given,
    Rewrite(Juxt, in_parentheses.as_indices),
    Rewrite(Juxt, _always(in_parentheses.of_encodings)),
    # (a sum counts with a letter that it may not name before what it says of it)
    Rewrite(Big, windows.with_letters),
    # in brackets as in programs,
    Rewrite(Juxt, in_brackets.as_indices),
    # above a name and its estimate,
    Rewrite(Script, estimates.at_steps),
    # and below brackets around the name.
    Rewrite(Script, names_in_brackets.without),
    # Those at the ends of an arrow are two.
    Rewrite(Script, arrows_below.as_pairs),
    # An index behind parentheses counts what stands in them, on the left as well.
    Rewrite(Script, families_of_elements.as_families),
    Rewrite(Relation, _always(families_of_elements.without_index)),
    # A bar over a square is no accent of a letter.
    Rewrite(Accent, _always(barred.as_mean)),
    # No condition is what a function is given for one.
    Rewrite(Juxt, no_condition.as_input),
    # What P is of is no product, and no condition.
    Rewrite(Juxt, normal_probabilities.written_out),
    # An example of a layer is counted, and the layer stands above.
    Rewrite(Script, _always(examples_of_layers.counted_below)),
    # An index is one letter: a prime would be one of the name, or a derivative.
    Rewrite(Script, primed.renamed),
    # What is raised to one counts with what is raised to two.
    Rewrite(Infix, _always(power_series.with_first_powers)),
    # The T above probabilities is a temperature, where nothing could be transposed.
    Rewrite(Script, temperatures.below),
    # Those who write one transpose with a small t write all so.
    Rewrite(Script, primed.small_signs),
    # A logarithm with something below it is a norm.
    Rewrite(Apply, _always(norms_called_ln.as_norms)),
    # A mark at the name of a function would make it another function.
    Rewrite(Juxt, turned_functions.apart),
    # The angle below the matrix of a rotation has a number, which is an index of the matrix;
    Rewrite(Script, _always(planes.numbered)),
    # and a matrix that is defined at an angle is a function of any angle.
    Rewrite(Relation, _always(planes.of_angle)),
    # What is rotated is named by both of its places at once,
    Rewrite(Relation, _always(pairs_defined.as_column)),
    # and turned by angles that are as many.
    Rewrite(Infix, _always(half_turns.entry_by_entry)),
    # Ones are a vector where a size below them says how many they are.
    Rewrite(Script, _always(numbered_ones.as_vector)),
    # Side by side below a name stand a number and an index as well as a number of times it.
    Rewrite(Juxt, numbered_tokens.apart),
    # Letters below weights are labels, and none that counts: q, k, v and o, as sets of several,
    Rewrite(Script, roles.as_sets),
    Rewrite(Name, roles.apart),
    # beside the index of a head,
    Rewrite(Script, weights_of_heads.apart),
    # and the letters of two sides.
    Rewrite(Script, sides.labelled),
    # The norm of queries and keys is that of each of them.
    Rewrite(Frac, unit_rows.of_matrices),
    # A family is joined over the index that tells its members apart.
    Rewrite(Juxt, _always(joined_families.joined)),
    # What joins heads looks like an addition, or like a matrix,
    Rewrite(Infix, joined_heads.by_name),
    Rewrite(Matrix, joined_heads.in_a_matrix),
    Rewrite(Big, joined_heads.before_weights),
    # and a row of words like a product.
    Rewrite(Juxt, words_in_a_row.with_commas),
    # What comes close to something defines it, where it is said how it is made.
    Rewrite(Relation, close_by.signed),
)


def rewritten(formula: Formula) -> tuple[Clause, ...]:
    """The clauses of a formula as they are read."""
    for rewrite in REWRITES:
        nodes = formula.of(rewrite.kind)
        change = rewrite.change(formula) if nodes else None
        if change is not None and any(map(change, nodes)):
            formula = Formula(tree.rewritten(formula.clauses, rewrite.kind, change))
    return formula.clauses
