//! The argument lists of the actions that are not collectives.

use crate::excerpt::excerpt_of_bytes;
use nom::Parser;
use nom::combinator::opt;

use super::builder::{Farthest, TraceBuilder};
use super::keyword::Keyword;
use super::line::{Arguments, Broken};
use super::number::{self, capacity, count, datatype, integer, real, skip_blanks, split_word, tag};
use crate::trace::error::TraceErrorKind as Kind;
use crate::trace::{Action, Datatype, SendRecv, Triple};

impl TraceBuilder {
    /// Reads the action of a line, from the text after its keyword.
    #[inline]
    pub fn action<'a>(&mut self, keyword: Keyword, text: &'a [u8]) -> Arguments<'a, Action> {
        Ok(match keyword {
            Keyword::Compute => Action::Compute { flops: number::flops(text)?.1 },
            Keyword::Send => {
                let (to, tag, count, datatype) = self.sent(text)?;
                Action::Send { to, tag, count, datatype }
            }
            Keyword::Isend => {
                let (to, tag, count, datatype) = self.sent(text)?;
                Action::Isend { to, tag, count, datatype }
            }
            Keyword::Recv => {
                let (from, tag, count, datatype) = self.received(text)?;
                Action::Recv { from, tag, count, datatype }
            }
            Keyword::Irecv => {
                let (from, tag, count, datatype) = self.received(text)?;
                Action::Irecv { from, tag, count, datatype }
            }
            Keyword::Wait => match self.request(text) {
                Ok((source, destination, tag)) => {
                    self.waited(source, destination, tag);
                    Action::Wait { source, destination, tag }
                }
                Err(error) => self.smpi_wait(text, error)?,
            },
            Keyword::Test => {
                let (source, destination, tag) = self.request(text)?;
                Action::Test { source, destination, tag }
            }
            Keyword::WaitAll => {
                self.forget_collectives();
                Action::WaitAll
            }
            Keyword::Init => {
                let default = if skip_blanks(text).is_empty() { Datatype::BYTE } else { Datatype::DOUBLE };
                self.init(default, text)?;
                Action::Init
            }
            Keyword::Finalize => Action::Finalize,
            Keyword::Communicator => Action::NoOperation,
            Keyword::Location => {
                (word("file"), word("line")).parse(text)?;
                Action::NoOperation
            }
            Keyword::Sleep => Action::Sleep { seconds: real("duration")(text)?.1 },
            Keyword::SendRecv => self.sendrecv(text)?,
            Keyword::Collective(kind) => self.collective(kind, text)?,
            Keyword::Start(kind) => self.nonblocking(kind, text)?,
            Keyword::WaitRequest => Action::WaitRequest { request: self.numbered(text)? },
            Keyword::Pick => Action::Pick { nth: self.numbered(text)? },
            Keyword::TestRequest => Action::TestRequest { request: self.numbered(text)? },
            Keyword::Put | Keyword::Get | Keyword::Accumulate => self.one_sided(keyword, text)?,
            Keyword::Fence => Action::Fence { window: self.declared.current },
            Keyword::Flush => self.flush(text)?,
            Keyword::Probe => {
                let (from, tag) = self.looked_for(text)?;
                Action::Probe { from, tag }
            }
            Keyword::Iprobe => {
                let (from, tag) = self.looked_for(text)?;
                Action::Iprobe { from, tag }
            }
            Keyword::Bsend
            | Keyword::Ibsend
            | Keyword::Ssend
            | Keyword::Issend
            | Keyword::Persistent
            | Keyword::SmpiPut
            | Keyword::SmpiGet
            | Keyword::SmpiAccumulate
            | Keyword::SmpiFence
            | Keyword::SmpiFlush
            | Keyword::SmpiLock => self.smpi_line(keyword, text)?,
            Keyword::Declare | Keyword::On => unreachable!("{} is read before its action", keyword.name()),
        })
    }

    /// Reads destination, tag, count and type of a message.
    #[inline]
    fn sent<'a>(&mut self, text: &'a [u8]) -> Arguments<'a, (u32, i32, u32, Datatype)> {
        let (rest, to) = match self.partner("destination", text) {
            Ok(found) => found,
            Err(error) => return Err(self.explained(text, error)),
        };
        let (rest, (tag, count)) = (tag, count("count")).parse(rest)?;
        let (_, datatype) = self.datatype(rest)?;
        self.check_derived(count, datatype);
        Ok((to, tag, count, datatype))
    }

    /// Reads source, tag, capacity and type of a message.
    #[inline]
    fn received<'a>(&mut self, text: &'a [u8]) -> Arguments<'a, (u32, i32, u32, Datatype)> {
        let (rest, from) = match self.partner("source", text) {
            Ok(found) => found,
            Err(error) => return Err(self.explained(text, error)),
        };
        let (rest, tag) = self.received_tag(rest)?;
        let (rest, count) = capacity(rest)?;
        let (_, datatype) = self.datatype(rest)?;
        self.check_derived(count, datatype);
        Ok((from, tag, count, datatype))
    }

    /// Reads source, destination and tag of a remembered request.
    #[inline]
    fn request<'a>(&mut self, text: &'a [u8]) -> Arguments<'a, Triple> {
        let (rest, source) = self.partner("source", text)?;
        let (rest, destination) = self.partner("destination", rest)?;
        Ok((source, destination, tag(rest)?.1))
    }

    fn sendrecv<'a>(&mut self, text: &'a [u8]) -> Arguments<'a, Action> {
        let (rest, send_count) = count("send count")(text)?;
        let (rest, to) = self.partner("destination", rest)?;
        let (rest, recv_count) = count("receive count")(rest)?;
        let (rest, from) = self.partner("source", rest)?;
        let (_, (send_type, recv_type)) = (datatype, datatype).parse(rest)?;
        let entry = SendRecv { to, send_count, send_type, from, recv_count, recv_type };
        Ok(Action::SendRecv { index: self.tables.sendrecv(entry)? })
    }

    /// Reads a rank other than the line's own.
    #[inline]
    pub fn partner<'a>(&mut self, role: &'static str, text: &'a [u8]) -> Arguments<'a, (&'a [u8], u32)> {
        let (rest, rank) = integer(role)(text)?;
        if rank as usize >= self.limit {
            self.far_partner(role, rank, text)?;
        }
        Ok((rest, rank))
    }

    #[cold]
    fn far_partner<'a>(&mut self, role: &'static str, rank: u32, text: &'a [u8]) -> Arguments<'a, ()> {
        let at = skip_blanks(text);
        if self.ranks.is_some() {
            return Err(Broken::Rank { at, role });
        }
        self.limit = rank as usize + 1;
        let column = (self.length - at.len()) as u32 + 1;
        self.farthest = Some(Farthest { place: self.place, column, text: excerpt_of_bytes(split_word(at).0), role });
        Ok(())
    }

    /// Reads the datatype if there is one, otherwise returns the default.
    #[inline]
    pub fn datatype<'a>(&mut self, text: &'a [u8]) -> Arguments<'a, (&'a [u8], Datatype)> {
        let (rest, datatype) = opt(datatype).parse(text)?;
        // A line before the first `init` determines the default as well: that of a trace without any `init`.
        let datatype = datatype.unwrap_or_else(|| self.default.get_or_insert((Datatype::BYTE, self.place)).0);
        Ok((rest, datatype))
    }

    fn init<'a>(&mut self, now: Datatype, text: &'a [u8]) -> Arguments<'a, ()> {
        let (before, place) = *self.default.get_or_insert((now, self.place));
        if before == now {
            return Ok(());
        }
        let earlier = format!("{}:{}", self.files[place.file as usize].display(), place.line);
        let kind = Kind::MixedInit { earlier, before, now };
        Err(Broken::Other { at: skip_blanks(text), kind })
    }
}

/// Returns a word of any kind.
fn word<'a>(argument: &'static str) -> impl Fn(&'a [u8]) -> number::Res<'a, &'a [u8]> {
    move |text| match split_word(text) {
        (b"", end) => number::missing(end, argument),
        (word, rest) => Ok((rest, word)),
    }
}
