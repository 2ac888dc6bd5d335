//! State of switches, in flat arrays.
//!
//! A *place* is a port and a virtual channel, `port << shift | vc`, where `1 << shift` is the number of virtual
//! channels rounded up to a power of two. The gaps do not affect round robin over places: they are never requested.
//! Ports and places are numbered within a [`Batch`] of switches, those of each switch in their order.

/// No packet.
pub(super) const NONE: u32 = u32::MAX;
/// Owner of an output channel that is free.
pub(super) const FREE: u16 = u16::MAX;
/// Owner of an output channel whose packet has been sent, and whose credits are to come back before it is free.
pub(super) const SENT: u16 = u16::MAX - 1;
/// Bit of [`InputChannel::left`]: the head of the packet has not been sent yet.
pub(super) const HEAD: u16 = 1 << 15;
/// Switch at the far end of a port that is a host's.
pub(super) const HOST: u32 = u32::MAX;
/// A time that never comes.
pub(super) const NEVER: u32 = u32::MAX;

/// Packet whose head is in a queue or on a link.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Packet {
    /// Next packet in the queue of its head.
    pub next: u32,
    /// Cycle of creation.
    pub created: u32,
    /// Destination host in 27 bits, and the phase of the rule.
    pub to: u32,
    /// Cables passed in 8 bits, and the note of the rule.
    pub aux: u32,
}

/// Bits of [`Packet::to`] for the host.
pub(super) const HOST_BITS: u32 = 27;
/// Mask of the host.
pub(super) const HOST_MASK: u32 = (1 << HOST_BITS) - 1;

/// Additional data for logs and for packets of different sizes.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Cold {
    /// Place in the list of packets. Of a packet that was drawn: its number in the order in which its shard sent them.
    pub id: u64,
    /// Cycle in which the head left the host.
    pub injected: u32,
    /// Cycle in which the head arrived.
    pub head: u32,
    /// Flits.
    pub size: u16,
}

/// Virtual channel of an input.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputChannel {
    /// First of the packets whose heads are in this queue.
    pub first: u32,
    /// Last of them.
    pub last: u32,
    /// Flits in the queue.
    pub flits: u16,
    /// Flits of the current packet that have not passed yet, with [`HEAD`]. While it waits for a channel: the range of
    /// channels it requests, or the number of candidates.
    pub left: u16,
    /// Place of the output channel. While it waits for a channel: the output port.
    pub output: u16,
    /// Pointer of the channel allocator's first stage.
    pub pointer: u16,
}

impl Default for InputChannel {
    fn default() -> Self {
        Self { first: NONE, last: NONE, flits: 0, left: 0, output: 0, pointer: 0 }
    }
}

/// Credit account of a virtual channel at the far end of an output.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputChannel {
    /// Flits sent and not credited.
    pub used: u16,
    /// Place of the input whose packet owns it, [`FREE`] or [`SENT`].
    pub owner: u16,
    /// Pointer of the channel allocator's second stage.
    pub pointer: u16,
}

impl Default for OutputChannel {
    fn default() -> Self {
        Self { used: 0, owner: FREE, pointer: 0 }
    }
}

/// Far end of a port's cable: destination of flits, or of credits.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct FarEnd {
    /// Switch at the far end; [`HOST`] if it is a host.
    pub switch: u32,
    /// Slot of the port in the first row, within the shard of that switch; the host port within the batch.
    pub slot: u32,
    /// Slots of a row.
    pub stride: u16,
    /// Port within the batch of that switch.
    pub port: u16,
    /// Cycles on the cable.
    pub latency: u16,
}

/// Input port.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct InPort {
    /// Destination of credits.
    pub link: FarEnd,
    /// Pointer of the switch allocator's first stage.
    pub pointer: u16,
    /// The virtual channel that is first in turn.
    pub offset: u8,
    /// Number of the switch within its batch.
    pub switch: u8,
}

/// Output port.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct OutPort {
    /// Virtual channels that a packet may take.
    pub free: u64,
    /// Destination of flits.
    pub link: FarEnd,
    /// Pointer of the switch allocator's second stage.
    pub pointer: u16,
    /// Flits sent in the measured cycles.
    pub sent: u32,
}

/// Batch of switches: offsets of their state in the arrays.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Batch {
    pub in_port: u32,
    pub out_port: u32,
    /// Words of a set of input places, in the arrays of sets.
    pub word: u32,
    /// First host port.
    pub host_port: u32,
    /// Cycle in which a host port has to be visited.
    pub next_host: u32,
    pub inputs: u16,
    pub outputs: u16,
    pub words: u16,
    pub host_ports: u16,
}

/// Ports of a switch within its batch.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct SwitchPorts {
    /// First input.
    pub in_port: u16,
    /// First output.
    pub out_port: u16,
    /// Outputs.
    pub outputs: u16,
    /// First port of a cable within the switch, for inputs and outputs.
    pub first_cable: u16,
}

/// Credit account, at a host, of a virtual channel of the switch's input.
#[derive(Clone, Copy, Debug)]
pub(super) struct HostVc {
    pub used: u16,
    /// Owner: [`FREE`], [`SENT`] or 0 while a packet is being sent.
    pub owner: u16,
}

impl Default for HostVc {
    fn default() -> Self {
        Self { used: 0, owner: FREE }
    }
}

/// Port by which hosts send.
#[derive(Clone, Copy, Debug)]
pub(super) struct HostPort {
    /// Virtual channels that a packet may take.
    pub free: u64,
    /// Creation of the next packet.
    pub created: u32,
    /// Source of the next packet among those of the port.
    pub source: u32,
    /// Input within the batch.
    pub in_port: u16,
    /// Flits of the current packet that have not been sent.
    pub left: u16,
    /// Virtual channel of the current packet.
    pub vc: u8,
    /// The virtual channel taken last; 255 if none has been.
    pub last: u8,
}

/// Future packets of a host.
#[derive(Clone, Copy, Debug)]
pub(super) struct HostSource {
    pub stream: crate::packets::random::Stream,
    pub created: u32,
    /// Destination, or the place in the list of packets.
    pub to: u32,
}
