"""verify: the files of a package in, the verdict of its own tests out; run in a staging folder."""

from notes2code.verify.reports import Failure, function_of
from notes2code.verify.run import Superseded, Superseding, Verdict, never, verify

__all__ = ["Failure", "Superseded", "Superseding", "Verdict", "function_of", "never", "verify"]
