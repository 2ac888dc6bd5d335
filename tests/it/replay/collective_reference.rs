//! Single collectives against SimGrid 3.32, rank by rank: every row of the `ompi` table on up to 64 ranks, the rules of
//! `mpich`, and each algorithm that only they use by its name. `data/collectives.txt` describes the origin of its
//! times.

use crate::support;
use mopsim::engine::{Model, Observer, replay};
use mopsim::mpi::MpiOptions;
use mopsim::mpi::collective::{Selector, select::Table};
use mopsim::mpi::mapping::Mapping;
use mopsim::network::Precision;
use mopsim::network::model::NetworkModel;
use mopsim::network::sharing::Rule;
use mopsim::platform::load::LoadOptions;
use mopsim::platform::parameters::Loopback;
use mopsim::platform::units::{Bandwidth, Seconds};
use mopsim::platform::{Platform, hostfile};
use mopsim::trace::{Action, CollectiveKind, Trace, ti};
use std::fmt::Write;
use std::path::Path;

const TOLERANCE: f64 = 1e-9;

/// Platform of the reference times: a star whose links are all different.
fn platform_xml(hosts: usize) -> String {
    let mut xml = "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n\
                   <platform version=\"4.1\"><zone id=\"w\" routing=\"Full\">\n"
        .to_owned();
    for i in 0..hosts {
        let _ = write!(xml, "<host id=\"h{i}\" speed=\"1Gf\"/>");
    }
    for i in 0..hosts {
        let bandwidth = 1.0 + 0.1 * (i % 17) as f64 + 0.003 * i as f64;
        let latency = 1.0 + (i * 37 % 101) as f64 * 0.037;
        let _ = write!(
            xml,
            "<link id=\"n{i}\" bandwidth=\"{bandwidth:.4}GBps\" latency=\"{latency:.4}us\" \
             sharing_policy=\"SPLITDUPLEX\"/>"
        );
    }
    for i in 0..hosts {
        for j in i + 1..hosts {
            let _ = write!(
                xml,
                "<route src=\"h{i}\" dst=\"h{j}\"><link_ctn id=\"n{i}\" direction=\"UP\"/>\
                 <link_ctn id=\"n{j}\" direction=\"DOWN\"/></route>"
            );
        }
    }
    xml + "</zone></platform>\n"
}

/// Time at which the last action of each rank ended.
struct Ends<'a> {
    trace: &'a Trace,
    times: Vec<f64>,
}

impl Observer for Ends<'_> {
    fn action_ended(&mut self, rank: u32, action: usize, time: f64) {
        if !matches!(self.trace.actions[rank as usize].get(action), Some(Action::Init | Action::Finalize)) {
            self.times[rank as usize] = time;
        }
    }
}

/// Line of the data.
struct Case<'a> {
    how: &'a str,
    ranks: usize,
    hosts: usize,
    cyclic: bool,
    kind: &'a str,
    count: usize,
    datatype: &'a str,
    root: usize,
    /// Earliest, latest and mean end of all ranks.
    expected: [f64; 3],
}

impl<'a> Case<'a> {
    fn parse(line: &'a str) -> Self {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |i: usize| words[i].parse::<usize>().expect("a number");
        let time = |i: usize| words[i].parse::<f64>().expect("a time");
        Self {
            how: words[0],
            ranks: number(1),
            hosts: number(2),
            cyclic: words[3] == "cyclic",
            kind: words[4],
            count: number(5),
            datatype: words[6],
            root: number(7),
            expected: [time(8), time(9), time(10)],
        }
    }

    /// `true` if the times are of a program; programs enter simultaneously and pay for the SMP set-up.
    fn online(&self) -> bool {
        self.how.starts_with("online-")
    }

    fn call(&self, rank: usize) -> String {
        let &Self { kind, ranks, count, datatype, root, .. } = self;
        let all = format!("{count} ").repeat(ranks);
        match kind {
            "barrier" => "barrier".to_owned(),
            "bcast" => format!("bcast {count} {root} {datatype}"),
            "reduce" => format!("reduce {count} 0 {root} {datatype}"),
            "allreduce" => format!("allreduce {count} 0 {datatype}"),
            "gather" | "scatter" => format!("{kind} {count} {count} {root} {datatype} {datatype}"),
            "alltoall" | "allgather" => format!("{kind} {count} {count} {datatype} {datatype}"),
            "allgatherv" => format!("allgatherv {count} {all}{datatype} {datatype}"),
            "alltoallv" => {
                let total = count * ranks;
                format!("alltoallv {total} {all}{total} {all}{datatype} {datatype}")
            }
            "reducescatter" => {
                let share = |i: usize| (count / ranks + usize::from(i < count % ranks)).to_string();
                let counts: Vec<String> = (0..ranks).map(share).collect();
                format!("reducescatter {} 0 {datatype}", counts.join(" "))
            }
            other => panic!("{other} of rank {rank}"),
        }
    }

    fn trace(&self) -> String {
        let mut trace = String::new();
        for rank in 0..self.ranks {
            let _ = writeln!(trace, "{rank} init");
            if !self.online() {
                let _ = writeln!(trace, "{rank} compute {}", 1000 * (rank * 7 % self.ranks));
            }
            let _ = writeln!(trace, "{rank} {}\n{rank} finalize", self.call(rank));
        }
        trace
    }

    fn selector(&self) -> Selector {
        let how = self.how.trim_start_matches("online-");
        if let Some(table) = Table::from_name(how) {
            return Selector::new(table, self.online());
        }
        let kind = CollectiveKind::ALL.into_iter().find(|kind| kind.name() == self.kind).expect("an operation");
        Selector::new(Table::Default, false).with_override(kind, how).expect("a name of the registry")
    }

    /// Largest relative difference.
    fn difference(&self, folder: &Path) -> f64 {
        let write = |name: &str, text: String| {
            let path = folder.join(name);
            std::fs::write(&path, text).expect("written");
            path
        };
        let per_host = self.ranks / self.hosts.max(1);
        let host = |rank: usize| if self.cyclic { rank % self.hosts } else { rank / per_host };
        let hosts: String = (0..self.ranks).map(|rank| format!("h{}\n", host(rank))).collect();
        let loopback = Loopback {
            bandwidth: Bandwidth::new(10e9).expect("bandwidth"),
            latency: Seconds::new(0.0).expect("latency"),
        };
        let xml = write("platform.xml", platform_xml(self.hosts));
        let platform = Platform::load(&xml, &LoadOptions { loopback }).expect("platform");
        let hosts = hostfile::load(&write("hosts", hosts), &platform).expect("host file");
        let options = ti::Options { ranks: Some(self.ranks), ..ti::Options::default() };
        let trace = ti::read(&write("trace", self.trace()), &options).expect("trace");
        let rank_map = Mapping::Hosts(hosts).rank_map(self.ranks, platform.hosts.len()).expect("mapping");
        let model = Model {
            network: NetworkModel::smpi(),
            mpi: MpiOptions::default(),
            collectives: self.selector(),
            sharing: Rule::Exact,
            precision: Precision { transfers: 0.0, others: 1e-12 },
            medium: None,
            noise: None,
        };
        let mut ends = Ends { trace: &trace, times: vec![0.0; self.ranks] };
        replay(&trace, &platform, &rank_map, &model, &mut ends).expect("runs");
        let times = ends.times.iter().copied();
        let mean = times.clone().sum::<f64>() / self.ranks as f64;
        let found = [times.clone().fold(f64::INFINITY, f64::min), times.fold(0.0, f64::max), mean];
        let difference = |(found, expected): (f64, f64)| (found - expected).abs() / expected.max(1e-9);
        found.into_iter().zip(self.expected).map(difference).fold(0.0, f64::max)
    }
}

#[test]
fn single_collectives_agree_with_the_reference() {
    let text = std::fs::read_to_string(support::data().join("collectives.txt")).expect("data");
    let folder = tempfile::tempdir().expect("a folder");
    let (mut cases, mut largest, mut wrong) = (0, 0.0_f64, Vec::new());
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let difference = Case::parse(line).difference(folder.path());
        cases += 1;
        largest = largest.max(difference);
        if difference > TOLERANCE {
            wrong.push(format!("{line}: {difference:e}"));
        }
    }
    println!("{cases} collectives, largest difference {largest:e}");
    assert!(wrong.is_empty(), "{} of {cases}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(cases >= 800, "only {cases} cases");
}
