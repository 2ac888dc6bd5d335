//! Archives of OTF2, read through the library: definitions one by one, then the events of all ranks in the order of
//! time, in batches. `library.c` calls the library, and explains why it is in C.
//!
//! The library keeps a piece of each rank's file in memory (a MiB, unless the archive was written differently) and all
//! of these files open. Those of threads and devices other than the ranks are not opened; the number of their events is
//! defined.

use std::ffi::{CStr, CString, c_char, c_int};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::archive::NAME;
use super::definitions::Definitions;
use super::event::{Collective, Event, Ignored, Member, MessageEvent, OneSided, Region, What};
use super::events::Events;
use crate::trace::Trace;
use crate::trace::calls::FilePosition;
use crate::trace::error::{TraceError, TraceErrorKind as Kind};
use crate::trace::format::Input;

/// Events per batch.
const BATCH: usize = 1024;

/// The paradigm of MPI by its number.
const MPI: u32 = 4;

/// The number that represents no partner or target.
const UNDEFINED: u64 = u32::MAX as u64;

/// The first number of a root that is not a member: `OTF2_COLLECTIVE_ROOT_THIS_GROUP`, `_SELF` and `_NONE`.
const FIRST_NO_ROOT: u64 = UNDEFINED - 2;

/// The operations of collectives by number; `library.c` verifies this numbering.
const OPERATIONS: [&str; 23] = [
    "BARRIER",
    "BCAST",
    "GATHER",
    "GATHERV",
    "SCATTER",
    "SCATTERV",
    "ALLGATHER",
    "ALLGATHERV",
    "ALLTOALL",
    "ALLTOALLV",
    "ALLTOALLW",
    "ALLREDUCE",
    "REDUCE",
    "REDUCE_SCATTER",
    "SCAN",
    "EXSCAN",
    "REDUCE_SCATTER_BLOCK",
    "CREATE_HANDLE",
    "DESTROY_HANDLE",
    "ALLOCATE",
    "DEALLOCATE",
    "CREATE_HANDLE_AND_ALLOCATE",
    "DESTROY_HANDLE_AND_DEALLOCATE",
];

/// Numbers from 0, matching an enumeration of the same name in `library.c`.
macro_rules! numbers {
    ($name:ident: $type:ty = $($constant:ident)*) => {
        #[allow(dead_code, reason = "what stands for all others is not looked for")]
        mod $name {
            #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "they are named as the constants are")]
            enum Order { $($constant),* }
            $(pub const $constant: $type = Order::$constant as $type;)*
        }
    };
}

numbers!(definition_kind: u32 = OTHER CLOCK STRING LOCATION REGION GROUP COMM WINDOW);
numbers!(group_type: u32 = OTHER LOCATIONS MEMBERS ONESELF);
numbers!(event_kind: u64 =
    ENTER LEAVE SEND ISEND ISEND_COMPLETE IRECV_REQUEST RECV IRECV REQUEST_TEST REQUEST_CANCELLED
    COLLECTIVE_END COLLECTIVE_REQUEST COLLECTIVE_COMPLETE
    PUT GET ATOMIC COMPLETE COMPLETE_BY_REQUEST RELEASE_LOCK WINDOW_COLLECTIVE_END GROUP_SYNC
    REQUEST_LOCK ACQUIRE_LOCK TRY_LOCK SYNC WAIT_CHANGE OPERATION_TEST RECORDING
);

// The enumerations and structures of `library.c`, in the same words.
const _: () = {
    use std::mem::offset_of;
    assert!(definition_kind::CLOCK == 1 && definition_kind::GROUP == 5 && definition_kind::WINDOW == 7);
    assert!(group_type::LOCATIONS == 1 && group_type::MEMBERS == 2 && group_type::ONESELF == 3);
    assert!(event_kind::ENTER == 0 && event_kind::SEND == 2 && event_kind::RECV == 6 && event_kind::IRECV == 7);
    assert!(event_kind::COLLECTIVE_END == 10 && event_kind::PUT == 13 && event_kind::COMPLETE == 16);
    assert!(event_kind::RELEASE_LOCK == 18 && event_kind::REQUEST_LOCK == 21 && event_kind::OPERATION_TEST == 26);
    assert!(event_kind::RECORDING == 27);
    assert!(
        size_of::<EventRecord>() == 72 && offset_of!(EventRecord, values) == 16 && offset_of!(EventRecord, kind) == 64
    );
    assert!(size_of::<Definition<'_>>() == 40 + 2 * size_of::<usize>() && offset_of!(Definition<'_>, id) == 16);
    assert!(offset_of!(Definition<'_>, members) == 40 && OPERATIONS.len() == 23);
};

/// An open archive, in C.
#[repr(C)]
struct Handle {
    opaque: [u8; 0],
}

/// Same layout as `struct definition`. Its pointers belong to the archive, and are valid until the next definition is
/// requested.
#[repr(C)]
struct Definition<'a> {
    kind: u32,
    group_type: u32,
    paradigm: u32,
    length: u32,
    id: u64,
    first: u64,
    second: u64,
    members: *const u64,
    text: *const c_char,
    archive: PhantomData<&'a Archive>,
}

/// Same layout as `struct event`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct EventRecord {
    location: u64,
    timestamp: u64,
    values: [u64; 6],
    kind: u64,
}

unsafe extern "C" {
    fn mopsim_otf2_message() -> *const c_char;
    fn mopsim_otf2_open(anchor: *const c_char) -> *mut Handle;
    fn mopsim_otf2_close(archive: *mut Handle);
    fn mopsim_otf2_definition(archive: *mut Handle, definition: *mut Definition<'_>) -> c_int;
    fn mopsim_otf2_begin(archive: *mut Handle, locations: *const u64, count: usize) -> c_int;
    fn mopsim_otf2_events(archive: *mut Handle, batch: *mut EventRecord, size: usize, read: *mut u64) -> i64;
}

/// Lock of the library, which only one reader uses at a time: its documentation does not promise that several may.
static LIBRARY: Mutex<()> = Mutex::new(());

/// An open archive, and with it the library.
struct Archive {
    handle: *mut Handle,
    file: PathBuf,
    _library: MutexGuard<'static, ()>,
}

impl Drop for Archive {
    fn drop(&mut self) {
        // SAFETY: the handle came from `mopsim_otf2_open`, was not null, and is closed nowhere else.
        unsafe { mopsim_otf2_close(self.handle) }
    }
}

impl Archive {
    fn open(file: &Path) -> Result<Self, TraceError> {
        let library = LIBRARY.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(path) = CString::new(file.as_os_str().as_encoded_bytes()) else {
            return Err(refusal(file, "its path holds a zero byte"));
        };
        // SAFETY: the path is a C string that outlives the call; the library is ours while the lock is held.
        let handle = unsafe { mopsim_otf2_open(path.as_ptr()) };
        if handle.is_null() {
            return Err(refusal(file, &said()));
        }
        Ok(Self { handle, file: file.to_path_buf(), _library: library })
    }

    fn error(&self) -> TraceError {
        refusal(&self.file, &said())
    }

    /// Returns the next definition.
    fn definition(&mut self) -> Result<Option<Definition<'_>>, TraceError> {
        let mut definition = Definition::default();
        // SAFETY: the handle is open, and C may write the definition, which has the same layout.
        match unsafe { mopsim_otf2_definition(self.handle, &raw mut definition) } {
            0 => Ok(None),
            1 => Ok(Some(definition)),
            _ => Err(self.error()),
        }
    }

    /// Opens the events of these locations.
    fn begin(&mut self, locations: &[u64]) -> Result<(), TraceError> {
        // SAFETY: the handle is open, and C reads this many locations and does not keep the pointer.
        let begun = unsafe { mopsim_otf2_begin(self.handle, locations.as_ptr(), locations.len()) };
        if begun == 0 { Ok(()) } else { Err(self.error()) }
    }

    /// Fills `batch` with the communication events among the next events, and returns them with the number of all
    /// events; `None` at the end.
    fn events<'b>(&mut self, batch: &'b mut [EventRecord]) -> Result<Option<(&'b [EventRecord], u64)>, TraceError> {
        let mut read = 0;
        // SAFETY: the handle is open, C writes no more records than the batch can hold, and does not keep the pointer.
        let count = unsafe { mopsim_otf2_events(self.handle, batch.as_mut_ptr(), batch.len(), &raw mut read) };
        let records = usize::try_from(count).ok().and_then(|count| batch.get(..count)).ok_or_else(|| self.error())?;
        Ok((read > 0).then_some((records, read)))
    }
}

impl Default for Definition<'_> {
    fn default() -> Self {
        let (members, text, archive) = (std::ptr::null(), std::ptr::null(), PhantomData);
        Self { kind: 0, group_type: 0, paradigm: 0, length: 0, id: 0, first: 0, second: 0, members, text, archive }
    }
}

impl<'a> Definition<'a> {
    /// Returns the members of a group; empty for other definitions.
    fn members(&self) -> &'a [u64] {
        if self.members.is_null() {
            return &[];
        }
        // SAFETY: C has stored this many members, and keeps them until the next definition is requested, which needs
        // the archive to be free again.
        unsafe { std::slice::from_raw_parts(self.members, self.length as usize) }
    }

    /// Returns the text of a string; empty for other definitions.
    fn text(&self) -> &'a [u8] {
        if self.text.is_null() {
            return &[];
        }
        // SAFETY: C has stored a text that ends in a zero byte, and keeps it as long as members.
        unsafe { CStr::from_ptr(self.text) }.to_bytes()
    }
}

/// Returns the library's message about the last call.
fn said() -> String {
    // SAFETY: the message is a static C string, which only changes in calls; we hold the lock that they need.
    let text = unsafe { CStr::from_ptr(mopsim_otf2_message()) }.to_string_lossy().into_owned();
    if text.is_empty() { "the library returned no message".to_owned() } else { text }
}

fn refusal(file: &Path, problem: &str) -> TraceError {
    let help = "the folder next to the anchor file contains the events; check that it is complete with `otf2-print traces.otf2`";
    TraceError::whole(file, Kind::format(NAME, format!("the archive cannot be read: {problem}"), help))
}

pub(super) fn read(input: Input<'_, '_>) -> Result<Trace, TraceError> {
    let Input { source, name, options, is_file, .. } = input;
    let file = source.file().to_path_buf();
    let wrong = |problem: String, help| TraceError::whole(&*file, Kind::format(NAME, problem, help));
    if !is_file || source.is_packed() {
        let problem =
            "the anchor file of an archive is only read in its folder, since its events are in other files there";
        return Err(wrong(problem.to_owned(), "give the path of the anchor file, not packed"));
    }
    drop(source);
    let mut archive = Archive::open(&file)?;
    let Global { definitions, calls, locations } = definitions(&mut archive)?;
    definitions.check("check the trace").map_err(|(problem, help)| wrong(problem, help))?;
    // The library reads the existing part of a truncated file without an error.
    let defined: FxHashMap<u64, u64> = locations.iter().copied().collect();
    let mut recorded = Some(0_u64);
    for location in definitions.locations() {
        let Some(&number) = defined.get(location) else {
            return Err(wrong(format!("location {location} is a rank, but is not defined"), "check the trace"));
        };
        recorded = recorded.and_then(|sum| sum.checked_add(number));
    }
    archive.begin(definitions.locations())?;
    let mut events = Events::new(NAME, definitions, options);
    let others = locations.iter().filter(|&&(location, _)| events.rank(location).is_none());
    let others = others.fold(0, |sum: u64, &(_, number)| sum.saturating_add(number));
    events.count_others(others);
    let mut batch = vec![EventRecord::default(); BATCH];
    let mut last = FilePosition::Event { location: 0, timestamp: 0 };
    let mut read = 0;
    while let Some((records, number)) = archive.events(&mut batch)? {
        read += number;
        for record in records {
            let EventRecord { location, timestamp, .. } = *record;
            let Some(rank) = events.rank(location) else { continue };
            last = FilePosition::Event { location, timestamp };
            let event = Event { rank, timestamp, file: &file, at: last };
            match what(&events.definitions, &calls, record) {
                Ok(Some(what)) => events.take(&event, what)?,
                Ok(None) => {}
                Err(problem) => return Err(events.program.error(&file, last, problem, "check the trace")),
            }
        }
    }
    drop(archive);
    if recorded != Some(read) {
        let recorded = recorded.map_or("more than can be counted".to_owned(), |number| number.to_string());
        return Err(refusal(&file, &format!("{read} events of the ranks are in its files, {recorded} were recorded")));
    }
    events.finish(name, &file, last)
}

/// The regions that are MPI functions.
type Calls = FxHashMap<u64, Region>;

/// Definitions for all locations together.
struct Global {
    definitions: Definitions,
    calls: Calls,
    /// All locations, with the numbers of their events.
    locations: Vec<(u64, u64)>,
}

/// Reads all definitions. Groups refer to members by number among the locations of their paradigm, so they are resolved
/// last.
fn definitions(archive: &mut Archive) -> Result<Global, TraceError> {
    let mut known = Definitions::default();
    let (mut regions, mut names): (Vec<(u64, u64)>, FxHashMap<u64, Region>) = Default::default();
    let mut paradigms: FxHashMap<u32, Vec<u64>> = FxHashMap::default();
    let mut groups: Vec<(u64, u32, Vec<u64>)> = Vec::new();
    let mut locations = Vec::new();
    while let Some(definition) = archive.definition()? {
        let Definition { id, first, second, .. } = definition;
        match (definition.kind, definition.group_type) {
            (definition_kind::CLOCK, _) => {
                (known.ticks, known.offset) = (Some(first).filter(|&ticks| ticks > 0), second)
            }
            (definition_kind::STRING, _) => {
                if let Some(region) = Region::of(definition.text()) {
                    names.insert(id, region);
                }
            }
            (definition_kind::LOCATION, _) => locations.push((id, first)),
            (definition_kind::REGION, _) => regions.push((id, first)),
            (definition_kind::GROUP, group_type::LOCATIONS) => {
                let members = definition.members().to_vec();
                if definition.paradigm == MPI {
                    known.set_ranks(&members);
                }
                known.group(id, members.clone());
                paradigms.insert(definition.paradigm, members);
            }
            (definition_kind::GROUP, group_type::MEMBERS) => {
                groups.push((id, definition.paradigm, definition.members().to_vec()))
            }
            (definition_kind::GROUP, group_type::ONESELF) => known.group(id, Vec::new()),
            (definition_kind::COMM, _) => known.communicator(id, first),
            (definition_kind::WINDOW, _) => known.window(id, first),
            _ => {}
        }
    }
    for (id, paradigm, members) in groups {
        let all = paradigms.get(&paradigm).map_or(&[][..], Vec::as_slice);
        let location = |&rank: &u64| all.get(usize::try_from(rank).ok()?).copied();
        // A group with an undefined member stays unknown.
        if let Some(members) = members.iter().map(location).collect::<Option<Vec<u64>>>() {
            known.group(id, members);
        }
    }
    let calls = regions.into_iter().filter_map(|(region, name)| Some((region, *names.get(&name)?))).collect();
    Ok(Global { definitions: known, calls, locations })
}

/// Returns the content of a record; `None` if it takes no part in communication.
fn what<'a>(definitions: &Definitions, calls: &Calls, record: &EventRecord) -> Result<Option<What<'a>>, String> {
    let [a, b, c, d, e, f] = record.values;
    let region = || calls.get(&a).copied();
    // The numbers from `first` on are reserved for targets that do not exist.
    let member = |comm: Option<u64>, number: u64, first: u64| match comm {
        _ if number >= first => Member::Nobody,
        Some(comm) => definitions.member(comm, number, record.location),
        None => Member::Unknown(number),
    };
    let message = || MessageEvent { partner: member(Some(b), a, UNDEFINED), comm: Some(b), tag: c, bytes: d };
    let operation = |number: u64| {
        let name = usize::try_from(number).ok().and_then(|number| OPERATIONS.get(number));
        name.map_or(&b"UNKNOWN"[..], |name| name.as_bytes())
    };
    let collective = || Collective {
        operation: operation(a),
        comm: b,
        root: member(Some(b), c, FIRST_NO_ROOT),
        sent: d,
        received: e,
    };
    let target = || member(definitions.comm_of_window(a), b, UNDEFINED);
    let one_sided = |what| Ok(Some(What::OneSided(what)));
    Ok(Some(match record.kind {
        event_kind::ENTER => return Ok(region().map(What::Enter)),
        event_kind::LEAVE => return Ok(region().map(|_| What::Leave)),
        event_kind::SEND => What::Send(message(), None),
        event_kind::ISEND => What::Send(message(), Some(e)),
        event_kind::ISEND_COMPLETE => What::SendComplete(a),
        event_kind::IRECV_REQUEST => What::ReceivePosted(a),
        event_kind::RECV => What::Receive(message(), None),
        event_kind::IRECV => What::Receive(message(), Some(e)),
        event_kind::REQUEST_TEST => What::RequestTested,
        event_kind::REQUEST_CANCELLED => What::RequestCancelled(a),
        event_kind::COLLECTIVE_END => What::Collective(collective()),
        event_kind::COLLECTIVE_REQUEST => What::CollectivePosted(a),
        event_kind::COLLECTIVE_COMPLETE => What::CollectiveComplete(collective(), f),
        event_kind::PUT => return one_sided(OneSided::Put { window: a, target: target(), bytes: c, operation: d }),
        event_kind::GET => return one_sided(OneSided::Get { window: a, target: target(), bytes: c, operation: d }),
        event_kind::ATOMIC => {
            return one_sided(OneSided::Atomic { window: a, target: target(), sent: c, received: d, operation: e });
        }
        event_kind::COMPLETE => return one_sided(OneSided::Complete { window: a, operation: b, by_request: false }),
        event_kind::COMPLETE_BY_REQUEST => {
            return one_sided(OneSided::Complete { window: a, operation: b, by_request: true });
        }
        event_kind::RELEASE_LOCK => return one_sided(OneSided::Release { window: a, target: target() }),
        event_kind::WINDOW_COLLECTIVE_END => {
            return one_sided(OneSided::Collective { window: b, operation: operation(a) });
        }
        event_kind::GROUP_SYNC => return one_sided(OneSided::GroupSync),
        event_kind::REQUEST_LOCK => return one_sided(OneSided::Ignored(Ignored::RequestLock)),
        event_kind::ACQUIRE_LOCK => return one_sided(OneSided::Ignored(Ignored::AcquireLock)),
        event_kind::TRY_LOCK => return one_sided(OneSided::Ignored(Ignored::TryLock)),
        event_kind::SYNC => return one_sided(OneSided::Ignored(Ignored::Sync)),
        event_kind::WAIT_CHANGE => return one_sided(OneSided::Ignored(Ignored::WaitChange)),
        event_kind::OPERATION_TEST => return one_sided(OneSided::Ignored(Ignored::Test)),
        event_kind::RECORDING => What::Recording(a != 0),
        kind => return Err(format!("there is no kind {kind} of events")),
    }))
}
