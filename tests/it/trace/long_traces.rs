//! Traces that exceed the memory allowed for their actions: a temporary file takes the rest, without visible
//! difference.

use crate::support::star;
use mopsim::engine::replay;
use mopsim::ids::HostId;
use mopsim::mpi::collective::Selector;
use mopsim::mpi::collective::rounds::TraceRounds;
use mopsim::mpi::collective::select::Table;
use mopsim::mpi::rank_map::RankMap;
use mopsim::trace::compact::Compact;
use mopsim::trace::diff::Difference;
use mopsim::trace::goal::Goal;
use mopsim::trace::inspect::{Info, Severity, check, compressed};
use mopsim::trace::ti::Text;
use mopsim::trace::transform::{Cut, Part, cut, iterations, scale_compute};
use mopsim::trace::{Options, Trace, Writer, read, read_from, write};
use std::path::Path;

fn options(actions_in_memory: usize) -> Options {
    Options { actions_in_memory, ..Options::default() }
}

fn shipped(name: &str, actions_in_memory: usize) -> Trace {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("traces").join(name);
    read(&file, &options(actions_in_memory)).unwrap_or_else(|error| panic!("{error}"))
}

fn set_aside(trace: &Trace) -> usize {
    trace.actions.iter().map(|actions| actions.set_aside()).sum()
}

fn written(trace: &Trace, writer: &dyn Writer) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(trace, writer, &mut bytes).expect("memory takes it");
    bytes
}

/// A trace in memory, and the same one of which nearly all is set aside.
fn both(name: &str) -> [Trace; 2] {
    let [short, long] = [usize::MAX, 0].map(|limit| shipped(name, limit));
    assert_eq!(set_aside(&short), 0);
    let (aside, all) = (set_aside(&long) as u64, long.total_actions());
    assert!(aside * 2 > all, "{name}: {aside} of {all} are set aside");
    [short, long]
}

#[test]
fn what_is_set_aside_is_written_as_the_rest() {
    for name in ["lu.A.64.it10.ti.zst", "cg.A.64.ti.zst"] {
        let [short, long] = both(name);
        let (text, compact) = (written(&short, &Text), written(&short, &Compact));
        assert!(written(&long, &Text) == text && written(&long, &Compact) == compact, "{name}");
        // Text read rank by rank, and the compact form, whose sections come whole.
        for bytes in [&text, &compact] {
            let again = read_from(&bytes[..], "again", &options(1000)).unwrap();
            assert!(set_aside(&again) > 0 && written(&again, &Text) == text, "{name}");
        }
    }
}

/// A graph is also stored on disk until it is sorted; so are its actions.
#[test]
fn graphs_are_put_in_the_same_order() {
    let [short, long] = both("mg.A.64.ti.zst");
    let goal = |trace: &Trace| {
        let selector = Selector::new(Table::Mvapich2, false);
        let rounds = TraceRounds::new(trace, &selector, &RankMap::one_each(trace.ranks())).expect("the ranks agree");
        written(trace, &Goal::with_rounds(&rounds))
    };
    let text = goal(&short);
    assert!(goal(&long) == text);
    let [short, long] = [usize::MAX, 0].map(|limit| read_from(&text[..], "goal", &options(limit)).unwrap());
    assert!(set_aside(&short) == 0 && set_aside(&long) as u64 * 2 > long.total_actions());
    assert!(written(&short, &Text) == written(&long, &Text));
    assert!(check(&long).iter().all(|finding| finding.severity != Severity::Error));
}

#[test]
fn what_is_said_about_them_is_the_same() {
    for name in ["lu.A.64.it10.ti.zst", "mg.A.64.ti.zst"] {
        let [short, long] = both(name);
        assert_eq!(Info::of(&long), Info::of(&short), "{name}");
        assert_eq!(check(&long), check(&short), "{name}");
        assert_eq!(iterations(&long), iterations(&short), "{name}");
        assert_eq!(compressed(&long).unwrap(), compressed(&short).unwrap(), "{name}");
        assert!(Difference::of(&short, &long).same_communication(), "{name}");
    }
}

/// Mistakes after the part that fits, and after a deadlock, are found wherever they are; so are vectors that wait for
/// the number of ranks.
#[test]
fn mistakes_in_them_are_found() {
    let mut text = String::new();
    for rank in 0..3 {
        let (next, before) = ((rank + 1) % 3, (rank + 2) % 3);
        for i in 0..3000 {
            let tag = i % 7;
            text += &format!(
                "{rank} isend {next} {tag} 100 6\n{rank} recv {before} {tag} 100 6\n{rank} wait {rank} {next} {tag}\n"
            );
            text += &format!("{rank} ireducescatter {i} 5 5 5 0 0\n{rank} wait_request {i}\n");
        }
        let size = if rank == 1 { 8 } else { 4 };
        text += &format!("{rank} bcast {size} 0 6\n{rank} recv {before} 9 10 6\n{rank} send {next} 9 20 6\n");
        text += &format!("{rank} send {next} 10 5 6\n{rank} test 0 1 77\n{rank} isend {next} 11 5 6\n");
    }
    let [short, long] = [usize::MAX, 0].map(|limit| read_from(text.as_bytes(), "t", &options(limit)).unwrap());
    assert!(set_aside(&long) > 40_000 && written(&long, &Text) == written(&short, &Text));
    let found = check(&long);
    let kinds: Vec<_> = found.iter().map(|finding| (finding.kind, finding.count, finding.action)).collect();
    let expected = [
        ("unmatched-send", 6, Some(15_003)),
        ("truncated-message", 3, Some(15_001)),
        ("different-collectives", 1, Some(15_000)),
        ("wait-without-request", 3, Some(15_004)),
        ("deadlock", 3, Some(15_001)),
        ("request-without-wait", 3, Some(15_005)),
    ];
    assert_eq!(kinds, expected);
    assert_eq!(found, check(&short));
}

#[test]
fn parts_and_other_speeds_of_them_are_the_same() {
    let [mut short, mut long] = both("lu.A.64.it10.ti.zst");
    for part in [Part::Window(0.25, 0.75), Part::Iterations(2..5)] {
        let what = Cut { ranks: Some((0..16).collect()), part };
        let [(a, _), (b, _)] = [&short, &long].map(|trace| cut(trace, &what).unwrap());
        assert_eq!(a.actions, b.actions);
    }
    let copy = long.clone();
    for trace in [&mut short, &mut long] {
        scale_compute(trace, 0.5).unwrap();
    }
    assert_eq!(short.actions, long.actions);
    assert_ne!(copy.actions, long.actions, "a copy stays as it was");
}

#[test]
fn a_replay_of_them_is_the_same_to_the_last_bit() {
    for name in ["lu.A.64.it10.ti.zst", "mg.A.64.ti.zst"] {
        let traces = both(name);
        let (platform, model) = (star::star(64), star::model(Table::Mvapich2));
        let rank_map = RankMap::new((0..64).map(HostId).collect());
        let [short, long] =
            traces.each_ref().map(|trace| replay(trace, &platform, &rank_map, &model, &mut ()).unwrap());
        assert_eq!(short.simulated_seconds.to_bits(), long.simulated_seconds.to_bits(), "{name}");
        assert_eq!((short.messages, short.bytes, short.ranks), (long.messages, long.bytes, long.ranks), "{name}");
    }
}
