//! Examples in the documentation work: their files are written unchanged, and their commands are run.

use crate::support::cli::Folder;

/// The page's blocks: the name of the file that a block is, or none, and the text.
fn blocks(page: &str) -> Vec<(Option<&str>, String)> {
    let (mut blocks, mut named) = (Vec::new(), None);
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            let text = lines.by_ref().take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect();
            blocks.push((named.take(), text));
        } else {
            named = line.strip_prefix('`').and_then(|rest| rest.strip_suffix("`:"));
        }
    }
    blocks
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
            // Values in quotes have blanks.
            let arguments = line.split('"').enumerate().flat_map(|(at, part)| match at % 2 {
                0 => part.split_whitespace().collect::<Vec<_>>(),
                _ => vec![part],
            });
            folder.output(&arguments.collect::<Vec<_>>());
            commands += 1;
        }
    }
    assert_eq!((files, commands), (5, 6));
    // 5e9 B/s is the narrower of two links.
    let seconds = |platform: &str| {
        let outcome = folder.json(&["replay", "ping.ti", "--platform", platform, "--network-model", "ideal"]);
        outcome["simulated_seconds"].as_f64().expect("a number")
    };
    assert!((seconds("explicit.json") - (1e6 / 5e9 + 3e-7)).abs() < 1e-12, "{}", seconds("explicit.json"));
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
