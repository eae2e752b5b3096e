"""Which runs of letters are one word: ``softmax``, ``pos``, ``FFN``, and not a product.

TeX sets ``softmax`` and the product s·o·f·t·m·a·x alike, so people write either. A run is cut
by longest match against the words of the field and of the note; what is left over is a word
if it looks like one, else letters.
"""

from __future__ import annotations

import re
from collections.abc import Set

from notes2code.latex.joining import ELSE, JOINS

SEEN = frozenset(
    "allowed permitted valid visible real keep kept attend attends attended accessible see sees "
    "seen unmasked unblocked connected adjacent".split()
)
"""What notes call positions that may be seen."""

HIDDEN = frozenset(
    "mask masked pad padded padding hidden blocked forbidden disallowed prohibited invalid ignore "
    "ignored excluded invisible inaccessible".split()
)
"""What they call those that may not."""

_ENGLISH = frozenset(
    "where if otherwise else for and or with when then is are so hence thus let given since such "
    "that the of a to all each every any at from denotes i.e. e.g. s.t. st iff because as by be on "
    "which we have has our its this these means where: with: here vs vs. versus".split()
)
PROSE = _ENGLISH | JOINS
"""Words that join formulas and are never the name of anything."""

_SAYS = re.compile(
    r"是|为|為|表示|代表|は|[는은]\s|(?:ist|sind|est|sont|es|son|é|são|è|sono|là|это)\s\S"
)
"""How words begin that say what stands before them is."""

UNITS = frozenset(
    "B KB MB GB TB KiB MiB GiB TiB byte bytes bit bits Byte Bytes FLOP FLOPs FLOPS flops GFLOPs "
    "TFLOPs MACs ops ms 字节 字節 位元組 比特 バイト 바이트 байт байта бит octets".split()
)
"""What amounts are given in."""

AMOUNTS = UNITS | frozenset(
    "parameter parameters params value values element elements entry entries token tokens float "
    "floats number numbers operation operations weights multiplications additions steps layers "
    "heads Parameter paramètres parámetros parâmetros параметров элементов 参数 參數 个参数 次 个 "
    "パラメータ 個 개".split()
)
"""Those, and what there is an amount of."""

BARE_PROSE = (
    _ENGLISH - frozenset("a all each every any at as by be on to of or st i.e. e.g. vs vs.".split())
) | {word for word in JOINS if len(word) > 3 or not word.isascii()}
"""Those that are prose even when they stand in math without ``\\text``."""

FIELD = frozenset(
    """
    softmax Softmax SoftMax softmin logsoftmax sparsemax sigmoid Sigmoid tanh Tanh relu ReLU Relu
    RELU LeakyReLU gelu GELU Gelu GeLU silu SiLU swish Swish elu ELU softplus exp log ln sin cos tan
    arcsin arccos arctan sinh cosh erf sqrt max min argmax argmin sum mean avg var Var std Std
    sign sgn abs clip clamp
    floor ceil round diag Diag tr Tr rank det dim lim mod len norm Norm concat Concat concatenate
    Concatenate cat Cat stack mask Mask masked causal tril triu one onehot dropout Dropout
    Attention attention Attn attn Att att SelfAttention SelfAttn CrossAttention CrossAttn MultiHead
    MultiHeadAttention MultiHeadAttn MultiheadAttention MHA MQA GQA MLA MHSA Head head heads score
    Score scores align FFN FeedForward Feedforward feedforward MLP mlp FF Linear linear LN LayerNorm
    Layernorm layernorm RMSNorm RMS rms BN BatchNorm GLU SwiGLU GEGLU GeGLU ReGLU Sublayer SubLayer
    sublayer Add AddNorm
    Encoder Decoder encoder decoder EncoderLayer DecoderLayer Transformer transformer Block block
    Layer layer Embedding embedding Embed embed Emb emb PE pe Pos pos PosEnc TokEmb RoPE rope ALiBi
    rotate half query Query queries Queries key Key keys Keys value Value values Values logits logit
    loss Loss CE NLL PPL ppl perplexity BLEU BP bleu lr lrate step warmup steps label pred target
    token tokens word input Input output Output out hidden state states context enc dec model
    similarity sim dist cosine kernel Kernel weights Weights weight position bias scale window TopK
    Top topk softcap cap rel src tgt ref cand LM lm GPT BERT Gate gate Router router Expert expert
    lin Lin seq decay epoch eps Re where otherwise else TP TN FP FN KL JS JSD
    int MSE MAE RMSE BCE MLM NSP CLS SEP SOS BOS EOS PAD TOK SEG REG POSENC
    """.split()
)

CALLED = frozenset(
    """
    softmax Softmax SoftMax logsoftmax sigmoid Sigmoid tanh Tanh relu ReLU Relu RELU gelu GELU Gelu
    silu SiLU swish Swish elu ELU softplus exp log ln sin cos tan arcsin arccos arctan sinh cosh
    erf sqrt max min argmax argmin sum mean avg var Var concat Concat concatenate cat
    head Linear Dropout mod
    """.split()
)
"""Words that act on what follows and so never join with it to one name."""

OF_MATRICES = "QKVXWH"
"""Capitals that are matrices in most notes."""

MATRICES = re.compile(rf"(?!W[QKV])[{OF_MATRICES}]{{2,3}}")
"""Letters that OCR sets as one word, in ``\\mathrm{QK}^{\\mathrm{T}}``; a WQ is a weight."""

RATES = frozenset(["beta", "gamma", "lambda", "rho"])
"""Letters of rates: with an index above them they are raised to it, if it counts no layers."""

_LETTERS = frozenset(["eta", "rho", "tau", "phi", "chi", "psi", "mu", "pi"])
"""Greek letters as programs spell them, of so few letters that they could be products; longer names
are words anyway. An ``xi`` is the element of an x as well."""

LONGEST = max(map(len, FIELD))
_WORDLIKE = re.compile(
    r"[a-z]{4,}|[A-Z][a-z]{2,}|(?:[A-Z][a-z]+){2,}|[a-z]{2,}(?:[A-Z][a-z]{2,})+|[A-Z]{3,}s"
)
_VOWEL = re.compile(r"[aeiouyAEIOUY]")
_SHORTENED = re.compile(r"([A-Z][a-z]{2,})[A-Z]{3,}")
"""A syllable and initials, as in *InfoNCE*."""


_COMPOUND = re.compile(r"\s*[A-Za-z]+(?:-[A-Za-z]+)+\s*")
_SPELT = re.compile(r"[A-Za-z][a-z]{2,}")
_ORDINAL = re.compile(
    r"\s*[A-Za-z]\s*(?:-|\\text\{-\})?\s*(?:th|\\(?:text|textrm|mathrm)\{\s*-?\s*th\s*\})\s*"
)


def is_compound(latex: str, known: Set[str]) -> bool:
    """Whether a whole formula is a word of prose with a hyphen, ``n-gram`` or ``one-hot``: one of
    its parts is spelt out and is no word of the field or of the note, as those of ``loss-reg``
    may be; or says which one, ``i-th`` and ``i\\text{-}th``."""
    if _ORDINAL.fullmatch(latex):
        return True
    spelt = _SPELT.findall(latex) if _COMPOUND.fullmatch(latex) else ()
    return any(part not in FIELD and part not in known for part in spelt)


def cut(run: str, known: Set[str]) -> list[str]:
    """Cut a run of adjacent letters into words and single letters.

    ``known`` are the words of the note, besides those of the field, and its own letters.
    """
    if known >= {*run}:
        return [*run]
    if len(run) == 1:
        return [run]
    if run in FIELD or run in known or run in _LETTERS or _is_in_capitals(run, known):
        return [run]
    if _WORDLIKE.fullmatch(run) and _VOWEL.search(run) and not _ends_in_word(run):
        return [run]
    shortened = _SHORTENED.fullmatch(run)
    if shortened and shortened[1] not in FIELD | known:  # no AttnQKV, a word before letters
        return [run]
    pieces: list[str] = []
    at = 0
    while at < len(run):
        for length in range(min(LONGEST, len(run) - at), 1, -1):
            piece = run[at : at + length]
            if piece in FIELD or piece in known:
                break
        else:
            length, piece = 1, run[at]
        pieces.append(piece)
        at += length
    return pieces


_SIGN = re.compile(r"\s*[-+*]\s*")


def is_sum(text: str, known: Set[str]) -> bool:
    """Whether the content of a font is terms, ``\\mathbf{Wx + b}`` and ``\\mathbf{x - m}``, and is
    no word such as ``W-MSA`` and ``Add+Norm``: a plus joins something to letters, or each term is
    letters alone."""
    terms = _SIGN.split(text)
    if len(terms) < 2 or not all(terms):
        return False
    letters = (all(len(p) == 1 for run in term.split() for p in cut(run, known)) for term in terms)
    return any(letters) if "+" in text else all(letters)


EATEN = {
    **{
        name[1:]: name
        for name in "frac alpha theta text times nabla right forall approx varepsilon".split()
    },
    **{name: name for name in "frac dfrac tfrac mathbf mathrm operatorname boldsymbol".split()},
}
"""Commands that have lost their backslash, or that and their first letter, which a programming
language has taken for a sign."""

_DEFINED = re.compile(
    r"(?:^|\\\\|\\q?quad|[,&;])\s*([A-Za-z]{2,8})\s*\([^()=]*\)"
    r"(?:_(?:\w|\{[^{}]*\}))?\s*&?:?="
)


SYLLABLE = re.compile(r"[b-df-hj-np-tvwxz][aou][b-df-hj-np-tvwxz]")
"""Three small letters that can be spoken, such as ``tok``; the i between two others counts."""

_SUMMED = re.compile(rf"\\sum_\{{({SYLLABLE.pattern})\}}")
_FREQUENCIES = re.compile(r"(?<![A-Za-z\\])(?:tf|df|idf)(?![A-Za-z])")
_LATENT = re.compile(r"(?<![A-Za-z\\])(?:kv(?=_\{(?:\\\w+\{)?[a-z]{3,})|ckv(?=_))")
_ONE_OF_TWO = re.compile(r"(?<![A-Za-z\\])[in](?![A-Za-z])")
_GOES_IN = re.compile(r"([A-Za-z]\}?)_\{in\}")
_GROWS = re.compile(r"\d|\\exp|e\^|\\mathrm\{e\}")


def functions(latex: str) -> list[str]:
    """The words that a formula defines as functions, such as the ``lp`` of ``lp(y) = …``."""
    return _DEFINED.findall(latex)


def defined(latex: str) -> frozenset[str]:
    """The words of a formula itself: the functions that it defines, the measure, as in ``AP = …``,
    what it sums over, ``Σ_{tok}``, tf and df beside each other or idf, the ``kv`` of
    ``kv_{latent}``, and the ``in`` of ``x_{in}``, where neither i nor n is an index, or something
    goes out of the same x."""
    goes_in = "_{in}" in latex and not _ONE_OF_TWO.search(latex)
    goes_in |= any(f"{name}_{{out}}" in latex for name in _GOES_IN.findall(latex))
    left, _, right = (part.strip(" \t\n&") for part in latex.partition("="))
    measured = left.lower() in MEASURES and (left.lower() != "pp" or _GROWS.match(right))
    measure = [left] if measured else []
    frequencies = {*_FREQUENCIES.findall(latex)}
    frequencies = frequencies if len(frequencies) > 1 else frequencies & {"idf"}
    return frozenset(
        (
            *functions(latex),
            *_SUMMED.findall(latex),
            *_LATENT.findall(latex),
            *measure,
            *frequencies,
            *(["in"] if goes_in else []),
        )
    )


def _is_in_capitals(run: str, known: Set[str]) -> bool:
    """Whether a run is a word of the field or of the note that is written large: ``MASK``."""
    return len(run) > 2 and run.isupper() and (run.lower() in FIELD or run.lower() in known)


def _ends_in_word(run: str) -> bool:
    """Whether a run such as ``jexp`` is an index letter with a function behind it."""
    return run[1:] in ("exp", "log", "sin", "cos", "tanh", "max", "min", "softmax")


_PLAIN = r"(?:[a-z]|\d+)(?:\s*[-+]\s*(?:[a-z]|\d+))*"
_MATH = re.compile(rf"(\$[^$]+\$|(?<!\w){_PLAIN}\s*(?:[<>]=?|≤|≥)\s*{_PLAIN}(?!\w))")


def apart(text: str) -> list[str]:
    """Words and math in turn: math stands in dollars, or is a comparison of letters and numbers
    as it is typed, ``j <= i``."""
    return [text] if text.count("$") % 2 else _MATH.split(text)


MEASURES = frozenset(
    "recall precision accuracy acc hit hits hr dcg ndcg idcg map mrr ap f1 pass success pp".split()
)
"""Measures, most of them of the first results, in small letters: ``Recall@k``."""

CUT_OFF = re.compile(r"[ijknKN](?![A-Za-z])|\d+(?:\.\d+)?")
"""How many results a measure looks at: the k of ``Recall@k``."""


def is_prose(text: str) -> bool:
    """Whether the content of a ``\\text{…}`` joins formulas rather than naming something."""
    words = text.replace(",", " ").replace(":", " ").lower().split()
    if not words or not any(char.isalpha() for char in text):
        return True
    if (
        any(word in PROSE or word.rstrip(".;") in PROSE for word in words)
        or " ".join(words) in ELSE
        or _SAYS.match(" ".join([*words, ""]))
        or len(words) > 4
    ):
        return True
    return "$" in text or text.rstrip().endswith((":", "："))
