"""Tests of the training program: its data, its steps, its checkpoints, and several processes."""

from __future__ import annotations

import argparse
import math
import os
import random
import re
import signal
import subprocess
import sys
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import MISSING, fields
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import Tensor, nn

from transformer import data
from transformer.data import END, IGNORED, PAD, START, Text, Translation
from transformer.distributed import distributed, join, process, state_of
from transformer.schedules import warmup_schedule
from transformer.train import (
    MODELS,
    check,
    loss_of,
    main,
    parsed,
    prepared,
    rate,
    report,
    train,
    update,
)

TASKS = ["translation", "text"]
SMALL = "--d-model 16 --num-heads 2 --d-ff 32 --num-layers 1 --max-len 32 --batch-size 8"
METHODS = ("ddp", "fsdp")
needs_gloo = pytest.mark.skipif(not dist.is_gloo_available(), reason="this PyTorch has no gloo")


def command(task: str, folder: Path, more: str = "") -> list[str]:
    """The command line of a small run that has its files in a folder."""
    given = [task, *SMALL.split(), *more.split(), "--checkpoint", str(folder / "run.pt")]
    if task == "text":
        file = folder / "text.txt"
        if not file.exists():  # another process may be reading it
            file.write_text("One small step, then two small steps. " * 40)
        given += ["--file", str(file)]
    return given


def options_of(task: str, folder: Path, more: str = "") -> argparse.Namespace:
    """The options of such a run."""
    return parsed(command(task, folder, more))


def updated(
    options: argparse.Namespace, rate: float = 0.5, steps: int = 2
) -> tuple[list[float], dict[str, Any]]:
    """The losses of some steps of plain gradient descent, and the weights after them."""
    data, kind, config = prepared(options)
    torch.manual_seed(options.seed)
    model = distributed(kind(config), options.parallel)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    batches = [data.batch(options.batch_size, random.Random(step)) for step in range(steps)]
    losses = [update(model, optimizer, batch, options) for batch in batches]
    return losses, state_of(model, optimizer)["weights"]


def same(weights: dict[str, Tensor], others: dict[str, Tensor]) -> bool:
    """Whether two models have the same weights, as far as the order of sums allows."""
    return weights.keys() == others.keys() and all(
        torch.allclose(weights[name], others[name], rtol=1e-4, atol=1e-6) for name in weights
    )


KINDS = {
    "D": data.DETERMINERS,
    "B": data.BEFORE,
    "A": data.BEHIND,
    "N": {**data.NOUNS[0], **data.NOUNS[1]},
    "V": data.VERBS,
    "J": data.JOINTS,
}
"""The tables of words by a letter: determiners, adjectives before and after, nouns, and so on."""


def test_translations_agree_with_their_nouns() -> None:
    """Word by word, but that adjectives of colour stand behind the noun."""
    gender_of = {noun: gender for gender, nouns in enumerate(data.NOUNS) for noun in nouns}
    for seed in range(200):
        english, french = Translation().sentence(random.Random(seed))
        expected: list[str] = []
        phrase: list[str] = []
        for word in english:
            (kind,) = (kind for kind, table in KINDS.items() if word in table)
            if kind in "DBA":
                phrase.append(word)
            elif kind == "N":
                gender = gender_of[word]
                for table in (data.DETERMINERS, data.BEFORE):
                    expected += [table[other][gender] for other in phrase if other in table]
                expected.append(KINDS["N"][word])
                expected += [data.BEHIND[other][gender] for other in phrase if other in data.BEHIND]
                phrase = []
            else:
                expected.append(KINDS[kind][word])
        assert french == expected


def test_sentences_vary() -> None:
    sentences = [Translation().sentence(random.Random(seed))[0] for seed in range(1000)]
    count = {
        kind: sum(word in table for words in sentences for word in words)
        for kind, table in KINDS.items()
    }
    for words in sentences:
        kinds = "".join(kind for word in words for kind, table in KINDS.items() if word in table)
        assert re.fullmatch(r"DB?A?NVDB?A?N(JDB?A?NVDB?A?N)?", kinds)
    assert Translation.longest == len("DBANVDBANJDBANVDBAN") + 1  # and the start
    assert count["J"] / len(sentences) == pytest.approx(0.3, abs=0.05)
    assert count["B"] / count["N"] == pytest.approx(0.4, abs=0.05)
    assert count["A"] / count["N"] == pytest.approx(0.4, abs=0.05)
    assert {word for words in sentences for word in words} == {w for t in KINDS.values() for w in t}


def test_a_translation_is_written_from_its_start_to_its_end() -> None:
    translation = Translation()
    inputs, expected = translation.batch(20, random.Random(0))
    assert len({len(translation.words_of(row)) for row in expected}) > 1
    assert inputs["source"].size(0) == 20
    assert translation.words == ["<pad>", "<start>", "<end>", *sorted(translation.words[3:])]
    for source, keep, given, wanted in zip(
        inputs["source"], inputs["source_keep_mask"], inputs["target"], expected, strict=True
    ):
        count = int((wanted != IGNORED).sum())
        assert given[0] == START and wanted[count - 1] == END
        assert given[1:count].equal(wanted[: count - 1])
        assert (given[count + 1 :] == PAD).all() and (wanted[count:] == IGNORED).all()
        assert keep.equal(source != PAD)
        assert len(translation.words_of(source)) == len(translation.words_of(wanted))


def test_held_out_sentences_are_never_trained_on() -> None:
    """One in ten is held out, by its checksum, whatever the seed."""
    translation = Translation()
    for held_out, options in ((False, {}), (True, {"held_out": True})):
        inputs, _ = translation.batch(50, random.Random(0), **options)
        for row in inputs["source"]:
            checksum = zlib.crc32(" ".join(translation.words_of(row)).encode())
            assert (checksum % 10 == 0) == held_out


@pytest.mark.parametrize("right", [True, False])
def test_a_report_compares_what_is_written(
    right: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """A translation may be twice as long as the right one, if the model can write so much."""
    inputs, expected = Translation().batch(10, random.Random("held out"), held_out=True)
    length = expected.size(1)
    max_len = 2 * length + 1 if right else Translation.longest
    translation, kind, config = prepared(
        options_of("translation", tmp_path, f"--max-len {max_len}")
    )
    model, asked = kind(config), {}
    written = expected.masked_fill(expected == IGNORED, END) if right else expected * 0 + START

    def greedy(source: Tensor, **options: Any) -> Tensor:
        asked.update(options, source=source)
        return written

    monkeypatch.setattr(model, "greedy", greedy)
    report(7, model, translation, 10)
    assert asked.pop("source").equal(inputs["source"])
    assert asked.pop("source_keep_mask").equal(inputs["source_keep_mask"])
    assert asked == {"start": START, "end": END, "max_len": min(2 * length, max_len)}
    english = " ".join(translation.words_of(inputs["source"][0]))
    french = " ".join(translation.words_of(expected[0])) if right else ""
    shown = capsys.readouterr().out
    assert shown.startswith("step 7: held-out loss ")
    assert shown.endswith(f"BLEU {right:.3f}, such as: {english} -> {french}\n")


def test_each_byte_is_expected_after_the_one_before() -> None:
    text = Text(bytes(range(256)), 8)
    inputs, expected = text.batch(50, random.Random(0))
    assert expected.equal(inputs["tokens"] + 1)
    assert inputs["tokens"].shape == (50, 8)
    assert text.vocab_size == 256


def test_the_last_tenth_of_a_text_is_held_out() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = Text(bytes(range(250)), 8)
    for options, there in (({}, range(225)), ({"held_out": True}, range(225, 250))):
        inputs, expected = text.batch(5000, random.Random(0), **options)
        assert {*inputs["tokens"].flatten().tolist(), *expected[:, -1].tolist()} == {*there}


def test_the_notes_are_looked_for_here_and_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = tmp_path / "some" / "where"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    monkeypatch.setattr(data, "NOTES", "notes of these tests")
    with pytest.raises(FileNotFoundError, match="name a --file"):
        data.notes()
    (tmp_path / data.NOTES).mkdir()
    (tmp_path / data.NOTES / "Drawing.excalidraw.md").write_text("packed")
    for name in "decaf":
        (tmp_path / data.NOTES / f"{name}.md").write_text(f"note {name}")
    assert data.notes() == b"note a\nnote c\nnote d\nnote e\nnote f"


def test_a_run_without_a_file_learns_the_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "What the notes say. " * 40
    monkeypatch.setattr("transformer.train.notes", said.encode)
    text, _, _ = prepared(parsed(["text", *SMALL.split()]))
    inputs, _ = text.batch(1, random.Random(0))
    assert bytes(inputs["tokens"][0].tolist()).decode() in said


@pytest.mark.parametrize(
    ("length", "written", "shown"), [(32, b"Notes\xff", "Notes\ufffd"), (31, b"N", "N")]
)
def test_a_report_goes_on_with_half_of_a_text(
    length: int,
    written: bytes,
    shown: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Any,
) -> None:
    text, kind, config = prepared(options_of("text", tmp_path, f"--max-len {length}"))
    model, asked = kind(config), {}

    def generate(tokens: Tensor, count: int, **options: Any) -> Tensor:
        asked.update(options, tokens=tokens, count=count)
        return torch.tensor([[*written]])

    monkeypatch.setattr(model, "generate", generate)
    report(7, model, text, 10)
    inputs, _ = text.batch(10, random.Random("held out"), held_out=True)
    assert asked.pop("tokens").equal(inputs["tokens"][:1, :16])
    assert asked == {"count": 200, "top_k": 20}
    assert capsys.readouterr().out.endswith(f"\n{shown}\n")


def test_a_text_can_be_too_short() -> None:
    Text(bytes(110), 10).batch(1, random.Random(0), held_out=True)
    with pytest.raises(
        ValueError, match="of 109 bytes is too short for stretches of 10: .* smaller max_len"
    ):
        Text(bytes(109), 10)


def test_the_loss_is_that_of_the_tokens_there_are() -> None:
    logits = torch.randn(2, 3, 5, dtype=torch.float64)
    expected = torch.tensor([[1, 2, IGNORED], [4, IGNORED, 0]])
    logarithms = torch.log_softmax(logits, dim=-1)
    wanted = -(
        logarithms[0, 0, 1] + logarithms[0, 1, 2] + logarithms[1, 0, 4] + logarithms[1, 2, 0]
    )
    torch.testing.assert_close(loss_of(logits, expected), wanted)
    spread = -logarithms[expected != IGNORED].sum() / 5
    smooth = loss_of(logits, expected, smoothing=0.2)
    torch.testing.assert_close(smooth, 0.8 * wanted + 0.2 * spread, rtol=1e-12, atol=0)


@pytest.mark.parametrize("task", TASKS)
def test_training_learns(task: str, tmp_path: Path) -> None:
    faster = "--steps 60 --warmup-steps 30"
    options = options_of(task, tmp_path, faster)
    losses = train(options)
    guess = math.log(prepared(options)[0].vocab_size)
    assert losses[0] == pytest.approx(guess, rel=0.1)
    assert sum(losses[-5:]) < 0.8 * sum(losses[:5])


def test_the_truth_is_spread_as_asked_for(tmp_path: Path) -> None:
    how = "--dropout 0 --label-smoothing"
    plain, spread = (updated(options_of(TASKS[0], tmp_path, f"{how} {part}")) for part in (0, 0.5))
    assert plain[0] != spread[0]


@pytest.mark.parametrize("task", TASKS)
def test_a_run_that_goes_on_gives_the_same_numbers(task: str, tmp_path: Path) -> None:
    how = "--steps 6 --accumulate 2 --dropout 0.1 --seed 3"
    unbroken = train(options_of(task, tmp_path, how))
    state = torch.load(tmp_path / "run.pt")
    first = train(options_of(task, tmp_path, how.replace("6", "3")))
    then = train(options_of(task, tmp_path, "--steps 6 --resume"))
    assert [*first, *then] == unbroken
    for name, weight in torch.load(tmp_path / "run.pt")["weights"].items():
        assert weight.equal(state["weights"][name])


@pytest.mark.parametrize("task", TASKS)
def test_a_checkpoint_is_a_model_in_a_file(task: str, tmp_path: Path) -> None:
    train(options_of(task, tmp_path, "--steps 1"))
    model = MODELS[task].load(tmp_path / "run.pt")
    state = torch.load(tmp_path / "run.pt")
    assert all(state["weights"][name].equal(w) for name, w in model.state_dict().items())
    assert not {"task", "checkpoint", "resume", "device", "parallel"} & state["options"].keys()


def test_a_run_that_is_stopped_leaves_the_checkpoint_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = options_of(TASKS[0], tmp_path, "--steps 1")
    train(options)
    before = (tmp_path / "run.pt").read_bytes()

    def stopped(_: Any, path: Path) -> None:
        path.write_bytes(b"half of it")
        raise KeyboardInterrupt

    monkeypatch.setattr(torch, "save", stopped)
    with pytest.raises(KeyboardInterrupt):
        train(options)
    assert (tmp_path / "run.pt").read_bytes() == before
    assert (tmp_path / "run.pt.part").exists()


@pytest.mark.parametrize("task", TASKS)
def test_reports_and_checkpoints_come_every_few_steps_and_at_the_end(
    task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported = []

    def remember(step: int, model: Any, data: Any, count: int) -> None:
        state = torch.load(tmp_path / "run.pt")
        assert all(state["weights"][name].equal(w) for name, w in model.state_dict().items())
        reported.append((step, state["step"], count))

    monkeypatch.setattr("transformer.train.report", remember)
    train(options_of(task, tmp_path, "--steps 5 --every 2"))
    assert reported == [(2, 2, 64), (4, 4, 64), (5, 5, 64)]
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize("number", [0, 1])
def test_the_first_process_shows_how_far_a_run_is(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr("transformer.train.process", lambda: (number, 2))
    losses = iter([0.25, 0.5, 0.75])
    monkeypatch.setattr("transformer.train.update", lambda *_: next(losses))
    monkeypatch.setattr("transformer.train.report", lambda *_: print("a report"))
    clock = SimpleNamespace(monotonic=iter([10.0, 11.0, 12.0, 13.0]).__next__)
    monkeypatch.setattr("transformer.train.time", clock)
    options, shares = options_of(TASKS[0], tmp_path, "--steps 3"), []
    monkeypatch.setattr("transformer.train.join", lambda device: shares.append(device) or device)
    monkeypatch.setattr("transformer.train.distributed", lambda *of: shares.append(of[1]) or of[0])
    flushed: list[bool] = []
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(sys.stderr, "flush", lambda: flushed.append(True))
    train(options)
    assert len(flushed) == (3 if number == 0 else 0)
    assert shares == [options.device, "ddp"]
    bars = [f"\r[{'=' * 10 * n:30}] {n}/3  loss {n / 4:.3f}  {n} s " for n in (1, 2, 3)]
    shown = ("a report\n", "".join(bars) + "\n") if number == 0 else ("", "")
    assert capsys.readouterr() == shown
    assert (tmp_path / "run.pt").exists() == (number == 0)


def test_a_run_may_leave_nothing_behind(tmp_path: Path, capsys: Any) -> None:
    """Without a terminal, no bar is drawn; without the name of a checkpoint, none is written."""
    options = options_of(TASKS[0], tmp_path, "--steps 1")
    options.checkpoint = None
    train(options)
    assert not capsys.readouterr().err
    assert not (tmp_path / "run.pt").exists()


@pytest.mark.parametrize("task", TASKS)
def test_the_seed_says_everything(task: str, tmp_path: Path) -> None:
    first, again, other = (
        train(options_of(task, tmp_path, f"--steps 2 --dropout 0.1 --seed {seed}"))
        for seed in (1, 1, 2)
    )
    assert first == again
    assert all(mine != theirs for mine, theirs in zip(first, other, strict=True))


@pytest.mark.parametrize("task", TASKS)
def test_each_step_and_each_seed_has_its_own_batch(
    task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Processes share a batch, but not what dropout leaves out."""
    batches: list[Tensor] = []
    seeds: list[int] = []

    def remember(model: Any, optimizer: Any, batch: Any, options: Any) -> float:
        batches.append(batch[1])
        seeds.append(torch.initial_seed())
        return 0.0

    monkeypatch.setattr("transformer.train.update", remember)
    monkeypatch.setattr("transformer.train.report", lambda *_: None)
    for seed, number in ((1, 0), (2, 0), (1, 1)):
        monkeypatch.setattr("transformer.train.process", lambda number=number: (number, 2))
        train(options_of(task, tmp_path, f"--steps 2 --seed {seed}"))
    assert not any(batches[a].equal(batches[b]) for a in range(4) for b in range(a))
    assert batches[0].equal(batches[4]) and batches[1].equal(batches[5])
    assert len({*seeds}) == 6


@pytest.mark.parametrize("task", TASKS)
def test_the_parts_of_a_batch_add_up_to_it(task: str, tmp_path: Path) -> None:
    losses, weights = updated(options_of(task, tmp_path, "--dropout 0"))
    split, others = updated(options_of(task, tmp_path, "--dropout 0 --accumulate 3"))
    assert split == pytest.approx(losses, rel=1e-5)
    assert same(others, weights)


def test_a_part_of_a_batch_may_be_one_sequence(tmp_path: Path) -> None:
    assert len(train(options_of(TASKS[0], tmp_path, "--steps 1 --accumulate 8"))) == 1


def test_processes_share_a_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean of their gradients is the gradient, the sum of their losses the loss."""
    options = options_of(TASKS[0], tmp_path, "--dropout 0 --clip 1e9 --accumulate 2")
    (loss,), weights = updated(options, steps=1)
    shares = []
    for number in range(2):
        monkeypatch.setattr("transformer.train.process", lambda number=number: (number, 2))
        shares.append(updated(options, steps=1))
    ((of_one,), some), ((of_other,), others) = shares
    assert of_one + of_other == pytest.approx(loss, rel=1e-5)
    assert same({name: (some[name] + others[name]) / 2 for name in some}, weights)


def test_a_gradient_is_clipped(tmp_path: Path) -> None:
    options = options_of(TASKS[0], tmp_path, "--clip 0.001 --dropout 0")
    _, still = updated(options, rate=0.0, steps=1)
    _, moved = updated(options, rate=1.0, steps=1)
    way = math.sqrt(sum((moved[name] - still[name]).pow(2).sum().item() for name in moved))
    assert way == pytest.approx(0.001, rel=0.01)


def test_the_rate_is_the_schedule_s(tmp_path: Path) -> None:
    options = options_of(TASKS[0], tmp_path, "--steps 3 --learning-rate 0.5 --warmup-steps 10")
    train(options)
    (group,) = torch.load(tmp_path / "run.pt")["optimizer"]["param_groups"]
    assert group["lr"] == rate(3, options)
    assert group["betas"] == (0.9, 0.98) and group["eps"] == 1e-9
    assert rate(3, options) == pytest.approx(0.5 * warmup_schedule(3, 16, 10))


@pytest.mark.parametrize("task", TASKS)
def test_bfloat16_is_almost_as_good(task: str, tmp_path: Path) -> None:
    exact = train(options_of(task, tmp_path, "--steps 3 --dropout 0"))
    rounded = train(options_of(task, tmp_path, "--steps 3 --dropout 0 --bf16"))
    assert rounded != exact
    assert rounded == pytest.approx(exact, rel=0.02)
    # The loss itself is computed in float32.
    assert any(torch.tensor(loss).bfloat16().item() != loss for loss in rounded)


@pytest.mark.parametrize("task", TASKS)
def test_the_command_line_trains_and_reports(task: str, tmp_path: Path, capsys: Any) -> None:
    main(command(task, tmp_path, "--steps 2 --every 1"))
    shown = capsys.readouterr().out
    assert "step 1: held-out loss" in shown and "step 2: held-out loss" in shown


def test_a_report_may_be_kept(tmp_path: Path) -> None:
    with redirect_stdout(StringIO()) as kept:
        main(command(TASKS[0], tmp_path, "--steps 1"))
    assert kept.getvalue().startswith("step 1: held-out loss")


def test_a_report_is_shown_as_well_as_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a model writes may have signs that a terminal, or a file, has no code for."""
    terminal = TextIOWrapper(BytesIO(), encoding="ascii")
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", terminal)
        main(command("text", tmp_path, "--steps 1"))
    terminal.seek(0)
    shown = terminal.read()
    assert shown.startswith("step 1: held-out loss") and "?" in shown


@pytest.mark.parametrize("task", TASKS)
def test_the_options_have_their_defaults(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = {"steps": 500, "batch_size": 32, "accumulate": 1, "every": 100, "seed": 0}
    usual |= {"clip": 1.0, "bf16": False, "parallel": "ddp", "checkpoint": None, "resume": False}
    usual |= {"learning_rate": 1.0, "warmup_steps": 200}
    usual |= {"label_smoothing": 0.1}
    sizes = fields(MODELS[task].config_class)
    usual |= {size.name: size.default for size in sizes if size.default is not MISSING}
    usual.pop("vocab_size", None)
    options = vars(parsed([task]))
    assert usual.items() <= options.items() and "vocab_size" not in options
    numbers = {name: value for name, value in usual.items() if type(value) in (int, float)}
    given = [f"--{name.replace('_', '-')}={value}" for name, value in numbers.items()]
    assert vars(parsed([task, *given])) == options
    for there, device in ((True, "cuda"), (False, "cpu")):
        monkeypatch.setattr(torch.cuda, "is_available", lambda there=there: there)
        usual_run = parsed([task])
        assert usual_run.device == parsed([task, "--device", device]).device == device
        check(usual_run)


@pytest.mark.parametrize("task", TASKS)
def test_the_help_says_what_can_be_asked_for(task: str, capsys: Any) -> None:
    def shown(*arguments: str) -> str:
        with pytest.raises(SystemExit):
            parsed([*arguments, "--help"])
        return " ".join(capsys.readouterr().out.split())

    assert shown().startswith("usage: python -m transformer.train [-h] task ...")
    assert f"teach {MODELS[task].__name__} to" in shown(task)
    assert "--steps N training steps (default: 500)" in shown(task)
    assert "--checkpoint FILE" in shown(task)


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "another-task",
        f"{TASKS[0]} --batch-size 0",
        f"{TASKS[0]} --accumulate x",
        f"{TASKS[0]} --warmup-steps 0",
        f"{TASKS[0]} --every 0",
        f"{TASKS[0]} --device abacus",
        f"{TASKS[0]} --parallel all",
    ],
)
def test_a_wrong_command_line_is_refused(wrong: str, capsys: Any) -> None:
    with pytest.raises(SystemExit):
        parsed(wrong.split())
    assert capsys.readouterr().err.startswith("usage: python -m transformer.train")


def test_a_run_goes_on_from_a_checkpoint_only(capsys: Any) -> None:
    with pytest.raises(SystemExit):
        parsed([TASKS[0], "--resume"])
    shown = capsys.readouterr().err
    assert shown.startswith(f"usage: python -m transformer.train {TASKS[0]} ")
    assert "--resume needs the --checkpoint" in shown


def failure(capsys: Any, *arguments: str) -> str:
    """What the program prints of arguments that are wrong, with a usage or without: one line."""
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    *usage, line = capsys.readouterr().err.splitlines()
    assert not usage or usage[0].startswith("usage: python -m transformer.train")
    return line


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("--steps x", "argument --steps: 'x' is not a whole number from 1 on"),
        ("--steps 0", "argument --steps: '0' is not a whole number from 1 on"),
        ("--num-heads 0", "argument --num-heads: '0' is not a whole number from 1 on"),
        ("--learning-rate -1", "argument --learning-rate: '-1' is not a number above 0"),
        ("--clip 0", "argument --clip: '0' is not a number above 0"),
        ("--clip nan", "argument --clip: 'nan' is not a number above 0"),
        ("--clip x", "argument --clip: 'x' is not a number above 0"),
        ("--dropout 1", "argument --dropout: '1' is not a number from 0 on and below 1"),
        ("--dropout -0.1", "argument --dropout: '-0.1' is not a number from 0 on and below 1"),
        ("--label-smoothing 2", "argument --label-smoothing: '2' is not a number from 0 on"),
        ("--d-model 9", "d_model=9 is not a multiple of num_heads=2"),
        ("--accumulate 9", "a batch of 8 has too few sequences for 9 parts"),
        ("--device cuda", "--device cuda: there is no such device here"),
        ("--max-len 19", "--max-len 19: sentences have up to 20 tokens"),
    ],
)
def test_a_line_says_what_is_wrong(
    wrong: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    line = failure(capsys, *command(TASKS[0], tmp_path, wrong))
    assert "error: " + why in line
    assert not (tmp_path / "run.pt").exists()


def test_a_checkpoint_has_a_folder_and_is_not_lost(tmp_path: Path, capsys: Any) -> None:
    given = command(TASKS[0], tmp_path, "--steps 1")
    given[given.index(str(tmp_path / "run.pt"))] = str(tmp_path / "nowhere" / "run.pt")
    assert "there is no folder" in failure(capsys, *given)
    main(command(TASKS[0], tmp_path, "--steps 1"))
    before = (tmp_path / "run.pt").read_bytes()
    capsys.readouterr()
    assert "is there already" in failure(capsys, *command(TASKS[0], tmp_path, "--steps 1"))
    assert (tmp_path / "run.pt").read_bytes() == before


def test_a_run_that_is_done_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """Of several processes the first says so."""
    train(options_of(TASKS[0], tmp_path, "--steps 2"))
    capsys.readouterr()
    said = "already at step 2 of 2: give more --steps to go on\n"
    for number, shown in ((1, ""), (0, said)):
        monkeypatch.setattr("transformer.train.process", lambda number=number: (number, 2))
        assert train(options_of(TASKS[0], tmp_path, "--resume")) == []
        assert capsys.readouterr().out == shown
    train(options_of(TASKS[0], tmp_path, "--resume --steps 3"))
    assert "already" not in capsys.readouterr().out


def test_a_run_goes_on_from_a_state_of_its_own_only(tmp_path: Path, capsys: Any) -> None:
    going_on = command(TASKS[0], tmp_path, "--resume")
    assert "No such file" in failure(capsys, *going_on)
    (tmp_path / "run.pt").write_bytes(b"no checkpoint")
    assert "is not a file of weights" in failure(capsys, *going_on)
    _, kind, config = prepared(options_of(TASKS[0], tmp_path))
    kind(config).save(tmp_path / "run.pt")
    assert "holds a model, but no run to go on with" in failure(capsys, *going_on)
    train(options_of(TASKS[0], tmp_path, "--steps 1"))
    larger = "--max-len 64 --d-model 32 --num-heads 4 --d-ff 64 --num-layers 2"
    was = "d_ff=32, d_model=16, max_len=32, num_heads=2, num_layers=1"
    going_on_larger = command(TASKS[0], tmp_path, f"--resume --steps 2 {larger}")
    assert failure(capsys, *going_on_larger).endswith(f"run.pt is of a model with {was}")
    other = command("text", tmp_path, "--resume")
    wanted = f"holds a model of class {kind.__name__}, not {MODELS['text'].__name__}"
    assert failure(capsys, *other).endswith(wanted)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C raises a ``KeyboardInterrupt``, also where these tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_ends_a_run_behind_a_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """The step is finished and its state saved: the run goes on from there as if nothing were."""
    unbroken = train(options_of(TASKS[0], tmp_path, "--steps 4"))
    (tmp_path / "run.pt").unlink()

    def interrupted(*given: Any) -> float:
        loss = update(*given)
        signal.raise_signal(signal.SIGINT)
        return loss

    with monkeypatch.context() as patch, pytest.raises(SystemExit) as stopped:
        patch.setattr("transformer.train.update", interrupted)
        main(command(TASKS[0], tmp_path, "--steps 4"))
    assert stopped.value.code == 130
    assert capsys.readouterr().err.endswith("stopped at step 1 of 4\n")
    assert train(options_of(TASKS[0], tmp_path, "--resume")) == unbroken[1:]


@pytest.mark.usefixtures("interruptible")
def test_a_second_interrupt_ends_a_run_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> float:
        for _ in range(2):
            signal.raise_signal(signal.SIGINT)
        raise AssertionError("it went on")

    monkeypatch.setattr("transformer.train.update", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(options_of(TASKS[0], tmp_path))
    assert not (tmp_path / "run.pt").exists()


def test_an_interrupt_may_be_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> float:
        signal.raise_signal(signal.SIGINT)
        return 0.0

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    monkeypatch.setattr("transformer.train.update", interrupted)
    try:
        assert train(options_of(TASKS[0], tmp_path, "--steps 2")) == [0.0, 0.0]
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("task", TASKS)
def test_a_report_is_made_at_once_without_dropout_and_gradients(
    task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    data, kind, config = prepared(options_of(task, tmp_path, "--dropout 0.5"))
    model, outputs = kind(config), []
    model.register_forward_hook(lambda *call: outputs.append(call[-1]))
    flushed: list[bool] = []
    monkeypatch.setattr(sys.stdout, "flush", lambda: flushed.append(True))
    for _ in range(2):
        report(1, model, data, 4)
    assert len(flushed) == 2
    assert not any(output.requires_grad for output in outputs)
    losses = [line for line in capsys.readouterr().out.splitlines() if "loss" in line]
    assert losses[0] == losses[1]
    guess = math.log(data.vocab_size)
    assert float(losses[0].split()[-1]) == pytest.approx(guess, rel=0.1)


def test_a_process_joins_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(dist, "init_process_group", asked.append)
    monkeypatch.setattr(torch.cuda, "set_device", asked.append)
    monkeypatch.delenv("RANK", raising=False)
    monkeypatch.delenv("LOCAL_RANK", raising=False)
    assert join("cpu") == torch.device("cpu") and asked == []
    assert join("cuda") == torch.device("cuda", 0) and asked == [torch.device("cuda", 0)]
    monkeypatch.setenv("RANK", "5")
    monkeypatch.setenv("LOCAL_RANK", "1")
    asked.clear()
    assert join("cpu") == torch.device("cpu") and asked == ["gloo"]
    assert join("cuda") == torch.device("cuda", 1)
    assert asked == ["gloo", "nccl", torch.device("cuda", 1)]
    monkeypatch.setattr(dist, "is_initialized", lambda: True)
    asked.clear()
    assert join("cpu") == torch.device("cpu") and asked == []


@contextmanager
def group_of_one() -> Iterator[None]:
    """This process as the only one of a group."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        yield
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


def is_share(weight: Tensor) -> bool:
    """Whether it is a process's share of a weight, from which all of it can be put together."""
    return hasattr(weight, "full_tensor")


@needs_gloo
@pytest.mark.parametrize("method", METHODS)
def test_a_group_of_one_process_gives_the_same_numbers(method: str, tmp_path: Path) -> None:
    how = f"--dropout 0 --num-layers 2 --parallel {method}"
    losses, weights = updated(options_of(TASKS[0], tmp_path, how))
    trained = train(options_of(TASKS[0], tmp_path, f"{how} --steps 4"))
    with group_of_one():
        found, others = updated(options_of(TASKS[0], tmp_path, how))
        first = train(options_of(TASKS[0], tmp_path, f"{how} --steps 2"))
        main(command(TASKS[0], tmp_path, f"{how} --steps 3 --resume"))
        assert not dist.is_initialized()
    then = train(options_of(TASKS[0], tmp_path, f"{how} --steps 4 --resume"))
    assert found == pytest.approx(losses, rel=1e-5)
    assert same(others, weights)
    assert [*first, *then] == pytest.approx([*trained[:2], trained[3]], rel=1e-4)


@needs_gloo
def test_a_process_has_all_of_each_weight_or_a_share_of_it(tmp_path: Path) -> None:
    _, kind, config = prepared(options_of(TASKS[0], tmp_path))
    with group_of_one():
        for method in METHODS:
            weights = distributed(kind(config), method).parameters()
            assert {is_share(weight) for weight in weights} == {method == "fsdp"}


@needs_gloo
@pytest.mark.parametrize("task", TASKS)
def test_of_a_shared_model_one_layer_at_a_time_is_whole(task: str, tmp_path: Path) -> None:
    data, kind, config = prepared(options_of(task, tmp_path, "--num-layers 3"))
    whole: list[int] = []
    with group_of_one():
        model = distributed(kind(config), "fsdp")
        stacks = [stack for stack in model.modules() if isinstance(stack, nn.ModuleList)]
        layers = [layer for stack in stacks for layer in stack]

        def count(*_: Any) -> None:
            shares = [is_share(next(layer.parameters())) for layer in layers]
            whole.append(shares.count(False))

        for layer in layers:
            layer.register_forward_pre_hook(count)
        inputs, _ = data.batch(2, random.Random(0))
        model(**inputs)
    assert len(layers) >= 3 and whole == [1] * len(layers)


@needs_gloo
@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_ends_each_of_several_processes_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> float:
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("it went on")

    monkeypatch.setattr("transformer.train.update", interrupted)
    with group_of_one(), pytest.raises(KeyboardInterrupt):
        train(options_of(TASKS[0], tmp_path))


@needs_gloo
@pytest.mark.parametrize("method", METHODS)
def test_several_processes_train_without_a_warning(method: str, tmp_path: Path) -> None:
    """Other warnings are shown as before."""
    with group_of_one(), warnings.catch_warnings():
        warnings.simplefilter("error")
        updated(options_of(TASKS[0], tmp_path, f"--parallel {method}"))
        with pytest.raises(UserWarning):
            warnings.warn("another", stacklevel=1)


def in_each_process(folder: Path) -> None:
    """What the processes of the next test do, the same as what one alone does there."""
    join("cpu")
    dist.all_reduce(torch.ones(1))
    (folder / "joined").touch()
    for method in METHODS:
        how = f"--dropout 0 --accumulate 2 --parallel {method}"
        found = updated(options_of(TASKS[0], folder, how))
        losses = train(options_of(TASKS[0], folder, f"{how} --steps 2"))
        dist.barrier()  # the first process has written the checkpoint
        losses += train(options_of(TASKS[0], folder, f"{how} --steps 4 --resume"))
        torch.save((*found, losses), folder / f"{method} {process()[0]}.pt")
    dist.barrier()  # one that left before the other was done could take it down
    dist.destroy_process_group()


@needs_gloo
def test_two_processes_give_the_numbers_of_one(tmp_path: Path) -> None:
    losses, weights = updated(options_of(TASKS[0], tmp_path, "--dropout 0"))
    trained = train(options_of(TASKS[0], tmp_path, "--dropout 0 --steps 4"))
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    root = str(Path(__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, *torchrun, __file__, str(tmp_path)],
        check=False,
        env={**os.environ, "PYTHONPATH": root, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    if not (tmp_path / "joined").exists():
        pytest.skip(f"processes cannot join here: {done.stderr[-300:]}")
    for method in METHODS:
        for number in range(2):
            assert (tmp_path / f"{method} {number}.pt").exists(), done.stderr
            of_both, of_first, of_training = torch.load(tmp_path / f"{method} {number}.pt")
            assert of_both == pytest.approx(losses, rel=1e-5)
            assert of_training == pytest.approx(trained, rel=1e-4)
            assert same(of_first, weights) if number == 0 else not of_first


if __name__ == "__main__":
    in_each_process(Path(sys.argv[1]))
