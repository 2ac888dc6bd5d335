//! A single message between two members, for plans of several levels: to or from a root that leads no node.
//!
//! The sender's stage is [`SEND`], the receiver's [`RECEIVE`]; the root of the stage is the other side.

use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};

/// Sends the block to the root of the stage.
pub static SEND: Algorithm =
    Algorithm { kind: None, name: "send", simgrid: &[], summary: "one message to another rank", steps: send };

/// Receives a block from the root of the stage.
pub static RECEIVE: Algorithm =
    Algorithm { kind: None, name: "receive", simgrid: &[], summary: "one message from another rank", steps: receive };

fn send(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    steps.push(Step::Send { to: scope.stage.root, bytes: scope.bytes() });
}

fn receive(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    steps.push(Step::Recv { from: scope.stage.root });
}
