"""Tests of the training program: its data, its steps, its checkpoints, and several processes."""

from __future__ import annotations

import argparse
import math
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import Tensor

from transformer import data
from transformer.data import END, IGNORED, PAD, START, Text, Translation
from transformer.distributed import distributed, join, process, state_of
from transformer.train import MODELS, loss_of, main, parsed, prepared, rate, report, train, update
from transformer.training import warmup_schedule

TASKS = ["translation", "text"]
SMALL = "--d-model 16 --num-heads 2 --d-ff 32 --num-layers 1 --max-len 32 --batch-size 8"
METHODS = ("ddp", "fsdp")


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


def test_translations_agree_with_their_nouns() -> None:
    tables = (data.DETERMINERS, data.BEFORE, data.BEHIND)
    for gender, nouns in enumerate(data.NOUNS):
        agreeing = {pair[gender] for table in tables for pair in table.values()}
        for seed in range(50):
            english, french = Translation().sentence(random.Random(seed))
            assert len(english) == len(french)
            breaks = {*data.VERBS.values(), *data.JOINTS.values()}
            phrases = " ".join("," if word in breaks else word for word in french).split(" , ")
            for phrase in map(str.split, phrases):
                if set(phrase) & set(nouns.values()):
                    assert len(set(phrase) - agreeing) == 1
                    assert phrase[0] in {pair[gender] for pair in data.DETERMINERS.values()}


def test_a_translation_is_written_from_its_start_to_its_end() -> None:
    translation = Translation()
    inputs, expected = translation.batch(20, random.Random(0))
    assert len({len(translation.words_of(row)) for row in expected}) > 1
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
    def sentences(held_out: bool) -> set[tuple[int, ...]]:
        inputs, _ = Translation().batch(50, random.Random(0), held_out)
        return {tuple(row) for row in inputs["source"].tolist()}

    assert not sentences(held_out=True) & sentences(held_out=False)


@pytest.mark.parametrize(("right", "shown"), [(True, "BLEU 1.000"), (False, "BLEU 0.000")])
def test_a_report_compares_what_is_written(
    right: bool, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    translation, kind, config = prepared(options_of("translation", tmp_path))
    model = kind(config)
    _, expected = translation.batch(10, random.Random("held out"), held_out=True)
    written = expected.masked_fill(expected == IGNORED, END) if right else expected * 0 + START
    monkeypatch.setattr(model, "greedy", lambda source, **_: written)
    report(1, model, translation, 10)
    assert shown in capsys.readouterr().out


def test_each_byte_is_expected_after_the_one_before() -> None:
    text = Text(bytes(range(256)), 8)
    inputs, expected = text.batch(50, random.Random(0))
    assert expected.equal(inputs["tokens"] + 1)
    assert inputs["tokens"].shape == (50, 8)
    held_out, _ = text.batch(50, random.Random(0), held_out=True)
    assert expected.max() < held_out["tokens"].min()


def test_the_notes_are_looked_for_here_and_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = tmp_path / "some" / "where"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    monkeypatch.setattr(data, "NOTES", "notes of these tests")
    with pytest.raises(SystemExit, match="name a --file"):
        main(["text", *SMALL.split()])
    (tmp_path / data.NOTES).mkdir()
    (tmp_path / data.NOTES / "Note.md").write_text("some notes")
    (tmp_path / data.NOTES / "Drawing.excalidraw.md").write_text("packed")
    assert data.notes() == b"some notes"


def test_a_text_can_be_too_short() -> None:
    with pytest.raises(ValueError, match="too short"):
        Text(bytes(100), 10)


def test_the_loss_is_that_of_the_tokens_there_are() -> None:
    logits, expected = torch.randn(2, 3, 5), torch.tensor([[1, 2, IGNORED], [4, IGNORED, 0]])
    logarithms = torch.log_softmax(logits, dim=-1)
    wanted = -(
        logarithms[0, 0, 1] + logarithms[0, 1, 2] + logarithms[1, 0, 4] + logarithms[1, 2, 0]
    )
    torch.testing.assert_close(loss_of(logits, expected), wanted)
    spread = -logarithms[expected != IGNORED].sum() / 5
    smooth = loss_of(logits, expected, smoothing=0.2)
    torch.testing.assert_close(smooth, 0.8 * wanted + 0.2 * spread)


@pytest.mark.parametrize("task", TASKS)
def test_training_learns(task: str, tmp_path: Path) -> None:
    faster = "--steps 60 --warmup-steps 30"
    losses = train(options_of(task, tmp_path, faster))
    assert sum(losses[-5:]) < 0.8 * sum(losses[:5])


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
    model = MODELS[task][0].load(tmp_path / "run.pt")
    weights = torch.load(tmp_path / "run.pt")["weights"]
    assert all(weights[name].equal(weight) for name, weight in model.state_dict().items())


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
    batches: list[Tensor] = []

    def remember(model: Any, optimizer: Any, batch: Any, options: Any) -> float:
        batches.append(batch[1])
        return 0.0

    monkeypatch.setattr("transformer.train.update", remember)
    for seed in (1, 2):
        train(options_of(task, tmp_path, f"--steps 2 --seed {seed}"))
    assert not any(batches[a].equal(batches[b]) for a in range(4) for b in range(a))


@pytest.mark.parametrize("task", TASKS)
def test_the_parts_of_a_batch_add_up_to_it(task: str, tmp_path: Path) -> None:
    losses, weights = updated(options_of(task, tmp_path, "--dropout 0"))
    split, others = updated(options_of(task, tmp_path, "--dropout 0 --accumulate 3"))
    assert split == pytest.approx(losses, rel=1e-5)
    assert same(others, weights)


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
    assert rate(3, options) == pytest.approx(0.5 * warmup_schedule(3, 16, 10))


@pytest.mark.parametrize("task", TASKS)
def test_bfloat16_is_almost_as_good(task: str, tmp_path: Path) -> None:
    exact = train(options_of(task, tmp_path, "--steps 3 --dropout 0"))
    rounded = train(options_of(task, tmp_path, "--steps 3 --dropout 0 --bf16"))
    assert rounded != exact
    assert rounded == pytest.approx(exact, rel=0.02)


@pytest.mark.parametrize("task", TASKS)
def test_the_command_line_trains_and_reports(task: str, tmp_path: Path, capsys: Any) -> None:
    main(command(task, tmp_path, "--steps 2 --every 1"))
    shown = capsys.readouterr().out
    assert "step 1: held-out loss" in shown and "step 2: held-out loss" in shown
    for wrong in ("--steps 0", "--accumulate x"):
        with pytest.raises(SystemExit):
            main(command(task, tmp_path, wrong))


@pytest.mark.parametrize("task", TASKS)
def test_a_report_is_made_without_dropout(task: str, tmp_path: Path, capsys: Any) -> None:
    data, kind, config = prepared(options_of(task, tmp_path, "--dropout 0.5"))
    model = kind(config)
    for _ in range(2):
        report(1, model, data, 4)
    losses = [line for line in capsys.readouterr().out.splitlines() if "loss" in line]
    assert losses[0] == losses[1]


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
        if process()[0] == 0:
            torch.save((*found, losses), folder / f"{method}.pt")
    dist.destroy_process_group()


@pytest.mark.skipif(not dist.is_gloo_available(), reason="this PyTorch has no gloo")
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
        assert (tmp_path / f"{method}.pt").exists(), done.stderr
        of_both, their_weights, their_trained = torch.load(tmp_path / f"{method}.pt")
        assert of_both == pytest.approx(losses, rel=1e-5)
        assert same(their_weights, weights)
        assert their_trained == pytest.approx(trained, rel=1e-4)


if __name__ == "__main__":
    in_each_process(Path(sys.argv[1]))
