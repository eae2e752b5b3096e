"""Weights that prose ties: *the output projection shares its weights with the token embedding*.

A sentence counts that names the way out, the embeddings and their tie, and takes none of it back:
what is so *often*, *in some models* or *if* something holds is no statement of the note's own
model, and a note that also denies it says nothing. Nor does one that ties the way out to one of two
tables: which of them is to be shared, its model does not ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from notes2code.statements import Statement, statements
from notes2code.vault.model import Note, Vault

_OUT = re.compile(
    r"\b(?:output|final|last|linear|pre-?softmax|softmax|lm|language model(?:l?ing)?)"
    r"[ -](?:projection|layer|head|matrix|linear|transformation|weights?|map)\b"
    r"|\bway out\b|\bunembedding\b|\b(?:lm|output)[_ ]head\b"
    r"|\$W_\{?(?:\\(?:text|mathrm)\{)?(?:out|vocab|lm|head)\b"
    r"|输出(?:层|投影|矩阵|权重|头)|線形層|出力(?:層|射影|行列|重み|の重み)"
    r"|출력 ?(?:층|레이어|투영|행렬|가중치)"
    r"|\bAusgabe(?:schicht|projektion|matrix)\b|\b(?:couche|projection|matrice) de sortie\b"
    r"|\b(?:capa|proyección|matriz) de salida\b|\bвыходн\w+ (?:сло\w+|проекц\w+|матриц\w+)",
    re.IGNORECASE,
)
_IN = re.compile(
    r"\bembeddings?\b|\bway in\b|嵌入|埋め込み|임베딩|\bplongements?\b|\bэмбеддинг\w*",
    re.IGNORECASE,
)
_WEIGHTS = (
    r"(?:weights?|parameters?|matri(?:x|ces)|tables?|Gewichte?|Matri(?:x|zen)|poids|matrices?"
    r"|pesos|вес\w*|матриц\w*)"
)
_TIED = re.compile(
    r"\b(?:un)?(?:tied|ties?|tying)\b|\bweight[ -]sharing\b"
    rf"|\b(?:shar(?:es?|ed|ing)|reus(?:es?|ed|ing)|teil(?:t|en)|partag(?:e|ent)|compart(?:e|en)"
    rf"|разделя\w+)\b(?: [\w-]+){{0,3}} {_WEIGHTS}\b|\b{_WEIGHTS}(?: [\w-]+){{0,2}} shared\b"
    r"|\bthe same (?:weight matrix|weights|matrix|table|parameters)\b"
    r"|权重(?:共享|绑定|相同)|(?:共享|绑定|共用)(?:同一个?)?(?:权重|参数|矩阵)"
    r"|重みを?(?:共有|結合)|가중치(?:를|가)? ?공유",
    re.IGNORECASE,
)
_UNTIED = re.compile(
    r"(?<!not )(?<!never )(?<!n['’]t )\bunt(?:ied?|ying)\b"
    r"|(?:\b(?:not|never|no|without)|n['’]t)"
    r"(?: (?:are|is|be|been|being|use|have|any|its|their|weights?|parameters?))*"
    r"[ -](?:ties?|tied|tying|shar(?:es?|ed|ing)|reus(?:es?|ed|ing)|the same)\b"
    r"|不(?:共享|绑定|共用)|共有し(?:ない|ません)|공유하지 ?않"
    r"|\bne partage(?:nt)? pas\b|\bno compart\w+"
    r"|\bteil(?:t|en) (?:ihre Gewichte|Gewichte) nicht\b",
    re.IGNORECASE,
)
"""What denies the tie itself, and no bias, matrix or parameters beside it."""
_OF_MANY = re.compile(
    r"\b(?:GPT|were|was|had|practice|variants?|e\.g"
    r"|when|unless|many|most|others?|alternatively|possible|wenn|si)\b"
    r"|许多|例如|比如|場合|論文|경우|논문",
    re.IGNORECASE,
)
"""What tells of a model that once was made, of many models, or of a case."""
_READS = re.compile(r"\b(?:source|encoder)\b|源|编码器|エンコーダ|인코더", re.IGNORECASE)
_WRITES = re.compile(r"\b(?:target|decoder)\b|目标|目的|解码器|デコーダ|디코더", re.IGNORECASE)
_PLACES = re.compile(r"\bposition|位置|위치", re.IGNORECASE)


def ties_said(vault: Vault, without: str, tied: bool = True) -> Mapping[str, int]:
    """The line in which each note ties the way out of its model to its embeddings, or unties it, by
    the note's path; none for one that says both. Sections with the tag ``without`` say nothing."""
    found: dict[str, int] = {}
    for note in vault.notes:
        said = list(_said(note, without))
        if said and all(one is tied and sure for one, sure, _ in said):
            found[note.path] = said[0][2]
    return found


def _said(note: Note, without: str) -> Iterator[tuple[bool, bool, int]]:
    """Whether a note's sentences on that tie or deny it, whether they are sure of that, and their
    lines."""
    for said in statements(note, without):
        tied = _ties(said)
        if tied is not None:
            yield tied, tied or _unties(said), said.line


def _ties(said: Statement) -> bool | None:
    """Whether a sentence ties the way out and the embeddings, or has a word of denial, of the tie
    or of something else; None where it does neither, or only perhaps."""
    if not all(pattern.search(said.text) for pattern in (_OUT, _IN, _TIED)):
        return None
    if said.is_denied:
        return False
    return None if _is_unsure(said) else True


def _unties(said: Statement) -> bool:
    """Whether a sentence of denial denies the tie, and says no other beside: what shares its
    weights *and has no bias*, or *no matrix of its own*, is tied."""
    rest, denials = _UNTIED.subn("", said.text)
    return denials > 0 and _TIED.search(rest) is None and not _is_unsure(said)


def _is_unsure(said: Statement) -> bool:
    """Whether a sentence speaks of another model, of one of two tables, of that of the positions,
    or perhaps."""
    one_side = bool(_READS.search(said.text)) != bool(_WRITES.search(said.text))
    others = any(pattern.search(said.text) for pattern in (_OF_MANY, _PLACES))
    return one_side or others or said.is_of_another or said.is_doubted
