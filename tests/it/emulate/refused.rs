//! Networks and commands that `mopsim emulate` refuses before it touches anything.

use crate::support::cli::Folder;
use std::process::Command;

#[test]
fn wrong_arguments_are_refused_with_a_way_out() {
    let folder = Folder::new();
    let up = |more: &[&'static str]| [&["emulate", "up"], more].concat();
    for (arguments, parts) in [
        (
            up(&["torus:4x4", "--rate", "20mbit", "--packets", "30000"]),
            &["158520", "30000", "lower --rate to 18 %"][..],
        ),
        (up(&["torus:4x4", "--rate", "0mbit"]), &["--rate", "5mbit"]),
        (up(&["torus:4x4", "--rate", "-5mbit"]), &["--rate"]),
        (up(&["torus:4x4", "--rate", "fast"]), &["--rate", "fast"]),
        (up(&["torus:4x4", "--delay", "soon"]), &["--delay"]),
        (up(&["torus:4x4", "--host-rate", "x"]), &["--host-rate"]),
        (up(&["torus:4x4", "--queue", "100"]), &["--queue", "10,000"]),
        (up(&["torus:4x4", "--prefix", "Net-1"]), &["--prefix", "lower-case"]),
        (up(&["torus:4x4", "--prefix", "../../etc"]), &["--prefix"]),
        (up(&["torus:4x4", "--routing", "adaptive"]), &["message by message", "--routing bfs"]),
        (up(&["torus:4y4"]), &["torus"]),
        (up(&["ring:5000"]), &["5000 hosts", "256"]),
        (up(&["edges:path=missing.edges"]), &["missing.edges"]),
    ] {
        let code = if arguments.contains(&"edges:path=missing.edges") { 3 } else { 2 };
        folder.refuse(&arguments, code, parts);
    }
    folder.refuse(&["emulate", "validate", "ring:4"], 2, &["--commands", "COMMAND"]);
    folder.refuse(&["emulate", "run"], 2, &["COMMAND"]);
}

#[test]
fn other_users_than_root_get_the_way_out() {
    let run = Command::new("setpriv")
        .args([
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            env!("CARGO_BIN_EXE_mopsim"),
            "emulate",
            "up",
            "ring:4",
        ])
        .output();
    // Where this process is not root, no other user can be had, and this one will do.
    let run = match run {
        Ok(run) if !String::from_utf8_lossy(&run.stderr).starts_with("setpriv:") => run,
        _ => Command::new(env!("CARGO_BIN_EXE_mopsim")).args(["emulate", "up", "ring:4"]).output().expect("it runs"),
    };
    let message = String::from_utf8_lossy(&run.stderr);
    if run.status.success() {
        eprintln!("skipped: setpriv is missing");
        let _ = Command::new(env!("CARGO_BIN_EXE_mopsim")).args(["emulate", "down"]).output();
        return;
    }
    assert!(message.contains("emulate up needs root") && message.contains("sudo"), "{message}");
    assert_eq!(run.status.code(), Some(2));
}
