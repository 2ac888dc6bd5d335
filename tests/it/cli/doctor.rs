//! `mopsim doctor`.

use crate::support::cli::{Folder, assert_80_columns, number};

#[test]
fn missing_parts_are_no_failure() {
    let folder = Folder::new();
    let run = folder.command(&["doctor", "--format", "json"]).env("PATH", "").env_remove("MPICC").assert().success();
    let doctor: serde_json::Value = serde_json::from_slice(&run.get_output().stdout).expect("JSON");
    assert_eq!(doctor["schema"], "mopsim.doctor/1");
    let parts = doctor["parts"].as_array().expect("a list");
    let part =
        |name: &str| parts.iter().find(|part| part["part"] == name).unwrap_or_else(|| panic!("{name}: {parts:?}"));
    for name in ["mpicc", "mpirun", "smpirun", "sbatch", "hq", "otf2-print"] {
        assert_eq!((&part(name)["found"], &part(name)["detail"]), (&false.into(), &"not in PATH".into()));
    }
    assert_eq!(part("libotf2")["found"], cfg!(feature = "libotf2"));
    assert!(number(&doctor, "cores") >= 1.0);
}

#[cfg(unix)]
#[test]
fn programs_are_found_with_their_version() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let program = |name: &str, text: &str| {
        let file = folder.write(name, format!("#!/bin/sh\n{text}\n"));
        std::fs::set_permissions(file, PermissionsExt::from_mode(0o755)).expect("a mode");
    };
    program("bin/sbatch", "echo slurm 23.11.4");
    // MPICH's compiler takes the option of Open MPI for one of the C compiler.
    program("bin/mpicc", "[ \"$1\" = -v ] || exit 1; echo 'mpicc for MPICH version 4.0.2'; echo gcc 12");
    program("bin/hq", "exit 3");
    let path = format!("{}:/usr/bin:/bin", folder.path("bin").display());
    let run = folder.command(&["doctor"]).env("PATH", &path).env("MPICC", "/no/mpicc").assert().success();
    let text = String::from_utf8(run.get_output().stdout.clone()).expect("text");
    assert_80_columns(&text);
    let run = folder.command(&["doctor", "--format", "csv"]).env("PATH", &path).env("MPICC", "/no/mpicc").assert();
    let csv = String::from_utf8(run.get_output().stdout.clone()).expect("text");
    for part in ["slurm 23.11.4, ", "mpicc for MPICH version 4.0.2, ", "$MPICC,false,", "hq,true,"] {
        assert!(csv.contains(part), "{part}: {csv}");
    }
}
