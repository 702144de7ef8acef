"""Private use of data.

    import tacit

    clinic = tacit.open("clinic", analyst="ana")
    visits = clinic.query("SELECT count(*) AS n FROM visits", epsilon=0.1, max_rows=3)
    print(visits)           # each number with its half-width, and what was charged
    visits.to_pandas()      # or .to_arrow(), polars.DataFrame(visits)

A workspace is made by the command: `tacit init --help`.
"""

from tacit import _native
from tacit.errors import BudgetExceeded, InputError, QueryRefused, TacitError, WorldFailed
from tacit.result import Batch, Column, Plan, Result
from tacit.workspace import Account, Workspace, open

__version__: str = _native.version

__all__ = [
    "Account",
    "Batch",
    "BudgetExceeded",
    "Column",
    "InputError",
    "Plan",
    "QueryRefused",
    "Result",
    "TacitError",
    "Workspace",
    "WorldFailed",
    "__version__",
    "open",
]
