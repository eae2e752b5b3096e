"""Training: ``python -m transformer.train translation``, ``python -m transformer.train text``.

The batch of a step, and what dropout leaves out of it, follow from the seed and the number of the
step alone. So a run that goes on from a checkpoint gives the same numbers as one that was never
stopped, and several processes, each with its rows of every batch, the same as one, but for dropout.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import Tensor, nn

from .data import END, IGNORED, START, Batch, Text, Translation, notes
from .distributed import distributed, join, process, restore, state_of
from .losses import cross_entropy, label_smoothing
from .metrics import bleu
from .models import GPT, EncoderDecoder, EncoderDecoderConfig, GPTConfig
from .training import warmup_schedule

MODELS: dict[str, tuple[Any, Any]] = {
    "translation": (EncoderDecoder, EncoderDecoderConfig),
    "text": (GPT, GPTConfig),
}
"""A model for each task, and its configuration."""

UNSAVED = ("task", "checkpoint", "resume", "device", "parallel")
"""The options that a checkpoint does not keep: where a run goes on, they may be others."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Train as the command line says; under ``torchrun`` as one of several processes."""
    try:
        train(parsed(arguments))
    except FileNotFoundError as missing:
        sys.exit(f"{missing}")
    if dist.is_initialized():
        dist.destroy_process_group()


def parsed(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The options of a command line; what it leaves open in a run that goes on is as before."""
    parser = argparse.ArgumentParser(prog="python -m transformer.train")
    tasks = parser.add_subparsers(dest="task", required=True)
    for name, (_, config) in MODELS.items():
        task = tasks.add_parser(name, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
        _add_options(task)
        for field in fields(config):
            if field.name != "vocab_size":  # which the data says
                default = field.default
                option = "--" + field.name.replace("_", "-")
                task.add_argument(option, type=type(default), default=default, help="of the model")
    tasks.choices["text"].add_argument("--file", help="the text to learn; if none, the notes")
    options = parser.parse_args(arguments)
    if options.resume and not options.checkpoint:
        parser.error("--resume needs the --checkpoint to go on from")
    if options.resume:
        tasks.choices[options.task].set_defaults(**load(options)["options"])
        options = parser.parse_args(arguments)
    return options


def _add_options(task: argparse.ArgumentParser) -> None:
    add = task.add_argument
    cuda = "cuda" if torch.cuda.is_available() else "cpu"
    add("--steps", type=positive, default=500, help="how often the weights are changed")
    add("--batch-size", type=positive, default=32, help="sequences a step, of all processes")
    add("--accumulate", type=positive, default=1, help="parts of a batch, computed in turn")
    add("--learning-rate", type=float, default=1.0, help="a factor of the notes' schedule")
    add("--warmup-steps", type=positive, default=200, help="when the rate is highest")
    add("--label-smoothing", type=float, default=0.1, help="the part of the truth that is spread")
    add("--clip", type=float, default=1.0, help="how long a gradient may be")
    add("--seed", type=int, default=0, help="of weights, batches and dropout")
    add("--device", choices=("cpu", "cuda"), default=cuda, help="where to compute")
    add("--bf16", action="store_true", help="compute in bfloat16 what allows it")
    add("--parallel", choices=("ddp", "fsdp"), default="ddp", help="how processes share a model")
    add("--every", type=positive, default=100, help="steps between reports and checkpoints")
    add("--checkpoint", help="a file for the state of the run")
    add("--resume", action="store_true", help="go on from the checkpoint")


def positive(text: str) -> int:
    """A whole number from 1 on, as an option gives it."""
    if int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return int(text)


def train(options: argparse.Namespace) -> list[float]:
    """Train a model; returns the loss of each step."""
    device = join(options.device)
    data, model_class, config = prepared(options)
    torch.manual_seed(options.seed)
    model = distributed(model_class(config).to(device), options.parallel)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)
    kept = {name: value for name, value in vars(options).items() if name not in UNSAVED}
    losses: list[float] = []
    done, began = 0, time.monotonic()
    if options.resume:
        state = load(options)
        restore(model, optimizer, state)
        done = state["step"]
    for step in range(done + 1, options.steps + 1):
        batch = data.batch(options.batch_size, random.Random(f"{options.seed} {step}"))
        for group in optimizer.param_groups:
            group["lr"] = rate(step, options)
        torch.manual_seed(random.Random(f"{options.seed} {step} {process()}").getrandbits(63))
        losses.append(update(model, optimizer, batch, options))
        reported = step % options.every == 0 or step == options.steps
        show(
            step, options.steps, losses[-1], time.monotonic() - began, end="\n" if reported else ""
        )
        if reported:
            state = {"config": asdict(config), "step": step, "options": kept}
            state |= state_of(model, optimizer)
            if process()[0] == 0:
                if options.checkpoint:
                    save(state, Path(options.checkpoint))
                trained = model_class(config).to(device)
                trained.load_state_dict(state["weights"])
                report(step, trained, data, 8 * options.batch_size)
    return losses


def prepared(options: argparse.Namespace) -> tuple[Translation | Text, type[Any], Any]:
    """The data of the task, the class of its model, and the configuration to make one with."""
    data: Translation | Text
    if options.task == "translation":
        data = Translation()
    else:
        data = Text(Path(options.file).read_bytes() if options.file else notes(), options.max_len)
    model, config = MODELS[options.task]
    sizes = {f.name: getattr(options, f.name) for f in fields(config) if f.name != "vocab_size"}
    return data, model, config(vocab_size=data.vocab_size, **sizes)


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
    state: dict[str, Any] = torch.load(options.checkpoint, map_location="cpu", weights_only=True)
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
    written = model.generate(tokens[:, : tokens.size(1) // 2], 200, top_k=20)
    return bytes(written[0].tolist()).decode(errors="replace")


if __name__ == "__main__":
    main()
