"""What a name is called in code, and what the field takes it to be unless a note says otherwise."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from notes2code.latex.tree import (
    Accent,
    Frac,
    Group,
    Infix,
    Juxt,
    Name,
    Neg,
    Node,
    Num,
    Prose,
    Relation,
    Script,
    Stroke,
)
from notes2code.latex.words import MEASURES

INDEX_LETTERS = frozenset([*"ijlmnrstp", "k", "ell", "pos", "u", "tau"])
"""Letters that count positions when they stand below or above a name."""

LABELS = frozenset([*"qkvoehdfcgxyzabw", "K", "Q", "V", "O"])
"""Letters that only name which one is meant when they stand on a weight or a size."""

SIZE_BASES = frozenset(["d", "D", "dim", "N", "T", "L", "H", "B", "C", "n", "m", "h", "l", "V"])
"""Letters that may count something; which ones do is decided by use."""

TOTALS = frozenset("LNT")
"""Capitals of how many layers, examples and steps there are: 1 is added to them."""

COUNTS = TOTALS | frozenset("BD")
"""Those and the capitals of batches and features, which count where nothing but they stand."""

EXTENTS = COUNTS | frozenset("CFHKMPS")
"""Those and the capitals of channels, heads, filters and images, of which products are volumes."""

CLASSES = frozenset("y c class target label".split())
"""What the class is called that a loss is given: it tells a place by its value."""

PROBABILITIES = frozenset(["p", "P", "q", "Pr", "pi"])
"""What probabilities are called."""

BATCHES = frozenset("B b batch batch_size bs".split())
"""What the size of a batch is called, and what counts its examples."""

TRANSPOSES = frozenset(["T", "top", "intercal", "t"])

GAINS = frozenset(["gamma", "g", "w", "beta", "weight", "gain", "scale", "bias", "shift"])
"""What the gain and the bias of a normalisation are called."""

MOMENTS = frozenset(["mean", "avg", "std", "var", "Std", "Var", "variance"])
"""Words for what a normalisation takes off, and divides by."""

ROLES = frozenset("QKVqkv")
"""Letters of queries, keys and values."""

OF_TOKENS = frozenset("HUXYZ")
"""Capitals of what has a row, or a column, for each token."""

VECTORS = frozenset([*"qkvxhsyzuwo"])
"""Letters of vectors, wherever they stand."""

_INDEXED_VECTORS = (VECTORS | frozenset("cr")) - frozenset("w")


@lru_cache(maxsize=4096)
def code_name(*parts: str) -> str:
    """The Python name made of a base and its labels, such as ``W_Q`` or ``lambda_``."""
    *bases, last = [part for part in parts if part] or [""]
    joined = "_".join([*(base.rstrip("_") for base in bases), last])
    decomposed = unicodedata.normalize("NFKD", joined)
    if any(char.isalnum() and not char.isascii() for char in decomposed):
        text = unicodedata.normalize("NFKC", joined)  # as Python reads it: L_总 is no L
    else:
        text = decomposed.encode("ascii", "ignore").decode()
    name = re.sub(r"\W+", "_", text).strip("_") or "x"
    if name[0].isdigit():
        name = f"x_{name}"
    if keyword.iskeyword(name) or name in ("None", "True", "False"):
        name += "_"
    return name


_STROKES = {
    "+": "plus", "-": "minus", "*": "star", "↑": "up", "↓": "down", "⊥": "perp", "‖": "parallel",
}  # fmt: skip
_ARROWS = {"→": "to", "←": "from", "↔": "with", "↑": "up", "↓": "down"}


def label(node: Node) -> str:
    """The text of a script that is a part of a name; "" where it says nothing."""
    match node:
        case Name(text):
            return text
        case Num(text):
            return text.replace(".", "_")
        case Stroke(text):
            return _STROKES.get(text, "")
        case Script(base, sub, sup, primes):
            below = label(sub) if sub is not None else ""
            above = label(sup) if sup is not None else ""
            return "_".join(p for p in (label(base), below, above, "prime" * primes) if p)
        case Accent(mark, base):
            return f"{label(base)}_{mark}"
        case Group(_, items):
            return "_".join(p for p in map(label, items) if p)
        case Juxt(factors):
            texts = [label(f) for f in factors]
            single = all(len(t) == 1 for t in texts)
            capitals = (
                all(map(str.isupper, texts)) and len(runs(factors)) == 1
            )  # MLM, though LM is a word
            return ("" if single or capitals else "_").join(texts)
        case Infix("-" | "+", left, right) | Frac(left, right):
            return f"{label(left)}_{label(right)}"
        case Infix("×", Num(rows), Num(columns)):  # the size of a filter
            return f"{rows}x{columns}"
        case Relation((left, right), (sign,)) if sign in _ARROWS:
            sides = [label(side) if side is not None else "" for side in (left, right)]
            return "_".join(p for p in (sides[0], _ARROWS[sign], sides[1]) if p)
        case Neg(body):
            return f"minus_{label(body)}"
        case Prose(text):
            return "_".join(re.findall(r"[A-Za-z0-9]+", text))
        case _:
            return ""


@lru_cache(maxsize=4096)
def base_letter(name: str) -> str:
    """The letter a code name begins with, without its labels and accents; the W of ``Delta_W`` and
    of ``dW``."""
    base, *labels = name.split("_", 2)
    if _DIFFERENTIAL.fullmatch(base):
        return base[1:]
    changed = base == "Delta" and labels and (len(labels[0]) == 1 or labels[0] in GREEK)
    return labels[0] if changed else base


_DIFFERENTIAL = re.compile("d[ABCE-Zabce-z]")


def is_any_function(name: str) -> bool:
    """Whether a name is a letter that stands for another function in each note, such as f, p or
    the activation σ; kernels K and feature maps φ are the same in all of them."""
    base = base_letter(name)
    return (len(base) == 1 or base in GREEK - FEATURE_MAPS) and base not in KERNELS


def is_size_name(name: str) -> bool:
    """Whether a scalar's name says that it counts features: ``d``, ``d_k``, ``D``, ``dim``."""
    base = base_letter(name)
    return base in ("d", "D", "dim") and not name.endswith(_MARKED)


_MARKED = ("_hat", "_tilde", "_bar", "_star", "_vec", "_plus", "_minus", "_KL", "_JS", "_TV")
"""How the names of what is estimated, of vectors, of what is compared, ``d^+``, and of divergences
end."""


FEATURE_MAPS = frozenset(["phi", "varphi", "Phi", "psi", "Psi"])
KERNELS = frozenset(["K", "k", "kappa"])
"""Letters of functions that give a number for the distance of two things."""

NUMBERS = frozenset(
    "BP BLEU BM25 PPL ppl bleu perplexity lr lrate step steps epoch epochs iteration warmup "
    "loss Loss LOSS CE BCE NLL MLM NSP MSE MAE RMSE KL len pos eps base decay temp temperature "
    "threshold margin scale shift gate gain cap TP TN FP FN CF TF tf DF df IDF idf factor "
    "length count ROUGE METEOR WER CER TER penalty Penalty Pen".split()
)
"""Words that are numbers, also where a name ends with one, as in ``output_length``."""


COSTS = frozenset("capacity cost latency throughput".split())
"""Words of what is paid or waited for."""

_AMOUNTS = COSTS | frozenset(
    "amount bandwidth budget discount duration fraction percent percentage price rate ratio reward "
    "size speed".split()
)
"""Words of amounts, whatever their case."""

_TOLD = re.compile(
    # How much, how often, how well: the rate of errors, the length of a text.
    "率$|[个個次人头頭层層件本回]\\s?[数數]$|[数數容]量$|[长長]度$|大小$|长さ$|長さ$|"
    "成本$|[价価價][格値]$|[时時][间間]$|[损損]失$|[误誤]差$|[奖獎]励$|報酬$|ロス$|コスト$|"
    "손실$|오차$|확률$|길이$|개수$|보상$|정확도$|비율$|비용$|"
    "точность$|ошибка$|потери$|доля$|вероятность$|количество$|скорость$|стоимость$|награда$|"
    # What is compared, of one example.
    "^(?:actual|desired|expected|observed|predicted|true|num|number|total)(?:_|$)|"
    "(?:^|_)(?:error|label|prediction|target|truth|zero_?point)$|"
    "^(?:in|out|n|negative)_(?:features|channels|classes|slope)$|"
    "[标標][签籤]$|^(?:实际|實際|真实|真實|预测|預測|期望|目标|目標|総|总)|^(?:予測|実際|正解)|ラベル$|"
    "^(?:예측|실제|정답|목표)|^(?:предсказан|истинн|целев|фактическ)",
    re.IGNORECASE,
)
"""Words that tell of one number: an amount, or what is compared with another, of one example."""


MULTIPLIED = frozenset("ABCMOUWXY")
"""Capitals that may be multiplied by a letter in parentheses, as in ``W(x)``."""


def is_number(word: str) -> bool:
    """Whether a word is a number, or a measure, which is one, too."""
    return word in NUMBERS or word.lower() in MEASURES | _AMOUNTS


def tells_number(name: str) -> bool:
    """Whether a word tells of one number: an amount, or what is compared."""
    return name.rpartition("_")[2].lower() in _AMOUNTS or _TOLD.search(name) is not None


_SCORES = frozenset("weight score mask sim similarity energy logit rel relevance".split())
"""Words that are a number for each of several positions."""

_RATED = re.compile("[得评評]分$|分[数數]$|スコア$|점수$")
"""Words for scores, which are that too, and may be all of them."""

_WEIGHTS = _SCORES | frozenset(
    "gate prob probability attn attention importance coefficient coef coeff".split()
)
"""Words that are one where what they stand before is added up."""

_COUNTED = re.compile("[A-Z]{3,}[sS]|bytes|params")
"""What is counted: FLOPs, GPUs."""

_CAMEL = re.compile("[a-z]([A-Z][a-z]+)$")

CLIPS = frozenset(["clip", "clamp"])
"""Functions that keep a number between two bounds."""

_LATENT = re.compile(r"c_(?:[QKV]{1,3}|kv|q)")
"""What queries, keys and values are made of: ``c^Q``, ``c^{KV}``."""

FUNCTIONS = frozenset(
    "exp log ln sin cos tan arcsin arccos arctan sinh cosh tanh max min softmax".split()
)
"""Words that mean nothing without an argument."""


_PARAMETERS = frozenset(["theta", "Theta", "phi", "Phi", "psi", "Psi", "omega", "Omega"])
"""Greek letters of what is learned."""


def weighs(word: str) -> bool:
    """Whether terms may be weighed with what is called so: ``gates``, ``probabilities``."""
    word = word.lower()
    return not _WEIGHTS.isdisjoint((word, word.removesuffix("s"), word.removesuffix("ies") + "y"))


@lru_cache(maxsize=4096)
def element_ranks(name: str, indices: int, bold: bool, transposed: bool) -> tuple[int, ...]:
    """The ranks that an element of a name may have, the field's custom first.

    ``indices`` is how many indices it carries; ``bold`` how its letter is set.
    """
    base = base_letter(name)
    base = "l" if base == "ell" else base
    if indices >= 2:
        weighs = bold and (base in ("a", "w") or _is_greek(base))
        return (1, 0, 2) if (transposed or (bold and not weighs)) and base.islower() else (0, 1, 2)
    if len(base) > 1 and not _is_greek(base):
        return _ranks_of_word(name, base, indices)
    if base in _PARAMETERS and name.endswith(("_Q", "_K", "_V")):
        return (2, 1)  # so is θ^Q, as W^Q is
    if _is_greek(base):
        return _ranks_of_greek(name, base, indices, bold or transposed)
    if base.isupper():
        return _ranks_of_capital(name, base, indices)
    if transposed or (bold and indices == 0):
        return (1, 2, 0)
    if bold:
        return (1, 0, 2)
    if indices == 1:
        is_vector = base in _INDEXED_VECTORS or (base == "b" and label_of_projection(name))
        return (1, 0, 2) if is_vector else (0, 1, 2)
    if base == "b" or (base == "c" and _LATENT.fullmatch(name)):
        return (1, 0, 2)
    if base == "d" and name.endswith(("_plus", "_minus")):
        return (1, 0, 2)  # a document
    return (1, 2, 0) if base in VECTORS else (1, 0, 2) if name == "e" else (0, 1, 2)


def _ranks_of_word(name: str, base: str, indices: int) -> tuple[int, ...]:
    """The ranks that an element of a name in words may have."""
    counts = _COUNTED.fullmatch(base) is not None or "_per_" in name
    counts = counts or tells_number(name)
    camel = _CAMEL.search(name)  # the Scale of dequantScale
    ends = {base, name.rpartition("_")[2], camel[1].lower() if camel else ""}
    if counts or any(map(is_number, ends)):
        return (0, 1, 2)
    if indices == 1 and (base.lower() in _SCORES or _RATED.search(name)):
        return (0, 1, 2)
    if base == "ones":
        return (1,)  # the one-hot vector 1_y
    if indices == 0 and base == "input":
        return (1, 2, 0)
    if indices == 1 and base.lower() in ("query", "key", "value", "pe"):
        return (1, 2, 0)
    return (2, 1, 0) if indices == 0 or base[0].isupper() or base == "head" else (1, 2, 0)


def _ranks_of_greek(name: str, base: str, indices: int, is_array: bool) -> tuple[int, ...]:
    """The ranks that an element of a Greek letter may have."""
    if base in ("Sigma", "Lambda", "Theta"):
        return (2, 0, 1)  # a covariance, what stands on a diagonal, or all parameters
    if base in ("Phi", "Psi", "Omega", "Delta", "Gamma") and is_array:
        return (2, 1, 0)
    if base == "Omega" and name != base and indices == 0:
        return (2, 1, 0)  # the Ω_q beside a bias β_q
    if is_array:
        return 1, 0, 2
    return (0, 1) if base in ("alpha", "beta", "gamma", "eta", "lambda", "tau") else (0, 1, 2)


def _ranks_of_capital(name: str, base: str, indices: int) -> tuple[int, ...]:
    """The ranks that an element of a capital letter may have."""
    if base == "W" and label_of_projection(name):
        return (2, 1)  # what makes queries is no number
    if base == "T" and indices == 0 and name.rpartition("_")[2] in NUMBERS | {"x", "y"}:
        return (0, 1, 2)  # T_{warmup}, a time, and T_x, the length of a source
    if base in TOTALS and indices == 0 and name.endswith(("_max", "_min", "_total")):
        return (0, 1, 2)  # L_{max}, a length
    if indices == 0:
        return (2, 1, 0)
    return (1, 2, 0) if base in "QKVXHYZEOCDFGINST" else (2, 1, 0)


def runs(factors: Sequence[Node]) -> list[Sequence[Node]]:
    """Factors in groups between which something stands."""
    gaps = (left.span.end < right.span.start for left, right in pairwise(factors))
    cuts = [0, *(at for at, gap in enumerate(gaps, 1) if gap), len(factors)]
    return [factors[start:end] for start, end in pairwise(cuts)]


def is_capital(node: Node) -> bool:
    """Whether a node is a single capital."""
    return isinstance(node, Name) and len(node.text) == 1 and node.text.isupper()


def is_abbreviation(factors: Sequence[Node]) -> bool:
    """Whether letters side by side are a word, such as ``TAV``: three capitals or more."""
    return len(factors) > 2 and all(map(is_capital, factors))


def as_word(name: str) -> str:
    """A name in small letters and without underscores, as functions are known: ``layernorm`` of
    ``Layer_Norm``. What hangs at a single letter is its label: ``M_{in}`` is no ``min``."""
    base = name.partition("_")[0]
    return (name if len(base) == 1 else name.replace("_", "")).lower()


FEED_FORWARD = frozenset(["ffn", "ff", "mlp", "feedforward", "ffw"])
"""What feed-forward networks are called, in small letters."""


def is_norm(name: str) -> bool:
    """Whether a function is a normalisation by its name: ``LN``, ``RMSNorm``."""
    plain = as_word(name)
    return plain == "ln" or plain.endswith("norm")


def plainly(name: str) -> str:
    """What a function is called of which this may be one use of several: ``RMSNorm`` for
    ``RMSNorm_2``, ``LN`` for ``LN_f`` and ``ln1``; "" for any other name."""
    base, _, mark = name.rpartition("_")
    if not base:
        base = name.rstrip("0123456789")
        return base if base != name and is_norm(base) else ""
    # The label of a mere norm may say which one it is: ``Norm_{batch}``.
    labelled = is_norm(base) and as_word(base) != "norm"
    return base if mark.isdigit() or labelled else ""


def is_mask(name: str) -> bool:
    """Whether a name is that of a mask: ``M``, ``M_{causal}``, ``mask``."""
    return name in ("M", "M_causal") or name.lower().startswith(("mask", "m_mask"))


def label_of_projection(name: str) -> bool:
    """Whether a name is labelled as one of queries, keys, values or outputs: ``b_Q``."""
    return name.rpartition("_")[2].lower() in tuple("qkvo")


GREEK = frozenset(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi "
    "Omega".split()
)


def _is_greek(base: str) -> bool:
    return base in GREEK


def axis_names(name: str, rank: int, attends: bool) -> tuple[tuple[str, str], ...]:
    """The field's names for the axes of an array, as (name, kind); made-up ones have no kind.

    Rows are positions and columns features, as in Q ∈ ℝ^{n×d_k}; the column convention is the
    same table turned round. Q, K and V have these parts only where a formula ``attends``, that
    is, names two of them.
    """
    base = base_letter(name)
    rows, features = _ROLES.get(base, ("", "")) if attends or base in "Xx" else ("", "")
    if base in WEIGHTS and rank <= 2:
        return (("", "feature"),) * rank
    if rank == 2 and base == "M" and attends:
        return (("n", ""), ("m", ""))
    if rank == 2 and rows:
        return ((rows, "sequence"), (features, "feature"))
    if rank == 1 and rows:
        return ((features, "feature"),)
    return (("", ""),) * rank


WEIGHTS = frozenset(["W", "U", "w", "b", "gamma", "beta", "g"])
_ROLES = {
    "Q": ("n", "d_k"), "q": ("n", "d_k"), "K": ("m", "d_k"), "k": ("m", "d_k"),
    "V": ("m", "d_v"), "v": ("m", "d_v"), "X": ("n", "d"), "x": ("n", "d"),
}  # fmt: skip


def counts_heads(name: str) -> bool:
    """Whether a name is by custom the number of heads: ``h``, ``n_h``, ``num_heads``."""
    base, _, label = name.partition("_")
    return (label or base).lower() in ("h", "heads") and base.lower() not in ("d", "dim")
