//! Long studies in pieces: results files, resuming, shards, kill -9. Whatever happens on the way, the report has the
//! same bytes.

use crate::support::cli::{Folder, MESSAGE};
use crate::support::lines::{killed, wait_for_lines, whole_lines};
use std::process::{Command, Stdio};

/// Four ranks in a ring, for `rounds` rounds: the more, the longer a replay takes.
fn ring_trace(rounds: usize) -> String {
    let mut text = String::new();
    for rank in 0..4 {
        text.push_str(&format!("{rank} init\n"));
        for round in 0..rounds {
            let (next, previous) = ((rank + 1) % 4, (rank + 3) % 4);
            text.push_str(&format!("{rank} irecv {previous} {round} 1000 6\n{rank} send {next} {round} 1000 6\n"));
            text.push_str(&format!("{rank} wait {previous} {rank} {round}\n{rank} allreduce 64 1000 0 6\n"));
        }
        text.push_str(&format!("{rank} finalize\n"));
    }
    text
}

/// 3 networks, one of them with 4 seeds, 2 workloads, 2 mappings: 24 replays.
fn study() -> Folder {
    let folder = Folder::new();
    folder.write("a.ti", ring_trace(300));
    folder.write("b.ti", ring_trace(150));
    folder.write("a.toml", "operations = 1e6\n");
    folder.write(
        "s.toml",
        "title = 'In pieces'
         repetitions = 4
         mappings = ['one-each', 'round-robin']
         [[networks]]
         topology = 'ring:8'
         [[networks]]
         topology = 'random:n=8,d=3'
         [[networks]]
         topology = 'torus:2x4'
         [[workloads]]
         trace = 'a.ti'
         weight = 3
         [[workloads]]
         trace = 'b.ti'
        ",
    );
    folder
}

const CELLS: usize = 2 * 2 * (1 + 4 + 1);
const FORMATS: [&str; 3] = ["text", "json", "csv"];

fn report(folder: &Folder, arguments: &[&str], format: &str) -> String {
    folder.output(&[arguments, &["-q", "--format", format]].concat())
}

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path(name)).expect("a file")
}

#[test]
fn resumed_sharded_and_unsplit_runs_report_the_same_bytes() {
    let folder = study();
    for format in FORMATS {
        let unsplit = report(&folder, &["compare", "s.toml", "--threads", "1"], format);
        let kept = format!("{format}.jsonl");
        assert_eq!(report(&folder, &["compare", "s.toml", "--results", &kept, "--threads", "2"], format), unsplit);
        assert_eq!(whole_lines(&read(&folder, &kept)).len(), 1 + CELLS);
        // State of a killed run: part of the lines, in another order and followed by a torn one.
        let text = read(&folder, &kept);
        let lines = whole_lines(&text);
        let part = [lines[0], lines[9], lines[3], lines[20], &lines[5][..40]].concat();
        folder.write("part.jsonl", part);
        assert_eq!(report(&folder, &["compare", "s.toml", "--results", "part.jsonl", "--resume"], format), unsplit);
        assert_eq!(whole_lines(&read(&folder, "part.jsonl")).len(), 1 + CELLS);
        // Line ends of Windows, as an editor writes them.
        folder.write("part.jsonl", [lines[0], lines[9], lines[3]].concat().replace('\n', "\r\n"));
        assert_eq!(report(&folder, &["compare", "s.toml", "--results", "part.jsonl", "--resume"], format), unsplit);
        // A finished study is only reported.
        assert_eq!(report(&folder, &["compare", "s.toml", "--results", "part.jsonl", "--resume"], format), unsplit);
        assert_eq!(report(&folder, &["merge", "s.toml", "part.jsonl"], format), unsplit);
        let mut files = Vec::new();
        for k in 1..=5 {
            let (shard, file) = (format!("{k}/5"), format!("{format}-{k}.jsonl"));
            folder.run(&["compare", "s.toml", "--shard", &shard, "--results", &file]).success().stdout("");
            files.push(file);
        }
        files.reverse();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        assert_eq!(report(&folder, &[&["merge", "s.toml"], &files[..]].concat(), format), unsplit);
    }
}

#[test]
fn perturbed_replays_are_dealt_out_and_resumed_like_all_others() {
    fn with<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
        [arguments, &["--perturb", "5%", "--samples", "3"]].concat()
    }
    let folder = study();
    let unsplit = report(&folder, &with(&["compare", "s.toml"]), "json");
    for (shard, file) in [("1/2", "1.jsonl"), ("2/2", "2.jsonl")] {
        folder.run(&with(&["compare", "s.toml", "--shard", shard, "--results", file])).success();
        assert_eq!(whole_lines(&read(&folder, file)).len(), 1 + 4 * CELLS / 2);
    }
    assert_eq!(report(&folder, &with(&["merge", "s.toml", "1.jsonl", "2.jsonl"]), "json"), unsplit);
    folder.refuse(&["merge", "s.toml", "1.jsonl", "2.jsonl"], 2, &["1.jsonl", "perturbations"]);
}

#[test]
fn kill_9_at_any_moment_loses_no_finished_cell() {
    let folder = study();
    folder.write("a.ti", ring_trace(3000));
    let unsplit = report(&folder, &["compare", "s.toml"], "json");
    let arguments = ["compare", "s.toml", "--results", "r.jsonl", "--resume", "--threads", "2", "-q"];
    let resumes = || {
        let resumed = report(&folder, &["compare", "s.toml", "--results", "r.jsonl", "--resume"], "json");
        assert_eq!(resumed, unsplit);
    };
    let midway = killed(&folder, &arguments, 1 + CELLS, resumes);
    assert!(midway >= 5, "{midway} of 20 kills came after a line and before the last one");
    resumes();
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_stops_cleanly_and_says_how_to_go_on() {
    let folder = study();
    folder.write("a.ti", ring_trace(6000));
    let arguments = ["compare", "s.toml", "--results", "r.jsonl", "--threads", "1"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_mopsim"))
        .current_dir(folder.path(""))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // Once there is a line the program listens.
    assert!(wait_for_lines(&folder, "r.jsonl", 2, &mut child), "it ended before there were two lines");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    assert!(sent.success());
    let output = child.wait_with_output().expect("it ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{errors}");
    assert!(output.stdout.is_empty());
    for part in ["waiting for what runs", "of 24 replays are in r.jsonl", "--resume"] {
        assert!(errors.contains(part), "{part}: {errors}");
    }
    let text = read(&folder, "r.jsonl");
    let lines = whole_lines(&text);
    assert!(text.ends_with('\n') && lines.len() > 1 && lines.len() <= CELLS);
    let resumed = report(&folder, &["compare", "s.toml", "--results", "r.jsonl", "--resume"], "json");
    assert_eq!(resumed, report(&folder, &["compare", "s.toml"], "json"));
}

#[test]
fn results_of_another_study_are_refused_and_the_change_is_named() {
    let folder = study();
    let study = read(&folder, "s.toml");
    report(&folder, &["compare", "s.toml", "--results", "r.jsonl"], "json");
    let before = read(&folder, "r.jsonl");
    let resume = ["compare", "s.toml", "--results", "r.jsonl", "--resume"];
    let changes = [
        (study.replace("torus:2x4", "mesh:2x4"), "its networks"),
        (study.replace("weight = 3", "weight = 2"), "weights"),
        (study.replace("title = 'In pieces'", "title = 'x'\nmodel = { network_model = 'lv08' }"), "its model"),
    ];
    for (changed, part) in changes {
        folder.write("s.toml", changed);
        folder.refuse(&resume, 2, &["r.jsonl holds results of another study (`In pieces`)", part]);
        folder.refuse(&["merge", "s.toml", "r.jsonl"], 2, &["another study", part]);
    }
    folder.write("s.toml", format!("# A comment changes nothing.\n{study}"));
    report(&folder, &resume, "json");
    folder.refuse(&[&resume[..], &["--perturb", "5%"]].concat(), 2, &["another study", "perturbations"]);
    folder.refuse(&[&resume[..], &["--duplex", "shared"]].concat(), 2, &["another study", "its networks"]);
    folder.write("b.ti", ring_trace(151));
    folder.refuse(&resume, 2, &["another study", "its workloads"]);
    assert_eq!(read(&folder, "r.jsonl"), before, "a refused file is left alone");
}

#[test]
fn files_that_were_tampered_with_are_refused_with_the_line() {
    let folder = study();
    report(&folder, &["compare", "s.toml", "--results", "r.jsonl"], "json");
    let text = read(&folder, "r.jsonl");
    let lines = whole_lines(&text);
    let refuse = |content: String, parts: &[&str]| {
        folder.write("t.jsonl", &content);
        folder.refuse(&["compare", "s.toml", "--results", "t.jsonl", "--resume"], 2, parts);
        assert_eq!(read(&folder, "t.jsonl"), content, "a refused file is left alone");
    };
    refuse([lines[0], lines[1], "x\n", lines[2]].concat(), &["t.jsonl:3: the line is no cell: it is no JSON object"]);
    refuse([lines[0], lines[1], "\n"].concat(), &["t.jsonl:3: the line is no cell: it is no JSON object"]);
    refuse([lines[0], lines[1], lines[2], lines[1]].concat(), &["t.jsonl:4: cell", "is in line 2 as well"]);
    refuse([lines[0], &lines[1].replace("\"cell\":", "\"cell\":9")].concat(), &["t.jsonl:2: the line was changed"]);
    // As written by versions before checksums: the fields that identify the cell decide.
    let old = |line: &str| line[..line.rfind(",\"check\"").expect("its checksum")].to_owned() + "}\n";
    let first = old(lines[0]).replace("results/2", "results/1");
    let other_cell = old(lines[1]).replace("\"cell\":", "\"cell\":9");
    refuse([first.as_str(), &other_cell].concat(), &["t.jsonl:2: the study has no such cell"]);
    let other_network = old(lines[1]).replace("ring", "rign");
    refuse([first.as_str(), &other_network].concat(), &["t.jsonl:2: the study has no such cell"]);
    refuse(lines[1..].concat(), &["t.jsonl:1: the first line is not the header of a results file: "]);
    refuse(text.replace("mopsim.results/2", "mopsim.results/9"), &["t.jsonl:1: the line was changed"]);
    refuse(first.replace("results/1", "results/9"), &["t.jsonl:1: schema `mopsim.results/9`"]);
    refuse("my notes, without a line end".to_owned(), &["t.jsonl:1: "]);
    // A torn first line was written by a killed run.
    folder.write("t.jsonl", &lines[0][..50]);
    report(&folder, &["compare", "s.toml", "--results", "t.jsonl", "--resume"], "json");
    folder.refuse(&["compare", "s.toml", "--results", "t.jsonl"], 2, &["t.jsonl already exists", "--resume"]);
    folder.refuse(&["compare", "s.toml", "--results", "no/t.jsonl"], 3, &["cannot write into no: "]);
    folder.refuse(&["compare", "s.toml", "--resume"], 2, &["--results"]);
}

#[test]
fn overlapping_and_missing_shards_are_refused_by_name() {
    let folder = study();
    for (shard, file) in [("1/3", "1.jsonl"), ("2/3", "2.jsonl"), ("3/3", "3.jsonl"), ("1/2", "half.jsonl")] {
        folder.run(&["compare", "s.toml", "--shard", shard, "--results", file, "-q"]).success();
    }
    folder.refuse(
        &["merge", "s.toml", "1.jsonl", "3.jsonl"],
        2,
        &["8 of 24 cells are missing", "there is no file of shard 2/3", "the first is cell 1 ("],
    );
    folder.refuse(
        &["merge", "s.toml", "1.jsonl", "2.jsonl", "3.jsonl", "1.jsonl"],
        2,
        &["1.jsonl (shard 1/3) and 1.jsonl (shard 1/3) overlap"],
    );
    folder.refuse(
        &["merge", "s.toml", "1.jsonl", "half.jsonl"],
        2,
        &["half.jsonl (shard 1/2) and 1.jsonl (shard 1/3) overlap: both hold cell 0 (a on ring:n=8 [one-each]"],
    );
    let text = read(&folder, "2.jsonl");
    folder.write("2.jsonl", whole_lines(&text)[..5].concat());
    folder.refuse(
        &["merge", "s.toml", "1.jsonl", "2.jsonl", "3.jsonl"],
        2,
        &["4 of 24 cells are missing", "2.jsonl (shard 2/3) is not finished"],
    );
    folder.refuse(&["merge", "s.toml", "nope.jsonl"], 3, &["nope.jsonl: "]);
    folder.refuse(
        &["compare", "s.toml", "--shard", "2/3", "--results", "1.jsonl", "--resume"],
        2,
        &["1.jsonl holds shard 1/3, not shard 2/3"],
    );
    for shard in ["0/3", "4/3", "x", "1/0"] {
        folder.refuse(&["compare", "s.toml", "--shard", shard, "--results", "n.jsonl"], 2, &["is not a shard"]);
    }
}

#[test]
fn a_deadlock_keeps_the_other_cells() {
    let folder = Folder::with_trace(MESSAGE);
    folder.write("bad.ti", "0 recv 1 7 50 6\n1 compute 5\n");
    folder.write(
        "s.toml",
        "title = 'x'\n[[networks]]\ntopology = 'ring:4'\n[[workloads]]\ntrace = 'bad.ti'\n[[workloads]]\ntrace = 't.ti'\n",
    );
    folder.refuse(&["compare", "s.toml", "--results", "r.jsonl"], 1, &["bad on ring:n=4: deadlock"]);
    assert_eq!(whole_lines(&read(&folder, "r.jsonl")).len(), 2);
}

#[test]
fn job_scripts_run_as_they_stand() {
    let folder = study();
    let unsplit = report(&folder, &["compare", "s.toml", "--seed", "7"], "json");
    folder.run(&["compare", "s.toml", "--seed", "7", "--slurm", "the jobs", "--shards", "3"]).success().stdout("");
    let slurm = read(&folder, "the jobs/array.slurm");
    assert!(slurm.contains("#SBATCH --array=1-3\n") && slurm.contains("#SBATCH --requeue\n"), "{slurm}");
    assert!(read(&folder, "the jobs/array.hq.sh").contains("#HQ --array 1-3\n"));
    let shell = |script: &str, variable: &str, task: &str, arguments: &[&str]| {
        folder.script(script, (variable, task), arguments)
    };
    shell("the jobs/array.slurm", "SLURM_ARRAY_TASK_ID", "1", &[]);
    shell("the jobs/array.slurm", "SLURM_ARRAY_TASK_ID", "2", &[]);
    // A task that is started again has nothing left to do.
    shell("the jobs/array.slurm", "SLURM_ARRAY_TASK_ID", "2", &[]);
    shell("the jobs/array.hq.sh", "HQ_TASK_ID", "3", &[]);
    assert_eq!(shell("the jobs/merge.sh", "X", "", &["--format", "json"]), unsplit);
}

#[test]
fn job_scripts_keep_the_values_of_the_site() {
    let folder = study();
    let fast = ("MOPSIM_LINK_BANDWIDTH", "200 Gbit/s");
    let unsplit =
        folder.command(&["compare", "s.toml", "-q", "--format", "csv"]).env(fast.0, fast.1).assert().success();
    assert_ne!(
        unsplit.get_output().stdout,
        folder.output(&["compare", "s.toml", "-q", "--format", "csv"]).into_bytes()
    );
    let command = ["compare", "s.toml", "--html", "r.html", "--csv=r.csv", "--slurm", "j", "--shards", "1", "-q"];
    folder.command(&command).env(fast.0, fast.1).env("MOPSIM_THREADS", "1").assert().success();
    let array = folder.read("j/array.slurm");
    assert!(
        !array.contains("export MOPSIM_THREADS") && !array.contains("r.html") && !array.contains("r.csv"),
        "{array}"
    );
    // They run in an environment without the variable.
    folder.script("j/array.slurm", ("SLURM_ARRAY_TASK_ID", "1"), &[]);
    let merged = folder.script("j/merge.sh", ("X", ""), &["-q", "--format", "csv"]);
    assert_eq!(merged.into_bytes(), unsplit.get_output().stdout);
}

#[test]
fn only_what_makes_the_study_is_passed_on() {
    let folder = study();
    folder.write("my study.toml", folder.read("s.toml"));
    let given = ["--format", "text", "compare", "my study.toml", "--slurm", "d", "--seed", "3", "-q", "--shards=4"];
    folder.run(&given).success().stdout("").stderr("");
    for script in ["d/array.slurm", "d/array.hq.sh", "d/merge.sh"] {
        let text = folder.read(script);
        let call = text.lines().find(|line| line.starts_with("exec ")).expect("a call of the program");
        let (_, arguments) = call.split_once(" compare ").or_else(|| call.split_once(" merge ")).expect("a verb");
        let kept = arguments.trim_end_matches('\\').trim_end_matches("\"$@\"").trim_end();
        assert_eq!(kept, "'my study.toml' --seed 3", "{script}");
    }
}

#[test]
fn changes_of_assumptions_that_differ_in_the_last_digits_are_not_the_same() {
    let folder = study();
    let with = |amplitude: &str| {
        format!("[sensitivity]\namplitude = {amplitude}\nroutings = []\nmappings = []\ncollectives = []\nmodels = []\n")
    };
    let plain = folder.read("s.toml");
    folder.write("s.toml", format!("{plain}{}", with("0.2001")));
    let text = folder.output(&["compare", "s.toml", "--results", "r.jsonl", "-q"]);
    assert!(text.contains("+20.01 %"), "{text}");
    folder.write("s.toml", format!("{plain}{}", with("0.2004")));
    folder.refuse(&["compare", "s.toml", "--results", "r.jsonl", "--resume"], 2, &["r.jsonl", "sensitivity"]);
}
