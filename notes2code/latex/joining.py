"""The words that join formulas and tell conditions, in the languages of notes.

Who adds a language begins here. Words of one subject stand where it is read: what is a scalar, a
vector or a matrix in ``meaning/prose/kind_words.py``, normalisations in ``meaning/prose/norms.py``,
convolutions in ``meaning/prose/convolutions.py``, activations in
``meaning/linking/said_functions.py``, amounts in ``meaning/names.py``, tied weights in
``ties_said.py``.
"""

from __future__ import annotations

import re
from collections.abc import Set

IF = frozenset(
    "if for when whenever wenn falls für ist si para cuando pour quand se quando если при для "
    "когда 若 如果 当 时 对于 当且仅当 もし とき のとき の場合 ならば 만약 일 때 인 경우 이면 "
    "nếu khi jika untuk jeśli jeżeli gdy якщо ise eğer olduğunda als indien om hvis pokud když ha "
    "jos dacă αν εάν dla".split()
)
"""Words that stand before or behind a condition."""

WHERE = IF - frozenset("for für para pour для 对于 untuk dla".split())
"""Those that are said of some places only: *for 0 < i ≤ n* is said of all."""

GIVEN = frozenset(
    "where with wobei mit wo où avec donde con onde com dove где 其中 ただし ここで 여기서 với "
    "dengan".split()
)
"""Those in front of what is supposed, or of a condition."""

THEN = frozenset(
    "then dann so alors entonces então то тогда 则 那么 就 なら 그러면 thì maka".split()
)
"""What stands between a condition and what holds under it."""

ELSE = frozenset(
    "otherwise else elsewhere others sonst andernfalls sinon autrement altrimenti иначе 其他 其它 "
    "其余 否则 其他情况 其它情况 それ以外 その他 그외 나머지 anders annars ellers jinak egyébként "
    "muuten altfel αλλιώς değilse lainnya".split()
) | {
    *("en otro caso", "de lo contrario", "caso contrario", "caso contrário", "si no"),
    *("в противном случае", "그 외", "w przeciwnym razie", "в іншому випадку"),
    *("aksi halde", "aksi takdirde", "diğer durumlarda", "ngược lại", "nếu không", "jika tidak"),
    *("w przeciwnym wypadku", "в остальных случаях", "en los demás casos", "en caso contrario"),
}
"""What stands for all other cases."""

AND = frozenset("and und et y e и dan và 和 与 與 及 と 와 과".split())
OR = frozenset("or oder ou o oppure или 或 或者 または 또는 hoặc atau".split())

JOINS = frozenset(
    word for word in IF | GIVEN | ELSE | AND | OR if len(word) > 1 or not word.isascii()
) | (
    frozenset(
        "also gilt donc sea то тогда так 其中： 且 以及 则 即 因此 所以 这里 かつ および 및 그리고 "
        "단 trong đó di mana".split()
    )
)
"""All that join formulas and are never the name of anything; a y or an e may be one."""

EVEN = frozenset("even 偶数 짝수 gerade par четно чётно чётное четное paire".split())
ODD = frozenset("odd 奇数 홀수 ungerade impar нечетно нечётно нечётное нечетное impaire".split())


def any_of(words: Set[str]) -> str:
    """The pattern of one of some words, the longest that there is."""
    return f"(?:{'|'.join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))})"
