//! Collectives, step by step: those that a rank is in, and those that progress in the background.

use super::error::{Called, ReplayError};
use super::observer::Observer;
use super::point_to_point::ANY_SIZE;
use super::process::{Send, Then};
use super::run::{Turn::GoesOn, Turned};
use super::state::Engine;
use crate::mpi::collective::{Comm, Cursor, Step, Substitution};
use crate::network::Transfers;
use crate::trace::{CollectiveCall, Counts, Datatype};

impl<O: Observer + ?Sized, N: Transfers> Engine<'_, O, N> {
    /// Makes a rank enter a blocking collective.
    pub(super) fn enter_collective(&mut self, rank: u32, call: CollectiveCall) -> Turned {
        self.enter(rank, call, call.communicator.number())?;
        Ok(GoesOn)
    }

    /// Makes a rank, or a background collective of it, enter a collective whose messages have this context.
    pub(super) fn enter(&mut self, id: u32, call: CollectiveCall, context: u32) -> Result<(), ReplayError> {
        let rank = self.processes[id as usize].owner;
        let member = self.groups.enter(call.communicator, rank);
        let members = self.trace.members(call.communicator).size() as u32;
        let (blocking, place) = (id == rank, self.place(rank));
        self.agreement.register(&call, blocking, (member, members), place).map_err(|(number, first)| {
            let here = Called { place, kind: call.kind, root: call.root };
            ReplayError::Collectives {
                communicator: call.communicator,
                blocking,
                number: number + 1,
                calls: [first, here],
            }
        })?;
        self.processes[id as usize].collects = true;
        let progress = &mut self.processes[id as usize].collective;
        progress.call = Some(call);
        progress.member = member;
        progress.context = context;
        progress.stage = 0;
        progress.cursor = Cursor::default();
        progress.steps.clear();
        progress.step = 0;
        progress.stages.clear();
        // A rank shares its knowledge of its node with its background collectives.
        let mut stages = std::mem::take(&mut progress.stages);
        let own = &mut self.processes[rank as usize].smp;
        let (smp, rank_map) = self.groups.known(call.communicator, member).unwrap_or((own, self.rank_map));
        let substitution = self.model.collectives.plan(&call, &self.trace.counts, rank_map, member, smp, &mut stages);
        self.processes[id as usize].collective.stages = stages;
        if let Some(Substitution { text, .. }) = substitution
            && !self.substitutions.contains(&text)
        {
            self.substitutions.push(text);
        }
        Ok(())
    }

    /// Executes the next step of the current stage; after the last stage, computes the flops of the operation.
    pub(super) fn next_step(&mut self, rank: u32) -> Turned {
        loop {
            let progress = &mut self.processes[rank as usize].collective;
            let Some(stage) = progress.stages.get(progress.stage) else {
                let flops = progress.call.take().map_or(0.0, |call| call.flops);
                self.processes[rank as usize].collects = false;
                return if flops == 0.0 { Ok(GoesOn) } else { self.compute(rank, flops) };
            };
            if let Some(step) = progress.steps.get(progress.step) {
                progress.step += 1;
                let (step, tag, comm) = (*step, stage.tag, stage.comm);
                return self.step(rank, step, tag, comm);
            }
            progress.steps.clear();
            progress.step = 0;
            if progress.cursor.done {
                progress.cursor = Cursor::default();
                progress.stage += 1;
                continue;
            }
            let trace = self.trace;
            let group = self.groups.of(progress.call.as_ref());
            let rank_map = group.map_or(self.rank_map, |group| &group.rank_map);
            let counts = |counts: fn(&CollectiveCall) -> Counts| match &progress.call {
                Some(call) => trace.counts(counts(call)),
                None => &[],
            };
            let scope = stage.scope(rank_map, progress.member, counts(|c| c.send_counts), counts(|c| c.recv_counts));
            (stage.algorithm.steps)(&scope, &mut progress.cursor, &mut progress.steps);
        }
    }

    #[inline]
    pub(super) fn step(&mut self, rank: u32, step: Step, tag: i32, comm: Comm) -> Turned {
        let progress = &self.processes[rank as usize].collective;
        let (member, context) = (progress.member, progress.context);
        let group = self.groups.of(progress.call.as_ref());
        let world = |peer: u32| match group {
            None => comm.rank_of(self.rank_map, member, peer),
            Some(group) => group.members[comm.rank_of(&group.rank_map, member, peer) as usize],
        };
        let datatype = Datatype::BYTE;
        match step {
            Step::Send { to, bytes } => {
                self.send(rank, Send { to: world(to), tag, bytes, datatype, blocking: true, context })
            }
            Step::Isend { to, bytes } => {
                self.send(rank, Send { to: world(to), tag, bytes, datatype, blocking: false, context })
            }
            Step::Recv { from } => {
                let request = self.post_recv(rank, (world(from), tag, context), ANY_SIZE, datatype)?;
                self.call(rank, Then::Wait(request))
            }
            Step::Irecv { from } => {
                let request = self.post_recv(rank, (world(from), tag, context), ANY_SIZE, datatype)?;
                self.process(rank).set.push(request);
                self.call(rank, Then::Nothing)
            }
            Step::Wait { nth } => {
                let request = self.process(rank).set.remove(nth as usize);
                self.wait(rank, request)
            }
            // The order affects the duration only where requests are finished one by one.
            Step::WaitEach if self.one_by_one => {
                let process = self.process(rank);
                if process.set.is_empty() {
                    return Ok(GoesOn);
                }
                // The step is executed again for the next one.
                process.collective.step -= 1;
                let request = process.set.remove(0);
                self.wait(rank, request)
            }
            Step::WaitAll | Step::WaitEach => self.wait_all(rank),
        }
    }
}
