"""publish: the files of a package and the disk in, changes on disk out; the only writer."""

from notes2code.publish.apply import apply
from notes2code.publish.changes import Change, Changes, Conflict, Kind, PublishError, diff
from notes2code.publish.plan import beside, plan

__all__ = [
    "Change",
    "Changes",
    "Conflict",
    "Kind",
    "PublishError",
    "apply",
    "beside",
    "diff",
    "plan",
]
