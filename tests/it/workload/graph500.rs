//! Graph500 against figures of its reference code, version 2.1.4: built with SimGrid's MPI and recorded (with the
//! validation left out), seeds 2 and 3, 16 edges for each vertex.

use mopsim::trace::{Action, CollectiveKind, Trace};
use mopsim::workload::{Instance, Limits, catalogue};

fn instance(variant: &str, ranks: u32, scale: u32, roots: u32) -> Instance {
    let given = [("scale", scale), ("iterations", roots)].map(|(name, value)| (name.to_owned(), value.to_string()));
    let program = catalogue::open(&format!("graph500/{variant}")).unwrap();
    program.instantiate(ranks, &given, &Limits::default()).unwrap()
}

/// Numbers of 8 bytes in the messages from one rank to another, up to each reduction.
fn numbers_by_level(trace: &Trace, from: usize, wanted: u32) -> Vec<Vec<u32>> {
    let mut levels = vec![Vec::new()];
    for action in &trace.actions[from] {
        match action {
            Action::Isend { to, count, .. } if to == wanted => levels.last_mut().unwrap().push(count),
            Action::Collective { .. } => levels.push(Vec::new()),
            _ => {}
        }
    }
    levels.pop();
    levels
}

#[test]
fn messages_of_the_simple_variant_are_those_of_the_reference_code() {
    let trace = instance("simple", 8, 12, 4).trace().unwrap();
    let sent = |rank: usize| {
        let counts = trace.actions[rank].iter().filter_map(|action| match action {
            Action::Isend { count, datatype, .. } => {
                assert_eq!(datatype.size(), 8);
                Some(u64::from(count))
            }
            _ => None,
        });
        counts.fold((0, 0), |(messages, numbers), count| (messages + 1, numbers + count))
    };
    let (messages, numbers): (Vec<u64>, Vec<u64>) = (0..8).map(sent).unzip();
    assert_eq!(messages, [428, 419, 429, 410, 521, 376, 403, 398]);
    assert_eq!(numbers, [111976, 113288, 114640, 110896, 166896, 86752, 104152, 103976]);
    // Four searches of five levels each.
    let wanted: [&[u32]; 20] = [
        &[0],
        &[512, 30, 0],
        &[512, 512, 512, 512, 242, 0],
        &[138, 0],
        &[0],
        &[0],
        &[512, 140, 0],
        &[512, 512, 512, 512, 202, 0],
        &[68, 0],
        &[0],
        &[0],
        &[0],
        &[512, 512, 192, 0],
        &[512, 512, 512, 190, 0],
        &[28, 0],
        &[0],
        &[512, 460, 0],
        &[512, 512, 512, 430, 0],
        &[32, 0],
        &[0],
    ];
    assert_eq!(numbers_by_level(&trace, 3, 5), wanted);
}

#[test]
fn everything_that_is_sent_is_received() {
    let trace = instance("simple", 8, 10, 2).trace().unwrap();
    let mut open = std::collections::BTreeMap::new();
    for (rank, actions) in trace.actions.iter().enumerate() {
        for action in actions {
            match action {
                Action::Isend { to, .. } => *open.entry((rank as u32, to)).or_insert(0) += 1,
                Action::Irecv { from, .. } => *open.entry((from, rank as u32)).or_insert(0) -= 1,
                _ => {}
            }
        }
    }
    assert_eq!(open.len(), 56);
    assert!(open.values().all(|&left| left == 0));
}

#[test]
fn collectives_of_the_replicated_variant_are_those_of_the_reference_code() {
    let trace = instance("replicated", 8, 12, 4).trace().unwrap();
    let calls: Vec<_> = trace.actions[0]
        .iter()
        .filter_map(|action| match action {
            Action::Collective { index } => Some(trace.collectives[index as usize]),
            _ => None,
        })
        .collect();
    let count = |kind: CollectiveKind| calls.iter().filter(|call| call.kind == kind).count();
    // Five levels a search; bitmaps are gathered after all but the last one.
    assert_eq!((count(CollectiveKind::Allreduce), count(CollectiveKind::Allgather)), (20, 32));
    // 512 vertices of a rank make a word of words: 64 words and their summary.
    let sizes: Vec<u32> = calls.iter().filter(|c| c.kind == CollectiveKind::Allgather).map(|c| c.send_count).collect();
    assert_eq!(sizes, [64, 1].repeat(16));
}

#[test]
fn operations_are_edges_traversed() {
    // Both of the first two searches at scale 10 traverse 16,383 of 16,384 edges.
    assert_eq!(instance("simple", 2, 10, 2).operations, Some(2.0 * 16_383.0));
    assert_eq!(instance("replicated", 2, 10, 2).operations, Some(2.0 * 16_383.0));
}

#[test]
fn large_scales_are_drawn() {
    // The smallest scale that is not built.
    let large = instance("simple", 64, 23, 1);
    let (edges, all) = (large.operations.unwrap(), f64::from(16 << 23));
    // Hardly any edges are in small components.
    assert!(edges > 0.99 * all && edges < 1.001 * all, "{edges}");
    let summary = large.summary().unwrap();
    // An edge is sent from both ends unless both have the same owner: 63 of 64 are. 16 bytes each.
    let told = summary.bytes as f64 / 16.0 / (2.0 * edges);
    assert!((told - 63.0 / 64.0).abs() < 0.002, "{told}");
}

#[test]
fn wrong_graphs_are_refused() {
    let text = |body: &str| {
        format!("def prepare(size, params):\n    return {body}\ndef main(rank, size, params):\n    pass\n")
    };
    for (body, reason) in [
        ("kronecker_graph(50, 16, size, roots = 1)", "scale = 50: it must be from 1 to 40"),
        ("kronecker_graph(10, 16, size, roots = 65)", "roots = 65"),
        ("kronecker_graph(10, 16, 1 << 20, roots = 64)", "ranks times roots"),
        ("bfs_edges(0, 0)", "there is no graph 0"),
        ("bfs_messages(0, 0)", "only main"),
        ("[kronecker_graph(4, n, size, roots = 1) for n in (1, 2, 3)]", "at most 2 Kronecker graphs"),
    ] {
        let program = mopsim::workload::Program::parse("mine.star", text(body), None, false).unwrap();
        let error = program.instantiate(2, &[], &Limits::default()).unwrap_err().to_string();
        assert!(error.contains(reason) && error.contains("mine.star:2:"), "{body}: {error}");
    }
}
