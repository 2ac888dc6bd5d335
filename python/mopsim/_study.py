"""Studies: workloads on networks, compared."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _mopsim, _platform, _trace
from ._errors import InputError
from ._options import CompareOptions, NetworkOptions, StudyOptions, check_names, flags, warn
from ._platform import Network
from ._progress import Progress, watched
from ._replay import model_options
from ._report import Report
from ._table import Table
from ._trace import Workload

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    from typing_extensions import Unpack


class Comparison(Report[_mopsim.Comparison]):
    """The result of a study.

    In a notebook it is shown as the HTML report. ``cells`` is the tidy table that CSV has, and ``report`` the document that
    ``mopsim compare --format json`` prints, with the same numbers to the last bit.
    """

    def __init__(self, native: _mopsim.Comparison, command: str) -> None:
        super().__init__(native)
        self._command = command

    @property
    def cells(self) -> Table:
        """A row per replay, and every factor and result in a column of its own.

        Times are in seconds, sizes in bytes, bandwidths in bytes per second; ``relative`` is the time on the baseline
        over the time here, so that larger is faster. ``docs/guide/python.md`` describes the columns.
        """
        columns, rows = self._native.cells()
        return Table(columns, json.loads(rows))

    @property
    def means(self) -> Table:
        """Weighted means over the workloads: a row per network and setting, relative to the baseline."""
        columns: list[str] = []
        rows = []
        for mean in self.report["means"]:
            # Under the name that it has in the other tables.
            row: dict[str, Any] = {"network": mean["topology"]}
            row.update({name: value for name, value in mean.items() if not isinstance(value, (dict, list))})
            del row["topology"]
            columns += [name for name in row if name not in columns]
            rows.append(row)
        return Table(columns, [{name: row.get(name) for name in columns} for row in rows])

    @property
    def offers(self) -> Table:
        """Networks as a buyer sees them, best first: price, total cost, power, performance for the money.

        Empty if the study has neither prices nor a budget. ``price`` and ``total_cost`` are in the currency of the price
        list; ``performance`` is the geometric mean relative to the baseline. An offer has a row in each setting, which
        ``platform``, ``mapping``, ``routing_setting``, ``collectives``, ``model`` and ``failures`` name.
        """
        columns = ["network", "platform", "mapping", "performance", "price", "total_cost", "watts", "cable_metres"]
        columns += ["within_budget", "per_money", "per_watt"]
        # What a study may have several of, besides platforms and mappings: under the names that cells have.
        settings = ["routing_setting", "collectives", "model", "failures"]
        columns += settings
        rows = []
        for offer in self.report.get("procurement", {}).get("offers", []):
            cost = offer["cost"] or {}
            values = [offer["topology"], offer.get("platform"), offer["mapping"], offer["performance"]]
            values += [cost.get(name) for name in ("dollars", "total", "watts", "metres")]
            values += [offer["within_budget"], offer["per_dollar"], offer["per_watt"]]
            values += [offer.get(name) for name in settings]
            rows.append(dict(zip(columns, values)))
        return Table(columns, rows)

    @property
    def sensitivity(self) -> Table:
        """How far each changed assumption moves each network: a row per assumption, value and network.

        Empty unless the study was read with ``sensitivity=True``, or asks for it. ``moved`` is the change of the
        geometric mean as a part of it.
        """
        columns = ["assumption", "value", "network", "geometric", "moved", "fastest", "winner_changes", "buy_changes"]
        rows = []
        for effect in self.report.get("sensitivity", {}).get("effects", []):
            for moved in effect["networks"]:
                values = [effect["assumption"], effect["value"], moved["topology"], moved["geometric"], moved["moved"]]
                values += [effect["fastest"], effect["winner_changes"], effect["buy_changes"]]
                rows.append(dict(zip(columns, values)))
        return Table(columns, rows)

    def pandas(self) -> pandas.DataFrame:
        """Return :attr:`cells` as a ``pandas.DataFrame``."""
        return self.cells.pandas()

    def polars(self) -> polars.DataFrame:
        """Return :attr:`cells` as a ``polars.DataFrame``."""
        return self.cells.polars()

    def arrow(self) -> pyarrow.Table:
        """Return :attr:`cells` as a ``pyarrow.Table``."""
        return self.cells.arrow()

    def html(self) -> str:
        """Return the report as one HTML page that needs no other file. It replays one cell again for its timeline."""
        return self._native.html(self._command)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report: HTML, JSON, CSV, Markdown or text, by the end of the name. An existing file is replaced."""
        formats = {".html": self.html, ".json": self.json, ".csv": self.csv, ".md": self.markdown, ".txt": self.__str__}
        path = Path(path)
        if path.suffix not in formats:
            raise ValueError(f"{path}: end the name in one of {', '.join(formats)}")
        path.write_text(formats[path.suffix](), encoding="utf-8")

    def __repr__(self) -> str:
        cells = len(self.report["cells"])
        return f"<mopsim.Comparison {self.report['title']!r}: {cells} replays>"

    def _repr_html_(self) -> str:
        # A page of its own, so that its styles and scripts do not meet those of the notebook.
        page = html.escape(self.html(), quote=True)
        style = "width:100%;height:42em;border:1px solid #ccc"
        title = html.escape(self.report["title"], quote=True)
        return f'<iframe title="{title}" srcdoc="{page}" style="{style}" sandbox="allow-scripts"></iframe>'


class Study:
    """A study: networks, workloads and a baseline, read from TOML.

    Parameters
    ----------
    study : path or str
        A study file, or the text of one: a text is what contains a line break. File names in a text are relative to the
        working folder.
    no_explain, sensitivity, cross_check : bool
        Leave out explanations; change one assumption at a time; repeat every replay with packets.
    until_steady : bool or str
        Replay iterations until their mean time is known within 1 % (``True``) or another half width, such as ``"0.5%"``.
    perturb, samples : optional
        Vary speeds by up to this part, such as ``"10%"``, in this number of repetitions.
    prices : path, optional
        Price list (TOML).
    topology, platform : list, optional
        Networks to compare in addition to those of the study.
    **options
        Options that override the study: those of :class:`Platform` (such as ``link_bandwidth``) and of
        :func:`replay` (such as ``mapping``, ``model``, ``collectives``, ``seed``).

    Examples
    --------
    >>> study = Study('''
    ... title = "Torus against random"
    ... [[networks]]
    ... topology = "torus:4x4"
    ... [[networks]]
    ... topology = "random:n=16,d=4,seed=1"
    ... [[workloads]]
    ... workload = "npb/is"
    ... class = "S"
    ... ranks = 16
    ... ''')
    >>> study
    <mopsim.Study 'Torus against random': 1 workload, 2 networks, 2 replays>
    >>> result = study.run()
    >>> [row["network"] for row in result.cells]
    ['torus:dims=4x4', 'random_regular:n=16,d=4,seed=1']
    """

    def __init__(
        self,
        study: str | os.PathLike[str],
        *,
        no_explain: bool = False,
        sensitivity: bool = False,
        cross_check: bool = False,
        until_steady: bool | str = False,
        perturb: str | None = None,
        samples: int | None = None,
        prices: str | os.PathLike[str] | None = None,
        topology: list[str] | None = None,
        platform: list[str | os.PathLike[str]] | None = None,
        **options: Unpack[StudyOptions],
    ) -> None:
        given = {
            "no_explain": no_explain,
            "sensitivity": sensitivity,
            "cross_check": cross_check,
            "until_steady": until_steady,
            "perturb": perturb,
            "samples": samples,
            "prices": prices,
            "topology": topology,
            "platform": platform,
            **_study_options(dict(options)),
        }
        path, text = (Path("study"), study) if isinstance(study, str) and "\n" in study else (Path(study), None)
        words = flags(given)
        self._native = _mopsim.Study.read(os.fspath(path), text, words)
        shown = "".join(f", {name}={value!r}" for name, value in given.items() if value not in (None, False, []))
        self._command = f"mopsim.Study({os.fspath(path)!r}{shown})"
        warn(self._native.warnings())

    @classmethod
    def of(
        cls,
        workloads: Iterable[Workload],
        networks: Iterable[Network] | Mapping[str, Network],
        *,
        title: str = "Comparison",
        baseline: str | None = None,
        explain: bool = True,
        mapping: str | None = None,
        seed: int | None = None,
        model: str | os.PathLike[str] | None = None,
        collectives: str | None = None,
        collective: Mapping[str, str] | None = None,
        sharing: str | None = None,
        timing_precision: float | None = None,
        compat: str | None = None,
        crosstraffic: bool | float | str | None = None,
        smp_setup: bool | str | None = None,
        **platform: Unpack[NetworkOptions],
    ) -> Study:
        """Make a study of traces and networks that Python has.

        Parameters
        ----------
        workloads : iterable of Trace or path
            Traces, with different names.
        networks : iterable of networks, or a mapping from names to them
            Platforms, topologies, specifications, or paths of platform files.
        title : str
            Heading of the report.
        baseline : str, optional
            Name of the network that the others are compared with; the first one if left out.
        explain : bool
            Find how long links were full, and critical paths; takes a third of the time.
        mapping, seed, model, ... : optional
            As for :func:`replay`.
        **platform
            Options of :class:`Platform` for all networks that are not platforms already; a warning names those that are.

        Examples
        --------
        >>> from mopsim import Trace
        >>> traces = [Trace.generate("npb/is", 16, {"class": "S"})]
        >>> study = Study.of(traces, {"torus": "torus:4x4", "ring": "ring:16"}, baseline="ring")
        >>> [(row["network"], row["baseline"]) for row in study.run().cells]
        [('torus', 'ring'), ('ring', 'ring')]
        """
        check_names(Study.of, platform, NetworkOptions)
        for what, given in (("workloads", workloads), ("networks", networks)):
            if isinstance(given, (str, bytes, os.PathLike)):
                raise TypeError(f"{what} is one value; pass a list of them")
        listed: list[tuple[str | None, Network]] = (
            list(networks.items()) if isinstance(networks, Mapping) else [(None, network) for network in networks]
        )
        _check_platforms(listed, platform)
        of_networks = {**platform, "seed": seed}
        natives = [_named(name, network, of_networks) for name, network in listed]
        names = [json.loads(native.info())["name"] for native in natives]
        traces = [_trace.native(workload) for workload in workloads]
        if not traces:
            raise InputError("there is no workload to compare networks by; pass at least one trace")
        for what, all_names in (("networks", names), ("workloads", [trace.name for trace in traces])):
            repeated = {name for name in all_names if all_names.count(name) > 1}
            if repeated:
                raise InputError(f"two {what} are called {sorted(repeated)[0]!r}; give them different names")
        if baseline is not None and baseline not in names:
            raise InputError(f"no network is called {baseline!r}; the names are {', '.join(names)}")
        options = {
            "mapping": mapping,
            "seed": seed,
            **model_options(model, collectives, collective, sharing, timing_precision, compat, crosstraffic, smp_setup),
        }
        study = cls.__new__(cls)
        index = 0 if baseline is None else names.index(baseline)
        study._native = _mopsim.Study.of(title, index, traces, natives, flags(options), explain)
        study._command = "mopsim.Study.of(...)"
        return study

    @property
    def title(self) -> str:
        """Heading of the report."""
        return self._native.title

    @property
    def workloads(self) -> list[str]:
        """Names of the workloads."""
        return list(self._native.workloads)

    @property
    def networks(self) -> list[str]:
        """Names of the networks, with their settings where there are several."""
        return list(self._native.networks)

    @property
    def cells(self) -> int:
        """Number of replays."""
        return self._native.cells

    def run(
        self,
        *,
        progress: Progress = False,
        threads: int = 0,
        results: str | os.PathLike[str] | None = None,
        resume: bool = False,
    ) -> Comparison:
        """Run all replays and compare them. The result does not depend on the number of threads.

        Parameters
        ----------
        progress : bool or callable
            ``True`` for a bar (of tqdm, if that is installed), or a function of the replays that have ended and their
            number.
        threads : int
            Replays at the same time; 0 for one per core.
        results : path, optional
            File that keeps each replay as soon as it has ended, as ``mopsim compare --results``.
        resume : bool
            Continue that file.

        Raises
        ------
        ReplayError
            If a replay cannot come to its end.
        KeyboardInterrupt
            On Ctrl-C: running replays stop at once.
        """
        if resume and results is None:
            raise InputError("resume continues a results file; pass its path as results")
        with watched(progress, "replays") as watch:
            path = None if results is None else os.fspath(results)
            comparison = Comparison(self._native.run(threads, path, resume, watch), self._command)
        if comparison.unmatched:
            warn(comparison.notes)
        return comparison

    def __repr__(self) -> str:
        counts = [(len(self.workloads), "workload"), (len(self.networks), "network"), (self.cells, "replay")]
        text = ", ".join(f"{number} {what}{'' if number == 1 else 's'}" for number, what in counts)
        return f"<mopsim.Study {self.title!r}: {text}>"


def _check_platforms(networks: list[tuple[str | None, Network]], options: Mapping[str, Any]) -> None:
    """Name networks that options do not change, because they are platforms already."""
    given = [name for name, value in options.items() if value is not None]
    made = [name or network.name for name, network in networks if isinstance(network, _platform.Platform)]
    if not given or not made:
        return
    if len(made) == len(networks):
        raise _platform.misplaced(given)
    warn([f"{', '.join(given)} applies to all networks but {', '.join(made)}: a Platform has these already"])


def _named(name: str | None, network: Network, options: dict[str, Any]) -> _mopsim.Platform:
    """Return a platform under a name."""
    if isinstance(network, _platform.Platform):
        return network._native if name is None else network._native.renamed(name)
    return _platform.native(network, name=name, **options)


def _study_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return further options of a study, with those of the model as the command line has them."""
    names = ["model", "collectives", "collective", "sharing", "timing_precision", "compat", "crosstraffic", "smp_setup"]
    model = {name: options.pop(name, None) for name in names}
    return {**options, **model_options(**model)}


def compare(
    workloads: Iterable[Workload],
    networks: Iterable[Network] | Mapping[str, Network],
    **options: Unpack[CompareOptions],
) -> Comparison:
    """Compare networks: :meth:`Study.of` and :meth:`Study.run` in one call.

    >>> from mopsim import Trace, compare
    >>> result = compare([Trace.generate("npb/is", 16, {"class": "S"})], ["torus:4x4", "ring:16"])
    >>> [round(row["relative"], 2) for row in result.cells][0]
    1.0
    """
    check_names(compare, options, CompareOptions)
    given: dict[str, Any] = dict(options)
    run = {name: given.pop(name) for name in ("progress", "threads", "results", "resume") if name in given}
    return Study.of(workloads, networks, **given).run(**run)
