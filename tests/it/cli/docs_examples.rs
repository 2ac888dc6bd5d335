//! Examples in the documentation work: their files are written unchanged, and their commands are run.

use crate::support::cli::Folder;

/// The page's blocks except for formulas: the name of the file that a block is, or none, and the text.
fn blocks(page: &str) -> Vec<(Option<&str>, String)> {
    let (mut blocks, mut named) = (Vec::new(), None);
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            let text = lines.by_ref().take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect();
            if line != "```math" {
                blocks.push((named.take(), text));
            }
        } else {
            named = line.strip_prefix('`').and_then(|rest| rest.strip_suffix("`:"));
        }
    }
    blocks
}

/// Arguments of a command; values in quotes have blanks.
fn arguments(line: &str) -> Vec<&str> {
    let parts = line.split('"').enumerate().flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().collect::<Vec<_>>(),
        _ => vec![part],
    });
    parts.collect()
}

/// Checks that a sample has the lines of an output, in order; `...` marks an omission.
fn assert_shown(shown: &str, printed: &str) {
    let mut lines = printed.lines();
    let mut gap = false;
    for line in shown.lines() {
        match line {
            "..." => gap = true,
            "" if gap => {}
            line if gap => {
                assert!(lines.any(|printed| printed == line), "{line}\nis not in\n{printed}");
                gap = false;
            }
            line => assert_eq!(lines.next(), Some(line), "{printed}"),
        }
    }
}

#[test]
fn the_page_on_platforms_does_what_it_says() {
    let page = include_str!("../../../docs/reference/platforms.md");
    let folder = Folder::new();
    let (mut files, mut commands) = (0, 0);
    for (name, text) in blocks(page) {
        if let Some(name) = name {
            folder.write(name, text);
            files += 1;
            continue;
        }
        for line in text.lines().filter_map(|line| line.strip_prefix("mopsim ")) {
            folder.output(&arguments(line));
            commands += 1;
        }
    }
    assert_eq!((files, commands), (6, 9));
    // 5e9 B/s is the narrower of two links.
    let seconds = |platform: &str| {
        let outcome = folder.json(&["replay", "ping.ti", "--platform", platform, "--network-model", "ideal"]);
        outcome["simulated_seconds"].as_f64().expect("a number")
    };
    assert!((seconds("explicit.json") - (1e6 / 5e9 + 3e-7)).abs() < 1e-12, "{}", seconds("explicit.json"));
    // Striped over two planes, a megabyte takes half of its 80 us at 100 Gbit/s.
    let saved = seconds("cluster.toml") - seconds("planes.toml");
    assert!((saved - 4e-5).abs() < 1e-12, "{saved}");
    // The description in TOML shows the defaults, but for the name, the topology and the routing.
    folder.write("least.toml", "topology = \"ring.txt\"\nrouting = \"bfs\"\n");
    let parameters = |file: &str| folder.json(&["replay", "ping.ti", "--platform", file])["parameters"].clone();
    assert!(parameters("least.toml").is_object());
    assert_eq!(parameters("cluster.toml"), parameters("least.toml"));
    assert_eq!(seconds("cluster.toml"), seconds("least.toml"));
}

/// The table in the README is the output of the main job; omissions are marked.
#[test]
fn the_readme_shows_what_the_main_job_prints() {
    let page = include_str!("../../../README.md");
    let (_, shown) = page.split_once("```text\n").expect("the sample");
    let (shown, _) = shown.split_once("```").expect("its end");
    let root = env!("CARGO_MANIFEST_DIR");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mopsim"));
    let output = command.current_dir(root).args(["compare", "studies/uni-vs-bi.toml", "-q"]).output().expect("it runs");
    let printed = String::from_utf8(output.stdout).expect("text");
    assert_shown(shown, &printed);
}

/// Writes the files of a page, runs its commands, and checks that the samples behind them are lines of their outputs.
/// Returns the number of commands and of samples.
fn follow(page: &str, folder: &Folder) -> (usize, usize) {
    let (mut printed, mut commands, mut samples) = (None, 0, 0);
    for (name, text) in blocks(page) {
        if let Some(name) = name {
            folder.write(name, text);
            continue;
        }
        let lines = text.lines().filter_map(|line| line.strip_prefix("mopsim "));
        let outputs: Vec<String> = lines.map(|line| folder.output(&arguments(line))).collect();
        commands += outputs.len();
        if let Some(last) = outputs.into_iter().next_back() {
            printed = Some(last);
        } else if let Some(printed) = &printed {
            assert_shown(&text, printed);
            samples += 1;
        }
    }
    (commands, samples)
}

#[test]
fn the_tutorial_shows_what_its_commands_print() {
    let folder = Folder::new();
    for file in ["cg.A.64.ti.zst", "cg.A.64.toml", "lu.A.64.it10.ti.zst", "lu.A.64.it10.toml"] {
        let trace = std::fs::read(format!("{}/traces/{file}", env!("CARGO_MANIFEST_DIR"))).expect("a shipped file");
        folder.write(&format!("traces/{file}"), trace);
    }
    assert_eq!(follow(include_str!("../../../docs/tutorial.md"), &folder), (5, 5));
    assert!(folder.read("report.html").contains("CG and LU on three networks"));
}

#[test]
fn the_pages_on_theory_show_what_their_commands_print() {
    for (page, commands) in [
        (include_str!("../../../docs/theory/replay.md"), 3),
        (include_str!("../../../docs/theory/sharing.md"), 1),
        (include_str!("../../../docs/theory/routing.md"), 3),
        (include_str!("../../../docs/theory/packets.md"), 1),
    ] {
        assert_eq!(follow(page, &Folder::new()), (commands, commands));
    }
}
