"""Hosts, links and routes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Union

from . import _mopsim
from ._options import Quantity, flags, warn
from ._table import Table, facts_html
from ._topology import Topology

#: What calls take as a network: a platform, a topology, a specification, or the path (``pathlib.Path``) of a platform file.
Network = Union["Platform", Topology, str, "os.PathLike[str]"]


class Platform:
    """A network with its hosts, links and routes.

    Parameters
    ----------
    network : Topology, str or path
        A topology or its specification; or the path of a platform file (explicit JSON, SimGrid XML, TOML) as
        ``pathlib.Path``.
    name : str, optional
        Name for reports; the specification if left out.
    routing : str, optional
        Routing rule, such as ``"ecmp"``; that of the family if left out.
    duplex : str, optional
        ``"full"`` (default) or ``"shared"``: whether the directions of a cable have a capacity each.
    rail : str, optional
        Rail of a message, if hosts have several ports (topology ``rails:base=...,planes=2``): ``"message"`` (default),
        ``"destination"`` or ``"striped"``.
    planes : int or str, optional
        Copies of the topology, or topologies separated by ``;``: every host has a port in each.
    host_ports : int, optional
        Ports per host in each plane, each on a different switch.
    host_ports_at : str, optional
        Switches of a host's additional ports: ``"next"`` (default) or ``"group"``.
    without : str, optional
        Failed cables and switches, such as ``"3-7,12"``.
    hosts_per_switch, cores : int, optional
        Hosts per switch that has hosts attached, and cores per host.
    host_speed : float or str, optional
        Flop/s of a core, or a text such as ``"100 Gflop/s"``.
    link_bandwidth, host_link_bandwidth : float or str, optional
        Bytes per second, or a text such as ``"100 Gbit/s"``; ``host_link_bandwidth="none"``: hosts have no links.
    link_latency, host_link_latency, switch_delay : float or str, optional
        Seconds, or a text such as ``"100 ns"``.
    cable_delay : float or str, optional
        Seconds per metre.
    floor_plan, switches_per_cabinet, hosts_per_cabinet, placement : optional
        Floor plan, as for :meth:`Topology.metrics`.
    seed : int, optional
        Seed of a random topology or routing that has none of its own.
    defaults : str, optional
        Version of the defaults.

    Examples
    --------
    >>> platform = Platform("torus:4x4", link_bandwidth="200 Gbit/s")
    >>> platform
    Platform('torus:dims=4x4')
    >>> platform.hosts, platform.info["speeds"]["link_bandwidth"]
    (16, 25000000000.0)
    >>> platform.route(0, 5)
    ['h0->0', '0->1', '1->5', '5->h5']
    """

    def __init__(
        self,
        network: Topology | str | os.PathLike[str],
        *,
        name: str | None = None,
        routing: str | None = None,
        duplex: str | None = None,
        rail: str | None = None,
        planes: int | str | None = None,
        host_ports: int | None = None,
        host_ports_at: str | None = None,
        without: str | None = None,
        hosts_per_switch: int | None = None,
        host_speed: Quantity | None = None,
        cores: int | None = None,
        link_bandwidth: Quantity | None = None,
        link_latency: Quantity | None = None,
        switch_delay: Quantity | None = None,
        cable_delay: Quantity | None = None,
        host_link_bandwidth: Quantity | None = None,
        host_link_latency: Quantity | None = None,
        floor_plan: str | None = None,
        switches_per_cabinet: int | None = None,
        hosts_per_cabinet: int | None = None,
        placement: str | None = None,
        seed: int | None = None,
        defaults: str | None = None,
    ) -> None:
        options = {
            "routing": routing,
            "duplex": duplex,
            "rail": rail,
            "planes": planes,
            "host_ports": host_ports,
            "host_ports_at": host_ports_at,
            "without": without,
            "hosts_per_switch": hosts_per_switch,
            "host_speed": host_speed,
            "cores": cores,
            "link_bandwidth": link_bandwidth,
            "link_latency": link_latency,
            "switch_delay": switch_delay,
            "cable_delay": cable_delay,
            "host_link_bandwidth": host_link_bandwidth,
            "host_link_latency": host_link_latency,
            "floor_plan": floor_plan,
            "switches_per_cabinet": switches_per_cabinet,
            "hosts_per_cabinet": hosts_per_cabinet,
            "placement": placement,
            "seed": seed,
            "defaults": defaults,
        }
        topology, file = None, None
        if isinstance(network, Topology):
            topology = network
        elif isinstance(network, str):
            topology = Topology(network, seed=seed)
        else:
            file = os.fspath(network)
        graph = None if topology is None else topology._native
        self._native = _mopsim.Platform(graph, file, name, flags(options))
        if topology is not None and (spec := self.info["spec"]) != topology.spec:
            topology = Topology(spec)
        #: The topology that it is made of, with its planes and without what failed; ``None`` for a platform file.
        self.topology: Topology | None = topology
        warn(self._native.warnings())

    @property
    def info(self) -> dict[str, Any]:
        """Name, specification, seed, numbers of hosts and links, duplex, routing, speeds, and all parameters.

        Speeds and parameters are in bytes per second, seconds and flop/s.
        """
        info: dict[str, Any] = json.loads(self._native.info())
        return info

    @property
    def hosts(self) -> int:
        """Number of hosts."""
        return int(self.info["hosts"])

    @property
    def name(self) -> str:
        """Name for reports."""
        return str(self.info["name"])

    def host_table(self) -> Table:
        """Return the hosts: ``host``, ``flops`` (flop/s of a core), ``cores``.

        >>> Platform("ring:3").host_table().rows[0]
        {'host': 'h0', 'flops': 100000000000.0, 'cores': 1}
        """
        columns = ["host", "flops", "cores"]
        return Table(columns, [dict(zip(columns, host)) for host in self._native.hosts()])

    def link_table(self) -> Table:
        """Return the links: ``link``, ``bandwidth`` (bytes per second), ``latency`` (seconds)."""
        columns = ["link", "bandwidth", "latency"]
        return Table(columns, [dict(zip(columns, link)) for link in self._native.links()])

    def route(self, source: int, destination: int) -> list[str]:
        """Return the names of the links from a host to another one, by numbers of hosts from 0."""
        return self._native.route(source, destination)

    def export(self, to: str = "simgrid", path: str | os.PathLike[str] | None = None) -> bytes:
        """Return the platform as SimGrid XML, with all routes; write it to ``path`` if that is given."""
        content = self._native.export(to)
        if path is not None:
            Path(path).write_bytes(content)
        return content

    def __repr__(self) -> str:
        return f"Platform({self.name!r})"

    def _repr_html_(self) -> str:
        info = self.info
        facts = {name: info[name] for name in ["spec", "seed", "hosts", "links", "duplex", "routing"]}
        return facts_html(info["name"], {**facts, **info["speeds"]})


def misplaced(options: Iterable[str]) -> TypeError:
    """Return the error for options of networks that are platforms already."""
    return TypeError(f"{', '.join(options)}: a Platform has these already; give them when you make it")


def native(network: Network, **options: Any) -> _mopsim.Platform:
    """Return the built platform of what a call takes as a network; ``options`` are those of :class:`Platform`."""
    given = {name: value for name, value in options.items() if value is not None}
    if isinstance(network, Platform):
        if given:
            raise misplaced(given)
        return network._native
    return Platform(network, **given)._native
