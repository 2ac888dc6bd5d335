//! An unlucky world: full disks, folders that cannot be written, few descriptors, little memory. The exit code is one of
//! those that are described, and what was there before is there afterwards.

use crate::support::cli::{Folder, MESSAGE};
use std::process::{Command, Output};

const STUDY: &str = "title = 'T'\n[[networks]]\ntopology = 'ring:4'\n[[networks]]\ntopology = 'torus:2x2'\n[[workloads]]\ntrace = 't.ti'\n";

/// Runs shell text in which `$0` is the program.
fn shell(folder: &Folder, script: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_mopsim")]).current_dir(folder.path("")).output().expect("a shell")
}

/// Outputs that must survive.
const OUTPUTS: [(&str, &str); 6] = [
    ("compare s.toml --html x", "x"),
    ("compare s.toml --json x", "x"),
    ("throughput ring:4 --svg x", "x"),
    ("replay big.ti --topology ring:4 --timeline x", "x"),
    ("trace convert big.ti -o x.mtrace --force", "x.mtrace"),
    ("export torus:16x16 --to simgrid -o x --force", "x"),
];

fn folder() -> Folder {
    let folder = Folder::with_trace(MESSAGE);
    folder.write("s.toml", STUDY);
    let calls: String = (0..30_000).map(|call| format!("0 compute {call}\n")).collect();
    folder.write("big.ti", format!("0 init\n{calls}0 finalize\n"));
    folder
}

#[cfg(unix)]
#[test]
fn a_limit_of_the_size_of_files_keeps_what_was_there() {
    let folder = folder();
    for (command, file) in OUTPUTS {
        let made = shell(&folder, &format!("\"$0\" -q {command} >/dev/null"));
        assert!(made.status.success(), "{command}: {}", String::from_utf8_lossy(&made.stderr));
        let before = std::fs::read(folder.path(file)).expect("is there");
        // One block of 512 or 1024 bytes: all of these are larger.
        let output = shell(&folder, &format!("ulimit -f 1; \"$0\" -q {command} >/dev/null"));
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{command}: {said}");
        assert!(said.contains("error: cannot write"), "{command}: {said}");
        assert!(std::fs::read(folder.path(file)).expect("is there") == before, "{command}: another file");
        assert!(folder.names().iter().all(|name| !name.ends_with(".part")), "{command}: {:?}", folder.names());
        std::fs::remove_file(folder.path(file)).expect("removed");
    }
}

/// A really full disk, if the user may mount one in a namespace of their own.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_keeps_what_was_there() {
    let folder = folder();
    let script = |command: &str, file: &str| {
        format!(
            "unshare -rm sh -c 'mount -t tmpfs -o size=256k none disk && cp s.toml t.ti disk && cd disk && echo old > {file} && \
             dd if=/dev/zero of=fill bs=1k 2>/dev/null; \"$0\" -q {command} --force >/dev/null; echo $?; cat {file}; ls -A' \"$0\""
        )
    };
    std::fs::create_dir(folder.path("disk")).expect("made");
    let able = shell(&folder, "unshare -rm sh -c 'mount -t tmpfs -o size=64k none disk'");
    if !able.status.success() {
        eprintln!("skipped: no file system can be mounted here");
        return;
    }
    for (command, file) in [("compare s.toml --html x", "x"), ("trace convert ../big.ti -o x.mtrace", "x.mtrace")] {
        let output = shell(&folder, &script(command, file));
        let (told, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(told.starts_with("3\nold\n") && !told.contains(".part"), "{command}: {told}{said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn folders_that_cannot_be_written_are_told() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let closed = folder.path("closed");
    std::fs::create_dir(&closed).expect("made");
    std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o555)).expect("changed");
    if std::fs::write(closed.join("probe"), "").is_ok() {
        // Permissions do not restrict an administrator; what the kernel keeps for itself does.
        let output = shell(&folder, "\"$0\" -q trace convert t.ti -o /proc/x.ti");
        assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    for (command, file) in OUTPUTS {
        let output =
            shell(&folder, &format!("\"$0\" -q {} >/dev/null", command.replace(file, &format!("closed/{file}"))));
        assert_eq!(output.status.code(), Some(3), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[cfg(unix)]
#[test]
fn few_descriptors_and_little_memory_suffice_or_are_told() {
    let folder = folder();
    let names: String = (0..40).map(|rank| format!("{rank}.ti\n")).collect();
    folder.write("list", names);
    for rank in 0..40 {
        folder.write(&format!("{rank}.ti"), format!("{rank} init\n{rank} barrier\n{rank} finalize\n"));
    }
    let few = shell(&folder, "ulimit -n 16; \"$0\" -q replay list --topology ring:40");
    assert!(few.status.success(), "{}", String::from_utf8_lossy(&few.stderr));
    // The program itself takes 40,000 without optimisation.
    for kibibytes in [50_000, 60_000, 100_000, 200_000, 400_000] {
        for command in ["compare s.toml --threads 2", "throughput torus:8x8", "replay big.ti --topology ring:4"] {
            let output = shell(&folder, &format!("ulimit -v {kibibytes}; \"$0\" -q {command} >/dev/null"));
            let said = String::from_utf8_lossy(&output.stderr);
            // The system may not be able to load the program at all (127), or to start a thread.
            assert!(
                matches!(output.status.code(), Some(0 | 2 | 3 | 127)),
                "{command} in {kibibytes} kB: {:?} {said}",
                output.status
            );
            assert!(!said.contains("panicked"), "{command} in {kibibytes} kB: {said}");
        }
    }
}
