"""An equation as the source of a PyTorch function."""

from __future__ import annotations

from notes2code.emit.arithmetic import Arithmetic
from notes2code.emit.docstring import docstring_lines
from notes2code.emit.finish import finish
from notes2code.emit.graph import EmitError, Graph, Kind, Node, below
from notes2code.emit.layout import Value
from notes2code.emit.lower import Lowering
from notes2code.emit.statements import Body, Names
from notes2code.emit.text import Library, Text, write
from notes2code.meaning import ir, labels, shapes
from notes2code.meaning.diagonals import written_out
from notes2code.meaning.ir import Equation, Index, Input
from notes2code.names import snake
from notes2code.oracle.layout import Bracket, lines

INDENT = "    "


def torch_source(equation: Equation, name: str, docstring: str = "") -> str:
    """The source of a module with a function ``name`` that computes the equation, and one
    function for each that it calls.

    The function takes the equation's inputs under their names: arrays as tensors with any batch
    dimensions on the left (each its own, as far as they broadcast), numbers as floats or tensors
    without axes, sizes as ints, functions as callables that take batch dimensions too. It gives a
    tensor in the arrays' dtype, on their device; without arrays, in float64, or in the dtype of
    numbers that are tensors. A function of a number acts on a tensor of any shape. Raises
    ``EmitError`` where the equation has no such function.
    """
    try:
        return _module(equation, name, docstring)
    except RecursionError:
        raise EmitError("the equation is nested too deeply") from None


def _module(equation: Equation, name: str, docstring: str) -> str:
    equations = _called(equation)
    inputs = frozenset(i.name for e in (equation, *equations.values()) for i in e.inputs)
    library = Library(inputs | {name})
    names = Names({name, *inputs, *library.aliases()})
    python = {key: names.new(snake(key)) for key in equations}
    source, used = _function(equation, name, docstring, library, python)
    parts = [source]
    for key, inner in equations.items():
        if python[key] in used:
            source, more = _function(inner, python[key], "", library, python)
            parts.insert(0, source)
            used |= more
    return "\n\n\n".join([library.imports(), *parts]) + "\n"


def _called(equation: Equation) -> dict[str, Equation]:
    """The equations of all functions that an equation calls, directly or not, callers first."""
    found: dict[str, Equation] = {}
    for key, inner in equation.functions.items():
        for name, other in ((key, inner), *_called(inner).items()):
            if found.pop(name, other) != other:
                raise EmitError(f"two functions are called {name}")
            found[name] = other
    return found


# --- one function -------------------------------------------------------------------------------


def _function(
    equation: Equation, name: str, docstring: str, library: Library, python: dict[str, str]
) -> tuple[str, set[str]]:
    """The source of one function, and the names of the functions that it calls."""
    equation = written_out(equation)
    graph = Graph()
    told = labels.of(equation)
    arrays = sorted((i for i in equation.inputs if i.shape), key=lambda i: i.name in told)
    like = _input_node(graph, arrays[0]) if arrays else None
    low = Lowering(graph, Arithmetic(graph, like))
    names = Names({name, *python.values(), *(library.aliases())})
    low.functions = {key: (python[key], inner) for key, inner in _called(equation).items()}
    for given in equation.inputs:
        names.taken.add(given.name)
        if given.kind == "function":
            low.functions = {**low.functions, given.name: (given.name, None)}
        else:
            axes = tuple(
                Index(f"axis{at}", ir.as_size(size)) for at, size in enumerate(given.shape)
            )
            low.arrays[given.name] = (axes, Value(_input_node(graph, given), axes))
    sizes = _sizes(equation, low, names)
    for definition in equation.definitions:
        value = low.array(definition.array)
        low.arrays[definition.name] = (definition.array.indices, value)
        graph.hints[value.node] = definition.name
        graph.named.add(value.node)
    value = low.array(equation.value)
    root = finish(graph, low.math, low.math.real(low.full(value, equation.value.indices)))
    body = Body(root, graph, library, names)
    nodes = list(below(root))
    lines = [
        *docstring_lines(docstring),
        *_tensors(equation, low, library),
        *_size_lines(sizes, nodes, library),
        *body.lines,
    ]
    source = [*_signature(equation, name, library), *(line and INDENT + line for line in lines)]
    return "\n".join(source), {node.data for node in nodes if node.op == "apply"}


def _input_node(graph: Graph, given: Input) -> Node:
    if given.kind == "size":
        return graph.name(given.name, Kind.WHOLE)
    if not given.shape:
        return graph.name(given.name, Kind.NUMBER)
    return graph.name(given.name, Kind.REAL, len(given.shape), frozenset((given.name,)))


def _signature(equation: Equation, name: str, library: Library) -> list[str]:
    """The ``def`` line, broken as the formatter breaks it."""
    parameters = tuple(f"{given.name}: {_annotation(given, library)}" for given in equation.inputs)
    return lines(Bracket(f"def {name}(", parameters, f") -> {library('Tensor')}:"))


def _annotation(given: Input, library: Library) -> str:
    tensor = library("Tensor")
    if given.kind == "function":
        return f"{library('Callable')}[..., {tensor}]"
    if given.kind == "size":
        return "int"
    return tensor if given.shape else f"float | {tensor}"


def _tensors(equation: Equation, low: Lowering, library: Library) -> list[str]:
    """The lines that make tensors of the numbers that must be tensors."""
    lines: list[str] = []
    for given in equation.inputs:
        name = given.name
        if name not in low.math.numbers:
            continue
        if low.math.like is None:
            made = f"{library('torch.tensor')}({name}, dtype={library('torch.float64')})"
            test = f"{library.builtin('isinstance')}({name}, {library('Tensor')})"
            lines.append(f"if not {test}:")
            lines.append(f"{INDENT}{name} = {made}")
        else:
            like = low.math.like.data
            made = f"{library('torch.as_tensor')}({name}, dtype={like}.dtype, device={like}.device)"
            lines.append(f"{name} = {made}")
    return lines


# --- sizes --------------------------------------------------------------------------------------


def _sizes(equation: Equation, low: Lowering, names: Names) -> dict[str, Node]:
    """The sizes that follow from the inputs: what each local is to be set to."""
    found: dict[str, Node] = {}
    solved = shapes.solve(equation.inputs)
    for size in solved:
        wanted = size.name if size.name.isidentifier() else "size"
        low.sizes[size] = low.graph.name(names.new(wanted), Kind.WHOLE)
    for size, expr in solved.items():
        found[low.sizes[size].data] = low.whole(expr)
    return found


def _size_lines(sizes: dict[str, Node], nodes: list[Node], library: Library) -> list[str]:
    """The lines that set the sizes that the nodes need, neighbouring axes of one input in one."""
    used = {node.data for node in nodes if node.op == "name"}
    for name in reversed(sizes):
        if name in used:
            used |= {node.data for node in _names_in(sizes[name])}
    lines: list[str] = []
    groups: list[list[str]] = []
    for name, node in sizes.items():
        if name not in used:
            continue
        last = sizes[groups[-1][-1]] if groups else None
        if last is not None and _are_neighbours(last, node):
            groups[-1].append(name)
        else:
            groups.append([name])
    for group in groups:
        lines.append(_size_line(group, sizes, library))
    return lines


def _names_in(node: Node) -> list[Node]:
    if node.op == "name":
        return [node]
    return [name for arg in node.args for name in _names_in(arg)]


def _are_neighbours(left: Node, right: Node) -> bool:
    """Whether two sizes are neighbouring axes of one input."""
    if not left.op == right.op == "extent" or left.args[0] is not right.args[0]:
        return False
    return int(left.args[1].data) + 1 == int(right.args[1].data)


def _size_line(group: list[str], sizes: dict[str, Node], library: Library) -> str:
    first, last = sizes[group[0]], sizes[group[-1]]
    if len(group) == 1:

        def text(node: Node) -> Text:
            return write(node, library, text)

        return f"{group[0]} = {text(first).code}"
    end = int(last.args[1].data) + 1
    axes = f"{first.args[1].data}:{end or ''}"
    return f"{', '.join(group)} = {first.args[0].data}.shape[{axes}]"
