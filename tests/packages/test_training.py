"""Training: which packages have it, and mistakes in it that its own tests must find."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

from building import Package, package_of
from notes2code.compilation import compile_vault
from notes2code.components.library import library
from notes2code.rendering import render
from notes2code.vault import read_vault

KNOWN = library().components
TEXTS = {name: KNOWN[name].textbook.latex for name in KNOWN}
MODULES = {"transformer/data.py", "transformer/distributed.py", "transformer/train.py"}


def _package(*names: str) -> Package:
    return package_of([TEXTS[name] for name in names])


def test_a_package_without_a_model_does_not_train() -> None:
    files = _package("feed_forward", "bleu", "warmup_schedule")
    assert not MODULES & files.keys()
    assert "Training" not in files["README.md"]


def test_a_gpt_learns_texts_and_nothing_else() -> None:
    files = _package("gpt", "bleu")
    assert files.keys() >= MODULES
    assert "Translation" not in files["transformer/data.py"]
    train = files["transformer/train.py"]
    assert not any(name in train for name in ("bleu", "label_smoothing", "warmup"))
    assert "train text" in files["README.md"] and "translation" not in files["README.md"]


def test_an_encoder_decoder_translates_and_nothing_else() -> None:
    files = _package("encoder_decoder", "label_smoothing", "warmup_schedule")
    assert "class Text" not in files["transformer/data.py"]
    train = files["transformer/train.py"]
    assert "label_smoothing(truth" in train and "warmup_schedule(step" in train
    assert "bleu" not in train.lower()


def test_the_name_of_a_vault_is_only_a_name(tmp_path: Path) -> None:
    vault = tmp_path / 'a"""+exit()'
    vault.mkdir()
    (vault / "Note.md").write_text(f"$${TEXTS['gpt']}$$\n", encoding="utf-8")
    files = render(compile_vault(read_vault(vault), library()), "transformer").files
    tree = ast.parse(files["transformer/data.py"])
    (folder,) = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "NOTES"
    ]
    assert ast.literal_eval(folder) == vault.name


MISTAKES = [
    ("train", "    nn.utils.clip_grad_norm_(model.parameters(), options.clip)\n", ""),
    ("train", "    optimizer.zero_grad()\n", ""),
    ("train", "/ count\n", "/ max(1, (wanted != IGNORED).sum().item())\n"),
    ("train", "backward(loss * processes)", "backward(loss)"),
    ("train", "total += loss.detach()", "total += loss.detach() * processes"),
    ("train", "range(rank, parts, processes)", "range(0, parts, processes)"),
    ("train", 'done: int = state["step"]', "done = 0"),
    ("train", "    model.eval()\n", ""),
    ("train", 'group["lr"] = rate(step, options)', "pass"),
    ("distributed", 'optim_state_dict=state["optimizer"]', "optim_state_dict={}"),
    ("data", '"target": target[:, :-1]', '"target": target[:, 1:]'),
    ("data", '{"tokens": rows[:, :-1]}, rows[:, 1:]', '{"tokens": rows[:, :-1]}, rows[:, :-1]'),
]


def test_its_tests_fail_on_mistakes(run_tests: Callable[..., bool]) -> None:
    files = _package("gpt", "encoder_decoder", "bleu", "warmup_schedule", "label_smoothing")
    others = {p for p in files if p.startswith("tests/test_") and p != "tests/test_train.py"}
    files = {path: text for path, text in files.items() if path not in others}
    assert run_tests(files), "the tests must pass before anything is broken"
    survivors = []
    for module, find, put in MISTAKES:
        path = f"transformer/{module}.py"
        assert find in files[path], f"`{find}` is not in {path}"
        wrong = {**files, path: files[path].replace(find, put)}
        # The test with two processes takes the longest, and few of the mistakes need it.
        if run_tests(wrong, "-k", "not two_processes") and run_tests(wrong, "-k", "two_processes"):
            survivors.append(find)
    assert not survivors
