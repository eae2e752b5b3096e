"""How fast the generated package is, and how much memory it takes, beside others of its kind.

    python benchmarks/package.py [--rows TEXT] [--length N] [--threads N] [--seconds N]
                                 [--device cpu|cuda] [--dtype NAME]

A row of the table is one piece of work of the same size for all: its numbers are times as ratios
to the fastest peer's, so that `ours` below 1 is ahead of all others, and what the peer took. The
contestants take turns, so that a busy machine slows all of them; what is printed are medians. With
one thread it is the processor's time that counts, which other programs hardly change.
Special scores have one peer, the formula computed literally, with all weights in memory, which is
what `need_weights=True` does, and additive attention that of d2l, too. The rows of memory are peaks
of a forward pass at 4096 positions, beside what it gives, as ratios to torch's fused kernel.

The others are compared where they are installed, in an environment of your own:

    python -m venv peers
    peers/bin/pip install -c constraints.txt torch -r benchmarks/requirements.txt
    peers/bin/pip install --no-deps d2l==1.0.3
    peers/bin/python benchmarks/package.py

d2l asks for old versions of what its attention does not use, therefore ``--no-deps``. It has no
decoder of a Transformer: it is compared with an attention layer, and with additive attention.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import torch
import torch.nn.functional as F
from peers import (
    Sizes,
    additive_attentions,
    attention_layers,
    encoder_decoders,
    generator,
    gpts,
    writer,
)
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).parents[1] / "generated"))
import transformer

COLUMNS = ("ours", "torch.nn", "x-transformers", "HF", "d2l", "nanoGPT-style", "textbook")
GPT = Sizes(batch=1, length=1024, d_model=768, num_heads=12, num_layers=4, vocab_size=50257)
TRANSLATION = Sizes(batch=4, length=128, d_model=512, num_heads=8, num_layers=3, vocab_size=10000)
HEADS, HEAD_SIZE = 8, 64
LONG = 4096
PROMPT, CONTINUATION, BEAMS = 32, 64, 4

Work = Callable[[], object]


@dataclass(frozen=True)
class Place:
    """Where the work is done, and with which numbers."""

    device: torch.device
    dtype: torch.dtype

    def built(self, make: Callable[[], nn.Module]) -> nn.Module:
        torch.manual_seed(0)
        return make().to(self.device, self.dtype)

    def random(self, *shape: int) -> Tensor:
        return torch.randn(*shape, device=self.device, dtype=self.dtype)

    def tokens(self, sizes: Sizes) -> Tensor:
        shape = sizes.batch, sizes.length
        return torch.randint(1, sizes.vocab_size, shape, device=self.device)

    def time(self) -> float:
        """What a clock says when all work is done."""
        if self.device.type == "cuda":
            torch.cuda.synchronize()
        alone = self.device.type == "cpu" and torch.get_num_threads() == 1
        return time.process_time() if alone else time.perf_counter()


# --- the rows -----------------------------------------------------------------------------------


def forward(module: nn.Module, *inputs: Tensor, **named: object) -> Work:
    module.eval()
    return torch.no_grad()(lambda: module(*inputs, **named))


def forward_and_backward(module: nn.Module, *inputs: Tensor, **named: object) -> Work:
    """With the gradients of the inputs, where they are numbers, and of the weights."""
    module.train()
    inputs = tuple(x.detach().requires_grad_(x.is_floating_point()) for x in inputs)
    wanted = [x for x in (*inputs, *module.parameters()) if x.requires_grad]
    with torch.no_grad():
        gradient = torch.randn_like(module(*inputs, **named))
    return lambda: torch.autograd.grad(
        module(*inputs, **named), wanted, gradient, allow_unused=True
    )


def training_step(module: nn.Module, *inputs: Tensor) -> Work:
    """Loss and gradients of a model that predicts the last of its inputs."""
    module.train()

    def step() -> None:
        module.zero_grad(set_to_none=True)
        logits = module(*inputs)
        F.cross_entropy(logits.flatten(0, 1), inputs[-1].flatten()).backward()

    return step


def rows(place: Place, sizes: Sizes) -> Iterator[tuple[str, Callable[[], dict[str, Work]]]]:
    """Each row's name and what makes its contestants."""
    layers = {
        "ours": lambda: transformer.CausalSelfAttention(sizes.d_model, sizes.num_heads),
        **attention_layers(sizes),
    }
    x = place.random(sizes.batch, sizes.length, sizes.d_model)
    for name, way in (("forward", forward), ("forward+backward", forward_and_backward)):
        yield (
            f"attention layer, {name}",
            lambda way=way: {who: way(place.built(make), x) for who, make in layers.items()},
        )
    models = {"ours": lambda: transformer.GPT(_config(transformer.GPTConfig, sizes)), **gpts(sizes)}
    tokens = place.tokens(sizes)
    for name, way in (("forward", forward), ("forward+backward", training_step)):
        yield (
            f"GPT, {name}",
            lambda way=way: {who: way(place.built(make), tokens) for who, make in models.items()},
        )
    yield "GPT, generation", lambda: _generation(place, models, tokens[:, :PROMPT])
    pairs = {
        "ours": lambda: transformer.EncoderDecoder(
            _config(transformer.EncoderDecoderConfig, TRANSLATION)
        ),
        **encoder_decoders(TRANSLATION),
    }
    source, target = place.tokens(TRANSLATION), place.tokens(TRANSLATION)
    for name, way in (("forward", forward), ("forward+backward", training_step)):
        yield (
            f"encoder-decoder, {name}",
            lambda way=way: {
                who: way(place.built(make), source, target) for who, make in pairs.items()
            },
        )
    for name, beams in (("greedy", 1), (f"{BEAMS} beams", BEAMS)):
        yield (
            f"encoder-decoder, generation, {name}",
            lambda beams=beams: _translation(place, pairs, source, beams),
        )
    for kind, score in SCORES.items():
        for name, way in (("forward", forward), ("forward+backward", forward_and_backward)):
            yield (
                f"{kind}, {name}",
                lambda score=score, way=way: _scores(place, score, way, sizes.length),
            )


def _config(kind: type, sizes: Sizes) -> object:
    return kind(
        vocab_size=sizes.vocab_size,
        max_len=sizes.length,
        d_model=sizes.d_model,
        num_heads=sizes.num_heads,
        d_ff=sizes.d_ff,
        num_layers=sizes.num_layers,
        dropout=0.0,
    )


def _generation(
    place: Place, models: dict[str, Callable[[], nn.Module]], prompt: Tensor
) -> dict[str, Work]:
    found: dict[str, Work] = {}
    for who, make in models.items():
        model = place.built(make).eval()
        if who == "ours":
            found[who] = lambda model=model: model.generate(prompt, CONTINUATION, temperature=0)
        elif (way := generator(who, model)) is not None:
            found[who] = lambda way=way: way(prompt, CONTINUATION)
    return found


def _translation(
    place: Place, models: dict[str, Callable[[], nn.Module]], source: Tensor, beams: int
) -> dict[str, Work]:
    """Nothing ends before the count is reached: a token that would is made unlikely in ours, and
    the others have none."""
    start, end = 0, 1
    first = torch.full_like(source[:, :1], start)
    found: dict[str, Work] = {}
    for who, make in models.items():
        model = place.built(make).eval()
        if who == "ours":
            nn.init.constant_(model.W.bias[end], -1e9)
            named = {"start": start, "end": end, "max_len": CONTINUATION}
            way = (
                partial(model.greedy, **named)
                if beams == 1
                else partial(model.beam_search, beams=beams, **named)
            )
            found[who] = partial(way, source)
        elif (way := writer(who, model, beams)) is not None:
            found[who] = partial(way, source, first, CONTINUATION)
    return found


# --- scores that are not the textbook's ---------------------------------------------------------


@dataclass(frozen=True)
class Score:
    """A class of attention, how it is made, what it is called with beside queries, keys and
    values, how many heads these have, and who else has such a class, for some length."""

    make: Callable[[], nn.Module]
    named: Callable[[Place, int], dict[str, object]] = lambda place, length: {"causal": True}
    heads: int = HEADS
    others: Callable[[int], dict[str, Callable[[], nn.Module]]] = lambda length: {}


def _bias(make: Callable[[], nn.Module]) -> Callable[[Place, int], dict[str, object]]:
    return lambda place, length: {
        "bias": place.built(make)(length).detach(),
        "causal": True,
    }


SCORES = {
    "fused kernel": Score(lambda: transformer.ScaledDotProductAttention()),
    "ALiBi": Score(
        lambda: transformer.ScaledDotProductAttention(), _bias(lambda: transformer.ALiBi(HEADS))
    ),
    "relative bias": Score(
        lambda: transformer.ScaledDotProductAttention(),
        _bias(lambda: transformer.RelativePositionBias(HEADS, 128)),
    ),
    "soft cap": Score(lambda: transformer.SoftCappedScaledDotProductAttention(c=50.0)),
    "sigmoid": Score(lambda: transformer.SigmoidAttention(b=-7.0)),
    "Gaussian kernel": Score(lambda: transformer.KernelAttention()),
    "linear": Score(lambda: transformer.LinearAttention()),
    "additive": Score(
        lambda: transformer.AdditiveAttention(HEAD_SIZE, HEAD_SIZE, HEAD_SIZE),
        heads=1,
        others=lambda length: additive_attentions(HEAD_SIZE, length),
    ),
    "synthesizer": Score(
        lambda: transformer.SynthesizerAttention(HEAD_SIZE, HEAD_SIZE, HEAD_SIZE, LONG)
    ),
}


def _scores(place: Place, score: Score, way: Callable[..., Work], length: int) -> dict[str, Work]:
    module, inputs, named = _scored(place, score, length)
    others = {who: place.built(make) for who, make in score.others(length).items()}
    contestants = {"ours": module, **others, "textbook": Literal(module)}
    return {who: way(one, *inputs, **named) for who, one in contestants.items()}


def _scored(
    place: Place, score: Score, length: int
) -> tuple[nn.Module, tuple[Tensor, ...], dict[str, object]]:
    """A class of attention, what it is called with, and what by name."""
    module = place.built(score.make)
    inputs = 1 if isinstance(module, transformer.SynthesizerAttention) else 3
    shape = 1, score.heads, length, HEAD_SIZE
    return module, tuple(place.random(*shape) for _ in range(inputs)), score.named(place, length)


class Literal(nn.Module):
    """Attention by the formula as it stands, with all its weights."""

    def __init__(self, attention: nn.Module) -> None:
        super().__init__()
        self.attention = attention

    def forward(self, *inputs: Tensor, **named: object) -> Tensor:
        output: Tensor = self.attention(*inputs, **named, need_weights=True)[0]
        return output


# --- measuring ----------------------------------------------------------------------------------


def medians(place: Place, contestants: dict[str, Work], seconds: float) -> dict[str, float]:
    """Seconds that each takes, over rounds in which all have their turn: three rounds at least,
    and more until the time is over."""
    times: dict[str, list[float]] = {who: [] for who in contestants}
    for work in contestants.values():  # what is done only once is not measured
        work()
    start = time.perf_counter()
    while len(min(times.values(), key=len)) < 3 or time.perf_counter() - start < seconds:
        for who, work in contestants.items():
            begin = place.time()
            work()
            times[who].append(place.time() - begin)
    return {who: statistics.median(taken) for who, taken in times.items()}


def peak(place: Place, work: Work) -> float:
    """The most memory that the work has at once, in bytes, beside what there was before."""
    work()
    if place.device.type == "cuda":
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        work()
        return torch.cuda.max_memory_allocated() - before
    with torch.profiler.profile(profile_memory=True) as profile:
        work()
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        profile.export_chrome_trace(file.name)
        events = json.loads(Path(file.name).read_text())["traceEvents"]
    changes = [(e["ts"], e["args"]["Bytes"]) for e in events if e["name"] == "[memory]"]
    most = now = 0
    for _, change in sorted(changes):
        now += change
        most = max(most, now)
    return most


def time_row(name: str, times: dict[str, float]) -> str:
    best = min(taken for who, taken in times.items() if who != "ours")
    ratios = {who: f"{taken / best:.2f}" for who, taken in times.items()}
    return _line(name, ratios, f"{best * 1e3:.1f} ms")


def memory_row(name: str, ours: float, fused: float) -> str:
    return _line(name, {"ours": f"{ours / fused:.2f}"}, f"{fused / 2**20:.1f} MiB")


def _line(name: str, ratios: dict[str, str], best: str) -> str:
    return f"| {name} | {' | '.join(ratios.get(who, '–') for who in COLUMNS)} | {best} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="", help="only rows whose name has this text")
    parser.add_argument("--length", default=GPT.length, type=int, help="of layers and of GPT")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--device", default="cpu", type=torch.device)
    parser.add_argument("--dtype", default="float32", choices=("float32", "bfloat16"))
    parser.add_argument("--seconds", default=5.0, type=float, help="for each row, at least")
    options = parser.parse_args()
    place = Place(options.device, getattr(torch, options.dtype))
    if options.threads:
        torch.set_num_threads(options.threads)
    print(_line("ratio to the fastest peer", {who: who for who in COLUMNS}, "the fastest peer"))
    print("|---" * (len(COLUMNS) + 2) + "|")
    for name, make in rows(place, replace(GPT, length=options.length)):
        if options.rows in name:
            print(time_row(name, medians(place, make(), options.seconds)), flush=True)
    fused = None
    for name, score in SCORES.items():
        label = f"memory at {LONG}, {name}"
        if options.rows in label:
            module, inputs, named = _scored(place, score, LONG)
            ours = peak(place, forward(module, *inputs, **named))
            fused = fused or peak(place, _fused(place))
            print(memory_row(label, ours, fused), flush=True)


def _fused(place: Place) -> Work:
    query, key, value = (place.random(1, HEADS, LONG, HEAD_SIZE) for _ in range(3))
    return lambda: F.scaled_dot_product_attention(query, key, value, is_causal=True)


if __name__ == "__main__":
    main()
