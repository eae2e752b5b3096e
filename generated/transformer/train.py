"""Training: ``python -m transformer.train translation``, ``python -m transformer.train text``.

The batch of a step, and what dropout leaves out of it, follow from the seed and the number of the
step alone. So a run that goes on from a checkpoint gives the same numbers as one that was never
stopped, and several processes, each with its rows of every batch, the same as one, but for dropout.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from io import TextIOWrapper
from pathlib import Path
from threading import Event
from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import Tensor, nn

from .checkpoints import read_checkpoint
from .data import END, IGNORED, START, Batch, Text, Translation, notes
from .distributed import distributed, join, process, restore, state_of
from .losses import cross_entropy, label_smoothing
from .metrics import bleu
from .models import GPT, EncoderDecoder, Model
from .schedules import warmup_schedule

PROGRAM = "python -m transformer.train"

MODELS: dict[str, type[Model]] = {
    "translation": EncoderDecoder,
    "text": GPT,
}
"""A model for each task."""

TASKS = {
    "translation": "teach EncoderDecoder to turn English sentences into French ones",
    "text": "teach GPT to go on with a text",
}
"""What the tasks are."""

SIZES = {
    "max_len": "tokens of a sequence, at most",
    "d_model": "size of the vector of a token",
    "num_heads": "heads of each attention, which share d_model",
    "d_ff": "size of the vectors inside the feed-forward layers",
    "num_layers": "layers in each stack",
    "dropout": "share of values that training leaves out",
}
"""What the fields of a configuration are; the data says the size of the vocabulary."""

UNSAVED = ("task", "checkpoint", "resume", "device", "parallel")
"""The options that a checkpoint does not keep: where a run goes on, they may be others."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Train as the command line says; under ``torchrun`` as one of several processes.

    What cannot be done as asked for ends with a line that says why, and so does Ctrl-C.
    """
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a model writes what not every terminal can show
    try:
        options = parsed(arguments)
        check(options)
        train(options)
    except (ValueError, OSError) as problem:
        print(f"{PROGRAM}: error: {problem}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt as interrupt:
        print(f"{PROGRAM}: stopped {interrupt}", file=sys.stderr)
        sys.exit(130)
    if dist.is_initialized():
        dist.barrier()  # one that left before the others were done could take them down
        dist.destroy_process_group()


def parsed(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The options of a command line; what it leaves open in a run that goes on is as before."""
    parser = argparse.ArgumentParser(prog=PROGRAM)
    tasks = parser.add_subparsers(dest="task", metavar="task", required=True)
    for name, about in TASKS.items():
        _add_options(tasks.add_parser(name, help=about, description=f"{about}."), MODELS[name])
    tasks.choices["text"].add_argument("--file", help="the text to learn, instead of the notes")
    options = parser.parse_args(arguments)
    task = tasks.choices[options.task]
    if options.resume:
        if not options.checkpoint:
            task.error("--resume needs the --checkpoint to go on from")
        task.set_defaults(**load(options)["options"])
        options = parser.parse_args(arguments)
    return options


def _add_options(task: argparse.ArgumentParser, model: type[Model]) -> None:
    def add(name: str, kind: Callable[[str], Any], default: Any, *, help: str) -> None:
        option, about = "--" + name.replace("_", "-"), f"{help} (default: {default})"
        task.add_argument(option, type=kind, default=default, metavar="N", help=about)

    add("steps", whole, 500, help="training steps")
    add("batch_size", whole, 32, help="sequences in a step, of all processes together")
    add("accumulate", whole, 1, help="parts of a batch, computed one after another")
    add("learning_rate", positive, 1.0, help="factor of the notes' schedule")
    add("warmup_steps", whole, 200, help="steps in which the schedule rises")
    add("label_smoothing", share, 0.1, help="share of the truth that is spread over all tokens")
    add("clip", positive, 1.0, help="largest norm of the gradient")
    add("seed", int, 0, help="seed of the weights, the batches and dropout")
    add("every", whole, 100, help="steps between reports, and between checkpoints")
    for field in fields(model.config_class):
        if field.name in SIZES:
            kind = share if field.name == "dropout" else whole
            add(field.name, kind, field.default, help=SIZES[field.name])
    cuda = "cuda" if torch.cuda.is_available() else "cpu"
    task.add_argument("--device", choices=("cpu", "cuda"), default=cuda, help="where to compute")
    task.add_argument("--bf16", action="store_true", help="compute in bfloat16 what allows it")
    task.add_argument(
        "--parallel", choices=("ddp", "fsdp"), default="ddp", help="how processes share a model"
    )
    task.add_argument("--checkpoint", metavar="FILE", help="keep the state of the run in a file")
    task.add_argument("--resume", action="store_true", help="go on from the checkpoint")


def whole(text: str) -> int:
    """A whole number from 1 on, as an option gives it."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def positive(text: str) -> float:
    """A number above 0."""
    return _number(text, lambda number: number > 0, "a number above 0")


def share(text: str) -> float:
    """A number from 0 on and below 1."""
    return _number(text, lambda number: 0 <= number < 1, "a number from 0 on and below 1")


def _number(text: str, accepts: Callable[[float], bool], what: str) -> float:
    try:
        if accepts(float(text)):
            return float(text)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is not {what}")


def check(options: argparse.Namespace) -> None:
    """Raise a ``ValueError`` where a run has no device, or its checkpoint no place of its own."""
    if options.device == "cuda" and not torch.cuda.is_available():
        raise ValueError("--device cuda: there is no such device here")
    if options.checkpoint:
        path = Path(options.checkpoint)
        if not path.parent.is_dir():
            raise ValueError(f"there is no folder {path.parent} for the checkpoint")
        if path.exists() and not options.resume:
            raise ValueError(f"{path} is there already: give --resume, or another file")


def train(options: argparse.Namespace) -> list[float]:
    """Train a model; returns the loss of each step."""
    device = join(options.device)
    parts = process()[1] * options.accumulate
    if options.batch_size < parts:
        raise ValueError(f"a batch of {options.batch_size} has too few sequences for {parts} parts")
    data, model_class, config = prepared(options)
    torch.manual_seed(options.seed)
    model = distributed(model_class(config).to(device), options.parallel)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)
    kept = {name: value for name, value in vars(options).items() if name not in UNSAVED}
    run = {"model": model_class.__name__, "config": asdict(config), "options": kept}
    losses: list[float] = []
    done = resumed(model, optimizer, config, options) if options.resume else 0
    began = time.monotonic()
    with interruption() as interrupted:
        for step in range(done + 1, options.steps + 1):
            batch = data.batch(options.batch_size, random.Random(f"{options.seed} {step}"))
            for group in optimizer.param_groups:
                group["lr"] = rate(step, options)
            torch.manual_seed(random.Random(f"{options.seed} {step} {process()}").getrandbits(63))
            losses.append(update(model, optimizer, batch, options))
            stopped = interrupted.is_set()
            reported = step % options.every == 0 or step == options.steps or stopped
            seconds = time.monotonic() - began
            show(step, options.steps, losses[-1], seconds, end="\n" if reported else "")
            if reported:
                state = {**run, "step": step, **state_of(model, optimizer)}
                if options.checkpoint and process()[0] == 0:
                    save(state, Path(options.checkpoint))
            if stopped:
                raise KeyboardInterrupt(f"at step {step} of {options.steps}")
            if reported and process()[0] == 0:
                trained = model_class(config).to(device)
                trained.load_state_dict(state["weights"])
                report(step, trained, data, 8 * options.batch_size)
    return losses


def resumed(
    model: nn.Module, optimizer: torch.optim.Optimizer, config: Any, options: argparse.Namespace
) -> int:
    """Put back the state of a run that goes on; gives the number of its steps so far."""
    state = load(options)
    was = sorted(state["config"].items() - asdict(config).items())
    if was:
        sizes = ", ".join(f"{name}={size}" for name, size in was)
        raise ValueError(f"{options.checkpoint} is of a model with {sizes}")
    restore(model, optimizer, state)
    done: int = state["step"]
    if done >= options.steps and process()[0] == 0:
        print(f"already at step {done} of {options.steps}: give more --steps to go on")
    return done


@contextmanager
def interruption() -> Iterator[Event]:
    """Inside, Ctrl-C is only noted, so that no step is left half done; a second one stops at once.

    Of several processes, which would not all be at the same step, it stops each at once; where it
    is ignored, as in a job in the background, it stays so.
    """
    noted = Event()

    def note(*_: object) -> None:
        noted.set()
        signal.signal(signal.SIGINT, before)

    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler and not dist.is_initialized():
        signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)


def prepared(options: argparse.Namespace) -> tuple[Translation | Text, type[Any], Any]:
    """The data of the task, the class of its model, and the configuration to make one with."""
    data: Translation | Text
    if options.task == "translation":
        data = Translation()
    else:
        data = Text(Path(options.file).read_bytes() if options.file else notes(), options.max_len)
    model = MODELS[options.task]
    named = (f.name for f in fields(model.config_class) if f.name in SIZES)
    sizes = {name: getattr(options, name) for name in named}
    config = model.config_class(vocab_size=data.vocab_size, **sizes)
    if isinstance(data, Translation) and config.max_len < data.longest:
        raise ValueError(f"--max-len {config.max_len}: sentences have up to {data.longest} tokens")
    return data, model, config


def rate(step: int, options: argparse.Namespace) -> float:
    """The learning rate of a step, by the notes' schedule."""
    factor: float = options.learning_rate
    return factor * warmup_schedule(step, options.d_model, options.warmup_steps)


def update(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    batch: Batch,
    options: argparse.Namespace,
) -> float:
    """Change the weights once, by all of a batch; returns its loss per token.

    Each process takes its rows, in as many parts as are to be computed in turn. A part counts by
    its tokens, so that the loss is the mean over those of the whole batch, however it is split.
    """
    inputs, expected = batch
    device = next(model.parameters()).device
    rank, processes = process()
    parts = processes * options.accumulate
    count = (expected != IGNORED).sum()
    total = torch.zeros((), device=device)
    for part in range(rank, parts, processes):
        given = {name: rows[part::parts].to(device) for name, rows in inputs.items()}
        with torch.autocast(device.type, torch.bfloat16, enabled=options.bf16):
            logits = model(**given).float()
        wanted = expected[part::parts].to(device)
        loss = loss_of(logits, wanted, options.label_smoothing) / count
        # Processes take the mean of their gradients, not the sum.
        torch.autograd.backward(loss * processes)
        total += loss.detach()
    nn.utils.clip_grad_norm_(model.parameters(), options.clip)
    optimizer.step()
    optimizer.zero_grad()
    if dist.is_initialized():
        dist.all_reduce(total)
    return total.item()


def loss_of(logits: Tensor, expected: Tensor, smoothing: float = 0.0) -> Tensor:
    """The sum of the losses of all tokens, which with smoothing are expected with some doubt."""
    if not smoothing:
        return cross_entropy(logits, expected) * (expected != IGNORED).sum()
    there = expected != IGNORED
    truth = F.one_hot(expected[there], logits.size(-1)).to(logits)
    return F.cross_entropy(logits[there], label_smoothing(truth, smoothing), reduction="sum")


def save(state: dict[str, Any], path: Path) -> None:
    """Write a checkpoint, which the model's own ``load`` reads too; a run that is stopped meanwhile
    leaves the one before."""
    half = path.with_name(path.name + ".part")
    torch.save(state, half)
    half.replace(path)


def load(options: argparse.Namespace) -> dict[str, Any]:
    """The checkpoint that a run goes on from."""
    state = read_checkpoint(options.checkpoint, MODELS[options.task].__name__)
    if "step" not in state:
        raise ValueError(f"{options.checkpoint} holds a model, but no run to go on with")
    return state


def show(step: int, steps: int, loss: float, seconds: float, end: str) -> None:
    """A bar on one line, where there is a terminal to draw it on."""
    if sys.stderr.isatty() and process()[0] == 0:
        bar = "=" * (30 * step // steps)
        text = f"\r[{bar:30}] {step}/{steps}  loss {loss:.3f}  {seconds:.0f} s "
        print(text, end=end, file=sys.stderr, flush=True)


@torch.no_grad()
def report(step: int, model: Any, data: Translation | Text, count: int) -> None:
    """Print the loss on held-out data, and something that the model writes."""
    model.eval()
    device = next(model.parameters()).device
    inputs, expected = data.batch(count, random.Random("held out"), held_out=True)
    inputs = {name: rows.to(device) for name, rows in inputs.items()}
    loss = loss_of(model(**inputs), expected.to(device)) / (expected != IGNORED).sum()
    if isinstance(data, Translation):
        shown = translations(model, data, inputs, expected)
    else:
        shown = continued(model, inputs)
    print(f"step {step}: held-out loss {loss:.3f}\n{shown}", flush=True)


def translations(model: Any, data: Translation, inputs: dict[str, Tensor], expected: Tensor) -> str:
    """The mean BLEU of translations, and the first of them."""
    longest = min(2 * expected.size(1), model.config.max_len)
    source, keep_mask = inputs["source"], inputs["source_keep_mask"]
    written = model.greedy(
        source, start=START, end=END, max_len=longest, source_keep_mask=keep_mask
    )
    pairs = [
        (data.words_of(row), data.words_of(wanted))
        for row, wanted in zip(written, expected, strict=True)
    ]
    english, french = " ".join(data.words_of(source[0])), " ".join(pairs[0][0])
    score = sum(bleu(*pair) for pair in pairs) / len(pairs)
    return f"BLEU {score:.3f}, such as: {english} -> {french}"


def continued(model: Any, inputs: dict[str, Tensor]) -> str:
    """Half of a stretch of text, and how the model goes on."""
    tokens = inputs["tokens"][:1]
    written = model.generate(tokens[:, : (tokens.size(1) + 1) // 2], 200, top_k=20)
    return bytes(written[0].tolist()).decode(errors="replace")


if __name__ == "__main__":
    main()
