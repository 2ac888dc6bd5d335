//! Windows and one-sided communication.

use super::rank::{Done, RecordingReader};
use crate::trace::Action;
use crate::trace::action::ANY_TARGET;
use crate::trace::calls::{FilePosition, Making};

/// Names of the calls by number.
const CALLS: [&str; 6] =
    ["MPI_Put", "MPI_Get", "MPI_Accumulate", "MPI_Get_accumulate", "MPI_Fetch_and_op", "MPI_Compare_and_swap"];

impl RecordingReader<'_, '_> {
    pub fn new_window(&mut self, n: &[i64]) -> Done {
        let parent = self.comm(n[1])?;
        self.program.making(self.rank, Making::Agreed, parent)?;
        let members: Vec<u32> = self.program.members(parent).ranks().collect();
        let place = FilePosition::Byte(self.at);
        let window = self.program.communicator_of(Some(parent), self.rank, &members, &self.file, place)?;
        self.windows.insert(n[0], window);
        Ok(())
    }

    /// Converts a one-sided write or read.
    pub fn one_sided(&mut self, n: &[i64]) -> Done {
        let Some(&call) = CALLS.get(n[0] as usize) else {
            return Err(self.error(format!("there is no one-sided call {}", n[0])));
        };
        let window = self.window(n[1])?;
        let to = self.world_rank(window, n[2])?;
        let (there, back) = (self.elements(n[3])?, self.elements(n[4])?);
        match call {
            "MPI_Put" => self.push(Action::Put { to, window, count: there.0, datatype: there.1 }),
            "MPI_Get" => self.push(Action::Get { from: to, window, count: back.0, datatype: back.1 }),
            "MPI_Accumulate" => self.push(Action::Accumulate { to, window, count: there.0, datatype: there.1 }),
            _ => {
                self.note(format!("{call}: as an accumulate and a get"));
                self.push(Action::Accumulate { to, window, count: there.0, datatype: there.1 });
                self.push(Action::Get { from: to, window, count: back.0, datatype: back.1 });
            }
        }
        Ok(())
    }

    fn window(&self, number: i64) -> Result<crate::trace::CommunicatorId, crate::trace::TraceError> {
        self.windows.get(&number).copied().ok_or_else(|| self.error(format!("window {number} is not defined")))
    }

    pub fn synchronize(&mut self, n: &[i64]) -> Done {
        let window = self.window(n[1])?;
        match n[0] {
            0 => self.push(Action::Fence { window }),
            1..=4 => {
                let call = ["MPI_Win_post", "MPI_Win_start", "MPI_Win_complete", "MPI_Win_wait"][n[0] as usize - 1];
                return self.refuse(call, "only fences, locks and flushes are simulated");
            }
            5 | 7 => self.note("locks of windows do not wait"),
            6 | 9 => {
                let to = self.world_rank(window, n[2])?;
                self.push(Action::Flush { window, to });
            }
            8 | 10 => self.push(Action::Flush { window, to: ANY_TARGET }),
            other => return Err(self.error(format!("there is no synchronisation {other} of windows"))),
        }
        Ok(())
    }
}
