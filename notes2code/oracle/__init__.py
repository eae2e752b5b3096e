"""oracle: a typed equation in, its value term by term and readable NumPy source of it out."""

from notes2code.oracle.arrays import Array
from notes2code.oracle.evaluate import evaluate, tried
from notes2code.oracle.extents import OracleError
from notes2code.oracle.sampling import sample, squares_of
from notes2code.oracle.source import helpers_source, numpy_source

__all__ = [
    "Array",
    "OracleError",
    "evaluate",
    "helpers_source",
    "numpy_source",
    "sample",
    "squares_of",
    "tried",
]
