//! Compressed traces, whole and damaged.

use std::fs;
use std::io::Write;

use super::*;
use crate::user_error::UserError;

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

fn zstandard(text: &[u8]) -> Vec<u8> {
    // With a checksum, as the program `zstd` writes it.
    let mut writer = zstd::Encoder::new(Vec::new(), 3).unwrap();
    writer.include_checksum(true).unwrap();
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

fn xz(text: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::with_preset(1);
    let mut writer = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

type Pack = fn(&[u8]) -> Vec<u8>;

/// Name and encoder of each packing.
pub(super) const PACKINGS: [(&str, Pack); 3] = [("gzip", gzip), ("zstd", zstandard), ("xz", xz)];

const HEAD: &str = "0 init\n0 compu";
const TAIL: &str = "te 12\n0 finalize\n";

fn unpack(bytes: &[u8]) -> Result<Trace, TraceError> {
    read_from(bytes, "t", &Options::default())
}

#[test]
fn one_part_or_several() {
    for (name, pack) in PACKINGS {
        let whole = pack(format!("{HEAD}{TAIL}").as_bytes());
        assert_eq!(unpack(&whole).unwrap().total_actions(), 3, "{name}");
        let parts = [pack(HEAD.as_bytes()), pack(b""), pack(TAIL.as_bytes())].concat();
        assert_eq!(unpack(&parts).unwrap().total_actions(), 3, "{name}");
    }
}

#[test]
fn the_name_does_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    for (_, pack) in PACKINGS {
        fs::write(file("t.txt"), pack(b"0 init\n0 barrier\n1 init\n")).unwrap();
        fs::write(file("list.gz"), pack(b"t.txt\n")).unwrap();
        for name in ["t.txt", "list.gz"] {
            let trace = read(&file(name), &Options::default()).unwrap();
            assert_eq!(trace.total_actions(), 3);
            assert_eq!(trace.locate(1, 0).unwrap().line, 3);
        }
    }
    fs::write(file("t.xz"), "0 init\n").unwrap();
    assert_eq!(read(&file("t.xz"), &Options::default()).unwrap().name, "t");
}

#[test]
fn cut_off_changed_or_followed_by_something() {
    let text: String = (0..5000).map(|i| format!("0 compute {}\n", i * i)).collect();
    for (name, pack) in PACKINGS {
        let whole = pack(text.as_bytes());
        let damaged = |bytes: &[u8], what: &str| {
            let error = unpack(bytes).expect_err(what);
            assert!(matches!(error.kind, Kind::Damaged { format, .. } if format == name), "{name}, {what}: {error}");
            assert!(!error.is_io());
        };
        for cut in [1, 5, whole.len() / 2, whole.len() - 10] {
            damaged(&whole[..whole.len() - cut], "cut off");
        }
        damaged(&[&whole, &b"0 barrier\n"[..]].concat(), "text behind");
        let mut changed = whole.clone();
        // The last bytes are a checksum, or (xz) the footer with one.
        let at = whole.len() - 6;
        changed[at] ^= 0x10;
        assert!(unpack(&changed).is_err(), "{name}");
    }
}

#[test]
fn a_cut_text_in_a_whole_archive() {
    for (_, pack) in PACKINGS {
        let error = unpack(&pack(b"0 init\n0 compute 1")).unwrap_err();
        assert!(matches!(error.kind, Kind::CutOff) && error.line == Some(2), "{error}");
    }
}

#[test]
fn a_bomb_is_stopped() {
    let text = vec![b'\n'; 20 << 20];
    for (name, pack) in PACKINGS {
        let options = Options { max_unpacked_bytes: 4 << 20, ..Options::default() };
        let error = read_from(&*pack(&text), "t", &options).unwrap_err();
        assert!(matches!(error.kind, Kind::UnpacksTooLarge { limit: 4194304 }), "{name}: {error}");
    }
    // The limit applies to all files of a list together, and plain text is not subject to it.
    let folder = tempfile::tempdir().unwrap();
    let list: String = (0..3)
        .map(|rank| {
            let path = folder.path().join(rank.to_string());
            let text: String = (0..500).map(|_| format!("{rank} barrier\n")).collect();
            fs::write(&path, gzip(text.as_bytes())).unwrap();
            format!("{}\n", path.display())
        })
        .collect();
    let limited = |bytes| {
        let options = Options { max_unpacked_bytes: bytes, files_anywhere: true, ..Options::default() };
        read_from(list.as_bytes(), "t", &options)
    };
    assert_eq!(limited(15_000).unwrap().total_actions(), 1500);
    assert!(matches!(limited(14_999).unwrap_err().kind, Kind::UnpacksTooLarge { .. }));
    assert!(read_from(&b"0 init\n"[..], "t", &Options { max_unpacked_bytes: 1, ..Options::default() }).is_ok());
}

#[test]
fn other_packings_are_named() {
    for (bytes, name) in [(&b"BZh91AY&SY"[..], "bzip2"), (b"PK\x03\x04....", "zip"), (b"\x04\x22\x4d\x18....", "lz4")] {
        let error = unpack(bytes).unwrap_err();
        assert!(matches!(error.kind, Kind::Unsupported { format } if format == name), "{error}");
    }
}
