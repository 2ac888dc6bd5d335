//! Names and contents with side effects: on terminals, in spreadsheets, in pages. And messages that state the place.

use crate::support::cli::{Folder, MESSAGE};
use std::process::Command;

/// Sets the title of a terminal, rings the bell, clears the screen (as one byte of C1), and reverses the text
/// direction.
const ACTS: &str = "n\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}x";

fn study() -> Folder {
    let folder = Folder::with_trace(MESSAGE);
    let name = serde_json::to_string(ACTS).expect("text").replace('\u{9b}', "\\u009b").replace('\u{202e}', "\\u202e");
    folder.write(
        "s.toml",
        format!(
            "title = {name}\n[[networks]]\nname = \"=cmd|'/c calc'!A1\"\ntopology = 'ring:2'\n[[networks]]\nname = {name}\ntopology = 'star:4'\n\
             [[networks]]\nname = '-2+3'\ntopology = 'star:3'\n[[workloads]]\ntrace = 't.ti'\nname = '@SUM(1)'\n"
        ),
    );
    folder
}

fn assert_calm(text: &str, what: &str) {
    let acts = |c: char| c.is_control() && c != '\n' && c != '\t' || ('\u{202a}'..='\u{202e}').contains(&c);
    assert!(!text.contains(acts), "{what}: {}", text.escape_debug());
}

#[test]
fn names_do_not_act_in_any_report() {
    let folder = study();
    for format in ["text", "json", "csv", "markdown"] {
        let text = folder.output(&["compare", "s.toml", "--format", format]);
        assert_calm(&text, format);
        let shown = if format == "markdown" { r"\\u001b\]0;owned\\u0007" } else { r"\u001b]0;owned\u0007" };
        assert!(text.contains(shown), "{format}: {text}");
    }
    folder.output(&["compare", "s.toml", "--html", "r.html", "--json", "r.json", "--csv", "r.csv"]);
    for file in ["r.html", "r.json", "r.csv"] {
        assert_calm(&folder.read(file), file);
    }
    let json: serde_json::Value = serde_json::from_str(&folder.read("r.json")).expect("JSON");
    assert_eq!(json["title"], ACTS, "programs get the name as it is");
    folder.output(&["replay", "t.ti", "--topology", "ring:2", "--timeline", "t.json"]);
    assert_calm(&folder.read("t.json"), "timeline");
}

/// A name that goes on in lines like those of messages.
#[cfg(unix)]
const FORGES: &str = "n\nerror: forged\n help: forged\nhelp: forged\nwarning: forged";

#[cfg(unix)]
#[test]
fn no_name_begins_a_message() {
    let folder = Folder::with_trace(MESSAGE);
    let file = |extension: &str| format!("{FORGES}{extension}");
    let names = [".ti", ".xml", ".star", ".toml", ".txt", ".graphml", ".jsonl"].map(file);
    for name in &names {
        folder.write(name, format!("0 {FORGES}\n"));
    }
    let of_program = serde_json::to_string(FORGES).expect("text");
    folder.write("load.star", format!("load({of_program}, \"x\")\ndef main(rank, size):\n    pass\n"));
    folder.write("fail.star", format!("def main(rank, size):\n    fail({of_program})\n"));
    std::fs::create_dir(folder.path(FORGES)).expect("a folder");
    let readable = format!("{FORGES}/{FORGES}.good.ti");
    folder.write(&readable, MESSAGE);
    let [ti, xml, star, toml, txt, graphml, jsonl] = names.each_ref().map(String::as_str);
    let option = format!("--mapping={FORGES}");
    let replay = ["replay", "t.ti", "--topology", "ring:2"];
    for arguments in [
        &["replay", ti, "--topology", "ring:2"][..],
        &["replay", "t.ti", "--platform", xml],
        &["workload", star, "--ranks", "2"],
        &["workload", "load.star", "--ranks", "2"],
        &["workload", "fail.star", "--ranks", "2"],
        &["compare", toml],
        &["merge", "s.toml", jsonl],
        &["topology", txt],
        &["topology", graphml],
        &["topology", "torus:2x2", "--prices", toml],
        &["throughput", "ring:2", "--matrix", txt],
        &[&replay[..], &["--hostfile", txt]].concat(),
        &[&replay[..], &["--rankfile", txt]].concat(),
        &[&replay[..], &["--mapping", FORGES]].concat(),
        &[&replay[..], &[&option]].concat(),
        &["topology", FORGES],
        &["trace", FORGES],
        &[FORGES],
        &["replay", &readable, "--topology", "ring:2"],
        &["trace", "info", &readable],
        &["trace", "check", &readable],
        &["trace", "convert", &readable, "-o", "t.ti"],
    ] {
        let output = folder.command(arguments).output().expect("it runs");
        for bytes in [output.stdout, output.stderr] {
            let text = String::from_utf8(bytes).expect("text");
            let forged = |line: &&str| line.contains("forged") && !line.contains("\\u000a") && !line.starts_with("  ");
            assert_eq!(text.lines().find(forged), None, "{arguments:?}: {text}");
        }
    }
}

#[cfg(unix)]
#[test]
fn messages_do_not_act_whatever_files_are_called_or_hold() {
    let folder = study();
    let file = |extension: &str| format!("{ACTS}{extension}");
    let names = [".ti", ".xml", ".star", ".toml", ".txt", ".graphml", ".json", ".jsonl"].map(file);
    for name in &names {
        folder.write(name, format!("0 {ACTS}\n<{ACTS}> {ACTS}\n"));
    }
    let [ti, xml, star, toml, txt, graphml, json, jsonl] = names.each_ref().map(String::as_str);
    let replay = ["replay", "t.ti", "--topology", "ring:2"];
    for arguments in [
        &["replay", ti, "--topology", "ring:2"][..],
        &["replay", "t.ti", "--platform", xml],
        &["replay", "t.ti", "--platform", json],
        &["workload", star, "--ranks", "2"],
        &["compare", toml],
        &["merge", "s.toml", jsonl],
        &["topology", txt],
        &["topology", graphml],
        &["topology", "torus:2x2", "--prices", toml],
        &["throughput", "ring:2", "--matrix", txt],
        &[&replay[..], &["--hostfile", txt]].concat(),
        &[&replay[..], &["--rankfile", txt]].concat(),
        &["topology", ACTS],
        &["trace", ACTS],
        &["replay", "t.ti", "--topology", "ring:2", "--mapping", ACTS],
    ] {
        let output = folder.command(arguments).output().expect("it runs");
        let said = String::from_utf8(output.stderr).expect("text");
        assert!(output.status.code().is_some_and(|code| code == 2 || code == 3), "{arguments:?}: {said}");
        assert_calm(&said, &format!("{arguments:?}"));
        assert!(said.contains("error: "), "{arguments:?}: {said}");
    }
}

#[test]
fn no_cell_of_csv_is_a_formula() {
    let folder = study();
    let text = folder.output(&["compare", "s.toml", "--format", "csv"]);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let mut cells = Vec::new();
    for record in reader.records() {
        cells.extend(record.expect("a line").iter().map(str::to_owned));
    }
    for wanted in ["'=cmd|'/c calc'!A1", "'@SUM(1)", "'-2+3"] {
        assert!(cells.iter().any(|cell| cell == wanted), "{wanted}: {cells:?}");
    }
    let is_formula = |cell: &&String| cell.starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err();
    assert_eq!(cells.iter().find(is_formula), None);
}

#[test]
fn formulas_behind_blanks_and_of_full_width_signs_are_none() {
    let folder = Folder::with_trace(MESSAGE);
    let names = [" =1", "\u{ff1d}1+1", "\u{ff0b}1+1", "\u{ff0d}1+1", "\u{ff20}SUM(1)"];
    let networks: String =
        names.iter().map(|name| format!("[[networks]]\nname = '{name}'\ntopology = 'ring:2'\n")).collect();
    folder.write("s.toml", format!("title = 'T'\n{networks}[[workloads]]\ntrace = 't.ti'\n"));
    let text = folder.output(&["compare", "s.toml", "--format", "csv"]);
    for name in names {
        assert!(text.contains(&format!("'{name}")) && !text.contains(&format!(",{name}")), "{name}: {text}");
    }
}

#[test]
fn written_xml_and_toml_have_escapes_for_what_acts() {
    let folder = Folder::with_trace(MESSAGE);
    folder.write(
        "p.xml",
        "<?xml version='1.0'?>\n<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\"><host id=\"a\u{202e}b\" speed=\"1Gf\"/>\
         <host id=\"c\u{2066}\" speed=\"1Gf\"/><link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/>\
         <route src=\"a\u{202e}b\" dst=\"c\u{2066}\"><link_ctn id=\"l\"/></route></zone></platform>\n",
    );
    let export = |file: &str| folder.output(&["export", "--platform", file, "--to", "simgrid"]);
    let xml = export("p.xml");
    assert_calm(&xml, "XML");
    assert!(xml.contains("<host id=\"a&#x202E;b\"") && xml.contains("c&#x2066;"), "{xml}");
    folder.write("q.xml", &xml);
    assert_eq!(export("q.xml").replace("q.xml", "p.xml"), xml, "the names are read back");
    folder.write("t.toml", "title = 'a\u{202e}b\u{e0041}'\noperations = 7.0\n");
    folder.output(&["trace", "convert", "t.ti", "-o", "u.mtrace"]);
    let side = folder.read("u.toml");
    assert_calm(&side, "TOML");
    assert!(side.contains("title = \"a\\u202eb\\U000e0041\""), "{side}");
    folder.output(&["trace", "convert", "u.mtrace", "-o", "v.mtrace"]);
    assert_eq!(folder.read("v.toml"), side, "the title is read back");
}

#[test]
fn mistakes_have_a_file_and_a_place() {
    let folder = Folder::with_trace("0 init\n1 init\n0 probe 1 0\n0 finalize\n1 finalize\n");
    let prices = include_str!("../../../data/prices/equality.toml");
    folder.write("negative.toml", prices.replacen("= 40.0", "= -1", 1));
    let line = 1 + prices.lines().position(|line| line.contains("= 40.0")).expect("the rate");
    folder.refuse(
        &["topology", "torus:2x2", "--prices", "negative.toml"],
        2,
        &[&format!("negative.toml:{line}:"), "`link_rate_gbps` is -1"],
    );
    folder.write("bytes.toml", b"name = 'x'\n# \xff\n");
    folder.refuse(&["topology", "torus:2x2", "--prices", "bytes.toml"], 2, &["bytes.toml:2: not UTF-8 text"]);
    folder.write("bytes.star", b"# x\n\xff");
    folder.refuse(&["workload", "./bytes.star", "--ranks", "2"], 2, &["bytes.star:2: this is not text (byte 4)"]);
    folder.write("side.ti", MESSAGE);
    folder.write("side.toml", b"title = 'x'\n# \xff\n");
    folder.refuse(&["replay", "side.ti", "--topology", "ring:2"], 2, &["side.toml", "line 2, byte 14"]);
    // For a damaged packed file the message has the byte position.
    let mut packed = zstd::encode_all(MESSAGE.repeat(50).as_bytes(), 1).expect("packs");
    packed.truncate(packed.len() - 6);
    folder.write("cut.ti.zst", packed);
    folder.refuse(&["replay", "cut.ti.zst", "--topology", "ring:2"], 2, &["cut.ti.zst", "before byte"]);
}

/// A study or a list may name any file whose content its author wants to see.
#[test]
fn contents_of_files_that_are_none_of_ours_are_not_shown() {
    let folder = Folder::with_trace(MESSAGE);
    folder.write("passwd", "root:x:0:0:secret:/root:/bin/bash\ndaemon:x:1:1:secret:/\n");
    folder.write("list", "passwd\n");
    folder.write(
        "s.toml",
        "title = 'T'\nhostfile = 'passwd'\n[[networks]]\ntopology = 'ring:2'\n[[workloads]]\ntrace = 't.ti'\n",
    );
    folder.write("w.toml", "title = 'T'\n[[networks]]\ntopology = 'ring:2'\n[[workloads]]\ntrace = 'passwd'\n");
    for arguments in [
        &["replay", "passwd", "--topology", "ring:2"][..],
        &["replay", "list", "--topology", "ring:2"],
        &["compare", "s.toml"],
        &["compare", "w.toml"],
        &["replay", "t.ti", "--topology", "ring:2", "--rankfile", "passwd"],
        &["topology", "edges:path=passwd"],
        &["topology", "ring:2", "--prices", "passwd"],
        &["throughput", "ring:2", "--matrix", "passwd"],
    ] {
        let output = folder.command(arguments).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && said.contains("passwd") && !said.contains("secret"),
            "{arguments:?}: {said}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_standard_output_that_takes_nothing_is_told() {
    let folder = study();
    let shell = |script: &str| {
        let output = Command::new("sh")
            .args(["-c", script, env!("CARGO_BIN_EXE_mopsim")])
            .current_dir(folder.path(""))
            .output()
            .expect("a shell");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{script}: {said}");
        assert!(said.contains("error: cannot write"), "{script}: {said}");
    };
    for what in [
        "topology ring:4",
        "--help",
        "--version",
        "compare --help",
        "export ring:4 --to edges",
        "trace convert t.ti -o -",
    ] {
        shell(&format!("\"$0\" {what} >&-"));
        shell(&format!("\"$0\" {what} >/dev/full"));
    }
}
