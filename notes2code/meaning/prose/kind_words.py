"""The words by which prose calls something a scalar, a vector or a matrix, in the languages of
notes, and those around them that tell whether it says so."""

from __future__ import annotations

import re
from functools import lru_cache

from notes2code.latex.joining import AND
from notes2code.records import dataclass


@dataclass(frozen=True, slots=True)
class Noun:
    """A word for a kind: the rank that it speaks of, ``number`` 1 for a singular, 2 for a plural,
    0 where the language does not tell them apart; ``style`` says where its adjectives stand:
    *before* it, *after* it, as ``english`` nouns do too, or in ``signs`` without spaces. ``counts``
    marks an amount, such as a length; ``each`` what one of several things has, such as a score."""

    rank: int
    number: int
    style: str
    counts: bool = False
    each: bool = False


_NOUNS: dict[
    tuple[int, int, str] | tuple[int, int, str, bool] | tuple[int, int, str, bool, bool], str
] = {
    (1, 1, "english"): r"\w*vector",
    (1, 2, "english"): r"\w*vectors|embeddings",
    (2, 1, "english"): r"\w*matrix",
    (2, 2, "english"): r"\w*matrices",
    (0, 1, "english"): r"scalar|step-?size|temperature|threshold|margin",
    (0, 2, "english"): r"scalars",
    (0, 1, "english", True): r"length|number|count|size",
    (0, 2, "english", True): r"lengths|numbers|counts|sizes",
    (1, 1, "before"): r"[A-ZÄÖÜ]\w*vektor|Vektor|вектор(?:ом)?",
    (1, 2, "before"): r"[A-ZÄÖÜ]\w*vektoren|Vektoren|векторы|векторами",
    (2, 1, "before"): r"матриц(?:а|ей)",
    (2, 2, "before"): r"[A-ZÄÖÜ]\w*matrizen|Matrizen|матрицами",
    (0, 1, "before"): r"Skalar|скаляр(?:ом)?|Schrittweite|Temperatur",
    (0, 2, "before"): r"Skalare|скаляры|скалярами",
    (0, 1, "before", True): r"Anzahl|Länge|Größe|число|числом|количество|длина|длиной|размер",
    (1, 1, "after"): r"vecteur|vetor|vettore",
    (1, 2, "after"): r"vecteurs|vetores|vectores|vettori",
    (2, 1, "after"): r"matrice|matriz",
    (2, 2, "after"): r"matrizes|matrici",
    (0, 1, "after"): r"scalaire|escalar|scalare",
    (0, 2, "after"): r"scalaires|escalares|scalari",
    (
        0,
        1,
        "after",
        True,
    ): r"nombre|longueur|taille|número|longitud|tamaño|comprimento|tamanho|numero",
    (1, 0, "after"): r"vektor|vectơ|véc tơ",
    (2, 0, "after"): r"matriks|ma trận",
    (0, 0, "after"): r"skalar|vô hướng",
    (1, 0, "signs"): r"向量|矢量|ベクトル|벡터",
    (2, 0, "signs"): r"矩阵|矩陣|行列|행렬",
    (0, 0, "signs"): r"标量|標量|纯量|純量|スカラー|스칼라|步[长長]|[温溫]度|刻み幅",
    (0, 0, "signs", True): r"长度|長度|个数|數量|数量|长さ|長さ|길이|[头頭层層][数數]",
    (0, 1, "english", False, True): (
        r"score|reward|cost|price|probability|similarity|confidence|logit|energy|fraction|"
        r"proportion|percentage"
    ),
    (0, 1, "before", False, True): r"оценка|награда|стоимость|вероятность|сходство|доля",
    (0, 1, "signs", False, True): (
        r"得分|分[数數]|[评評]分|[奖獎][励勵]|成本|概率|相似度|置信度|比例|占比|スコア|報酬|コスト|"
        r"確率|類似度|割合|점수|보상|비용|확률|유사도|신뢰도|비율"
    ),
}
_PATTERNS = {Noun(*key): re.compile(pattern) for key, pattern in _NOUNS.items()}

IN_SIGNS = "|".join(pattern for key, pattern in _NOUNS.items() if "signs" in key)
"""Nouns that no space sets apart."""

MENTIONED = re.compile(
    "vect|vekt|vetor|matri|matrices|ma trận|scal|skal|вектор|матриц|скаляр|véc tơ|vô hướng|"
    "embeddings|length|number|count|size|Anzahl|Länge|Größe|число|количеств|длин|размер|nombre|"
    "longueur|taille|número|longitud|tamaño|comprimento|tamanho|numero|score|reward|cost|price|"
    "probability|similarity|confidence|logit|energy|fraction|proportion|percentage|оценка|награда|"
    "стоимость|вероятность|сходство|доля|temperatur|threshold|margin|Schrittweite|"
    f"{IN_SIGNS}",
    re.IGNORECASE,
)
"""What any text holds that speaks of a kind."""


@lru_cache(maxsize=4096)
def noun(word: str) -> Noun | None:
    """The kind that a word is a noun for, if it is one. Only English capitals mean nothing."""
    for found, pattern in _PATTERNS.items():
        if pattern.fullmatch(word.lower() if found.style == "english" else word):
            return found
    return None


SHAPES_IN_SIGNS = "形状 形狀 维度 維度 尺寸 大小 シェイプ サイズ 次元 크기 차원 형태 모양".split()
"""Words for a shape that no space sets apart."""

IS_IN_SIGNS = frozenset("是 为 為 は 은 는 이 가 が".split())
"""What stands between what something is and its letter: 得分为 ``s_i``."""

ARTICLES = frozenset(
    "a an the ein eine der die das un une una uno la le les el los las il lo i gli um uma o os "
    "một các những 一个 一個 一つの".split()
)

COPULAS = ARTICLES | frozenset(
    "is are be being denotes denote represents represent ist sind sei seien bezeichnet bezeichnen "
    "est sont désigne désignent représente es son sea sean denota representa é são seja sejam "
    "è sono sia siano "
    "является являются это обозначает adalah merupakan ialah là : ： — – - ( （ "
    "是 为 為 表示 代表 都是 都为 均为 均是 皆为 分别是 分别为 分別是 分別為 は 는 은 이 가".split()
)
"""What says that something is something; an article does where the verb is left out."""

_SINGULAR = (
    "is denotes represents ist sei est désigne représente es sea denota é seja è sia является"
)
LEADING = COPULAS | frozenset(
    "also still just simply now again usually often typically always only here itself thus "
    "auch also wieder también também aussi juga cũng".split()
)
"""What may stand between a copula and an article."""

_VERB = re.compile(r"[a-z]+[^aisu'’]s|[а-я]+(?:[еиуюая]т|ть)")


def is_verb(word: str) -> bool:
    """Whether a word may be a verb: ``W_i: projects vectors``."""
    return _VERB.fullmatch(word) is not None


OF_ONE = frozenset(_SINGULAR.split())
"""Those that speak of one thing."""

UNCOUNTED = "là"
"""The copula behind which the nouns of other languages have no plural."""

_ENGLISH = frozenset(
    "a an the is are be being denotes denote represents represent : ： — – - ( （".split()
)
"""Those behind which a noun that is English by its letters is."""

OF = frozenset("of in de du des del do da dos das dari của between von".split())
"""What makes of a kind the part of something else: ``the length of the vector``."""

MEASURES = frozenset(
    "size dimension dimensions length tamaño dimensión longitud taille dimension longueur tamanho "
    "dimensão comprimento размера размерности длины berukuran berdimensi ukuran panjang dimensi "
    "kích thước".split()
)
"""What a letter behind it counts: ``вектор размерности d``."""

FIXED = frozenset(
    "identity zero единичная нулевой нулевая identité identidad identidade identitas "
    "位 零 위".split()
)
"""What an array is called whose elements are known."""

PARTS = frozenset(
    "element elements entry entries component components coordinate coordinates".split()
)
"""What belongs to an array that is then named: ``the elements of the vector x``."""

EACH = frozenset("each every any some both".split())
"""Words in front of a noun that change nothing of what it is a part of."""

STOPS = (
    OF
    | MEASURES
    | FIXED
    | AND
    | EACH
    | frozenset(
        "for to by with from on at as than into onto over under per times plus minus not no "
        "never neither either nor or if when while that which whose where whether how "
        "because so but then is are was were be has have had can may will should "
        "used multiplied added applied like via using "
        "oder mit aus auf zu zum zur nicht kein keine durch als wenn dem den des "
        "ou avec par pour dans sur pas que qui con por para en no sin com em não se ao "
        "или не на из в с от к по для если когда как между "
        "乘 个 個 组 組 由 将 把 对 到 非 不 从 每 或 を で に 에 을 를 개 各".split()
    )
)
"""Words that stand in no name of a kind."""

HEADS = {
    0: frozenset(
        "parameter parameters weight weights bias biases gain gains value values coefficient "
        "coefficients factor factors constant constants quantity score scores gate gates number "
        "numbers variable variables multiplier multipliers hyperparameter threshold temperature "
        "margin".split()
    ),
    1: frozenset(
        "parameter parameters representation representations embedding embeddings variable "
        "variables".split()
    ),
}
HEADS[2] = HEADS[1]
"""English nouns that leave of that rank what the word in front of them names."""

_AFTER = frozenset(
    "of for in with that which whose where and from to at per used on over as by via after before "
    "between here so but since because if when while given then only itself each both all "
    "respectively shared de del que con para en y columna fila".split()
)
_PARTICIPLE = re.compile(r"\w+(?:ed|[^d]ing|ado|ido|ada|ida)|learnt|known|made|drawn")
_SIGNS_AFTER = frozenset("이 입 이 다 로 で と だ 且 而 并 並 也 都 其".split())
OF_BEHIND = frozenset("的 之 の 의".split())
"""What makes of the noun before it a part of what follows: ``key vector 的维度``."""
_CLOSING = frozenset('.,;:!?)）。，；、：|(（—–"”」')


def may_follow(found: Noun, word: str, copula: str) -> bool:
    """Whether what stands behind a noun leaves it the head of its phrase: no ``vector space``.
    Behind the copula of another language an adjective may follow, ``es un vector columna``."""
    if word in _CLOSING or not word:
        return True
    if found.style == "signs":
        return word in _SIGNS_AFTER
    if not word[0].isalpha() or word in OF_BEHIND:
        return False
    if found.style == "english" and copula in _ENGLISH:
        return word.lower() in _AFTER | AND or _PARTICIPLE.fullmatch(word.lower()) is not None
    return True
