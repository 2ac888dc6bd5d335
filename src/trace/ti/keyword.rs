//! Names of actions.

use crate::similar;
use crate::trace::CollectiveKind;

/// Meaning of the second word of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Keyword {
    Init,
    Finalize,
    /// `comm_size`, `comm_split`, `comm_dup`: calls of SimGrid's tracer, without members.
    Communicator,
    Location,
    Compute,
    Sleep,
    Send,
    Isend,
    Recv,
    Irecv,
    SendRecv,
    Wait,
    Test,
    Pick,
    WaitAll,
    Collective(CollectiveKind),
    /// Declares the members of a communicator: no action.
    Declare,
    /// The communicator of the action that follows.
    On,
    /// A non-blocking collective.
    Start(CollectiveKind),
    WaitRequest,
    TestRequest,
    Put,
    Get,
    Accumulate,
    Fence,
    Flush,
    Probe,
    Iprobe,
    // Written only by SMPI's tracer: see `smpi.rs`.
    Bsend,
    Ibsend,
    Ssend,
    Issend,
    /// The start of a persistent request.
    Persistent,
    SmpiPut,
    SmpiGet,
    SmpiAccumulate,
    SmpiFence,
    SmpiFlush,
    SmpiLock,
}

/// Names of the actions that are not collectives.
const OTHERS: [(&str, Keyword); 46] = [
    ("init", Keyword::Init),
    ("finalize", Keyword::Finalize),
    ("comm_size", Keyword::Communicator),
    ("comm_split", Keyword::Communicator),
    ("comm_dup", Keyword::Communicator),
    ("location", Keyword::Location),
    ("compute", Keyword::Compute),
    ("sleep", Keyword::Sleep),
    ("send", Keyword::Send),
    ("isend", Keyword::Isend),
    ("recv", Keyword::Recv),
    ("irecv", Keyword::Irecv),
    ("sendRecv", Keyword::SendRecv),
    ("wait", Keyword::Wait),
    ("test", Keyword::Test),
    ("pick", Keyword::Pick),
    ("waitall", Keyword::WaitAll),
    ("communicator", Keyword::Declare),
    ("on", Keyword::On),
    ("wait_request", Keyword::WaitRequest),
    ("test_request", Keyword::TestRequest),
    ("put", Keyword::Put),
    ("get", Keyword::Get),
    ("accumulate", Keyword::Accumulate),
    ("fence", Keyword::Fence),
    ("flush", Keyword::Flush),
    ("probe", Keyword::Probe),
    ("iprobe", Keyword::Iprobe),
    ("bsend", Keyword::Bsend),
    ("ibsend", Keyword::Ibsend),
    ("Ssend", Keyword::Ssend),
    ("ISsend", Keyword::Issend),
    ("Start", Keyword::Persistent),
    ("Put", Keyword::SmpiPut),
    ("Get", Keyword::SmpiGet),
    ("Accumulate", Keyword::SmpiAccumulate),
    ("Win_fence", Keyword::SmpiFence),
    ("Win_flush", Keyword::SmpiFlush),
    ("Win_flush_all", Keyword::SmpiFlush),
    ("Win_flush_local", Keyword::SmpiFlush),
    ("Win_flush_local_all", Keyword::SmpiFlush),
    ("Win_unlock", Keyword::SmpiFlush),
    ("Win_unlock_all", Keyword::SmpiFlush),
    ("Win_lock", Keyword::SmpiLock),
    ("Win_lock_all", Keyword::SmpiLock),
    ("Win_sync", Keyword::SmpiLock),
];

impl Keyword {
    /// Returns the action of exactly that name.
    #[inline]
    pub fn find(word: &[u8]) -> Option<Keyword> {
        // The most frequent ones first; a match on slices compares in order.
        match word {
            b"compute" => Some(Keyword::Compute),
            b"send" => Some(Keyword::Send),
            b"recv" => Some(Keyword::Recv),
            b"isend" => Some(Keyword::Isend),
            b"irecv" => Some(Keyword::Irecv),
            b"wait" => Some(Keyword::Wait),
            b"waitall" => Some(Keyword::WaitAll),
            _ => Keyword::find_rare(word),
        }
    }

    fn find_rare(word: &[u8]) -> Option<Keyword> {
        let other = OTHERS.iter().find(|(name, _)| name.as_bytes() == word).map(|&(_, keyword)| keyword);
        let collective = || CollectiveKind::ALL.into_iter().find(|kind| kind.name().as_bytes() == word);
        let start = || CollectiveKind::ALL.into_iter().find(|kind| kind.nonblocking_name().as_bytes() == word);
        other.or_else(|| collective().map(Keyword::Collective)).or_else(|| start().map(Keyword::Start))
    }

    /// Returns `true` if the action may be on a communicator.
    pub fn has_communicator(self) -> bool {
        matches!(
            self,
            Keyword::Collective(_)
                | Keyword::Start(_)
                | Keyword::Put
                | Keyword::Get
                | Keyword::Accumulate
                | Keyword::Fence
                | Keyword::Flush
        )
    }

    /// Returns the name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Keyword::Collective(kind) => kind.name(),
            Keyword::Start(kind) => kind.nonblocking_name(),
            other => OTHERS.iter().find(|(_, keyword)| *keyword == other).map_or("", |&(name, _)| name),
        }
    }

    /// Returns the known name that a wrong one was probably meant to be.
    pub fn nearest(word: &[u8]) -> Option<&'static str> {
        let collectives = CollectiveKind::ALL.map(CollectiveKind::name).into_iter();
        let starts = CollectiveKind::ALL.map(CollectiveKind::nonblocking_name);
        let names = OTHERS.iter().map(|&(name, _)| name).chain(collectives).chain(starts);
        similar::nearest(std::str::from_utf8(word).ok()?, names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found() {
        for (name, keyword) in OTHERS {
            assert_eq!(Keyword::find(name.as_bytes()), Some(keyword));
        }
        for kind in CollectiveKind::ALL {
            assert_eq!(Keyword::find(kind.name().as_bytes()), Some(Keyword::Collective(kind)));
            assert_eq!(Keyword::find(kind.nonblocking_name().as_bytes()), Some(Keyword::Start(kind)));
        }
        assert_eq!(Keyword::find(b"Isend"), None);
        assert_eq!(Keyword::find(b""), None);
    }

    #[test]
    fn a_wrong_name_leads_to_the_right_one() {
        let wrong = ["Isend", "allReduce", "waitAll", "Compute", "sendrecv", "reduce_scatter", "all_to_all"];
        let right = ["isend", "allreduce", "waitall", "compute", "sendRecv", "reducescatter", "alltoall"];
        for (wrong, right) in wrong.into_iter().zip(right) {
            assert_eq!(Keyword::nearest(wrong.as_bytes()), Some(right), "{wrong}");
        }
        assert_eq!(Keyword::nearest(b"MPI_Type_commit"), None);
        assert_eq!(Keyword::nearest(b"\xff"), None);
    }
}
