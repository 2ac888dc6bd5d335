//! The extension of the format: communicators, non-blocking collectives, one-sided communication, probes.

use super::builder::TraceBuilder;
use super::keyword::Keyword;
use super::line::{Arguments, Broken};
use super::number::{count, integer, skip_blanks, split_word, tag};
use crate::trace::communicator::{CommunicatorId, CommunicatorProblem, Members, twice};
use crate::trace::error::TraceErrorKind as Kind;
use crate::trace::{ANY_TARGET, Action, CollectiveKind, Datatype};

fn problem<'a, T>(at: &'a [u8], problem: CommunicatorProblem) -> Arguments<'a, T> {
    Err(Broken::Other { at: skip_blanks(at), kind: Kind::Communicator(problem) })
}

impl TraceBuilder {
    /// Returns the number of members of the communicator of the line; `None` if that of the world is not known yet.
    pub fn members(&self) -> Option<usize> {
        match self.declared.current.index() {
            None => self.ranks,
            Some(index) => Some(self.tables.communicators[index].len()),
        }
    }

    /// Reads a member of the communicator of the line.
    pub fn member<'a>(&mut self, role: &'static str, text: &'a [u8]) -> Arguments<'a, (&'a [u8], u32)> {
        if self.declared.current.is_world() {
            return self.partner(role, text);
        }
        let (rest, member) = integer(role)(text)?;
        match self.members() {
            Some(members) if member as usize >= members => {
                problem(text, CommunicatorProblem::NoSuchMember { role, members })
            }
            _ => Ok((rest, member)),
        }
    }

    /// Reads `communicator NUMBER MEMBER...`, which is not an action. An identical declaration may be repeated, so
    /// that the file of each rank can contain it.
    pub fn declare<'a>(&mut self, text: &'a [u8]) -> Arguments<'a, ()> {
        let (mut rest, number) = integer("number")(text)?;
        if number == 0 {
            return problem(text, CommunicatorProblem::World);
        }
        let mut members = Vec::new();
        while !skip_blanks(rest).is_empty() {
            let member;
            (rest, member) = self.partner("member", rest)?;
            members.push(member);
        }
        if let Some(member) = twice(&members) {
            return problem(text, CommunicatorProblem::Twice { number, member });
        }
        if members.is_empty() {
            return problem(rest, CommunicatorProblem::Empty { number });
        }
        let table = &mut self.tables.communicators;
        match self.declared.ids.get(&number).and_then(|id| id.index()) {
            Some(index) if *table[index] == *members => {}
            Some(_) => return problem(text, CommunicatorProblem::Changed { number }),
            None => {
                self.declared.ids.insert(number, CommunicatorId::from_index(table.len() as u32));
                table.push(members.into());
            }
        }
        Ok(())
    }

    /// Reads `on NUMBER ACTION ARGUMENTS...`, an action on a communicator; returns its keyword and its arguments.
    pub fn on<'a>(&mut self, rank: u32, text: &'a [u8]) -> Arguments<'a, (Keyword, &'a [u8])> {
        let (rest, number) = integer("number of the communicator")(text)?;
        let id = match number {
            0 => CommunicatorId::WORLD,
            number => match self.declared.ids.get(&number) {
                Some(&id) => id,
                None => return problem(text, CommunicatorProblem::Unknown { number }),
            },
        };
        if !id.is_world() && !self.declared.members.contains(&(rank, id)) {
            if Members::of(&self.tables.communicators, id, 0).member(rank).is_none() {
                return problem(text, CommunicatorProblem::NotAMember { rank, number });
            }
            self.declared.members.insert((rank, id));
        }
        self.declared.current = id;
        let at = skip_blanks(rest);
        let (word, arguments) = split_word(at);
        let keyword = match Keyword::find(word) {
            Some(keyword) if keyword.has_communicator() => keyword,
            Some(keyword) => return problem(at, CommunicatorProblem::Nowhere { action: keyword.name() }),
            None if word.is_empty() => return Err(Broken::Other { at, kind: Kind::NoAction }),
            None => return Err(Broken::Other { at, kind: Kind::UnknownAction { nearest: Keyword::nearest(word) } }),
        };
        Ok((keyword, arguments))
    }

    /// Reads a non-blocking collective: the number of its request comes first, except in lines of SMPI's tracer.
    pub fn nonblocking<'a>(&mut self, kind: CollectiveKind, text: &'a [u8]) -> Arguments<'a, Action> {
        let (rest, request) = match self.smpi_request(kind, text) {
            Some(request) => (text, request),
            None => integer("request")(text)?,
        };
        Ok(match self.collective(kind, rest)? {
            Action::Collective { index } => Action::Start { index, request },
            other => other,
        })
    }

    /// Reads the number of a request.
    pub fn numbered<'a>(&mut self, text: &'a [u8]) -> Arguments<'a, u32> {
        self.check_numbered(text)?;
        Ok(integer("request")(text)?.1)
    }

    /// Reads partner, count and type of a one-sided operation.
    pub fn one_sided<'a>(&mut self, keyword: Keyword, text: &'a [u8]) -> Arguments<'a, Action> {
        let role = if keyword == Keyword::Get { "source" } else { "destination" };
        let (to, rest) = self.target(role, text)?;
        let (rest, count) = count("count")(rest)?;
        let datatype: Datatype = self.datatype(rest)?.1;
        let window = self.declared.current;
        Ok(match keyword {
            Keyword::Put => Action::Put { to, window, count, datatype },
            Keyword::Get => Action::Get { from: to, window, count, datatype },
            _ => Action::Accumulate { to, window, count, datatype },
        })
    }

    /// Reads the other rank of a one-sided operation: a world rank that is a member of the window.
    fn target<'a>(&mut self, role: &'static str, text: &'a [u8]) -> Arguments<'a, (u32, &'a [u8])> {
        let (rest, to) = self.partner(role, text)?;
        let id = self.declared.current;
        if !id.is_world() && !self.declared.members.contains(&(to, id)) {
            if Members::of(&self.tables.communicators, id, 0).member(to).is_none() {
                return problem(text, CommunicatorProblem::NoTarget { role });
            }
            self.declared.members.insert((to, id));
        }
        Ok((to, rest))
    }

    /// Reads a flush, of operations on one rank, or on all.
    pub fn flush<'a>(&mut self, text: &'a [u8]) -> Arguments<'a, Action> {
        let to = match skip_blanks(text) {
            b"" => ANY_TARGET,
            some => self.target("destination", some)?.0,
        };
        Ok(Action::Flush { window: self.declared.current, to })
    }

    /// Reads source and tag of a probe.
    pub fn looked_for<'a>(&mut self, text: &'a [u8]) -> Arguments<'a, (u32, i32)> {
        let (rest, from) = self.partner("source", text)?;
        Ok((from, tag(rest)?.1))
    }
}
