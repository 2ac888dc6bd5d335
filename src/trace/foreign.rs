//! Files that are not traces of a supported format, but of a known kind.
//!
//! Text that no format recognises is treated as a time-independent trace or a list of files, and the message would be
//! about its first line. Files of other tools are recognised by their first bytes, so that the message can name them.

/// Returns the kind of a file with these first bytes, if it is known and not supported, and the remedy.
pub(super) fn named(head: &[u8]) -> Option<(&'static str, &'static str)> {
    let text = head.trim_ascii_start();
    let has = |word: &[u8]| memchr::memmem::find(head, word).is_some();
    if text.starts_with(b"{") || text.starts_with(b"[") {
        return Some(match () {
            () if has(b"chakra") || has(b"Chakra") => CHAKRA,
            () if has(b"\"traceEvents\"") || has(b"\"deviceProperties\"") => KINETO,
            () if has(b"\"schema\"") && has(b"\"nodes\"") => CHAKRA,
            () if has(b"\"workload_graph\"") || has(b"\"data_deps\"") => CHAKRA,
            () => JSON,
        });
    }
    if text.starts_with(b"%EventDef") {
        return Some(PAJE);
    }
    if text.starts_with(b"#Paraver") {
        return Some(PARAVER);
    }
    // No path of a list begins like a tag.
    if text.len() > 1 && text[0] == b'<' && (matches!(text[1], b'?' | b'!') || text[1].is_ascii_alphabetic()) {
        return Some(XML);
    }
    if text.starts_with(b"PROJECTIONS-RECORD") || text.starts_with(b"PROJECTIONS_ID") {
        return Some(PROJECTIONS);
    }
    if is_codes(text) {
        return Some(CODES);
    }
    if head.starts_with(b"SQLite format 3\0") {
        return Some(SQLITE);
    }
    chakra_protobuf(head).then_some(CHAKRA)
}

/// Recognises a configuration of CODES by its first meaningful line: the groups of the older form (`LPGROUPS`), or the
/// first key of the form in YAML.
fn is_codes(text: &[u8]) -> bool {
    let lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.into_iter().find(|line| !matches!(line.first(), None | Some(b'#'))).unwrap_or_default();
    first.starts_with(b"LPGROUPS") || first.starts_with(b"schema_version:")
}

/// Recognises a protobuf stream of Chakra: the length of its first message, then that message, which describes the
/// trace. It begins with its field 1, a version such as `0.0.4`, or, without one, with its field 2, an attribute whose
/// field 1 is a name.
fn chakra_protobuf(head: &[u8]) -> bool {
    let Some((length, message)) = length_of(head) else { return false };
    let text = |field: &[u8]| match field {
        [0x0a, length @ 1..=64, rest @ ..] => rest.get(..usize::from(*length)).map(<[u8]>::to_vec),
        _ => None,
    };
    match message {
        [0x0a, ..] => text(message).is_some_and(|version| {
            version.contains(&b'.') && version.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
        }),
        [0x12, attribute @ ..] => length_of(attribute).is_some_and(|(inner, attribute)| {
            let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b' ');
            inner < length && text(attribute).is_some_and(|name| name.iter().all(is_name))
        }),
        _ => false,
    }
}

/// Returns a length in protobuf's encoding, seven bits per byte and up to two bytes; and the bytes after it.
fn length_of(bytes: &[u8]) -> Option<(usize, &[u8])> {
    match bytes {
        [low @ ..0x80, rest @ ..] => Some((usize::from(*low), rest)),
        [low, high @ ..0x80, rest @ ..] => Some((usize::from(*low & 0x7f) | usize::from(*high) << 7, rest)),
        _ => None,
    }
}

const RECORD: &str = "record the MPI program with `mopsim record`, or see docs/what-loads.md for what is read";
const CHAKRA: (&str, &str) = (
    "a Chakra execution trace",
    "it is not read, and no converter to a format that is read is known; record the program with `mopsim record` if it uses MPI, or \
     see docs/what-loads.md for what is read",
);
const KINETO: (&str, &str) = (
    "a Kineto or Chrome trace (JSON with `traceEvents`)",
    "it has times of kernels and no messages; ATLAHS makes GOAL schedules of Nsight Systems reports of the same program, which are \
     read: see docs/what-loads.md",
);
const JSON: (&str, &str) = ("JSON", RECORD);
const PAJE: (&str, &str) = (
    "a Paje trace",
    "SMPI writes time-independent traces with `smpirun -trace-ti`, which are read; see docs/what-loads.md for what is read",
);
const PARAVER: (&str, &str) = ("a Paraver trace", RECORD);
const XML: (&str, &str) =
    ("XML", "a platform is given by --platform, a trace is of another format: see docs/what-loads.md");
const PROJECTIONS: (&str, &str) = ("a log of Projections (Charm++)", RECORD);
const CODES: (&str, &str) = (
    "a configuration of CODES",
    "it describes a network and its ranks, not their messages: give the trace that the configuration names, and the network by \
     --topology; see docs/guide/coming-from-goal.md",
);
const SQLITE: (&str, &str) = (
    "an SQLite database, as Nsight Systems exports",
    "make a GOAL schedule of it with ATLAHS (goal_gen/ai in spcl/atlahs), or see docs/what-loads.md for what is read",
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Options, read_from};
    use crate::user_error::UserError;

    #[test]
    fn files_of_other_kinds_are_named() {
        for (content, kind) in [
            (&b"{\"schema\": \"1.1.1-chakra.0.0.4\", \"nodes\": []}"[..], "a Chakra execution trace"),
            (b"\x07\x0a\x050.0.4\x12\x08", "a Chakra execution trace"),
            (b"\x1b\x12\x0f\x0a\x06schema\xea\x01\x041.01\x12\x08", "a Chakra execution trace"),
            (b"\x9e\x01\x12\x0f\x0a\x06schema\xea\x01\x041.01\x12\x08", "a Chakra execution trace"),
            (b"{\n \"workload_graph\": [{\"Id\": 1}]}", "a Chakra execution trace"),
            (b"{\n \"schemaVersion\": 1,\n \"traceEvents\": []}", "a Kineto or Chrome trace"),
            (b"  [1, 2]", "JSON"),
            (b"{}", "JSON"),
            (b"%EventDef PajeDefineContainerType 0\n% Alias string\n", "a Paje trace"),
            (b"#Paraver (01/01/2024 at 00:00):1000_ns:1(4):1:1(1:1)\n", "a Paraver trace"),
            (b"<?xml version='1.0'?>\n<platform/>", "XML"),
            (b"<algo name=\"a\" nchunksperloop=\"8\">\n", "XML"),
            (b"\n<platform version=\"4.1\">", "XML"),
            (b"PROJECTIONS-RECORD 985\n6 77991\n", "a log of Projections"),
            (b"PROJECTIONS_ID 6\nVERSION 11.0\n", "a log of Projections"),
            (b"# a dragonfly\n\nLPGROUPS\n{\n", "a configuration of CODES"),
            (b"schema_version: 1\n\ncomponents:\n", "a configuration of CODES"),
            (b"SQLite format 3\0\x10\0", "an SQLite database"),
        ] {
            let error = read_from(content, "t", &Options::default()).expect_err(kind);
            let text = error.to_string();
            assert!(text.starts_with(&format!("t: this is {kind}")), "{text}");
            for format in ["time-independent trace", "GOAL", "OTF2", "DUMPI", "liballprof"] {
                assert!(text.contains(format), "{text}");
            }
            assert!(error.help().contains("docs/what-loads.md") || kind.contains("CODES"), "{}", error.help());
        }
        // A list may contain files of any name, so the text has to look like a version.
        for content in [
            &b"./{x}\n"[..],
            b"< in.txt\n",
            b"lpgroups.txt\n",
            b"\x07\x0a\x05a.b.c\x12",
            b"\x07\x0a\x20",
            b"\x07\x12\x0f\x0a\x06schema",
            b"\x1b\x12\x0f\x0a\x02\x01\x02",
        ] {
            assert!(named(content).is_none(), "{content:?}");
        }
    }
}
