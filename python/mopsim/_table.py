"""Tables: lists of dicts, and frames of the libraries that are there."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ._extras import needed

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

#: Columns that are text even where every value is missing.
_TEXT = {
    "workload", "topology", "baseline", "platform", "mapping", "collectives", "routing_setting", "model", "routing",
    "routing_kind", "duplex", "floor_plan", "defaults", "network", "spec", "family", "sharing", "busiest_link", "failures",
    "severity", "kind", "place", "text", "assumption", "value", "fastest", "job", "host", "link",
}  # fmt: skip

#: Columns that are whole numbers even where every value is missing.
_WHOLE = {
    "seed", "hosts", "ranks", "repetition", "cores", "actions", "messages", "bytes", "iterations", "replayed_iterations",
    "count", "rank", "action", "source", "destination",
}  # fmt: skip

_SHOWN = 20


class Table:
    """Rows with named columns. Iterating over it yields a dict for each row.

    ``table.rows`` needs no other package. Where a value is missing, it is ``None`` there.

    >>> table = Table(["rank", "seconds"], [{"rank": 0, "seconds": 1.5}, {"rank": 1, "seconds": None}])
    >>> len(table), table.columns, table["seconds"]
    (2, ['rank', 'seconds'], [1.5, None])
    """

    def __init__(self, columns: list[str], rows: list[dict[str, Any]]) -> None:
        self.columns = columns
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, column: str) -> list[Any]:
        """Return the values of a column."""
        if column not in self.columns:
            raise KeyError(f"{column}: the columns are {', '.join(self.columns)}")
        return [row[column] for row in self.rows]

    def arrow(self) -> pyarrow.Table:
        """Return a ``pyarrow.Table``. A column in which some values are ranges is text.

        >>> Table(["a"], [{"a": 1}, {"a": None}]).arrow().to_pydict()
        {'a': [1, None]}
        """
        with needed("arrow"):
            import pyarrow as pa

        types = {"text": pa.string(), "whole": pa.int64(), "number": pa.float64(), None: None}
        columns = {name: self._typed(name) for name in self.columns}
        return pa.table({name: pa.array(values, types[kind]) for name, (kind, values) in columns.items()})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Arrow's C stream interface, by which polars, DuckDB and others take the table as it is."""
        return self.arrow().__arrow_c_stream__(requested_schema)

    def pandas(self) -> pandas.DataFrame:
        """Return a ``pandas.DataFrame``. A missing number is NaN, so that counts with missing values become floats.

        A column in which some values are ranges is text.
        """
        with needed("pandas"):
            import pandas as pd

        frame = pd.DataFrame(self.rows, columns=self.columns)
        for name in self.columns:
            kind, values = self._typed(name)
            if kind == "text":
                frame[name] = values
            elif kind is not None:
                frame[name] = frame[name].astype("float64")
        return frame

    def polars(self) -> polars.DataFrame:
        """Return a ``polars.DataFrame``."""
        with needed("polars"):
            import polars as pl

        types = {"text": pl.String, "whole": pl.Int64, "number": pl.Float64, None: None}
        columns = {name: self._typed(name) for name in self.columns}
        return pl.DataFrame({name: pl.Series(name, values, types[kind]) for name, (kind, values) in columns.items()})

    def _typed(self, name: str) -> tuple[str | None, list[Any]]:
        """Return the kind and the values of a column for frames, whose types must not depend on missing values.

        The kind is ``None`` where the values tell. Numbers among ranges, which are text, become text.
        """
        values = self[name]
        there = [value for value in values if value is not None]
        if not there:
            return ("text" if name in _TEXT else "whole" if name in _WHOLE else "number"), values
        if any(isinstance(value, str) for value in there):
            return "text", [None if value is None else str(value) for value in values]
        return None, values

    def __repr__(self) -> str:
        return f"<mopsim.Table: {len(self)} rows, columns {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        return table_html(self.columns, [[row[name] for name in self.columns] for row in self.rows])


def cell(value: Any) -> str:
    """Return a value for readers; floats with six digits."""
    if value is None:
        return ""
    return html.escape(f"{value:.6g}" if isinstance(value, float) else str(value))


def table_html(columns: list[str], rows: list[list[Any]]) -> str:
    """Return an HTML table of the first rows."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{cell(value)}</td>" for value in row) + "</tr>" for row in rows[:_SHOWN])
    more = f"<p>{len(rows) - _SHOWN} more rows</p>" if len(rows) > _SHOWN else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def facts_html(title: str, facts: dict[str, Any]) -> str:
    """Return an HTML table with a row for each fact."""
    body = "".join(
        f'<tr><th scope="row" style="text-align:left">{html.escape(name)}</th><td>{cell(value)}</td></tr>'
        for name, value in facts.items()
        if value is not None
    )
    return f"<table><caption>{html.escape(title)}</caption><tbody>{body}</tbody></table>"
