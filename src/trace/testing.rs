//! Random traces for the tests of all formats.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// Asserts that two traces have the same actions, regardless of the positions of their arguments in the side tables.
pub(crate) fn assert_same(a: &Trace, b: &Trace) {
    assert_eq!(a.ranks(), b.ranks());
    assert_eq!(a.communicators, b.communicators);
    for (rank, (left, right)) in a.actions.iter().zip(&b.actions).enumerate() {
        assert_eq!(left.len(), right.len(), "rank {rank}");
        for (index, pair) in left.iter().zip(right).enumerate() {
            let place = format!("rank {rank}, action {index}");
            match pair {
                (Action::SendRecv { index: i }, Action::SendRecv { index: j }) => {
                    assert_eq!(a.sendrecvs[i as usize], b.sendrecvs[j as usize], "{place}");
                }
                (left, right) if left.collective().is_some() => {
                    let number = |action: Action| match action {
                        Action::Start { request, .. } => Some(request),
                        _ => None,
                    };
                    assert_eq!(number(left), number(right), "{place}");
                    let (i, j) = left.collective().zip(right.collective()).expect("both are collectives");
                    let (left, right) = (a.collectives[i as usize], b.collectives[j as usize]);
                    let vectors = |t: &Trace, c: &CollectiveCall| {
                        [c.send_counts, c.recv_counts, c.displacements].map(|v| t.counts(v).to_vec())
                    };
                    assert_eq!(vectors(a, &left), vectors(b, &right), "{place}");
                    let none = Counts::default();
                    let scalar = |c| CollectiveCall { send_counts: none, recv_counts: none, displacements: none, ..c };
                    assert_eq!(scalar(left), scalar(right), "{place}");
                }
                (left, right) => assert_eq!(left, right, "{place}"),
            }
        }
    }
}

fn datatype() -> impl Strategy<Value = Datatype> {
    (-1i64..60).prop_map(|id| Datatype::from_id(id).unwrap_or(Datatype::BYTE))
}

fn amount() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        (0u32..1000).prop_map(f64::from),
        0.0..1e300f64,
        prop::num::f64::SUBNORMAL.prop_map(f64::abs)
    ]
}

fn count() -> impl Strategy<Value = u32> {
    prop_oneof![0u32..10, 0..=i32::MAX as u32]
}

/// An action whose arguments are in the tables, and the entries to add.
#[derive(Clone, Debug)]
enum GeneratedAction {
    Plain(Action),
    SendRecv(SendRecv),
    Collective(CollectiveCall, [Vec<u32>; 3]),
    /// A collective on one of the communicators of the rank; non-blocking with a request. Root and vectors are cut to
    /// fit.
    On(prop::sample::Index, Option<u32>, CollectiveCall, [Vec<u32>; 3]),
    /// A one-sided operation: its kind, with which member of which communicator.
    OneSided(u8, prop::sample::Index, prop::sample::Index, u32, Datatype),
}

fn message(ranks: u32) -> impl Strategy<Value = GeneratedAction> {
    let capacity = prop_oneof![3 => count(), 1 => Just(UNKNOWN_COUNT)];
    (0..4, 0..ranks, 0..=i32::MAX, count(), capacity, datatype()).prop_map(
        |(which, rank, tag, count, capacity, datatype)| {
            GeneratedAction::Plain(match which {
                0 => Action::Send { to: rank, tag, count, datatype },
                1 => Action::Isend { to: rank, tag, count, datatype },
                2 => Action::Recv { from: rank, tag, count: capacity, datatype },
                _ => Action::Irecv { from: rank, tag, count: capacity, datatype },
            })
        },
    )
}

fn collective(ranks: u32) -> impl Strategy<Value = GeneratedAction> {
    let vectors = [(); 3].map(|()| vec(count(), ranks as usize));
    let numbers = (select(&CollectiveKind::ALL[..]), 0..ranks, count(), count(), amount());
    (numbers, datatype(), datatype(), vectors, any::<bool>()).prop_map(
        |((kind, root, send_count, recv_count, flops), send_type, recv_type, [sent, received, displacements], some)| {
            use CollectiveKind as K;
            let none = Counts::default();
            let (send_counts, recv_counts) = (none, none);
            let mut call = CollectiveCall {
                kind,
                root,
                send_count,
                recv_count,
                send_type,
                recv_type,
                send_counts,
                recv_counts,
                displacements: none,
                flops,
                communicator: CommunicatorId::WORLD,
            };
            // Arguments that an operation does not have are zero; a single count and type are stored in both fields.
            if !matches!(kind, K::Bcast | K::Reduce | K::Gather | K::Gatherv | K::Scatter | K::Scatterv) {
                call.root = 0;
            }
            if !matches!(kind, K::Reduce | K::Allreduce | K::Scan | K::Exscan | K::ReduceScatter) {
                call.flops = 0.0;
            }
            match kind {
                K::Bcast | K::Reduce | K::Allreduce | K::Scan | K::Exscan => {
                    (call.recv_count, call.recv_type) = (send_count, send_type);
                }
                K::Barrier => {
                    (call.send_count, call.recv_count) = (0, 0);
                    (call.send_type, call.recv_type) = (Datatype::BYTE, Datatype::BYTE);
                }
                K::ReduceScatter => (call.send_count, call.recv_count, call.recv_type) = (0, 0, send_type),
                K::Gatherv | K::Allgatherv => call.recv_count = 0,
                K::Scatterv => call.send_count = 0,
                K::Alltoall | K::Alltoallv | K::Gather | K::Scatter | K::Allgather => {}
            }
            let keep = |yes: bool, counts: Vec<u32>| if yes { counts } else { Vec::new() };
            let sent = keep(matches!(kind, K::Alltoallv | K::Scatterv), sent);
            let has_received = matches!(kind, K::Alltoallv | K::Gatherv | K::Allgatherv | K::ReduceScatter);
            let displacements = keep(some && kind == K::Allgatherv, displacements);
            GeneratedAction::Collective(call, [sent, keep(has_received, received), displacements])
        },
    )
}

fn step(ranks: u32) -> impl Strategy<Value = GeneratedAction> {
    let rank = 0..ranks;
    prop_oneof![
        1 => select(vec![Action::Init, Action::Finalize, Action::NoOperation, Action::WaitAll]).prop_map(GeneratedAction::Plain),
        1 => amount().prop_map(|flops| GeneratedAction::Plain(Action::Compute { flops })),
        1 => (amount(), any::<bool>()).prop_map(|(s, minus)| GeneratedAction::Plain(Action::Sleep { seconds: if minus { -s } else { s } })),
        4 => message(ranks),
        1 => (any::<bool>(), rank.clone(), rank.clone(), 0..=i32::MAX).prop_map(|(wait, source, destination, tag)| {
            let (a, b) = (Action::Wait { source, destination, tag }, Action::Test { source, destination, tag });
            GeneratedAction::Plain(if wait { a } else { b })
        }),
        1 => (rank.clone(), count(), datatype(), rank, count(), datatype()).prop_map(
            |(to, send_count, send_type, from, recv_count, recv_type)| {
                GeneratedAction::SendRecv(SendRecv { to, send_count, send_type, from, recv_count, recv_type })
            }
        ),
        6 => collective(ranks),
        2 => (any::<prop::sample::Index>(), prop::option::of(0..3u32), collective(ranks)).prop_map(|(on, request, step)| {
            match step {
                GeneratedAction::Collective(call, vectors) => GeneratedAction::On(on, request, call, vectors),
                other => other,
            }
        }),
        1 => (0..5u8, any::<prop::sample::Index>(), any::<prop::sample::Index>(), count(), datatype())
            .prop_map(|(which, on, with, count, datatype)| GeneratedAction::OneSided(which, on, with, count, datatype)),
        1 => (0..5, 0..9u32, 0..ranks, 0..=i32::MAX).prop_map(|(which, request, from, tag)| {
            GeneratedAction::Plain(match which {
                0 => Action::WaitRequest { request },
                1 => Action::TestRequest { request },
                2 => Action::Probe { from, tag },
                3 => Action::Pick { nth: request },
                _ => Action::Iprobe { from, tag },
            })
        }),
    ]
}

/// Generates communicators of `ranks` ranks: some ranks in some order.
fn communicators(ranks: u32) -> impl Strategy<Value = Vec<MemberList>> {
    let list = prop::sample::subsequence((0..ranks).collect::<Vec<_>>(), 1..=ranks as usize).prop_shuffle();
    vec(list.prop_map(MemberList::from), 0..4)
}

/// Adds the arguments of a call to the tables.
fn keep(trace: &mut Trace, mut call: CollectiveCall, vectors: [Vec<u32>; 3]) -> u32 {
    let places = [&mut call.send_counts, &mut call.recv_counts, &mut call.displacements];
    for (place, vector) in places.into_iter().zip(vectors) {
        *place = Counts { start: trace.counts.len() as u32, len: vector.len() as u32 };
        trace.counts.extend(vector);
    }
    trace.collectives.push(call);
    trace.collectives.len() as u32 - 1
}

/// Returns the action of a step of a rank.
fn build(trace: &mut Trace, rank: u32, ranks: u32, step: GeneratedAction) -> Action {
    // The communicators that the rank may use, including that of all ranks.
    let mut own = vec![CommunicatorId::WORLD];
    let listed = (0..).zip(&trace.communicators).filter(|(_, members)| members.contains(&rank));
    own.extend(listed.map(|(index, _)| CommunicatorId::from_index(index)));
    match step {
        GeneratedAction::Plain(action) => action,
        GeneratedAction::SendRecv(entry) => {
            trace.sendrecvs.push(entry);
            Action::SendRecv { index: trace.sendrecvs.len() as u32 - 1 }
        }
        GeneratedAction::Collective(call, vectors) => Action::Collective { index: keep(trace, call, vectors) },
        GeneratedAction::On(on, request, call, mut vectors) => {
            let communicator = *on.get(&own);
            let members = Members::of(&trace.communicators, communicator, ranks as usize).size();
            vectors.iter_mut().for_each(|vector| vector.truncate(members));
            let call = CollectiveCall { communicator, root: call.root % members as u32, ..call };
            let index = keep(trace, call, vectors);
            request.map_or(Action::Collective { index }, |request| Action::Start { index, request })
        }
        GeneratedAction::OneSided(which, on, with, count, datatype) => {
            let window = *on.get(&own);
            let members = Members::of(&trace.communicators, window, ranks as usize);
            let other = members.rank(with.index(members.size()) as u32).unwrap_or(rank);
            match which {
                0 => Action::Put { to: other, window, count, datatype },
                1 => Action::Get { from: other, window, count, datatype },
                2 => Action::Accumulate { to: other, window, count, datatype },
                3 => Action::Fence { window },
                _ => Action::Flush { window, to: if count % 2 == 0 { ANY_TARGET } else { other } },
            }
        }
    }
}

/// Generates a trace without interning: every step has its own entries.
pub(crate) fn trace() -> impl Strategy<Value = Trace> {
    let streams = |ranks: u32| (communicators(ranks), vec(vec(step(ranks), 1..12), ranks as usize));
    (1u32..6).prop_flat_map(streams).prop_map(|(communicators, streams)| {
        let mut trace = Trace { communicators, ..Trace::default() };
        let ranks = streams.len() as u32;
        for (rank, stream) in (0..).zip(streams) {
            let actions = stream.into_iter().map(|step| build(&mut trace, rank, ranks, step)).collect();
            trace.actions.push(actions);
        }
        trace
    })
}
