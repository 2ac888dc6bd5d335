use std::sync::Arc;

use proptest::prelude::*;

use super::words::from_words;
use super::*;
use crate::trace::{ANY_TARGET, CommunicatorId, Datatype, UNKNOWN_COUNT};

fn any_action() -> impl Strategy<Value = Action> {
    let datatype = (-1i64..=59).prop_filter_map("58 is no type", Datatype::from_id);
    let window = any::<u32>().prop_map(CommunicatorId::from_number);
    let counts = prop_oneof![any::<u32>(), Just(UNKNOWN_COUNT)];
    // No negative zero: it is equal to zero, but has another bit pattern.
    let numbers = any::<f64>().prop_map(|number| number + 0.0);
    (0..24, (any::<u32>(), any::<u32>(), any::<i32>()), counts, datatype, window, numbers).prop_map(
        |(code, (other, index, tag), count, datatype, window, number)| match code {
            0 => Action::Init,
            1 => Action::Finalize,
            2 => Action::NoOperation,
            3 => Action::WaitAll,
            4 => Action::Compute { flops: number },
            5 => Action::Sleep { seconds: number },
            6 => Action::Send { to: other, tag, count, datatype },
            7 => Action::Isend { to: other, tag, count, datatype },
            8 => Action::Recv { from: other, tag, count, datatype },
            9 => Action::Irecv { from: other, tag, count, datatype },
            10 => Action::Wait { source: other, destination: index, tag },
            11 => Action::Test { source: other, destination: index, tag },
            12 => Action::SendRecv { index },
            13 => Action::Collective { index },
            14 => Action::Start { index, request: other },
            15 => Action::WaitRequest { request: other },
            16 => Action::TestRequest { request: other },
            17 => Action::Put { to: other, window, count, datatype },
            18 => Action::Get { from: other, window, count, datatype },
            19 => Action::Accumulate { to: other, window, count, datatype },
            20 => Action::Fence { window },
            21 => Action::Flush { window, to: if index % 2 == 0 { ANY_TARGET } else { other } },
            22 => Action::Probe { from: other, tag },
            _ => Action::Iprobe { from: other, tag },
        },
    )
}

fn compute(number: usize) -> Action {
    Action::Compute { flops: number as f64 }
}

/// Creates actions of several ranks, `each` per rank and turn.
fn made(store: &Arc<Store>, ranks: usize, turns: usize, each: usize) -> Vec<Actions> {
    let mut all: Vec<Actions> = (0..ranks).map(|_| Actions::in_store(store)).collect();
    for turn in 0..turns {
        for (rank, actions) in all.iter_mut().enumerate() {
            for i in 0..each {
                actions.push(compute((turn * each + i) * ranks + rank));
            }
        }
    }
    all
}

proptest! {
    #[test]
    fn words_are_those_of_one_action(a in any_action(), b in any_action()) {
        prop_assert_eq!(from_words(to_words(&a)), a);
        prop_assert_eq!(to_words(&a) == to_words(&b), a == b);
    }

    /// Wherever actions are stored, they equal those of a vector.
    #[test]
    fn they_are_as_a_vector(
        limit in 0usize..3000,
        given in prop::collection::vec(any_action(), 0..200),
        times in 1usize..40,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any_action()), 0..20),
        start in any::<prop::sample::Index>(),
        most in 1usize..1000,
    ) {
        let store = Store::new(limit);
        let (mut actions, mut other) = (Actions::in_store(&store), Actions::in_store(&store));
        let mut vector = Vec::new();
        for _ in 0..times {
            // Another one in between, so that pieces are not contiguous.
            other.extend(given.iter().copied());
            actions.extend(given.iter().copied());
            vector.extend_from_slice(&given);
        }
        // Blocks of several copies, a part of a block, and copies of more than a block.
        let from = start.index(vector.len() + 1);
        for (to, copies) in [(vector.len().min(from + 3), 3000), (vector.len(), 2)] {
            actions.repeat(from, to, copies);
            (0..copies).for_each(|_| vector.extend_from_within(from..to));
        }
        for (index, action) in changes.into_iter().filter(|_| !given.is_empty()) {
            let at = index.index(vector.len());
            actions.set(at, action);
            vector[at] = action;
            prop_assert_eq!(actions.get(at), Some(action));
        }
        prop_assert!(actions.len() - actions.set_aside() <= limit + 2 * PIECE);
        prop_assert_eq!((&actions, actions.first(), actions.last()), (&vector.clone().into(), vector.first().copied(), vector.last().copied()));
        prop_assert_eq!(actions.get(vector.len()), None);
        let start = start.index(vector.len() + 1);
        prop_assert_eq!(actions.iter_from(start).collect::<Vec<_>>(), &vector[start..]);
        prop_assert_eq!(actions.iter_from(start).len(), vector.len() - start);
        prop_assert!(actions.chunks(most).map(|some| some.to_vec()).eq(vector.chunks(most).map(<[_]>::to_vec)));
        prop_assert_eq!(&*actions.together(), &vector[..]);
        let mut cursor = ActionCursor::new(&actions);
        for (at, action) in vector.iter().enumerate() {
            prop_assert_eq!((cursor.go_to(at), cursor.get(at)), (Some(*action), Some(action)));
        }
        prop_assert_eq!(cursor.go_to(vector.len()), None);
        let copy = actions.clone();
        actions.change(|action| *action = compute(1));
        prop_assert!(copy == vector && actions.iter().all(|action| action == compute(1)));
        prop_assert_eq!(other.len(), given.len() * times);
    }
}

#[test]
fn memory_is_bounded_by_the_limit_and_the_ranks() {
    let store = Store::new(10_000);
    let all = made(&store, 20, 300, 50);
    let in_memory: usize = all.iter().map(|actions| actions.tail.capacity()).sum();
    assert!(in_memory <= 10_000 + 20 * 2 * PIECE, "{in_memory} of 300,000");
    for (rank, actions) in all.iter().enumerate() {
        assert!(actions.iter().eq((0..15_000).map(|i| compute(i * 20 + rank))), "rank {rank}");
    }
}

#[test]
fn small_traces_need_no_file() {
    let store = Store::new(1 << 20);
    let all = made(&store, 4, 10, 1000);
    assert!(all.iter().all(|actions| actions.set_aside() == 0));
}

/// A decoder that adds many actions to a vector in one call also respects the limit.
#[test]
fn many_at_once_are_set_aside() {
    let store = Store::new(1000);
    let mut actions = Actions::in_store(&store);
    for turn in 0..5 {
        let read = actions.append(5000, |some| {
            some.extend((0..5000).map(|i| compute(turn * 5000 + i)));
            Ok::<(), ()>(())
        });
        assert_eq!(read, Ok(5000));
    }
    assert!(actions.tail.capacity() <= 1000 + 2 * PIECE, "{}", actions.tail.capacity());
    assert!(actions.iter().eq((0..25_000).map(compute)));
}
