//! Layout of the records of a file, see docs/reference/recording-format.md.

/// Kind of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // They are the records of docs/reference/recording-format.md.
pub(super) enum Op {
    End,
    Begin,
    Finalize,
    Quiet,
    Comm,
    CommFree,
    Send,
    Isend,
    SendInit,
    Recv,
    Irecv,
    RecvInit,
    Start,
    Sendrecv,
    Complete,
    Polls,
    Probe,
    RequestFree,
    Cancel,
    Collective,
    Icollective,
    Neighbor,
    Ineighbor,
    Win,
    WinFree,
    Rma,
    WinSync,
    Other,
    Abort,
    Enter,
    Leave,
}

/// All records in the order of their numbers, with the arguments that follow their times.
///
/// `b` a byte, `u` a varint, `s` a signed varint, `q` a request; lists: `Q` requests, `C` completed requests, `V`
/// varints, `M` members, `N` neighbours with bytes; `T` the text of a new name.
pub(super) const RECORDS: [(Op, &str); 31] = [
    (Op::End, ""),
    (Op::Begin, "u"),
    (Op::Finalize, ""),
    (Op::Quiet, ""),
    (Op::Comm, "buuuM"),
    (Op::CommFree, "u"),
    (Op::Send, "bussu"),
    (Op::Isend, "bussuq"),
    (Op::SendInit, "bussuq"),
    (Op::Recv, "ussu"),
    (Op::Irecv, "ussuq"),
    (Op::RecvInit, "ussuq"),
    (Op::Start, "Q"),
    (Op::Sendrecv, "ussussu"),
    (Op::Complete, "bC"),
    (Op::Polls, "bu"),
    (Op::Probe, "ussu"),
    (Op::RequestFree, "q"),
    (Op::Cancel, "q"),
    (Op::Collective, "buuuVV"),
    (Op::Icollective, "buuuqVV"),
    (Op::Neighbor, "buNN"),
    (Op::Ineighbor, "buqNN"),
    (Op::Win, "uu"),
    (Op::WinFree, "u"),
    (Op::Rma, "buuuu"),
    (Op::WinSync, "bus"),
    (Op::Other, "uT"),
    (Op::Abort, "s"),
    (Op::Enter, "u"),
    (Op::Leave, "u"),
];

/// Calls that complete requests or poll, by number.
pub(super) const COMPLETIONS: [&str; 13] = [
    "MPI_Wait",
    "MPI_Waitall",
    "MPI_Waitany",
    "MPI_Waitsome",
    "MPI_Test",
    "MPI_Testall",
    "MPI_Testany",
    "MPI_Testsome",
    "MPI_Iprobe",
    "MPI_Improbe",
    "MPI_Win_test",
    "MPI_Request_get_status",
    "MPI_Request_free",
];

/// One of these: the request remains, and the next wait for it finds it done.
pub(super) const GET_STATUS: i64 = 11;
/// One of these without a wait: the program has released the request, and its result was queried later.
pub(super) const RELEASED: i64 = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_places() {
        for (number, (op, _)) in RECORDS.iter().enumerate() {
            assert_eq!(*op as usize, number);
        }
    }
}
