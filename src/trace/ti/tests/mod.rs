//! Tests of the reader as a whole.

mod actions;
mod corpus;
mod errors;
mod files;
mod packed;
mod property;
mod speed;

use super::*;

/// Reads a text as if it came from a stream called `t`.
fn parse(text: &str) -> Result<Trace, TraceError> {
    parse_for(None, text)
}

fn parse_for(ranks: Option<usize>, text: &str) -> Result<Trace, TraceError> {
    read_from(text.as_bytes(), "t", &Options { ranks, ..Options::default() })
}

/// Asserts that two traces have the same actions, wherever their arguments lie in the side tables.
fn assert_same(a: &Trace, b: &Trace) {
    use crate::trace::{Action, CollectiveCall, Counts};
    assert_eq!(a.ranks(), b.ranks());
    for (rank, (left, right)) in a.actions.iter().zip(&b.actions).enumerate() {
        assert_eq!(left.len(), right.len(), "rank {rank}");
        for (index, pair) in left.iter().zip(right).enumerate() {
            let place = format!("rank {rank}, action {index}");
            match pair {
                (&Action::SendRecv { index: i }, &Action::SendRecv { index: j }) => {
                    assert_eq!(a.sendrecvs[i as usize], b.sendrecvs[j as usize], "{place}");
                }
                (&Action::Collective { index: i }, &Action::Collective { index: j }) => {
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
