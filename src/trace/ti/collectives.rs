//! The argument lists of the collectives.

use super::builder::TraceBuilder;
use super::keyword::Keyword;
use super::line::{Arguments, Broken};
use super::number::{Res, count, flops, integer, skip_blanks, split_word};
use super::pending::PUT_OFF;
use crate::trace::error::{TraceError, TraceErrorKind as Kind};
use crate::trace::tables::Full;
use crate::trace::{Action, CollectiveCall, CollectiveKind, Datatype};

/// Two datatypes: that of the elements sent, that of those received.
type Types = (Datatype, Datatype);

/// Returns a call with one count and one type.
fn single(kind: CollectiveKind, root: u32, count: u32, datatype: Datatype, flops: f64) -> CollectiveCall {
    CollectiveCall { flops, ..CollectiveCall::uniform(kind, root, count, datatype) }
}

/// Reads one count per member.
fn vector<'a>(argument: &'static str, ranks: usize, into: &mut Vec<u32>, text: &'a [u8]) -> Res<'a, ()> {
    let mut rest = text;
    into.clear();
    for _ in 0..ranks {
        let value;
        (rest, value) = integer(argument)(rest)?;
        into.push(value);
    }
    Ok((rest, ()))
}

impl TraceBuilder {
    /// Reads a collective. If it has a count per rank and the number of ranks is not known, it is postponed.
    pub fn collective<'a>(&mut self, kind: CollectiveKind, text: &'a [u8]) -> Arguments<'a, Action> {
        use CollectiveKind as K;
        let call = match kind {
            K::Barrier => CollectiveCall::empty(kind),
            K::Bcast => {
                let (rest, count) = count("count")(text)?;
                let (rest, root) = self.root(rest)?;
                single(kind, root, count, self.datatype(rest)?.1, 0.0)
            }
            K::Reduce => {
                let (rest, count) = count("count")(text)?;
                let (rest, flops) = flops(rest)?;
                let (rest, root) = self.root(rest)?;
                single(kind, root, count, self.datatype(rest)?.1, flops)
            }
            K::Allreduce | K::Scan | K::Exscan => {
                let (rest, count) = count("count")(text)?;
                let (rest, flops) = flops(rest)?;
                single(kind, 0, count, self.datatype(rest)?.1, flops)
            }
            K::Alltoall | K::Allgather | K::Gather | K::Scatter => {
                let (rest, send_count) = count("send count")(text)?;
                let (mut rest, recv_count) = count("receive count")(rest)?;
                let mut root = 0;
                if matches!(kind, K::Gather | K::Scatter) {
                    (rest, root) = self.root(rest)?;
                }
                let (_, (send_type, recv_type)) = self.types(rest)?;
                CollectiveCall { root, send_count, recv_count, send_type, recv_type, ..CollectiveCall::empty(kind) }
            }
            K::Alltoallv | K::Gatherv | K::Allgatherv | K::Scatterv | K::ReduceScatter => match self.members() {
                Some(ranks) => self.vector_call(kind, ranks, text)?,
                None => return Ok(self.put_off(kind, text)?),
            },
        };
        let call = CollectiveCall { communicator: self.declared.current, ..call };
        Ok(Action::Collective { index: self.tables.collective(call)? })
    }

    /// Reads a collective with a count per rank.
    pub fn vector_call<'a>(
        &mut self,
        kind: CollectiveKind,
        ranks: usize,
        text: &'a [u8],
    ) -> Arguments<'a, CollectiveCall> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let call = self.vector_call_with(&mut scratch, kind, ranks, text);
        self.scratch = scratch;
        // Counts of more ranks would be interpreted as other arguments, so this is reported first.
        call.map_err(|error| match surplus(kind, ranks, text) {
            Some(at) => Broken::Other { at, kind: Kind::SurplusArguments { action: kind.name(), ranks } },
            None => error,
        })
    }

    fn vector_call_with<'a>(
        &mut self,
        [first, second]: &mut [Vec<u32>; 2],
        kind: CollectiveKind,
        ranks: usize,
        text: &'a [u8],
    ) -> Arguments<'a, CollectiveCall> {
        use CollectiveKind as K;
        const SENT: &str = "send count of each rank";
        const RECEIVED: &str = "receive count of each rank";
        let mut call = CollectiveCall::empty(kind);
        let mut end: &[u8] = &[];
        match kind {
            K::Alltoallv => {
                // The two single numbers are the sizes of the buffers, without influence on the time.
                let (rest, send_size) = count("send buffer size")(text)?;
                let (rest, ()) = vector(SENT, ranks, first, rest)?;
                let (rest, recv_size) = count("receive buffer size")(rest)?;
                let (rest, ()) = vector(RECEIVED, ranks, second, rest)?;
                (call.send_count, call.recv_count) = (send_size, recv_size);
                (end, (call.send_type, call.recv_type)) = self.types(rest)?;
                call.send_counts = self.tables.counts(first)?;
                call.recv_counts = self.tables.counts(second)?;
            }
            K::Gatherv => {
                let (rest, send_count) = count("send count")(text)?;
                let (rest, ()) = vector(RECEIVED, ranks, first, rest)?;
                let (rest, root) = self.root(rest)?;
                (call.root, call.send_count) = (root, send_count);
                (end, (call.send_type, call.recv_type)) = self.types(rest)?;
                call.recv_counts = self.tables.counts(first)?;
            }
            K::Allgatherv => {
                let (rest, send_count) = count("send count")(text)?;
                let (rest, ()) = vector(RECEIVED, ranks, first, rest)?;
                call.send_count = send_count;
                (call.send_type, call.recv_type) = self.allgatherv_tail(ranks, second, rest)?;
                call.recv_counts = self.tables.counts(first)?;
                call.displacements = self.tables.counts(second)?;
            }
            K::Scatterv => {
                let (rest, ()) = vector(SENT, ranks, first, text)?;
                let (rest, recv_count) = count("receive count")(rest)?;
                let (rest, root) = self.root(rest)?;
                (call.root, call.recv_count) = (root, recv_count);
                (end, (call.send_type, call.recv_type)) = self.types(rest)?;
                call.send_counts = self.tables.counts(first)?;
            }
            K::ReduceScatter => {
                let (rest, ()) = vector(RECEIVED, ranks, first, text)?;
                let (rest, flops) = flops(rest)?;
                let datatype;
                (end, datatype) = self.datatype(rest)?;
                (call.flops, call.send_type, call.recv_type) = (flops, datatype, datatype);
                call.recv_counts = self.tables.counts(first)?;
            }
            other => unreachable!("{} has no count for each rank", other.name()),
        }
        // For other collectives additional arguments are harmless; here they mean that counts were interpreted as other
        // arguments.
        match skip_blanks(end) {
            b"" => Ok(call),
            at => Err(Broken::Other { at, kind: Kind::SurplusArguments { action: kind.name(), ranks } }),
        }
    }

    /// Reads the arguments after the counts of an allgatherv: types, displacements, both or nothing.
    ///
    /// Their number distinguishes the forms. Two arguments for two ranks are types, as in SimGrid.
    fn allgatherv_tail<'a>(
        &mut self,
        ranks: usize,
        displacements: &mut Vec<u32>,
        text: &'a [u8],
    ) -> Arguments<'a, Types> {
        const NAME: &str = "displacement of each rank";
        displacements.clear();
        let at = skip_blanks(text);
        match words(at) {
            0..=2 => Ok(self.types(at)?.1),
            given if given >= ranks + 2 => {
                let (rest, types) = self.types(at)?;
                vector(NAME, ranks, displacements, rest)?;
                Ok(types)
            }
            given if given == ranks => {
                vector(NAME, ranks, displacements, at)?;
                Ok(self.types(&[])?.1)
            }
            given => Err(Broken::Other { at, kind: Kind::Displacements { given, ranks } }),
        }
    }

    /// Reads the root, 0 if there is none.
    fn root<'a>(&mut self, text: &'a [u8]) -> Arguments<'a, (&'a [u8], u32)> {
        match skip_blanks(text) {
            b"" => Ok((&[], 0)),
            some => self.member("root", some),
        }
    }

    /// Reads the types of sent and received data, each the default one if missing.
    fn types<'a>(&mut self, text: &'a [u8]) -> Arguments<'a, (&'a [u8], Types)> {
        let (rest, send_type) = self.datatype(text)?;
        let (rest, recv_type) = self.datatype(rest)?;
        Ok((rest, (send_type, recv_type)))
    }

    /// Postpones a collective; [`resolve_pending`](Self::resolve_pending) replaces the returned action.
    pub fn put_off(&mut self, kind: CollectiveKind, text: &[u8]) -> Result<Action, Full> {
        let list = self.pending.intern(kind, text, self.place, self.length)?;
        Ok(Action::Collective { index: PUT_OFF | list })
    }

    /// Reads the postponed lines, now that the number of ranks is known.
    pub fn resolve_pending(&mut self) -> Result<(), TraceError> {
        let pending = std::mem::take(&mut self.pending);
        if pending.lists.is_empty() {
            return Ok(());
        }
        let mut resolved = Vec::with_capacity(pending.lists.len());
        for list in &pending.lists {
            let text = &pending.text[list.range()];
            (self.place, self.length) = (list.place, list.length);
            let index = self
                .vector_call(list.kind, self.streams.len(), text)
                .and_then(|call| Ok(self.tables.collective(call)?))
                .map_err(|broken| self.error(Some(Keyword::Collective(list.kind)), broken))?;
            resolved.push(index);
        }
        if self.tables.collectives.len() > PUT_OFF as usize {
            return Err(self.error(None, Full("collective calls").into()));
        }
        for stream in &mut self.streams {
            stream.change(|action| {
                if let Action::Collective { index } | Action::Start { index, .. } = action
                    && *index >= PUT_OFF
                {
                    *index = resolved[(*index - PUT_OFF) as usize];
                }
            });
        }
        Ok(())
    }
}

/// Returns the arguments beyond the maximum of a collective with a count per rank. If displacements may follow, their
/// number has already been checked.
fn surplus(kind: CollectiveKind, ranks: usize, text: &[u8]) -> Option<&[u8]> {
    let most = match kind {
        CollectiveKind::Alltoallv => 2 * ranks + 4,
        CollectiveKind::Gatherv | CollectiveKind::Scatterv => ranks + 4,
        CollectiveKind::ReduceScatter => ranks + 2,
        _ => return None,
    };
    let rest = skip_blanks((0..most).fold(text, |rest, _| split_word(rest).1));
    (!rest.is_empty()).then_some(rest)
}

/// Returns the number of words of a text.
fn words(text: &[u8]) -> usize {
    text.split(|&byte| super::number::is_blank(byte)).filter(|word| !word.is_empty()).count()
}
