//! Latency and saturation of the networks of a study, packet by packet under synthetic traffic: the table `[packets]`.
//!
//! Each network has its hosts and its routing of the study. A cycle is the time of a flit of 32 bytes on its links, so
//! networks of different speeds are compared in seconds and bytes. Networks that packets do not model are left out with
//! a note, as in settings with the packet model.

use super::built::Study;
use super::error::StudyError;
use super::network::{Making, NetworkUnderTest};
use super::packet_results::SweepRuns;
use super::plan::{Column, Setting};
use super::results::{Merged, ResultsError};
use super::sweep_plan::SweepPlan;
use crate::ids::{HostId, LinkId};
use crate::ledger::{LedgerError, Shard, unfinished};
use crate::packets::choice::Settings;
use crate::packets::points::{Origin, Points, RunId};
use crate::packets::replay::{FLIT, Fabric, packet_routing};
use crate::packets::results;
use crate::packets::series::Series;
use crate::packets::sweep::Sweep;
use crate::packets::work::{Part, Work};
use crate::packets::{PacketError, WiredPlane};
use crate::platform::{HostsPerSwitch, Platform};
use crate::routing::RoutingSpec;
use crate::topology::Topology;
use crate::topology::rails::text_of_planes;
use crate::user_error::UserError;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Results of a sweep over the networks of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct PacketCurves {
    /// Loads, patterns, seeds, switches.
    pub settings: Settings,
    /// Networks in the order of their first columns.
    pub networks: Vec<NetworkCurves>,
    /// Networks and patterns that are left out, with the reason.
    pub left_out: Vec<String>,
}

/// Results of a network.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkCurves {
    /// Index of the network's first column.
    pub column: usize,
    /// Further columns of the network, which differ only in what has no effect on a sweep.
    pub further: Vec<usize>,
    /// Seed of the instance, if the study has several instances of the network.
    pub instance: Option<u64>,
    /// Index of its baseline among the networks of [`PacketCurves`]; `None` if that is left out.
    pub baseline: Option<usize>,
    /// Nanoseconds of a cycle.
    pub cycle_ns: f64,
    /// Bytes per second of its links.
    pub bandwidth: f64,
    /// Bytes per second of a flit in each cycle: that bandwidth, unless the study sets the time of a cycle.
    pub flit_rate: f64,
    /// A series for each pattern of the settings; `None` for a pattern that does not fit.
    pub series: Vec<Option<Series>>,
}

/// Network that is ready to run.
struct ReadySweep {
    column: usize,
    cycle_ns: f64,
    bandwidth: f64,
    flit_rate: f64,
    sweep: Sweep,
    /// For each pattern of the settings, its index in the sweep.
    patterns: Vec<Option<usize>>,
    left_out: Vec<String>,
}

/// `true` if two columns are the same network on the same platform, with the same routes and failures. Placement of
/// ranks, collectives and the network model have no effect on a sweep.
fn is_same_network(a: &Column, b: &Column) -> bool {
    let of = |column: &Column| Setting {
        mapping: String::new(),
        collectives: String::new(),
        ..column.setting.without_model()
    };
    a.network == b.network && of(a) == of(b)
}

/// Returns the bandwidth of all links of a network in bytes per second.
///
/// # Errors
/// [`PacketError::NotModelled`] if links differ: a flit takes one cycle on each.
fn bandwidth(network: &NetworkUnderTest, topology: &Topology) -> Result<f64, PacketError> {
    let platform: &Platform = &network.platform;
    let cables = (0..topology.graph.arcs() as u32).map(|arc| platform.links[LinkId(arc).index()].bandwidth);
    let ports_of = |host: u32| {
        let further = platform.routes.further_ports(HostId(host)).into_iter().map(|(_, links)| links);
        [platform.routes.host_links(HostId(host))].into_iter().chain(further)
    };
    let hosts = (0..platform.hosts.len() as u32).flat_map(ports_of);
    let hosts = hosts.flatten().flatten().map(|link| platform.links[link.index()].bandwidth);
    let mut all = cables.chain(hosts);
    let Some(first) = all.next() else { return Err(PacketError::NoHosts(topology.name())) };
    match all.find(|other| *other != first) {
        None => Ok(first),
        Some(_) => Err(PacketError::NotModelled {
            network: network.info.name.clone(),
            what: "links of different bandwidths under synthetic traffic, since a flit takes one cycle on each".into(),
            instead: "set link_bandwidth and host_link_bandwidth to the same value",
        }),
    }
}

impl SweepPlan {
    /// Prepares the sweep of a network.
    fn ready(&self, column: usize, network: &NetworkUnderTest) -> Result<ReadySweep, PacketError> {
        let Some((topology, making)) = network.graph() else {
            return Err(PacketError::NotModelled {
                network: network.info.name.clone(),
                what: "platforms that list their links, which have no switches".into(),
                instead: "describe the network by a topology",
            });
        };
        if let Some(refusal) = Fabric::refusal(topology, &network.platform, making.parameters.duplex) {
            return Err(refusal);
        }
        let bandwidth = bandwidth(network, topology)?;
        let hosts = Some(HostsPerSwitch::Each(match &topology.rails {
            None => making.parameters.hosts_on(&topology.graph)?,
            Some(rails) => making.parameters.homes_on(rails)?.concat(),
        }));
        let mut sweep = self.settings.sweep(vec![Arc::clone(topology)], hosts, None, &self.folder);
        sweep.rail = making.parameters.rail;
        sweep.routing_seed = making.routing_seed;
        if sweep.routings.is_empty() {
            sweep.routings = vec![self.routing(topology, making, &sweep)?];
        }
        let (mut fitting, mut left_out) = (Vec::new(), Vec::new());
        let place = |pattern: &String| match sweep.check_pattern(topology, pattern) {
            Ok(()) => {
                fitting.push(pattern.clone());
                Some(fitting.len() - 1)
            }
            Err(error) => {
                left_out.push(format!("{pattern}: {error}"));
                None
            }
        };
        let patterns = self.settings.patterns.iter().map(place).collect();
        sweep.patterns = fitting;
        let (cycle_ns, flit_rate) = match self.settings.cycle_ns {
            Some(cycle_ns) => (cycle_ns, f64::from(FLIT) / cycle_ns * 1e9),
            None => (f64::from(FLIT) / bandwidth * 1e9, bandwidth),
        };
        Ok(ReadySweep { column, cycle_ns, bandwidth, flit_rate, sweep, patterns, left_out })
    }

    /// Returns the packet routing of a network, as the packet model chooses it.
    fn routing(&self, topology: &Arc<Topology>, making: &Making, sweep: &Sweep) -> Result<String, PacketError> {
        let wiring = sweep.wiring(topology, None)?;
        let of_plane = |(plane, rule): (&WiredPlane, &RoutingSpec)| {
            let conditions = &self.settings.conditions;
            packet_routing(rule, &plane.wiring, conditions.vcs, making.routing_seed, &conditions.parameters)
        };
        let texts = wiring.planes().iter().zip(&making.routings).map(of_plane).collect::<Result<Vec<_>, _>>()?;
        Ok(text_of_planes(texts.into_iter()))
    }
}

/// Series of a network, and the runs that it lacks.
type Answer = Result<(ReadySweep, Vec<Series>, Vec<RunId>), String>;

/// Curves of some networks, and the runs that they lack.
struct Found {
    curves: PacketCurves,
    missing: Vec<RunId>,
    /// A run of a search that the search does not come to, with its origin.
    superfluous: Option<(RunId, Origin)>,
}

impl Study {
    /// Returns an estimate of the number of runs of the table `[packets]` that a shard lacks; 0 without the table.
    pub fn packet_runs(&self, known: &Points, shard: Shard) -> usize {
        let Some(sweep) = SweepRuns::of(self) else { return 0 };
        let is_ours = |id: &RunId| sweep.piece(id).is_some_and(|piece| shard.has(piece));
        (0..sweep.names.len()).map(|number| sweep.runs.expected(number, known, is_ours)).sum()
    }

    /// Returns the number of pieces into which the runs of the table `[packets]` can be divided; 0 without the table.
    pub fn packet_pieces(&self) -> usize {
        let sweep = SweepRuns::of(self);
        sweep.map_or(0, |sweep| sweep.runs.pieces(sweep.names.len()))
    }

    /// Returns the first column of each network that differs to a sweep.
    pub(super) fn swept_columns(&self) -> Vec<usize> {
        let columns = &self.plan.columns;
        let is_first = |&at: &usize| (0..at).all(|before| !is_same_network(&columns[before], &columns[at]));
        (0..columns.len()).filter(is_first).collect()
    }

    /// Returns the columns after this one that are the same network to a sweep.
    fn further(&self, column: usize) -> Vec<usize> {
        let columns = &self.plan.columns;
        (column + 1..columns.len()).filter(|&other| is_same_network(&columns[column], &columns[other])).collect()
    }

    /// Returns the seed of the first instance of a network, if there are several.
    fn instance(&self, column: usize) -> Option<u64> {
        let runs = &self.columns[column].runs;
        let several = runs.iter().any(|run| run.network != runs[0].network);
        self.plan.columns[column].seeds[0].filter(|_| several)
    }

    /// Runs what is missing of a part of the sweep over the networks, if the study has the table `[packets]`; the part
    /// has the number of replays as its first piece. Of random networks it is the first one. The result does not depend on
    /// the number of threads. `None` without the table, or if it was stopped. `file` is that of the known runs.
    ///
    /// # Errors
    /// A file that cannot be written, or that has a run to which no search comes.
    pub fn packet_curves(&self, part: &Part<'_>, file: Option<&Path>) -> Result<Option<PacketCurves>, PacketError> {
        let Some(found) = self.found(&|work| work.run(part))? else { return Ok(None) };
        match found.superfluous.zip(file) {
            Some((run, file)) => Err(self.superfluous(run, &[file.to_owned()]).into()),
            None => Ok(Some(found.curves)),
        }
    }

    /// Returns the curves of merged results, if the study has the table `[packets]`.
    ///
    /// # Errors
    /// [`ResultsError::MissingRuns`], or a run to which no search comes.
    pub fn merged_curves(&self, merged: &Merged) -> Result<Option<PacketCurves>, StudyError> {
        let found = self.found(&|_| Ok(Some(merged.points.clone()))).map_err(Box::new)?;
        let (Some(found), Some(sweep)) = (found, SweepRuns::of(self)) else { return Ok(None) };
        if !found.missing.is_empty() {
            let pieces: Vec<usize> = found.missing.iter().filter_map(|id| sweep.piece(id)).collect();
            let named = results::in_words(&found.missing, &sweep.names);
            let missing = results::at_least(&found.missing, &sweep.runs);
            let whose = unfinished(&pieces, &merged.files, &merged.shards);
            return Err(ResultsError::MissingRuns { missing, whose, first: named }.into());
        }
        match found.superfluous {
            Some(run) => Err(ResultsError::from(self.superfluous(run, &merged.files)).into()),
            None => Ok(Some(found.curves)),
        }
    }

    fn superfluous(&self, (id, origin): (RunId, Origin), files: &[PathBuf]) -> LedgerError {
        let names = SweepRuns::of(self).and_then(|sweep| sweep.names.get(id.series).cloned());
        let names = names.expect("the run is one of the sweep");
        results::superfluous(&files[origin.file], origin.line, &names, &id)
    }

    /// Builds the networks, passes them to `each`, and collects the curves of the runs that it returns. `None` without the
    /// table, or if `each` returns none for a network.
    fn found(
        &self,
        each: &(dyn Fn(&Work) -> Result<Option<Points>, PacketError> + Sync),
    ) -> Result<Option<Found>, PacketError> {
        let (Some(plan), Some(sweep)) = (self.sweep.as_ref(), SweepRuns::of(self)) else { return Ok(None) };
        let networks: Vec<&NetworkUnderTest> = self.column_networks().collect();
        let columns = self.swept_columns();
        let patterns = plan.settings.patterns.len();
        type Extra = Option<(RunId, Origin)>;
        let run = |(place, &column): (usize, &usize)| -> Result<Option<(Answer, Extra)>, PacketError> {
            let name = &self.plan.columns[column].info.name;
            let left_out = |error: PacketError| Ok(Some((Err(format!("{name}: {error} ({})", error.help())), None)));
            let ready = match plan.ready(column, networks[column]) {
                Ok(ready) => ready,
                Err(error) => return left_out(error),
            };
            let fitting = ready.patterns.iter().enumerate().filter(|(_, own)| own.is_some());
            let numbers = fitting.map(|(pattern, _)| place * patterns + pattern);
            let numbers = numbers.map(|number| (number, sweep.names[number].clone())).collect();
            let work = match Work::new(ready.sweep.clone()) {
                Ok(work) => work.numbered(numbers, sweep.names.len()),
                Err(error) => return left_out(error),
            };
            let points = match each(&work) {
                Ok(Some(points)) => points,
                Ok(None) => return Ok(None),
                Err(error @ PacketError::Results(_)) => return Err(error),
                Err(error) => return left_out(error),
            };
            match work.assembled(&points) {
                Ok((series, missing)) => {
                    let extra = work.superfluous(&series, &points).filter(|_| missing.is_empty());
                    Ok(Some((Ok((ready, series, missing)), extra)))
                }
                Err(error) => left_out(error),
            }
        };
        let answers: Vec<_> = columns.par_iter().enumerate().map(run).collect();
        let (mut found, mut left_out, mut missing, mut superfluous) = (Vec::new(), Vec::new(), Vec::new(), None);
        for answer in answers {
            let Some((answer, extra)) = answer? else { return Ok(None) };
            superfluous = superfluous.or(extra);
            match answer {
                Err(reason) => left_out.push(reason),
                Ok((ready, series, lacks)) => {
                    missing.extend(lacks);
                    let name = &self.plan.columns[ready.column].info.name;
                    left_out.extend(ready.left_out.iter().map(|reason| format!("{name}, {reason}")));
                    found.push(NetworkCurves {
                        column: ready.column,
                        further: self.further(ready.column),
                        instance: self.instance(ready.column),
                        baseline: None,
                        cycle_ns: ready.cycle_ns,
                        bandwidth: ready.bandwidth,
                        flit_rate: ready.flit_rate,
                        series: ready.patterns.iter().map(|&at| Some(series[at?].clone())).collect(),
                    });
                }
            }
        }
        let of = |column: usize| &self.plan.columns[column];
        let baselines: Vec<Option<usize>> = found
            .iter()
            .map(|own| {
                let baseline = of(of(own.column).baseline);
                found.iter().position(|other| is_same_network(of(other.column), baseline))
            })
            .collect();
        found.iter_mut().zip(baselines).for_each(|(own, baseline)| own.baseline = baseline);
        let curves = PacketCurves { settings: plan.settings.clone(), networks: found, left_out };
        Ok(Some(Found { curves, missing, superfluous }))
    }
}
