//! Files that are no input of ours: a list of passwords, a key. No message shows what is secret in them, whatever reader
//! gets the file: a study from another person may name any file of its reader.

use crate::support::cli::{Folder, MESSAGE};

/// Hash of no password, with characters of the alphabets of `/etc/shadow` and of keys.
const SECRET: &str = "q1W2e3R4t5Y6u7I8o9P0/A1s2D3f4G5h6J7k8L9z0X1c2V3b4N5m6Q7w8E9r0T1y2U3i4O5p6";

/// Longest part of the secret that a message may show.
const MOST: usize = 11;

/// Commands that read a file of any kind, which is `FILE`.
const COMMANDS: [&str; 32] = [
    "replay FILE --topology torus:2x2",
    "trace info FILE.goal",
    "trace info FILE.mtrace",
    "trace info FILE-0.txt",
    "trace info FILE-0000.bin",
    "trace info FILE.mrec",
    "trace diff FILE t.ti",
    "replay t.ti --platform FILE.json",
    "replay t.ti --platform FILE.xml",
    "replay t.ti --platform FILE.toml",
    "topology FILE.json",
    "topology FILE.graphml",
    "topology FILE.gml",
    "topology FILE.ibnet",
    "topology FILE.anynet",
    "topology FILE.txt",
    "compare FILE.toml",
    "throughput FILE.toml",
    "merge FILE.toml",
    "merge s.toml FILE",
    "merge FILE",
    "replay t.ti --topology ring:2 --hostfile FILE",
    "replay t.ti --topology ring:2 --rankfile FILE",
    "replay t.ti --topology ring:2 --model FILE.toml",
    "packets ring:4 --packets FILE",
    "throughput ring:4 --matrix FILE",
    "calibrate FILE",
    "calibrate --host FILE",
    "collectives allreduce --ranks 8 --size 1000 --collectives ompi:FILE",
    "workload FILE.star --ranks 4",
    "topology ring:4 --prices FILE.toml",
    "design equality --n 16 --degree 4 --generations 6 --state FILE",
];

/// Returns files in which the secret is in different places.
fn contents() -> Vec<String> {
    let name = SECRET.replace('/', "_");
    vec![
        format!("root:$6$rounds=5000$salt${SECRET}:19000:0:99999:7:::\ndaemon:*:20228:0:99999:7:::\n"),
        format!("{SECRET}\n"),
        format!("0 {SECRET} 1\n1 {SECRET} 3\n"),
        format!("{{\"auths\": {{\"{SECRET}\": \"x\"}}, \"nodes\": \"{SECRET}\", \"{name}\": 1}}\n"),
        format!("password = \"{SECRET}\"\n{name} = 1\n"),
        format!("[default]\nkey = {SECRET}\n"),
        format!("<{name} id=\"{SECRET}\">{SECRET}</x>\n"),
        format!("x = \"{SECRET}\" + 1\ndef main(rank, size, params):\n    {name}()\n"),
    ]
}

fn shown(text: &str) -> Option<&'static str> {
    let parts = (0..=SECRET.len() - MOST - 1).map(|at| &SECRET[at..=at + MOST]);
    parts.into_iter().find(|part| text.contains(*part) || text.contains(&part.replace('/', "_")))
}

#[test]
fn no_reader_shows_the_contents_of_a_file_of_another_kind() {
    let folder = Folder::with_trace(MESSAGE);
    folder.write("s.toml", "title = 'T'\n[[networks]]\ntopology = 'ring:2'\n[[workloads]]\ntrace = 't.ti'\n");
    let mut faults = Vec::new();
    for content in contents() {
        for command in COMMANDS {
            let words: Vec<String> = command.split(' ').map(|word| word.replace("FILE", "secret")).collect();
            let file =
                words.iter().find_map(|word| word.strip_prefix("ompi:").or(word.contains("secret").then_some(word)));
            let file = file.expect("a file");
            folder.write(file, &content);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let output = folder.command(&words).output().expect("runs");
            let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
            if let Some(part) = shown(&said) {
                faults.push(format!("`{command}` shows `{part}`:\n{said}"));
            }
            // A file that is left would be found as the side file of others.
            let _ = std::fs::remove_file(folder.path(file));
        }
        folder.write("t.toml", &content);
        let output = folder.command(&["replay", "t.ti", "--topology", "ring:2"]).output().expect("runs");
        if let Some(part) = shown(&String::from_utf8_lossy(&output.stderr)) {
            faults.push(format!("the side file shows `{part}`"));
        }
        let _ = std::fs::remove_file(folder.path("t.toml"));
    }
    assert!(faults.is_empty(), "{} faults, the first:\n{}", faults.len(), faults[0]);
}

#[test]
fn a_study_of_another_person_shows_no_file() {
    let folder = Folder::with_trace(MESSAGE);
    for content in contents() {
        folder.write("secret", &content);
        for line in ["collectives = ['ompi:secret']", "hostfile = 'secret'", "rankfile = 'secret'"] {
            folder.write(
                "s.toml",
                format!("title = 'T'\n{line}\n[[networks]]\ntopology = 'ring:2'\n[[workloads]]\ntrace = 't.ti'\n"),
            );
            let output = folder.command(&["compare", "s.toml"]).output().expect("runs");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(shown(&said), None, "{line}: {said}");
        }
    }
}
