"""What trains the models of a package: a program, the data it trains on, and its tests."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from notes2code.emit.fitting import fitted
from notes2code.emit.imports import joined
from notes2code.emit.templating import TEMPLATES, fill
from notes2code.emit.view import View

MODULES = ("data", "distributed", "train")
"""The modules of a package that are for training and import its models."""

TESTS = "tests/test_train.py"
"""The tests of them."""


def trained(parts: Sequence[View]) -> dict[str, View]:
    """The models among the parts of a package that can be trained, by their task."""
    models = {"encoder_decoder": "translation", "gpt": "text"}
    first = {part.component: part for part in reversed(parts)}
    return {task: first[component] for component, task in models.items() if component in first}


def training(package: str, vault: str, parts: Sequence[View]) -> dict[str, str]:
    """The modules and tests, by path, for the models and losses among the parts of a package; none
    where no model can be trained. ``vault`` is the name of the notes' folder."""
    models = trained(parts)
    if not models:
        return {}
    missing = next(iter(models.values())).open_sizes
    first = {part.component: part for part in reversed(parts)}
    values = {
        "package": package,
        "notes": json.dumps(vault, ensure_ascii=not vault.isprintable()),
        "translation": models.get("translation"),
        "text": models.get("text"),
        "bleu": first.get("bleu"),
        "cross_entropy": first.get("cross_entropy"),
        "smoothing": first.get("label_smoothing"),
        "schedule": first.get("warmup_schedule"),
        "missing": {size: usual for size, usual in missing.items() if size != "vocab_size"},
        "models": models,
        "heads": min(model.heads_in_tests for model in models.values()),
        "numbers": sorted(
            {n for model in models.values() for n in model.handed_on.names} - {"max_len"}
        ),
        "counts": sorted({name for model in models.values() for name in model.handed_on.counts}),
        "classes": ["Model", *(model.name for model in models.values())],
        "joined": joined,
    }
    places = {f"{package}/{module}.py": f"{module}.py.j2" for module in MODULES}
    places[TESTS] = "test_train.py.j2"
    texts = {path: fill(TEMPLATES, template, **values) for path, template in places.items()}
    return {path: _spaced(fitted(text)) + "\n" for path, text in texts.items()}


def tests_of_training(files: Mapping[str, str], parts: Sequence[View]) -> dict[str, set[str]]:
    """The names of the models that the tests of training are of, by the test's file and name: those
    that name a task are of its model, the others of all."""
    models = trained(parts)
    names = {model.name for model in models.values()}
    found: dict[str, set[str]] = {}
    for test in re.findall(r"^def (test_\w+)", files.get(TESTS, ""), re.MULTILINE):
        found[f"{TESTS}::{test}"] = names
        found |= {f"{TESTS}::{test}[{task}]": {model.name} for task, model in models.items()}
    return found


def _spaced(text: str) -> str:
    """A text with two empty lines at most where sections of a template are left out."""
    return re.sub(r"\n{4,}", "\n\n\n", text)
