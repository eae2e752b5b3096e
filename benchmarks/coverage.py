"""How many labelled formulas from real notes come out as they should.

    python benchmarks/coverage.py FORMULAS.jsonl [CLASS_OR_ID ...]

Each line of the file is an object with ``id``, ``latex``, ``class``, ``expected_action`` and,
where there is another reading, ``also_acceptable``. Prints a table by class and by expected
action, and every row that is off; with classes or ids, all of those rows.
"""

from __future__ import annotations

import argparse
import collections
import json
import time
from pathlib import Path
from typing import Any

import notes2code

ATTENTION = {
    "scaled_dot_product_attention",
    "self_attention",
    "causal_self_attention",
    "cross_attention",
    "additive_attention",
    "bilinear_attention",
    "cosine_attention",
    "kernel_attention",
    "seq2seq_attention",
    "synthesizer_attention",
    "linear_attention",
    "differential_attention",
    "sigmoid_attention",
    "relative_position_attention",
    "relative_self_attention",
}
COMPONENTS: dict[str, set[str]] = {
    "sdpa": {"scaled_dot_product_attention"},
    "dot_attention": {
        "scaled_dot_product_attention",
        "cosine_attention",
        "seq2seq_attention",
        "self_attention",
    },
    "general_attention": {"bilinear_attention"},
    "additive_attention": {"additive_attention", "seq2seq_attention"},
    "attention_weights": ATTENTION,
    "causal_attention": {"scaled_dot_product_attention", "causal_self_attention"},
    "masking": {"scaled_dot_product_attention"},
    "context_vector": ATTENTION,
    "kernel_regression": {"kernel_attention"},
    "multi_head": {"multi_head_attention", "causal_self_attention"},
    "head_projection": {"multi_head_attention", "scaled_dot_product_attention"},
    "self_attention": {"self_attention", "causal_self_attention"},
    "cross_attention": {"cross_attention", "seq2seq_attention"},
    "synthesizer": {"synthesizer_attention"},
    "linear_attention": {"linear_attention"},
    "relative_position": {
        "scaled_dot_product_attention",
        "relative_position_attention",
        "relative_position_bias",
        "relative_self_attention",
    },
    "alibi": {"scaled_dot_product_attention", "alibi"},
    "sparse_attention": {"scaled_dot_product_attention"},
    "mqa_gqa": {"multi_head_attention", "grouped_query_attention"},
    "sinusoidal_pe": {"sinusoidal_positional_encoding"},
    "input_embedding": {"token_embedding", "learned_positional_embedding"},
    "rope": {"rotary_embedding"},
    "ffn": {"feed_forward"},
    "glu_ffn": {"gated_feed_forward"},
    "layer_norm": {"layer_norm"},
    "rms_norm": {"rms_norm"},
    "residual_addnorm": {"add_norm"},
    "transformer_block": {"encoder_layer", "decoder_layer", "transformer_block"},
    "lm_head": {"output_head"},
    "cross_entropy": {"cross_entropy"},
    "label_smoothing": {"label_smoothing"},
    "perplexity": {"perplexity"},
    "bleu": {"bleu"},
    "lr_schedule": {"warmup_schedule"},
    "softmax": {"output_head"},
}
"""The components that a formula of each class may become; a plain formula is always sound."""


def outcome(row: dict[str, Any]) -> tuple[str, str | None, list[str]]:
    """Status, component, and what was reported."""
    try:
        formula = notes2code.compile_formula(row["latex"])
    except notes2code.FormulaError as problem:
        return "refused", None, [str(problem).splitlines()[0]]
    codes = [f"{d.code} {d.severity}" for d in formula.diagnostics]
    return formula.status, formula.component, codes


def is_right(row: dict[str, Any], status: str, component: str | None, codes: list[str]) -> bool:
    """Whether the outcome is what the label asks for."""
    action = row["expected_action"]
    classes = [row["class"], *row.get("also_acceptable", [])]
    if action.startswith("compile"):
        known = any(component in COMPONENTS.get(name, ()) for name in classes)
        warned = "warn" not in action or any("warning" in code for code in codes)
        return (status == "formula" or (status == "component" and known)) and warned
    if action.startswith(("refuse", "repair")):
        return status == "refused" or any("warning" in code for code in codes)
    return action != "skip" or component is None


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("formulas", type=Path)
    parser.add_argument("only", nargs="*", help="classes or ids to print in full")
    options = parser.parse_args()
    lines = options.formulas.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    only = set(options.only)
    tables: dict[str, dict[str, list[int]]] = {
        kind: collections.defaultdict(lambda: [0, 0, 0]) for kind in ("expected_action", "class")
    }
    start = time.perf_counter()
    for row in rows:
        if only and not {row["id"], row["class"], row["expected_action"]} & only:
            continue
        status, component, codes = outcome(row)
        right = is_right(row, status, component, codes)
        for kind, table in tables.items():
            table[row[kind]][0] += right
            table[row[kind]][1] += 1
            table[row[kind]][2] += component is not None
        if only or not right:
            latex = " ".join(row["latex"].split())[:110]
            reported = "; ".join(codes)[:150]
            mark = "      " if right else "  off "
            print(f"{mark}{row['id']} {row['class']} [{row['expected_action']}] "
                  f"{status} {component or ''} {{{reported}}} {latex}")  # fmt: skip
    for kind, table in tables.items():
        print(f"\n{kind:24} right  of  components")
        for name, (right, total, components) in sorted(table.items()):
            print(f"{name:24} {right:5} {total:4} {components:6}")
    print(f"\n{len(rows)} formulas in {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
