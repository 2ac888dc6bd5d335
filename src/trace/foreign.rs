//! Files that are not traces of a supported format, but of a known kind.
//!
//! Text that no format recognises is treated as a time-independent trace or a list of files, and the message would be
//! about its first line. Files of other tools are recognised by their first bytes, so that the message can name them.

use super::format::FORMATS;

/// Returns the kind of a file with these first bytes, if it is known and not supported, and the remedy.
pub(super) fn named(head: &[u8]) -> Option<(&'static str, &'static str)> {
    let text = head.trim_ascii_start();
    let has = |word: &[u8]| memchr::memmem::find(head, word).is_some();
    if text.starts_with(b"{") || text.starts_with(b"[") {
        return Some(match () {
            () if has(b"chakra") || has(b"Chakra") => CHAKRA,
            () if has(b"\"traceEvents\"") || has(b"\"deviceProperties\"") => KINETO,
            () if has(b"\"schema\"") && has(b"\"nodes\"") => CHAKRA,
            () => JSON,
        });
    }
    if text.starts_with(b"%EventDef") {
        return Some(PAJE);
    }
    if text.starts_with(b"#Paraver") {
        return Some(PARAVER);
    }
    if text.starts_with(b"<?xml") || text.starts_with(b"<!DOCTYPE") || text.starts_with(b"<html") {
        return Some(XML);
    }
    if head.starts_with(b"SQLite format 3\0") {
        return Some(SQLITE);
    }
    chakra_protobuf(head).then_some(CHAKRA)
}

/// Recognises a protobuf stream of Chakra: the length of its first message, then field 1 of that, a version such as
/// `0.0.4`.
fn chakra_protobuf(head: &[u8]) -> bool {
    let [_, 0x0a, length @ 1..=16, rest @ ..] = head else { return false };
    let version = rest.get(..usize::from(*length)).unwrap_or_default();
    version.contains(&b'.') && version.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
}

const RECORD: &str = "record the MPI program with `mopsim record`, or see docs/what-loads.md for what is read";
const CHAKRA: (&str, &str) = (
    "a Chakra execution trace",
    "it is not read; make a GOAL schedule of it (ATLAHS has a converter), or see docs/what-loads.md for what is read",
);
const KINETO: (&str, &str) = (
    "a Kineto or Chrome trace (JSON with `traceEvents`)",
    "it has times of kernels and no messages; make a GOAL schedule of it with the tools of ATLAHS, or see docs/what-loads.md \
     for what is read",
);
const JSON: (&str, &str) = ("JSON", RECORD);
const PAJE: (&str, &str) = (
    "a Paje trace",
    "SMPI writes time-independent traces with `smpirun -trace-ti`, which are read; see docs/what-loads.md for what is read",
);
const PARAVER: (&str, &str) = ("a Paraver trace", RECORD);
const XML: (&str, &str) =
    ("XML", "a platform is given by --platform, a trace is of another format: see docs/what-loads.md");
const SQLITE: (&str, &str) = (
    "an SQLite database, as Nsight Systems exports",
    "make a GOAL schedule of it with the tools of ATLAHS, or see docs/what-loads.md for what is read",
);

/// Returns the names of all formats that are read.
pub(super) fn formats() -> String {
    FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Options, read_from};

    #[test]
    fn files_of_other_kinds_are_named() {
        for (content, kind) in [
            (&b"{\"schema\": \"1.1.1-chakra.0.0.4\", \"nodes\": []}"[..], "a Chakra execution trace"),
            (b"\x07\x0a\x050.0.4\x12\x08", "a Chakra execution trace"),
            (b"{\n \"schemaVersion\": 1,\n \"traceEvents\": []}", "a Kineto or Chrome trace"),
            (b"  [1, 2]", "JSON"),
            (b"{}", "JSON"),
            (b"%EventDef PajeDefineContainerType 0\n% Alias string\n", "a Paje trace"),
            (b"#Paraver (01/01/2024 at 00:00):1000_ns:1(4):1:1(1:1)\n", "a Paraver trace"),
            (b"<?xml version='1.0'?>\n<platform/>", "XML"),
            (b"SQLite format 3\0\x10\0", "an SQLite database"),
        ] {
            let error = read_from(content, "t", &Options::default()).expect_err(kind);
            let text = error.to_string();
            assert!(text.starts_with(&format!("t: this is {kind}")), "{text}");
            for format in ["time-independent trace", "GOAL", "OTF2", "DUMPI", "liballprof"] {
                assert!(text.contains(format), "{text}");
            }
            assert!(error.help().contains("docs/what-loads.md"), "{}", error.help());
        }
        // A list may contain files of any name, so the text has to look like a version.
        for content in [&b"./{x}\n"[..], b"\x07\x0a\x05a.b.c\x12", b"\x07\x0a\x20"] {
            assert!(named(content).is_none(), "{content:?}");
        }
    }
}
