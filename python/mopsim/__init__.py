"""mopsim predicts how fast MPI applications run on an interconnect that does not exist yet.

>>> import mopsim
>>> trace = mopsim.Trace("traces/is.A.64.ti.zst")
>>> result = mopsim.replay(trace, "torus:8x8")
>>> result.report["schema"]
'mopsim.replay/2'

The guide is ``docs/guide/python.md``. No other package is needed; methods that return arrays, graphs or frames need
numpy, networkx, scipy, pandas, polars or pyarrow.
"""

from . import actions
from ._errors import Error, FileError, InputError, MopsimWarning, ReplayError
from ._mopsim import version as _version
from ._platform import Platform
from ._replay import Replay, replay
from ._study import Comparison, Study, compare
from ._table import Table
from ._topology import Topology
from ._trace import Trace

__version__ = _version()

__all__ = [
    "Comparison",
    "Error",
    "FileError",
    "InputError",
    "MopsimWarning",
    "Platform",
    "Replay",
    "ReplayError",
    "Study",
    "Table",
    "Topology",
    "Trace",
    "actions",
    "compare",
    "replay",
]
