//! Tests of the reader of OTF2 text.

use crate::trace::error::TraceError;
use crate::trace::{Effect, Options, Trace, TraceWarning, read_from};
use crate::user_error::UserError;

/// The text of four ranks, of which 1 and 3 have a separate communicator.
pub(in crate::trace) const SAMPLE: &str = r#"
=== OTF2-PRINT ===

=== Global Definitions =========================================================

Definition                            ID  Attributes
--------------------------------------------------------------------------------
CLOCK_PROPERTIES                          Ticks per Seconds: 1000000, Global Offset: 2000, Length: 24000
STRING                                 0  ""
LOCATION                              10  Name: "Master thread" <6>, Type: CPU_THREAD, # Events: 21, Group: "MPI Rank 0" <0>
REGION                                 2  Name: "MPI_Send" <9> (Aka. "MPI_Send" <9>), Role: FUNCTION, Paradigm: MPI
GROUP                                  0  Name: "" <0>, Type: COMM_LOCATIONS, Paradigm: MPI, Flags: NONE, 3 Members: "Master thread" <10>, "Master thread" <11>, "Master thread" <12>
GROUP                                  1  Name: "" <0>, Type: COMM_GROUP, Paradigm: MPI, Flags: NONE, 3 Members: 0 ("Master thread" <10>), 1 ("Master thread" <11>), 2 ("Master thread" <12>)
GROUP                                  2  Name: "" <0>, Type: COMM_GROUP, Paradigm: MPI, Flags: NONE, 2 Members: 1 ("Master thread" <11>), 2 ("Master thread" <12>)
COMM                                   0  Name: "MPI_COMM_WORLD" <20>, Group: "" <1>, Parent: UNDEFINED, Flags: NONE
COMM                                   1  Name: "sub" <21>, Group: "" <2>, Parent: "MPI_COMM_WORLD" <0>, Flags: NONE

=== Events =====================================================================
Event                                   Location            Timestamp  Attributes
--------------------------------------------------------------------------------
ENTER                                         10                 2000  Region: "main" <0>
ENTER                                         10                 2000  Region: "MPI_Init" <1>
LEAVE                                         10                 3000  Region: "MPI_Init" <1>
ENTER                                         77                 3000  Region: "worker" <9>
ENTER                                         12                 3000  Region: "MPI_Irecv" <5>
MPI_IRECV_REQUEST                             12                 3000  Request: 5
LEAVE                                         12                 3000  Region: "MPI_Irecv" <5>
ENTER                                         10                 5000  Region: "MPI_Send" <2>
MPI_SEND                                      10                 5000  Receiver: 1 ("Master thread" <11>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 7, Length: 100
LEAVE                                         10                 6000  Region: "MPI_Send" <2>
MPI_RECV                                      11                 6000  Sender: 0 ("Master thread" <10>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 7, Length: 100
MPI_ISEND                                     11                 6000  Receiver: 1 ("Master thread" <12>), Communicator: "sub" <1>, Tag: 8, Length: 200, Request: 0
MPI_IRECV                                     12                 9000  Sender: 0 ("Master thread" <11>), Communicator: "sub" <1>, Tag: 8, Length: 200, Request: 5
MPI_ISEND_COMPLETE                            11                 9000  Request: 0
MPI_COLLECTIVE_BEGIN                          10                 9000
NON_BLOCKING_COLLECTIVE_REQUEST               12                 9500  Request: 77
MPI_COLLECTIVE_END                            10                10000  Operation: BCAST, Communicator: "MPI_COMM_WORLD" <0>, Root: 0 ("Master thread" <10>), Sent: 300, Received: 100
MPI_COLLECTIVE_END                            11                10000  Operation: BCAST, Communicator: "MPI_COMM_WORLD" <0>, Root: 0 ("Master thread" <10>), Sent: 0, Received: 100
NON_BLOCKING_COLLECTIVE_COMPLETE              12                10000  Operation: BCAST, Communicator: "MPI_COMM_WORLD" <0>, Root: 0 ("Master thread" <10>), Sent: 0, Received: 100, Request: 77
MPI_COLLECTIVE_END                            10                11000  Operation: ALLTOALLV, Communicator: "MPI_COMM_WORLD" <0>, Root: NONE, Sent: 10, Received: 9
MPI_COLLECTIVE_END                            11                11000  Operation: ALLTOALLV, Communicator: "MPI_COMM_WORLD" <0>, Root: NONE, Sent: 3, Received: 9
MPI_COLLECTIVE_END                            12                11000  Operation: ALLTOALLV, Communicator: "MPI_COMM_WORLD" <0>, Root: NONE, Sent: 14, Received: 9
"#;

fn parse(text: &str, options: &Options) -> Result<Trace, TraceError> {
    read_from(text.as_bytes(), "t", options)
}

fn ti(trace: &Trace) -> String {
    let mut text = Vec::new();
    crate::trace::ti::write(trace, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn events_become_actions() {
    let trace = parse(SAMPLE, &Options { recorded_speed: 1e6, ..Options::default() }).unwrap();
    let expected = "\
0 communicator 1 1 2\n0 init\n0 compute 2e3\n0 send 1 7 100 6\n0 bcast 100 0 6\n0 alltoall 3 3 6 6
1 recv 0 7 100 6\n1 isend 2 TAG 200 6\n1 wait 1 2 TAG\n1 bcast 100 0 6\n1 alltoall 3 3 6 6
2 irecv 1 TAG 200 6\n2 wait 1 2 TAG\n2 ibcast 0 100 0 6\n2 wait_request 0\n2 alltoall 3 3 6 6
";
    // Tags of another communicator do not mix with those of the world.
    let expected = expected.replace("TAG", "2147483647");
    assert_eq!(ti(&trace), expected);
    let counts: Vec<(Effect, u64)> = trace
        .warnings
        .iter()
        .filter_map(|w| match w {
            TraceWarning::Approximated { effect, count, .. } => Some((*effect, *count)),
            _ => None,
        })
        .collect();
    assert_eq!(counts, [(Effect::Approximated, 3)]);
    assert!(trace.warnings[0].to_string().contains("1 events of threads"), "{:?}", trace.warnings);
    assert!(trace.warnings[1].to_string().contains("t:40"), "{}", trace.warnings[1]);
}

#[test]
fn errors_have_their_line() {
    let line = |text: &str, part: &str| {
        let error = parse(text, &Options::default()).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        error.line.unwrap()
    };
    assert_eq!(line(&SAMPLE.replace("Tag: 7, Length: 100\nLEAVE", "Tag: 7\nLEAVE"), "not as otf2-print"), 29);
    assert_eq!(line(&SAMPLE.replacen("Request: 77\nMPI", "Request: 78\nMPI", 1), "no request 77"), 39);
    assert_eq!(line(&SAMPLE.replace("Paradigm: MPI, Flags", "Paradigm: X, Flags"), "the archive has no MPI"), 18);
    assert_eq!(line(&SAMPLE[..SAMPLE.find("=== Ev").unwrap()], "no events"), 17);
    let unknown = SAMPLE
        .replace("Operation: BCAST, Communicator: \"MPI_COMM_WORLD\" <0>", "Operation: BCAST, Communicator: \"x\" <9>");
    assert_eq!(line(&unknown, "members of its communicator"), 37);
    let trace = parse(&unknown, &Options { leave_out: true, ..Options::default() }).unwrap();
    assert!(!ti(&trace).contains("bcast") && !ti(&trace).contains("wait_request"));
    let root = SAMPLE.replace(
        "Operation: ALLTOALLV, Communicator: \"MPI_COMM_WORLD\" <0>, Root: NONE",
        "Operation: BCAST, Communicator: \"sub\" <1>, Root: 0 (\"x\" <10>)",
    );
    assert_eq!(line(&root, "the root is no rank of its communicator"), 40);
    let request = "NON_BLOCKING_COLLECTIVE_REQUEST               12                 9500  Request: 77\n";
    assert_eq!(line(&SAMPLE.replace(request, &request.repeat(2)), "begins again"), 37);
    let open = SAMPLE.replacen("NON_BLOCKING_COLLECTIVE_COMPLETE  ", "IGNORED_BY_THE_READER  ", 1);
    assert!(parse(&open, &Options::default()).unwrap_err().to_string().contains("never complete"));
}

#[test]
fn collectives_of_a_part_count_its_members() {
    // The alltoallv of ranks 1 and 2 alone, and a broadcast whose root is rank 2.
    let part = |line: &str| {
        let world = "Operation: ALLTOALLV, Communicator: \"MPI_COMM_WORLD\" <0>, Root: NONE";
        line.replace(world, "Operation: BCAST, Communicator: \"sub\" <1>, Root: 1 (\"Master thread\" <12>)")
    };
    let ends: Vec<String> =
        SAMPLE.lines().filter(|line| !line.contains("ALLTOALLV") || !line.contains(" 10  ")).map(part).collect();
    let text = ti(&parse(&(ends.join("\n") + "\n"), &Options::default()).unwrap());
    assert!(text.contains("1 on 1 bcast 9 1 6\n") && text.contains("2 on 1 bcast 9 1 6\n"), "{text}");
    assert!(text.starts_with("0 communicator 1 1 2\n"), "{text}");
    // A copy of the communicator of all ranks is a different one.
    let copy = SAMPLE.replace("COMM                                   1  Name", "COMM                                   5  Name: \"c\" <3>, Group: \"\" <1>, Parent: UNDEFINED\nCOMM                                   1  Name")
        .replace("Operation: ALLTOALLV, Communicator: \"MPI_COMM_WORLD\" <0>", "Operation: ALLTOALLV, Communicator: \"c\" <5>");
    let text = ti(&parse(&copy, &Options::default()).unwrap());
    assert!(text.contains("communicator 2 0 1 2\n") && text.contains("0 on 2 alltoall 3 3 6 6\n"), "{text}");
}

/// Returns the sample with a window on the communicator of ranks 1 and 2, and its events before the last collective.
fn with_window(events: &str) -> String {
    let sample = SAMPLE.replace(
        "\n=== Events",
        "RMA_WIN 4 Name: \"w, Communicator: \" <9>, Communicator: \"sub\" <1>, Flags: NONE\n\n=== Events",
    );
    let end = sample.find("MPI_COLLECTIVE_END                            10                11000").unwrap();
    format!("{}{events}{}", &sample[..end], &sample[end..])
}

/// Returns the sample with one-sided operations of ranks 1 and 2 of all kinds.
pub(in crate::trace) fn one_sided_sample() -> String {
    let place = |member: u32, location: u32| format!("Window: \"w\" <4>, Remote: {member} (\"x\" <{location}>)");
    let (one, two) = (place(0, 11), place(1, 12));
    let level = "Window: \"w\" <4>, Level of Synchronicity: {PROCESS, MEMORY}, Root: NONE, Sent: 0, Received: 0";
    with_window(&format!(
        "RMA_WIN_CREATE 11 10100 Window: \"w\" <4>\n\
         RMA_COLLECTIVE_END 11 10100 Operation: CREATE_HANDLE, {level}\n\
         RMA_PUT 11 10200 {two}, Bytes: 512, Matching: 0\n\
         RMA_GET 11 10201 {two}, Bytes: 64, Matching: 1\n\
         RMA_PUT 11 10202 {one}, Bytes: 3, Matching: 2\n\
         RMA_OP_COMPLETE_BLOCKING 11 10203 Window: \"w\" <4>, Matching: 0\n\
         RMA_OP_COMPLETE_NON_BLOCKING 11 10204 Window: \"w\" <4>, Matching: 1\n\
         RMA_COLLECTIVE_END 11 10205 Operation: BARRIER, {level}\n\
         RMA_COLLECTIVE_END 12 10205 Operation: BARRIER, {level}\n\
         RMA_OP_COMPLETE_REMOTE 11 10206 Window: \"w\" <4>, Matching: 2\n\
         RMA_REQUEST_LOCK 12 10207 {one}, Lock: 0, Type: SHARED\n\
         RMA_ATOMIC 12 10208 {one}, Type: SWAP, Sent: 8, Received: 16, Matching: 7\n\
         RMA_PUT 12 10209 {one}, Bytes: 9, Matching: 8\n\
         RMA_OP_TEST 12 10209 Window: \"w\" <4>, Matching: 7\n\
         RMA_OP_COMPLETE_NON_BLOCKING 12 10209 Window: \"w\" <4>, Matching: 7\n\
         RMA_RELEASE_LOCK 12 10210 {one}, Lock: 0\n\
         RMA_RELEASE_LOCK 12 10210 Window: \"w\" <4>, Remote: UNDEFINED, Lock: 0\n\
         RMA_SYNC 12 10211 {one}, Sync Type: MEMORY\n\
         RMA_COLLECTIVE_END 11 10212 Operation: DESTROY_HANDLE, {level}\n\
         RMA_COLLECTIVE_END 12 10212 Operation: DESTROY_HANDLE, {level}\n"
    ))
}

#[test]
fn one_sided_communication_is_kept() {
    let text = one_sided_sample();
    let trace = parse(&text, &Options { recorded_speed: 1e6, ..Options::default() }).unwrap();
    let written = ti(&trace);
    let of = |rank: u32| {
        let lines = written.lines().filter(|line| line.contains(" on 2 ") && line.starts_with(&format!("{rank} ")));
        lines.map(|line| line[7..].to_owned()).collect::<Vec<_>>().join(", ")
    };
    // Two operations on rank 2, one wait; the fence waits for the one on rank 1.
    assert_eq!(of(1), "put 2 512 6, get 2 64 6, put 1 3 6, flush 2, fence, fence");
    assert_eq!(of(2), "fence, accumulate 1 8 6, get 1 16 6, put 1 9 6, flush 1, flush 1, flush, fence");
    assert!(written.contains(" communicator 2 1 2\n"), "{written}");
    let notes: Vec<String> = trace.warnings.iter().map(ToString::to_string).collect();
    for part in [
        "1 call approximated: RMA_ATOMIC that gets something",
        "1 call approximated: RMA_REQUEST_LOCK",
        "1 call approximated: a test of a one-sided operation",
        "1 call approximated: a wait for one operation",
        "1 call left out: RMA_SYNC",
    ] {
        assert!(notes.iter().any(|note| note.starts_with(part)), "{part}: {notes:?}");
    }
}

#[test]
fn one_sided_communication_that_cannot_be_kept_is_refused_or_counted() {
    for (event, part) in [
        (
            "RMA_PUT 11 10200 Window: \"v\" <5>, Remote: 0 (\"x\" <11>), Bytes: 5, Matching: 0\n",
            "RMA_PUT cannot be replayed",
        ),
        // Rank 0 is not a member of the window.
        (
            "RMA_GET 10 10200 Window: \"w\" <4>, Remote: 0 (\"x\" <11>), Bytes: 5, Matching: 0\n",
            "RMA_GET cannot be replayed",
        ),
        (
            "RMA_GROUP_SYNC 11 10200 Level of Synchronicity: {MEMORY}, Window: \"w\" <4>, Group: \"g\" <3>\n",
            "RMA_GROUP_SYNC",
        ),
        (
            "RMA_COLLECTIVE_END 11 10200 Operation: BCAST, Window: \"w\" <4>, Root: NONE, Sent: 0, Received: 0\n",
            "(bcast)",
        ),
    ] {
        let text = with_window(event);
        let error = parse(&text, &Options::default()).unwrap_err();
        assert!(error.line == Some(41) && error.to_string().contains(part), "{error}");
        let trace = parse(&text, &Options { leave_out: true, ..Options::default() }).unwrap();
        let left_out = |w: &TraceWarning| matches!(w, TraceWarning::Approximated { effect: Effect::LeftOut, .. });
        assert_eq!(trace.warnings.iter().filter(|warning| left_out(warning)).count(), 1, "{:?}", trace.warnings);
    }
    let text = with_window("RMA_PUT 11 10200 Window: \"w\" <4>, Remote: 0 (\"x\" <10>), Bytes: 5, Matching: 0\n");
    assert!(
        parse(&text, &Options::default()).unwrap_err().to_string().contains("location 10 is no rank of the window")
    );
    let text = with_window("RMA_PUT 11 10200 Window: \"w\" <4>, Bytes: 5, Matching: 0\n");
    assert!(parse(&text, &Options::default()).unwrap_err().to_string().contains("not as otf2-print"));
}

/// Returns the definitions of the sample, and these events.
fn with_events(events: &str) -> String {
    format!("{}{events}", &SAMPLE[..SAMPLE.find("ENTER").unwrap()])
}

/// Line of the first of these events.
const FIRST: u64 = 21;

const HANDLE: &str = "NON_BLOCKING_COLLECTIVE_COMPLETE 10 4000 Operation: CREATE_HANDLE, Communicator: \"w\" <0>, Root: NONE, Sent: 0, Received: 0, Request: 5\n";

#[test]
fn requests_begin_once_and_end_as_what_they_are() {
    let collective = "NON_BLOCKING_COLLECTIVE_REQUEST 10 3000 Request: 5\n";
    let receive = "MPI_IRECV_REQUEST 10 3000 Request: 5\n";
    let send = "MPI_ISEND 10 3000 Receiver: 1 (\"t\" <11>), Communicator: \"w\" <0>, Tag: 7, Length: 1, Request: 5\n";
    let (other, sent) = ("MPI_IRECV_REQUEST 10 3000 Request: 6\n", "MPI_ISEND_COMPLETE 10 3000 Request: 5\n");
    let cancelled = "MPI_REQUEST_CANCELLED 10 3000 Request: 5\n";
    let received =
        "MPI_IRECV 10 5000 Sender: 1 (\"t\" <11>), Communicator: \"w\" <0>, Tag: 7, Length: 100, Request: 6\n";
    let wrong_end = received.replace("Request: 6", "Request: 5");
    let barrier =
        "MPI_COLLECTIVE_END 10 9000 Operation: BARRIER, Communicator: \"w\" <0>, Root: NONE, Sent: 0, Received: 0\n";
    let ibarrier = HANDLE.replace("CREATE_HANDLE", "BARRIER");
    let (again, none) = ("request 5 begins again before it is complete", "no request 5");
    for (events, line, problem) in [
        (&[collective, receive, other, HANDLE, received][..], 1, again),
        (&[collective, sent, other, HANDLE, received], 1, none),
        (&[collective, cancelled, barrier, HANDLE], 1, none),
        (&[collective, receive, &ibarrier], 1, again),
        (&[collective, collective], 1, again),
        (&[collective, send], 1, again),
        (&[receive, receive], 1, again),
        (&[receive, collective], 1, again),
        (&[send, other, send], 2, again),
        (&[receive, sent], 1, none),
        (&[receive, HANDLE], 1, none),
        (&[send, HANDLE], 1, none),
        (&[send, &wrong_end], 1, none),
        (&[collective, &wrong_end], 1, none),
        (&[sent], 0, none),
        (&[cancelled], 0, none),
    ] {
        let error = parse(&with_events(&events.concat()), &Options::default()).unwrap_err();
        assert!(error.to_string().contains(problem) && error.line == Some(FIRST + line), "{events:?}: {error}");
    }
}

#[test]
fn collectives_that_do_nothing_leave_the_rest_as_it_is() {
    let request = "NON_BLOCKING_COLLECTIVE_REQUEST 10 3000 Request: 5\n";
    let second = [request, &HANDLE.replace("CREATE_HANDLE", "BARRIER")].concat().replace("Request: 5", "Request: 9");
    let posted = "MPI_IRECV_REQUEST 10 3000 Request: 6\n";
    let received =
        "MPI_IRECV 10 5000 Sender: 1 (\"t\" <11>), Communicator: \"w\" <0>, Tag: 8, Length: 200, Request: 6\n";
    let text = [request, posted, HANDLE, &second, received].concat();
    let trace = parse(&with_events(&text), &Options::default()).unwrap();
    // Creating a communicator takes no time (`comm_dup`), and its number is free again for the second one.
    assert_eq!(ti(&trace), "0 comm_dup\n0 irecv 1 8 200 6\n0 ibarrier 0\n0 wait_request 0\n0 wait 1 0 8\n");
}

#[test]
fn whoever_is_no_member_is_refused() {
    let problem = |text: &str| parse(text, &Options::default()).unwrap_err().to_string();
    // Not the communicator, whose number follows.
    let to = |whom: &str| SAMPLE.replacen("Receiver: 1 (\"Master thread\" <11>)", &format!("Receiver: {whom}"), 1);
    assert!(problem(&to("9 (INVALID)")).contains("communicator 0 has no member 9"), "{}", problem(&to("9 (INVALID)")));
    assert!(problem(&to("UNDEFINED")).contains("the message has no partner"), "{}", problem(&to("UNDEFINED")));
    for whom in ["9", "9 (\"t\")", "x", ""] {
        assert!(problem(&to(whom)).contains("not as otf2-print writes it"), "{whom}: {}", problem(&to(whom)));
    }
    let root = |whom: &str| {
        SAMPLE.replace("Operation: BCAST, Communicator: \"MPI_COMM_WORLD\" <0>, Root: 0 (\"Master thread\" <10>)", &{
            format!("Operation: BCAST, Communicator: \"MPI_COMM_WORLD\" <0>, Root: {whom}")
        })
    };
    assert!(
        problem(&root("9 (INVALID)")).contains("communicator 0 has no member 9"),
        "{}",
        problem(&root("9 (INVALID)"))
    );
    assert!(problem(&root("ANYBODY")).contains("not as otf2-print writes it"));
    for whom in ["NONE", "SELF", "THIS_GROUP", "UNDEFINED"] {
        assert!(ti(&parse(&root(whom), &Options::default()).unwrap()).contains("0 bcast 100 0 6\n"), "{whom}");
    }
    // It is thus on a communicator of one member; one that is not defined has none.
    let alone = SAMPLE
        .replace("2 Members: 1 (\"Master thread\" <11>), 2 (\"Master thread\" <12>)", "1 Members: 0 (\"t\" <10>)");
    let event = "MPI_COLLECTIVE_END 10 10500 Operation: BCAST, Communicator: \"sub\" <1>, Root: 9 (INVALID), Sent: 1, Received: 1\n";
    assert!(problem(&(alone + event)).contains("communicator 1 has no member 9"));
    let unknown = event.replace("\"sub\" <1>", "INVALID <7>");
    assert!(problem(&(SAMPLE.to_owned() + &unknown)).contains("members of its communicator are not defined"));
    // The error names the rank that calls a collective of others, not the others.
    let stranger = SAMPLE.to_owned() + &event.replace("BCAST", "BARRIER").replace("9 (INVALID)", "UNDEFINED");
    let error = parse(&stranger, &Options::default()).unwrap_err();
    assert!(
        error.to_string().contains("rank 0 calls a collective of a communicator of which it is no member"),
        "{error}"
    );
    assert_eq!(error.line, Some(stranger.lines().count() as u64));
    let release =
        |whom: &str| with_window(&format!("RMA_RELEASE_LOCK 11 10200 Window: \"w\" <4>, Remote: {whom}, Lock: 0\n"));
    assert!(
        problem(&release("9 (INVALID)")).contains("window 4 has no member 9"),
        "{}",
        problem(&release("9 (INVALID)"))
    );
    assert!(ti(&parse(&release("UNDEFINED"), &Options::default()).unwrap()).contains("1 on 2 flush\n"));
    let put = |whom: &str| {
        with_window(&format!("RMA_PUT 11 10200 Window: \"w\" <4>, Remote: {whom}, Bytes: 5, Matching: 0\n"))
    };
    assert!(problem(&put("9 (INVALID)")).contains("window 4 has no member 9"));
    assert!(problem(&put("UNDEFINED")).contains("RMA_PUT has no target"));
}

#[test]
fn definitions_have_ranks_and_a_clock() {
    let without = |keyword: &str| {
        let lines: Vec<&str> = SAMPLE.lines().filter(|line| !line.starts_with(keyword)).collect();
        parse(&(lines.join("\n") + "\n"), &Options::default()).unwrap_err().to_string()
    };
    assert!(without("CLOCK").contains("the clock is not defined"), "{}", without("CLOCK"));
    assert!(without("GROUP").contains("the archive has no MPI: its definitions name no ranks"), "{}", without("GROUP"));
    // Events without any definitions are text of `otf2-print` without `-A`.
    let events: Vec<&str> =
        SAMPLE.lines().filter(|line| !line.starts_with("CLOCK") && !line.starts_with("GROUP")).collect();
    let error = parse(&(events.join("\n") + "\n"), &Options::default()).unwrap_err();
    assert!(error.to_string().contains("the ranks of MPI are not defined"), "{error}");
    assert!(UserError::help(&error).contains("otf2-print -A"), "{error}");
    let twice = SAMPLE.replacen(
        "\"Master thread\" <11>, \"Master thread\" <12>",
        "\"Master thread\" <11>, \"Master thread\" <11>",
        1,
    );
    let twice = parse(&twice, &Options::default()).unwrap_err().to_string();
    assert!(twice.contains("location 11 is two ranks of MPI"), "{twice}");
}
