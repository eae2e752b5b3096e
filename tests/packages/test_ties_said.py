"""Weights that prose ties are one, and only where it says so of the note's own model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from building import Package, without_training
from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.rendering import render
from notes2code.vault import read_vault

NOTE = r"""# Model

$$\mathrm{softmax}(\mathrm{Decoder}(Y, \mathrm{Encoder}(X)) W + b)$$

Something about it.
SAID
"""


def files_of(folder: Path, said: str) -> Mapping[str, str]:
    (folder / "Note.md").write_text(NOTE.replace("SAID", said), encoding="utf-8")
    return render(compile_vault(read_vault(folder), library()), "transformer").files


@pytest.mark.parametrize(
    "said",
    [
        "The output projection shares its weights with the token embedding.",
        "The **output projection** $W$ and the embedding $E$ are tied.",
        "We use weight tying between the embeddings and the output layer.",
        "The softmax layer and both embeddings use the same weight matrix.",
        "The embedding matrix is shared: the output layer and the embedding have the same weights.",
        "The source and target embeddings and the pre-softmax linear share one weight matrix.",
        "输出层与词嵌入权重共享。",
        "输出投影和嵌入层共享权重。",
        "出力層と埋め込みは重みを共有する。",
        "출력층과 임베딩은 가중치를 공유한다.",
        "Die Ausgabeschicht und das Embedding teilen ihre Gewichte.",
        "La couche de sortie et les embeddings partagent leurs poids.",
        "La capa de salida y los embeddings comparten sus pesos.",
    ],
)
def test_what_prose_ties_is_one_table(tmp_path: Path, said: str) -> None:
    code = files_of(tmp_path, said)["transformer/models.py"]
    assert "self.embedding = TokenEmbedding(" in code
    assert "linear_map(x, self.embedding.E.weight, self.b)" in code
    assert f"are tied by {tmp_path.name}/Note.md:6" in " ".join(code.split())


@pytest.mark.parametrize(
    "said",
    [
        "The output projection does not share its weights with the token embedding.",
        "The output projection and the embedding are not tied.",
        "The output projection isn't tied to the embedding.",
        "The output layer and the embedding are untied.",
        "The output projection has its own weights, unlike the tied embeddings of others.",
        "Often the output projection shares its weights with the token embedding.",
        "The output projection may be tied to the embedding.",
        "If the output projection is tied to the embedding, weights are saved.",
        "GPT-2 ties the output projection to its embedding.",
        "In some models the output layer and the embedding share their weights.",
        "Is the output projection tied to the embedding?",
        "The output projection shares its weights with the decoder's embedding.",
        "The output layer and the embedding share the same dimension.",
        "The encoder layers share their weights.",
        "The embeddings are tied.\nThe output layer comes last.",
        "输出层与词嵌入的权重不共享，不是权重共享。",
        "输出层通常与词嵌入共享权重。",
        "出力層と埋め込みは重みを共有しない。",
        "출력층과 임베딩은 가중치를 공유하지 않는다.",
        "Die Ausgabeschicht und das Embedding teilen ihre Gewichte nicht.",
        "The output layer is tied to the embedding. "
        "Yet the output layer is not tied to it, nor to an embedding.",
        "Both the target embedding and the output layer use the same matrix.",
        "The input embedding and the output embedding share their weights.",
        "The output layer shares its weights with the positional embedding.",
        "# Other #n2c/skip\n\nThe output layer is tied to the embedding.",
        "```\nThe output layer is tied to the embedding.\n```",
        "# The output layer is tied to the embedding",
    ],
)
def test_all_else_stays_apart(tmp_path: Path, said: str) -> None:
    code = files_of(tmp_path, said)["transformer/models.py"]
    assert "self.target_embedding = TokenEmbedding(" in code
    assert "tied" not in code


def test_another_note_says_nothing_of_it(tmp_path: Path) -> None:
    (tmp_path / "Other.md").write_text("The output layer is tied to the embedding.", "utf-8")
    assert "tied" not in files_of(tmp_path, "")["transformer/models.py"]


def test_it_is_the_formula_with_one_table(
    tmp_path: Path, run_tests: Callable[[Package], bool]
) -> None:
    files = files_of(tmp_path, "The output projection is tied to the token embedding.")
    assert "has_one_table_for_both_ways_in_and_the_way_out" in files["tests/test_models.py"]
    assert run_tests(without_training(files))
