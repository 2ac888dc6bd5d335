"""Graphs of switches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _mopsim
from ._extras import needed
from ._options import Quantity, flags
from ._table import facts_html

if TYPE_CHECKING:
    import os

    import networkx
    import numpy
    import scipy.sparse
    from numpy.typing import NDArray


class Topology:
    """A graph of switches, from a specification or a graph file.

    Parameters
    ----------
    spec : str
        Specification, such as ``"torus:8x8"`` or ``"random:n=64,d=6,seed=1"``, or the path of a graph file. The
        families and their parameters are listed by ``mopsim topology --help``.
    seed : int, optional
        Seed of a random family whose specification has none (default 1).

    Examples
    --------
    >>> torus = Topology("torus:8x8")
    >>> torus
    Topology('torus:dims=8x8')
    >>> torus.vertices, torus.cables, torus.directed
    (64, 128, False)
    >>> torus.metrics()["diameter"]
    8
    """

    def __init__(self, spec: str, *, seed: int | None = None) -> None:
        self._native = _mopsim.Topology(str(spec), seed)

    @property
    def spec(self) -> str:
        """Canonical specification."""
        return self._native.spec

    @property
    def seed(self) -> int | None:
        """Seed of a random family; ``None`` where nothing is random."""
        return self._native.seed

    @property
    def family(self) -> str:
        """Name of the family."""
        return self._native.family

    @property
    def vertices(self) -> int:
        """Number of vertices: switches, and hosts in families whose source draws hosts as vertices."""
        return self._native.vertices

    @property
    def cables(self) -> int:
        """Number of cables; a one-way cable is a cable."""
        return self._native.cables

    @property
    def directed(self) -> bool:
        """``True`` if cables are one-way (uni-directional)."""
        return self._native.directed

    def metrics(
        self,
        *,
        full: bool = False,
        aspl_samples: int | None = None,
        bisection: int | None = None,
        seed: int | None = None,
        hosts_per_switch: int | None = None,
        switch_delay: Quantity | None = None,
        cable_delay: Quantity | None = None,
        prices: str | os.PathLike[str] | None = None,
        link_bandwidth: Quantity | None = None,
        floor_plan: str | None = None,
        switches_per_cabinet: int | None = None,
        hosts_per_cabinet: int | None = None,
        placement: str | None = None,
        defaults: str | None = None,
    ) -> dict[str, Any]:
        """Return sizes, degrees, distances, cuts, cables and cost: what ``mopsim topology --format json`` prints.

        Parameters
        ----------
        full : bool
            Also compute what takes long in large networks: latencies, path diversity, edge connectivity, bisection.
        aspl_samples : int, optional
            Estimate distances from this number of switches, with an error bound.
        bisection : int, optional
            Number of seeds of METIS for the bisection; 0 for none.
        seed : int, optional
            Seed of samples.
        hosts_per_switch : int, optional
            Hosts on each switch that has hosts attached.
        switch_delay, cable_delay : float or str, optional
            Seconds per switch, and seconds per metre of cable; or with a unit, such as ``"100 ns"``.
        prices : path, optional
            Price list (TOML).
        link_bandwidth : float or str, optional
            Rate of links, for which the prices are looked up: bytes per second, or with a unit, such as ``"200 Gbit/s"``.
        floor_plan, switches_per_cabinet, hosts_per_cabinet, placement : optional
            Floor plan: model (``"grid"``, ``"slim-fly"``, ``"equality"``), sizes of cabinets, order of switches.
        defaults : str, optional
            Version of the defaults.

        Returns
        -------
        dict
            Distances are in hops, lengths in metres, latencies in nanoseconds (``_ns``), power in watts. A value is
            ``None`` if it does not exist or takes too long.

        Examples
        --------
        >>> metrics = Topology("random:n=64,d=6").metrics()
        >>> metrics["seed"], metrics["n"], metrics["max_degree"]
        (1, 64, 6)
        """
        return self._report(
            full=full,
            aspl_samples=aspl_samples,
            bisection=bisection,
            seed=seed,
            hosts_per_switch=hosts_per_switch,
            switch_delay=switch_delay,
            cable_delay=cable_delay,
            prices=prices,
            link_bandwidth=link_bandwidth,
            floor_plan=floor_plan,
            switches_per_cabinet=switches_per_cabinet,
            hosts_per_cabinet=hosts_per_cabinet,
            placement=placement,
            defaults=defaults,
        )

    def _report(self, route: tuple[int, int] | None = None, **options: Any) -> dict[str, Any]:
        words = flags(options)
        if route is not None:
            words += ["--route", str(route[0]), str(route[1])]
        report: dict[str, Any] = json.loads(self._native.report(words))
        return report

    def layout(
        self,
        *,
        floor_plan: str | None = None,
        switches_per_cabinet: int | None = None,
        hosts_per_cabinet: int | None = None,
        placement: str | None = None,
    ) -> dict[str, Any]:
        """Return cabinets and cable lengths: the key ``floor`` of :meth:`metrics`.

        >>> layout = Topology("torus:8x8").layout()
        >>> layout["cabinets"], round(layout["cable_metres"], 1)
        (4, 372.8)
        """
        report = self._report(
            bisection=0,
            floor_plan=floor_plan,
            switches_per_cabinet=switches_per_cabinet,
            hosts_per_cabinet=hosts_per_cabinet,
            placement=placement,
        )
        floor: dict[str, Any] = report["floor"]
        return floor

    def cost(
        self,
        *,
        prices: str | os.PathLike[str] | None = None,
        link_bandwidth: Quantity | None = None,
        hosts_per_switch: int | None = None,
        floor_plan: str | None = None,
        switches_per_cabinet: int | None = None,
        hosts_per_cabinet: int | None = None,
        placement: str | None = None,
    ) -> dict[str, Any] | None:
        """Return the bill by a price list, in its currency, and watts; ``None`` if the list has no such routers.

        Without ``prices``, the built-in list of published prices applies; without ``link_bandwidth``, the first rate of
        the list. The floor plan determines the lengths of cables, as in :meth:`metrics`.

        >>> Topology("torus:8x8").cost()["endpoints"]
        64
        """
        report = self._report(
            bisection=0,
            prices=prices,
            link_bandwidth=link_bandwidth,
            hosts_per_switch=hosts_per_switch,
            floor_plan=floor_plan,
            switches_per_cabinet=switches_per_cabinet,
            hosts_per_cabinet=hosts_per_cabinet,
            placement=placement,
        )
        cost: dict[str, Any] | None = report["cost"]
        return cost

    def route(
        self, source: int, destination: int, *, routing: str | None = None, seed: int | None = None
    ) -> dict[str, Any]:
        """Return the route between two switches: ``path`` (switches), ``reasons``, ``metres``, ``latency_ns``.

        >>> Topology("torus:4x4").route(0, 10, routing="dimension-order")["path"]
        [0, 1, 2, 6, 10]
        """
        report = self._report(route=(source, destination), bisection=0, routing=routing, seed=seed)
        route: dict[str, Any] = report["route"]
        return route

    def edges(self) -> NDArray[numpy.uint32]:
        """Return both ends of each cable: an array of shape ``(cables, 2)`` and type ``uint32``.

        A one-way cable goes from the first to the second; of a two-way cable, the smaller number is first. Needs numpy.

        >>> Topology("ring:4").edges().tolist()
        [[0, 1], [0, 3], [1, 2], [2, 3]]
        """
        with needed("numpy"):
            import numpy as np

        return np.frombuffer(self._native.edges(), dtype=np.uint32).reshape(-1, 2).copy()

    def cable_metres(
        self,
        *,
        floor_plan: str | None = None,
        switches_per_cabinet: int | None = None,
        placement: str | None = None,
    ) -> NDArray[numpy.float64]:
        """Return the length of each cable in metres, in the order of :meth:`edges`: shape ``(cables,)``, ``float64``.

        The length is 0 for cables to hosts that are vertices. Needs numpy.

        >>> torus = Topology("torus:8x8")
        >>> float(torus.cable_metres().max()) == torus.layout()["longest_cable_metres"]
        True
        """
        with needed("numpy"):
            import numpy as np

        options = {"floor_plan": floor_plan, "switches_per_cabinet": switches_per_cabinet, "placement": placement}
        return np.frombuffer(self._native.lengths(flags(options)), dtype=np.float64).copy()

    def cabinets(
        self,
        *,
        floor_plan: str | None = None,
        switches_per_cabinet: int | None = None,
        placement: str | None = None,
    ) -> NDArray[numpy.int64]:
        """Return cabinet, row and column of each vertex: shape ``(vertices, 3)``, ``int64``; -1 for hosts.

        Needs numpy.

        >>> Topology("torus:8x8").cabinets().max(axis=0).tolist()
        [3, 1, 1]
        """
        with needed("numpy"):
            import numpy as np

        options = {"floor_plan": floor_plan, "switches_per_cabinet": switches_per_cabinet, "placement": placement}
        places = np.frombuffer(self._native.cabinets(flags(options)), dtype=np.uint32).reshape(-1, 3).astype(np.int64)
        places[places == 2**32 - 1] = -1
        return places

    def sparse(self) -> scipy.sparse.csr_array:
        """Return the adjacency matrix: shape ``(vertices, vertices)``, number of cables from row to column.

        It is symmetric if cables are two-way. Needs scipy.

        >>> Topology("ring:4").sparse().toarray().tolist()
        [[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]
        """
        with needed("graphs"):
            import numpy as np
            import scipy.sparse

        ends = self.edges()
        if not self.directed:
            ends = np.concatenate([ends, ends[:, ::-1]])
        ones = np.ones(len(ends), dtype=np.int64)
        shape = (self.vertices, self.vertices)
        return scipy.sparse.coo_array((ones, (ends[:, 0], ends[:, 1])), shape=shape).tocsr()

    def networkx(self) -> networkx.Graph:
        """Return a networkx graph with the attribute ``metres`` of each edge.

        A ``Graph``, a ``DiGraph`` if cables are one-way, or the ``Multi`` form of it if there are parallel cables.
        Needs networkx and numpy.

        >>> import networkx
        >>> networkx.diameter(Topology("torus:8x8").networkx())
        8
        """
        with needed("graphs"):
            import networkx as nx

        ends = [tuple(ends) for ends in self.edges().tolist()]
        parallel = len(set(ends)) < len(ends)
        kinds = {(False, False): nx.Graph, (False, True): nx.MultiGraph, (True, False): nx.DiGraph}
        graph = kinds.get((self.directed, parallel), nx.MultiDiGraph)(name=self.spec)
        graph.add_nodes_from(range(self.vertices))
        metres = self.cable_metres().tolist()
        graph.add_edges_from((a, b, {"metres": length}) for (a, b), length in zip(ends, metres))
        return graph

    def floor_svg(
        self,
        *,
        floor_plan: str | None = None,
        switches_per_cabinet: int | None = None,
        hosts_per_cabinet: int | None = None,
        placement: str | None = None,
    ) -> str:
        """Return a drawing of the floor with its cables (SVG); options as for :meth:`layout`."""
        floor = {
            "floor_plan": floor_plan,
            "switches_per_cabinet": switches_per_cabinet,
            "hosts_per_cabinet": hosts_per_cabinet,
            "placement": placement,
        }
        return self._native.floor_svg(flags(floor))

    def export(self, to: str, path: str | os.PathLike[str] | None = None) -> bytes:
        """Return the graph as ``"graphml"``, ``"dot"``, ``"json"`` or ``"edges"``; write it to ``path`` if that is given.

        >>> Topology("ring:3").export("edges").decode().splitlines()[-1]
        '1 2'
        """
        content = self._native.export(to)
        if path is not None:
            Path(path).write_bytes(content)
        return content

    def __repr__(self) -> str:
        return f"Topology({self.spec!r})"

    def _repr_html_(self) -> str:
        metrics = self.metrics(bisection=0)
        names = ["n", "switches", "hosts", "directed", "edges", "arcs", "min_degree", "max_degree", "diameter", "aspl"]
        facts = {name: metrics.get(name) for name in names}
        facts["cable_metres"] = metrics["floor"]["cable_metres"]
        return facts_html(self.spec, facts)
