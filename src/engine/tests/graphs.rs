//! Graphs of operations, on a network and under LogGOPS.

use super::*;
use crate::network::model::LogGops;
use crate::trace::schedule::{Graph, OperationKind, Schedule};

/// An operation without dependencies: its kind, bytes or nanoseconds, and peer.
type Free = (OperationKind, u64, u32);

fn run_graphs(ranks: &[&[Free]], model: &Model) -> Result<Outcome, ReplayError> {
    let graph = |operations: &&[Free]| {
        let mut graph = Graph::with_capacity(operations.len(), 0);
        operations.iter().for_each(|&(kind, size, peer)| graph.push((kind, 0, 0), (size, peer, 3), []));
        graph
    };
    let schedule = Schedule { ranks: ranks.iter().map(graph).collect(), flops_per_nanosecond: 1.0 };
    let actions = ranks.iter().map(|_| Vec::new().into()).collect();
    let trace = Trace { actions, schedule: Some(Arc::new(schedule)), ..Trace::default() };
    let rank_map = Mapping::OneEach.rank_map(ranks.len(), ranks.len()).expect("hosts for all");
    replay(&trace, &platform(ranks.len(), 1), &rank_map, model, &mut ())
}

fn loggops(constants: LogGops) -> Model {
    Model { network: NetworkModel { loggops: Some(constants), ..NetworkModel::loggops() }, ..model() }
}

#[test]
fn a_deadlock_names_the_operation_that_waits() {
    use OperationKind::{Calculate, Receive, Send};
    // No operation depends on the receive, nor on the large send, so nothing is left that can never begin.
    let ranks: &[&[Free]] =
        &[&[(Calculate, 5, 0), (Calculate, 5, 0), (Receive, 8, 1)], &[(Calculate, 5, 0), (Send, 100_000, 2)], &[]];
    for model in [model(), loggops(LogGops::default())] {
        let error = run_graphs(ranks, &model).expect_err("deadlock");
        let ReplayError::Deadlock { blocked, standing, .. } = error else { panic!("{error}") };
        assert_eq!(standing, [Some(2), Some(1), None]);
        let envelopes = blocked.iter().map(|rank| {
            let (envelope, sends) = rank.missing[0];
            (envelope.source, envelope.destination, envelope.tag, sends)
        });
        assert!(envelopes.eq([(1, 0, 3, false), (1, 2, 3, true)]), "{blocked:?}");
        assert_eq!(blocked.iter().map(|rank| rank.place.action).collect::<Vec<_>>(), [2, 1]);
    }
}

#[test]
fn a_sum_of_unreceived_bytes_does_not_wrap() {
    let constants = LogGops { gap_per_byte: 0.0, overhead_per_byte: 0.0, eager_up_to: u64::MAX, ..LogGops::default() };
    let send = (OperationKind::Send, u64::MAX, 1);
    let outcome = run_graphs(&[&[send, send], &[]], &loggops(constants)).expect("runs");
    assert_eq!((outcome.messages, outcome.bytes), (2, u64::MAX));
    let unmatched: Vec<_> = outcome.unmatched_sends.iter().map(|&(_, messages, bytes)| (messages, bytes)).collect();
    assert_eq!(unmatched, [(2, u64::MAX)]);
}
