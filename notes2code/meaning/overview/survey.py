"""What can be seen in a formula before any of it is typed: who binds which index, what is
called, what is indexed how often."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from notes2code.diagnostics import ProblemError, Span
from notes2code.latex.tree import Big, Group, Juxt, Name, Node, Nodes, Script, children, unscripted
from notes2code.meaning import names
from notes2code.meaning.notation import binders, positions, roots, script_reader, scripts
from notes2code.meaning.stated import Range


@dataclass(slots=True)
class Survey:
    """What is seen: first which letters are indices, then how names are used, then what they must
    be by their use. Names are those in code, letters as they are written."""

    nodes: Nodes = field(default_factory=Nodes)
    """All that the values are made of."""

    bound: set[str] = field(default_factory=set)
    """Letters that are indices."""
    targets: set[str] = field(default_factory=set)
    """Those that the left-hand side binds."""
    free: list[str] = field(default_factory=list)
    """Those that nothing but their use under or over a name makes one, in order."""
    starts: dict[str, int] = field(default_factory=dict)
    """The number that a letter counts from, where that is not 0."""
    ranges: dict[str, Range] = field(default_factory=dict)
    """The ranges that are stated."""
    steps: dict[str, set[str]] = field(default_factory=dict)
    """The letters that count steps below and above each name, or all names ("")."""
    ends: set[str] = field(default_factory=set)
    """Letters that end a list elsewhere: the n of ``c = h_n`` beside ``h_1, …, h_n``."""
    heads: bool = False
    """Whether h counts heads above names."""
    labels: set[str] = field(default_factory=set)
    """Letters below names that tell things apart, as the shapes of these say."""
    parts: set[str] = field(default_factory=set)
    """Letters of which labels below tell several things apart."""
    below: set[str] = field(default_factory=set)
    """Letters that have something only below."""
    raised: set[str] = field(default_factory=set)
    """Letters that an index above them raises."""
    listed: set[str] = field(default_factory=set)
    """Letters of which all in a list, in the formula or in its section have something above that
    tells them apart."""
    times: set[str] = field(default_factory=set)
    """Letters that count above names, as the t of ``f^t = σ(W h^{t-1})`` does."""
    numbered: dict[str, int] = field(default_factory=dict)
    """From what number elements such as ``x_{i1}`` are counted, by their letter."""
    squares: set[str] = field(default_factory=set)
    """Names whose square is defined."""
    identities: set[str] = field(default_factory=set)
    """Names of identity matrices."""

    counted: dict[str, set[int]] = field(default_factory=dict)
    """With how many indices each name occurs."""
    written: dict[str, set[int]] = field(default_factory=dict)
    """With how many, if those are counted that only count steps."""
    bold: dict[str, set[int]] = field(default_factory=dict)
    """With how many a name is bold."""
    transposed: dict[str, set[int]] = field(default_factory=dict)
    """With how many a name is transposed."""
    called: set[str] = field(default_factory=set)
    """Names that stand before parentheses wherever they occur."""
    shifts: dict[tuple[str, int, str], set[int]] = field(default_factory=dict)
    """How far the index of each name, place and letter is moved."""
    halves: dict[tuple[str, int, str], Node] = field(default_factory=dict)
    """The d/2 of each name, place and letter with an index such as i + d/2."""
    placed: set[str] = field(default_factory=set)
    """Labels, and what each place is told of, as of ``p_{i,y_i}`` and ``Q_{i,:}``."""
    sizes: set[str] = field(default_factory=set)
    """Names that bound a range or a shape."""
    kernels: frozenset[str] = frozenset()
    """Functions by whose letter arrays are called too."""
    sampled: set[str] = field(default_factory=set)
    """Names that stand before nothing but indices of sums, as in ``Σ_x p(x)``."""
    sets: set[str] = field(default_factory=set)
    """What sums run over, ``Σ_{j ∈ M}``."""

    elements: set[str] = field(default_factory=set)
    """Names that are numbers at one index (x_{2i}), or raised to a power with an index."""
    entries: set[str] = field(default_factory=set)
    """Names that are cells of a matrix."""
    powered: set[str] = field(default_factory=set)
    """Names that are raised to a power with an index."""
    exponents: set[str] = field(default_factory=set)
    """Names to whose power a sum takes e at its index, which are numbers."""
    of_polynomials: set[str] = field(default_factory=set)
    """Names to whose power a sum of products is raised, which count no features."""
    quantities: set[str] = field(default_factory=set)
    """Capitals, and weights, that are numbers."""
    guessed: set[str] = field(default_factory=set)
    """Those of them that are told by their letters, and may as well be arrays."""
    rates: set[str] = field(default_factory=set)
    """Names by which something decays."""
    discounted: set[str] = field(default_factory=set)
    """What is discounted."""
    mixes: set[str] = field(default_factory=set)
    """Names p of which ``1 - p`` is taken, and what is defined so."""
    moves: dict[str, str] = field(default_factory=dict)
    """Names that an update adds to its state, with that."""
    points: set[str] = field(default_factory=set)
    """Vectors, by where they stand."""
    drawn: set[str] = field(default_factory=set)
    """Noise that is drawn from a distribution of vectors."""
    averaged: set[str] = field(default_factory=set)
    """Values that weights add up, which are vectors."""
    weights: set[str] = field(default_factory=set)
    """Words that weigh what is added up, which are numbers."""
    lengths: set[str] = field(default_factory=set)
    """Names whose bars stand beside others', ``|a||b|``."""
    gaps: set[str] = field(default_factory=set)
    """Distances that are held against a margin, which count nothing."""
    magnitudes: set[str] = field(default_factory=set)
    """Vectors of the lengths of columns."""
    forms: set[str] = field(default_factory=set)
    """The matrices between two vectors."""
    matrices: set[str] = field(default_factory=set)
    """What only matrices can be."""
    degrees: set[str] = field(default_factory=set)
    """Matrices with zeros beside their diagonal."""
    told_above: set[str] = field(default_factory=set)
    """Matrices that an index above tells apart, beside each other in a product."""
    projections: set[str] = field(default_factory=set)
    """The Q, K and V that are weights."""
    sequences: set[str] = field(default_factory=set)
    """The x of which queries and keys are made."""

    normalises: bool = False
    """Whether something is divided by a deviation, or by a root of squares."""
    gains: set[str] = field(default_factory=set)
    """What alone scales and shifts what is brought to mean 0."""
    logs: bool = False
    """Whether there is a logarithm."""
    of_probabilities: bool = False
    """Whether all there is are probabilities and their logarithms."""
    of_labels: bool = False
    """Whether all there is are labels y and Greek letters, and no norm of them."""
    attends: bool = False
    """Whether there are two of queries, keys and values."""
    has_matrices: bool = False
    """Whether other matrices than weights are there."""
    weighs: bool = False
    """Whether a weight stands before D."""

    uses: dict[int, tuple[Node, scripts.Use]] = field(default_factory=dict, repr=False)
    named: dict[int, tuple[Node, frozenset[str]]] = field(default_factory=dict, repr=False)
    unbound: dict[int, tuple[Node, Mapping[str, Span]]] = field(default_factory=dict, repr=False)

    def anew(self) -> Survey:
        """The same survey for another typing, which may bind letters of its own."""
        return replace(
            self,
            bound={*self.bound},
            uses={**self.uses},
            named={**self.named},
            unbound={**self.unbound},
        )

    def use(self, node: Node) -> scripts.Use:
        """The resolved scripts of a name."""
        known = self.uses.get(id(node))
        return self._read(node) if known is None else known[1]

    def _read(self, node: Node) -> scripts.Use:
        numbered = self.numbered.keys()
        found = script_reader.read(
            node, self.bound, False, self.steps, numbered, self.raised, self.listed, self.times
        )
        if found.name in self.squares and scripts.is_two(found.power):
            found = replace(found, name=f"{found.name}_squared", power=None)
        if found.above and binders.bare(node) in self.below:
            found = _in_order(found)
        self.uses[id(node)] = (node, found)  # the node is kept: another could get its id
        return found

    def pair(self, node: Big) -> frozenset[str]:
        """The j of ``Σ_{i<j}``, where nothing else binds it."""
        compared = [] if node.sub is None else binders.compared_letter(node.sub)
        return frozenset(letter for letter in compared if letter in self.free)

    def understood(self, node: Node) -> scripts.Use | None:
        """The resolved scripts of a name; None for what is no name, or not understood: that is an
        error where it is computed, which an item of a list may not be."""
        known = self.uses.get(id(node))
        if known is not None:
            return known[1]
        if not scripts.is_name(node):
            return None
        try:
            return self._read(node)
        except ProblemError:
            return None

    def name_of(self, node: Node) -> str:
        """What a name is called with its scripts, as ``W_q``; "" of what is no name."""
        use = self.understood(node)
        return "" if use is None else use.name

    @property
    def of_heads(self) -> frozenset[str]:
        """The letters that count heads, as those below their projections do."""
        projected = ((names.base_letter(n), n, letter) for n, _, letter in self.shifts)
        return frozenset(x for w, n, x in projected if w == "W" and names.label_of_projection(n))

    def is_bold(self, name: str) -> bool:
        """Whether the elements of a name are bold: not those of the ``\\mathbf{x}`` whose
        elements are x_i, or x_1, …, x_n."""
        numbered = [one for one in (f"{name}_0", f"{name}_1") if one in self.counted]
        if numbered and self.counted.get(name) == {0}:
            return any(one in self.bold for one in numbered)
        return name in self.bold and max(self.counted[name]) in self.bold[name]

    def names_in(self, value: Node) -> frozenset[str]:
        """All names in a value of one of the statements."""
        if id(value) not in self.named:
            self.named[id(value)] = value, frozenset(self._names(value))
        return self.named[id(value)][1]

    def loose(self, value: Node) -> Mapping[str, Span]:
        """The letters in a value that are indices and that nothing in it binds, in order, and where
        they stand."""
        if id(value) not in self.unbound:
            found: dict[str, Span] = {}
            _find_loose(self, value, frozenset(), found)
            self.unbound[id(value)] = value, found
        return self.unbound[id(value)][1]

    def _names(self, value: Node) -> Iterator[str]:
        """The names in a value, the R_a of ``R_{a,1}`` among them; the z of ``d_z`` is no name, nor
        are the K and V of ``c_t^{KV}`` and the w of ``w'_{ij}``; that of ``e^z`` is one."""
        pending = [value]
        while pending:
            node = pending.pop()
            use = self.understood(node)
            if use is not None:
                yield use.name
                stem, _, number = use.name.rpartition("_")
                if stem and number.isdigit():
                    yield stem
            if use is None or (
                isinstance(node, Script) and node.sub is None and binders.bare(node) == "e"
            ):
                pending += children(node)
            elif isinstance(node, Script):
                pending += [] if node.primes else [node.base]
                pending += [at.node for at in use.indices]
                pending += [] if use.power is None else [use.power]


def _in_order(use: scripts.Use) -> scripts.Use:
    """A use of a name that stands with letters below it alone, too: what stands above it, the d of
    ``Σ_d Q_i^d K_j^d``, comes behind what stands below; heads come first."""
    above, below = use.indices[: use.above], use.indices[use.above :]
    if any(names.label(at.node) == scripts.HEAD for at in above):
        return use
    return replace(use, indices=(*below, *above), above=0)


def defined_by_both(targets: Iterable[Node]) -> set[str]:
    """The o of ``o_t^{(s)} = …``, which has its axes in the order that this says."""
    defined = (one for one in targets if isinstance(one, Script) and one.sub and one.sup)
    return {one.base.text for one in defined if isinstance(one.base, Name)}


def used(seen: Survey, value: Node) -> Iterator[tuple[scripts.Use, bool]]:
    """The names in a value, in order, and whether each stands before parentheses."""
    pending: list[tuple[Node, bool]] = [(value, False)]
    while pending:
        node, before_parenthesis = pending.pop()
        if not scripts.is_name(node) or scripts.is_of_euler(node):
            inner = children(node)[::-1]
            if isinstance(node, Juxt):
                pending.extend(zip(inner, [False, *map(_opens, inner)], strict=False))
            else:
                pending.extend([(child, False) for child in inner])
        elif (use := seen.understood(node)) is not None:
            yield use, before_parenthesis
            pending += [(at.node, False) for at in use.indices if at.relation == "="]
            if use.power is not None:
                pending.append((use.power, False))


def _opens(node: Node) -> bool:
    """Whether it is a group in parentheses, with scripts or without."""
    group = unscripted(node)
    return isinstance(group, Group) and group.open in ("(", "[")


def _find_loose(seen: Survey, node: Node, bound: frozenset[str], found: dict[str, Span]) -> None:
    """Put the letters in index positions that are not ``bound``, nor by an operator inside the
    node, into what is found, each with its last place."""
    if isinstance(node, Big) and node.sub is not None:
        inner = bound | frozenset(binders.bound_letters(node.sub)) | seen.pair(node)
        for part in (node.sub, node.sup):
            if part is not None:
                _find_loose(seen, part, inner, found)
        _find_loose(seen, node.body, inner, found)
        return
    if isinstance(node, Script) and (own := binders.family_range(node)) is not None:
        inner = bound | frozenset(binders.bound_letters(own))
        _find_loose(seen, node.base, inner, found)
        return
    if scripts.is_name(node):
        use = seen.understood(node)
        if use is None:
            return
        for at in use.indices:
            for part in positions.counted(at.node):
                if isinstance(part, Name) and part.text in seen.bound and part.text not in bound:
                    found[part.text] = part.span
        power = use.power
        if isinstance(node, Script) and node.sub is None and use.name.split("_")[0] == "e":
            power = roots.angle_of(node) or node.sup
        if power is not None:
            _find_loose(seen, power, bound, found)
        if isinstance(node, Name) and node.text in seen.targets and node.text not in bound:
            found[node.text] = node.span
        return
    for child in children(node):
        _find_loose(seen, child, bound, found)
