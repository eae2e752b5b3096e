"""Weights that prose ties: *the output projection shares its weights with the token embedding*.

A sentence counts that names the way out, the embeddings and their tie, and takes none of it back:
what is so *often*, *in some models* or *if* something holds is no statement of the note's own
model, and a note that also denies it says nothing. Nor does one that ties the way out to one of two
tables: which of them is to be shared, its model does not ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from notes2code.vault.model import Note, Paragraph, Vault

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
DENIED = re.compile(
    r"\b(?:not|never|no|nor|neither|without|un(?:tied|tie|tying)|separate(?:ly)?|own|unlike|instead"
    r"|rather|independent(?:ly)?|different|nicht|kein\w*|ohne|getrennt\w*|ne|pas|sans|sin|не|нет|без)\b"
    r"|n['’]t\b|不|没有|未|非|无|無|ない|なし|ず|ません|않|안 |없|아니",
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
_DOUBTED = re.compile(
    r"\b(?:often|sometimes|usually|typically|commonly|generally|may|might|can|could|would|should"
    r"|if|whether|when|unless|optional(?:ly)?|some|many|most|others?|alternatively|possible"
    r"|variants?|e\.g|practice|original|paper|GPT|BERT|T5|Vaswani|were|was|had"
    r"|oft|manchmal|meist|kann|können|wenn|falls|souvent|parfois|peu(?:t|vent)|si|puede[n]?|veces"
    r"|часто|иногда|может|если)\b"
    r"|通常|常常|往往|有时|可以|可能|如果|若|一些|有些|许多|例如|比如|是否|论文"
    r"|場合|ことが(?:ある|多い)|しばしば|できる|もし|論文"
    r"|종종|보통|때때로|경우|만약|수 있|논문|[?？]",
    re.IGNORECASE,
)
_READS = re.compile(r"\b(?:source|encoder)\b|源|编码器|エンコーダ|인코더", re.IGNORECASE)
_WRITES = re.compile(r"\b(?:target|decoder)\b|目标|目的|解码器|デコーダ|디코더", re.IGNORECASE)
_PLACES = re.compile(r"\bposition|位置|위치", re.IGNORECASE)
SENTENCE = re.compile(r"(?:[^.!?。！？;；\n]|\.(?=\w))+[.!?。！？]?")


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
    for paragraph in note.paragraphs:
        if paragraph.heading or without in (*note.tags, *paragraph.tags):
            continue
        for sentence in SENTENCE.findall(paragraph.text):
            tied = ties(sentence)
            if tied is not None:
                yield tied, tied or _unties(sentence), line_of(note, paragraph, sentence)


def ties(sentence: str) -> bool | None:
    """Whether a sentence ties the way out and the embeddings, or has a word of denial, of the tie
    or of something else; None where it does neither, or only perhaps."""
    said = (_OUT, _IN, _TIED)
    if not all(pattern.search(sentence) for pattern in said):
        return None
    if DENIED.search(sentence):
        return False
    return None if _is_of_another(sentence) else True


def _unties(sentence: str) -> bool:
    """Whether a sentence of denial denies the tie, and says no other beside: what shares its
    weights *and has no bias*, or *no matrix of its own*, is tied."""
    rest, denials = _UNTIED.subn("", sentence)
    return denials > 0 and _TIED.search(rest) is None and not _is_of_another(sentence)


def _is_of_another(sentence: str) -> bool:
    """Whether a sentence speaks of one of two tables, of that of the positions, or perhaps."""
    one_side = bool(_READS.search(sentence)) != bool(_WRITES.search(sentence))
    return one_side or any(said.search(sentence) for said in (_DOUBTED, _PLACES))


def line_of(note: Note, paragraph: Paragraph, sentence: str) -> int:
    """The line of the first word of a sentence that stands in a paragraph as it is."""
    words = re.findall(r"\w{3,}", sentence)
    places = (note.source.text.find(word, paragraph.start, paragraph.end) for word in words)
    at = next((place for place in places if place >= 0), paragraph.start)
    return note.source.position(at)[0]
