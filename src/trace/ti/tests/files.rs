//! Files, lists of files, side files, and finding lines again.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;
use crate::trace::{Action, FORMATS};
use crate::user_error::UserError;

/// Returns a folder with files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn read_in(folder: &TempDir, name: &str, ranks: Option<usize>) -> Result<Trace, TraceError> {
    read(&folder.path().join(name), &Options { ranks, ..Options::default() })
}

const TWO: [(&str, &str); 2] = [("r/0.txt", "0 init\n0 compute 1\n"), ("r/1.txt", "1 init\n1 compute 2\n1 finalize\n")];

#[test]
fn a_merged_file() {
    let folder = folder(&[("lu.A.2.ti.txt", "1 init\n0 init\n# x\n1 finalize\n")]);
    let trace = read_in(&folder, "lu.A.2.ti.txt", None).unwrap();
    assert_eq!((trace.name.as_str(), trace.ranks(), trace.side.is_some()), ("lu.A.2", 2, false));
    let found = trace.locate(1, 1).unwrap();
    assert_eq!((found.line, found.text.as_str()), (4, "1 finalize"));
    assert_eq!(found.file, folder.path().join("lu.A.2.ti.txt"));
    assert_eq!(trace.locate(0, 0).unwrap().line, 2);
    assert_eq!((trace.locate(1, 2), trace.locate(2, 0)), (None, None));
}

#[test]
fn a_list_of_one_merged_file() {
    let folder = folder(&[("all.txt", "0 init\n1 init\n"), ("list", "\n all.txt\n\n")]);
    let trace = read_in(&folder, "list", None).unwrap();
    assert_eq!((trace.name.as_str(), trace.ranks()), ("list", 2));
    assert_eq!(trace.locate(1, 0).unwrap().file, folder.path().join("all.txt"));
}

#[test]
fn a_list_of_a_file_for_each_rank() {
    let folder = folder(&[TWO[0], TWO[1], ("list", "r/0.txt\nr/1.txt")]);
    let trace = read_in(&folder, "list", None).unwrap();
    assert_eq!(trace.actions[1], [Action::Init, Action::Compute { flops: 2.0 }, Action::Finalize]);
    assert_eq!(
        trace.locate(1, 1).unwrap().to_string(),
        format!("{}:2: 1 compute 2", folder.path().join("r/1.txt").display())
    );
    assert!(trace.warnings.is_empty());

    let one = read_in(&folder, "list", Some(1)).unwrap();
    assert_eq!(one.ranks(), 1);
    assert!(matches!(one.warnings[..], [TraceWarning::UnusedFiles { files: 1, .. }]));
    let error = read_in(&folder, "list", Some(3)).unwrap_err();
    assert!(matches!(error.kind, Kind::ListTooShort { files: 2, ranks: 3 }), "{error}");
}

#[test]
fn a_list_from_a_stream_counts_from_the_current_folder() {
    let folder = folder(&TWO);
    let paths: Vec<String> = ["r/0.txt", "r/1.txt"].map(|p| folder.path().join(p).display().to_string()).into();
    let anywhere = Options { files_anywhere: true, ..Options::default() };
    let trace = read_from(paths.join("\n").as_bytes(), "t", &anywhere).unwrap();
    assert_eq!(trace.ranks(), 2);
    // The files can be read again, the list does not have to be.
    assert!(trace.locate(0, 0).is_some());
    assert_eq!(parse("0 init\n").unwrap().locate(0, 0), None);
}

#[test]
fn a_list_names_files_of_its_own_folder_only() {
    let home = folder(&[TWO[0], TWO[1], ("in/list", "../r/0.txt\n../r/1.txt\n"), ("in/0.txt", "0 init\n")]);
    let refused = |list: &str, reason: &str| {
        let error = read_in(&home, list, None).unwrap_err();
        assert!(matches!(error.kind, Kind::Outside { .. }), "{error}");
        assert!(error.to_string().contains(reason) && error.line == Some(1), "{error}");
        assert!(error.help().contains("--files-anywhere"));
    };
    refused("in/list", "outside its own folder: `../r/0.txt`");
    let absolute = home.path().join("r/0.txt").display().to_string();
    fs::write(home.path().join("in/absolute"), absolute).unwrap();
    refused("in/absolute", "outside");
    fs::write(home.path().join("in/folder"), "../in").unwrap();
    refused("in/folder", "no regular file");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../r/0.txt", home.path().join("in/link.txt")).unwrap();
        fs::write(home.path().join("in/linked"), "link.txt\n").unwrap();
        refused("in/linked", "outside");
        fs::write(home.path().join("in/device"), "/dev/zero\n").unwrap();
        refused("in/device", "outside");
    }
    let anywhere = Options { files_anywhere: true, ..Options::default() };
    assert_eq!(read(&home.path().join("in/list"), &anywhere).unwrap().ranks(), 2);
    // A path that leaves the folder and comes back is still outside.
    fs::write(home.path().join("in/round"), "../in/0.txt").unwrap();
    assert_eq!(read_in(&home, "in/round", None).unwrap().ranks(), 1);
}

#[test]
fn lines_of_other_ranks_are_counted() {
    let other = "# x\n0 init\n1 x y\n1 init\n01 init\nnonsense\n";
    let files = folder(&[TWO[0], ("r/1.txt", other), ("list", "r/0.txt\nr/1.txt\n")]);
    let trace = read_in(&files, "list", None);
    // A line of the rank itself is checked...
    assert_eq!(trace.unwrap_err().line, Some(3));
    let files = folder(&[TWO[0], ("r/1.txt", &other.replace("1 x y\n", "")), ("list", "r/0.txt\nr/1.txt\n")]);
    let trace = read_in(&files, "list", None).unwrap();
    // ...the others are not.
    assert_eq!(trace.actions[1], [Action::Init]);
    let [TraceWarning::ForeignLines { rank: 1, first_line: 2, lines: 3, .. }] = trace.warnings[..] else {
        panic!("{:?}", trace.warnings)
    };
    assert_eq!(trace.locate(1, 0).unwrap().line, 3);

    let files = folder(&[TWO[0], ("r/1.txt", "0 init\n"), ("list", "r/0.txt\nr/1.txt\n")]);
    let error = read_in(&files, "list", None).unwrap_err();
    assert!(matches!(error.kind, Kind::RankWithoutLines { rank: 1, ranks: 2, foreign: 1 }), "{error}");
    assert!(error.file.ends_with("r/1.txt"));
}

#[test]
fn the_file_of_an_error_is_that_of_the_rank() {
    let files = folder(&[TWO[0], ("r/1.txt", "1 init\n1 send 0 0\n"), ("list", "r/0.txt\nr/1.txt\n")]);
    let error = read_in(&files, "list", None).unwrap_err();
    assert!(error.file.ends_with("r/1.txt"));
    assert_eq!((error.line, error.column), (Some(2), Some(11)));
    let files = folder(&[TWO[0], ("r/1.txt", "1 init 1\n"), ("list", "r/0.txt\nr/1.txt\n")]);
    let error = read_in(&files, "list", None).unwrap_err();
    assert!(error.to_string().contains("0.txt:1 was read with BYTE"), "{error}");
}

#[test]
fn files_that_are_not_there() {
    let files = folder(&[TWO[0], ("list", "r/0.txt\n\nr/2.txt\n")]);
    let error = read_in(&files, "list", None).unwrap_err();
    assert!(error.is_io() && matches!(error.kind, Kind::OpenListed(_)));
    assert_eq!((error.line, error.text.as_str()), (Some(3), "r/2.txt"));
    let error = read_in(&files, "nothing", None).unwrap_err();
    assert!(error.is_io() && matches!(error.kind, Kind::Open(_)));
    let error = read_in(&files, "r", None).unwrap_err();
    assert!(matches!(error.kind, Kind::Folder) && error.help().contains("write a list of these files"), "{error}");
    // One of several files: its messages go to ranks that it does not have.
    let files = folder(&[("r/0.txt", "0 init\n0 send 1 0 8\n")]);
    let error = read_in(&files, "r/0.txt", None).unwrap_err();
    assert!(error.help().contains("write a list of these files"), "{error}: {}", error.help());
    let files = folder(&[("rand.conf", "rand\nlinear\n")]);
    let error = read_in(&files, "rand.conf", None).unwrap_err();
    assert!(error.to_string().contains("the file was taken for a list of trace files"), "{error}");
    assert!(error.help().contains("docs/what-loads.md lists what is read"), "{}", error.help());
}

#[test]
fn too_many_ranks_asked_for() {
    let error = parse_for(Some(usize::MAX), "0 init\n").unwrap_err();
    assert!(matches!(error.kind, Kind::TooManyRanks { .. }));
    // 0 means that the number is not specified.
    assert_eq!(parse_for(Some(0), "0 init\n").unwrap().ranks(), 1);
}

#[test]
fn the_side_file_stands_beside_the_trace() {
    let trace = ("lu.A.1.ti", "0 init\n");
    let files = folder(&[trace, ("lu.A.1.toml", "operations = 5000000\nformula = 'by hand'\n")]);
    let read = read_in(&files, "lu.A.1.ti", None).unwrap();
    assert_eq!(read.operations(), Some(5e6));
    assert_eq!(read.side.unwrap().formula.as_deref(), Some("by hand"));
    let files = folder(&[trace, ("lu.A.1.toml", "ops = 1\n")]);
    let error = read_in(&files, "lu.A.1.ti", None).unwrap_err();
    assert!(error.file.ends_with("lu.A.1.toml") && error.line == Some(1) && !error.is_io(), "{error}");
}

#[test]
fn names_lose_folders_and_known_extensions() {
    for (path, name) in [
        ("a/lu.A.64.it10.ti.zst", "lu.A.64.it10"),
        ("x.ti.xz", "x"),
        ("x.txt.gz", "x"),
        ("list.txt", "list"),
        ("lu.A.64", "lu.A.64"),
        (".ti", ".ti"),
    ] {
        assert_eq!(format::name_of(&PathBuf::from(path), FORMATS), name);
    }
}

#[test]
fn blocks_end_anywhere_in_a_file() {
    // Several blocks of about 1 MiB, one line longer than a block, and a comment across a boundary.
    let mut text = String::new();
    for i in 0..200_000 {
        text.push_str(&format!("{} compute {i}\n", i % 3));
        if i == 100_000 {
            text.push_str(&format!("#{}\n", "x".repeat(3 << 20)));
        }
    }
    let files = folder(&[("big", &text)]);
    let mapped = read_in(&files, "big", None).unwrap();
    let streamed = parse(&text).unwrap();
    assert_eq!(mapped.total_actions(), 200_000);
    assert_same(&mapped, &streamed);
    let last = mapped.locate(1, mapped.actions[1].len() - 1).unwrap();
    assert_eq!((last.line, last.text.as_str()), (200_001, "1 compute 199999"));
    let error = parse(&format!("{text}0 x\n")).unwrap_err();
    assert_eq!((error.line, error.column), (Some(200_002), Some(3)));
}
