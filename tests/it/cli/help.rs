//! Help, completions and manual pages, all from the same definitions.

use crate::support::cli::Folder;

/// Lines and columns that `-h` may take: a terminal of the usual width, less the prompt and the command.
const SCREEN: (usize, usize) = (40, 80);

/// Returns the words of all verbs, the program itself first, as `--help` lists them.
fn verbs(folder: &Folder) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = vec![Vec::new()];
    let mut at = 0;
    while let Some(words) = all.get(at).cloned() {
        let arguments: Vec<&str> = words.iter().map(String::as_str).chain(["--help"]).collect();
        let help = folder.output(&arguments);
        let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
        let names = listed.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
        all.extend(names.map(|name| [&words[..], &[name.to_owned()]].concat()));
        at += 1;
    }
    assert!(all.len() > 25, "{all:?}");
    all
}

#[test]
fn short_help_fits_one_screen_and_names_the_long_one() {
    let folder = Folder::new();
    for verb in verbs(&folder) {
        let words: Vec<&str> = verb.iter().map(String::as_str).collect();
        let run =
            folder.command(&[&words[..], &["-h"]].concat()).env("COLUMNS", SCREEN.1.to_string()).assert().success();
        let help = String::from_utf8(run.get_output().stdout.clone()).expect("text");
        let lines = help.lines().count();
        assert!(lines <= SCREEN.0, "mopsim {} -h has {lines} lines: hide more in it (hide_short_help)", verb.join(" "));
        let widest = help.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(SCREEN.1), "mopsim {} -h is wider than {}: {help}", verb.join(" "), SCREEN.1);
        let last = help.lines().last().expect("a line");
        let long = ["mopsim", &verb.join(" "), "--help"].join(" ").replace("  ", " ");
        assert!(last.ends_with(&format!(": {long}")), "{last}");
        // All of it is in the long help.
        let long = folder.output(&[&words[..], &["--help"]].concat());
        for option in help.split_whitespace().filter(|word| word.starts_with("--")) {
            assert!(long.contains(option.trim_end_matches([',', '.', ']', '\''])), "{option}: {long}");
        }
    }
}

#[test]
fn completions_know_verbs_options_and_values() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = folder.output(&["completions", shell]);
        for part in ["mopsim", "throughput", "validate", "link-bandwidth", "simgrid-lazy", "round-robin", "markdown"] {
            assert!(script.contains(part), "{shell}: {part}");
        }
    }
    folder.refuse(&["completions", "csh"], 2, &["csh", "bash"]);
}

/// The shell itself completes the words, as it does when a user presses the tab key.
#[cfg(unix)]
#[test]
fn bash_completes_a_command_line() {
    let folder = Folder::new();
    folder.write("mopsim.bash", folder.output(&["completions", "bash"]));
    for (option, word, wanted) in
        [("--duplex", "sh", "shared"), ("--topology", "tor", "torus:"), ("--topology", "infini", "infiniband:")]
    {
        let script = format!(
            "source mopsim.bash; COMP_WORDS=(mopsim replay {option} {word}); COMP_CWORD=3; \
             _mopsim_joined mopsim {word} {option}; echo \"${{COMPREPLY[@]}}\""
        );
        let mut bash = std::process::Command::new("bash");
        let Ok(run) = bash.args(["-c", &script]).current_dir(folder.path("")).output() else {
            return eprintln!("skipped: there is no bash");
        };
        let completed = String::from_utf8(run.stdout).expect("text");
        assert_eq!(completed.trim(), wanted, "{}", String::from_utf8_lossy(&run.stderr));
    }
}

#[test]
fn every_verb_has_a_manual_page() {
    let folder = Folder::new();
    folder.run(&["man", "-o", "pages/man1"]).success().stdout("");
    for verb in verbs(&folder) {
        let words: Vec<&str> = verb.iter().map(String::as_str).collect();
        let name = [&["mopsim"], &words[..]].concat().join("-");
        let page = folder.read(&format!("pages/man1/{name}.1"));
        assert_eq!(page, folder.output(&[&["man"], &words[..]].concat()));
        assert!(page.contains(&format!(".TH {name} 1")), "{page}");
    }
    let page = folder.output(&["man", "trace-info"]);
    assert!(page.contains("\\-\\-leave\\-out") && page.contains("mopsim trace info traces/lu"), "{page}");
    // Pages of other programs of that name are safe.
    folder.refuse(&["man", "-o", "pages/man1"], 2, &["mopsim.1", "--force"]);
    folder.run(&["man", "-o", "pages/man1", "--force"]).success();
    folder.refuse(&["man", "trace", "find"], 2, &["mopsim trace has no verb `find`", "info, check"]);
    folder.refuse(&["man", "replay", "fast"], 2, &["mopsim replay has no verb `fast`"]);
}

/// A verb without a report would ignore its format.
#[test]
fn verbs_without_a_report_refuse_a_format() {
    let folder = Folder::new();
    folder.write("a.ti", "0 compute 1e6\n");
    folder.write("s.toml", "[[networks]]\ntopology = \"ring:4\"\n[[workloads]]\ntrace = \"a.ti\"\n");
    for words in [
        "trace convert a.ti -o b.ti",
        "trace cut a.ti -o b.ti --ranks 0",
        "trace scale a.ti -o b.ti --compute 2",
        "man",
        "completions bash",
        "compare s.toml --slurm jobs",
        "packets ring:4 --slurm jobs",
        "workload npb/is --source",
        "record true",
    ] {
        for format in ["json", "csv", "markdown"] {
            let words: Vec<&str> = ["--format", format].into_iter().chain(words.split(' ')).collect();
            folder.refuse(&words, 2, &[&format!("--format {format}"), "prints none", "leave it out"]);
        }
    }
    for file in ["b.ti", "jobs"] {
        assert!(!folder.path(file).exists(), "{file}");
    }
    // Text is the default, and no request.
    folder.run(&["--format", "text", "trace", "convert", "a.ti", "-o", "b.ti"]).success();
}

/// A user can demand colours for files and pipes, of clap's errors and of mopsim's own.
#[test]
fn colours_can_be_demanded() {
    let folder = Folder::new();
    for words in [&["topology", "ring:x"][..], &["topology", "--fast"]] {
        let error = |variables: &[(&str, &str)]| {
            let mut command = folder.command(words);
            command
                .env_remove("NO_COLOR")
                .env_remove("CLICOLOR")
                .env_remove("CLICOLOR_FORCE")
                .envs(variables.iter().copied());
            String::from_utf8_lossy(&command.assert().code(2).get_output().stderr).into_owned()
        };
        for demand in
            [&[("CLICOLOR_FORCE", "1")][..], &[("CLICOLOR_FORCE", "yes"), ("CLICOLOR", "0"), ("TERM", "dumb")]]
        {
            assert!(error(demand).contains('\u{1b}'), "{words:?} {demand:?}");
        }
        let both = [("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")];
        for plain in [&[("CLICOLOR_FORCE", "0")][..], &[("CLICOLOR_FORCE", "")], &[("CLICOLOR", "1")], &both, &[]] {
            assert!(!error(plain).contains('\u{1b}'), "{words:?} {plain:?}");
        }
    }
}

/// A text of the long help may be missing in the page although the option is there.
#[test]
fn every_option_has_its_text_in_the_manual_page() {
    let folder = Folder::new();
    folder.run(&["man", "-o", "pages"]).success();
    let mut options = 0;
    for verb in verbs(&folder) {
        let name = [&["mopsim".to_owned()], &verb[..]].concat().join("-");
        let page = folder.read(&format!("pages/{name}.1"));
        let (_, described) = page.split_once("\n.SH OPTIONS\n").expect("options");
        let lines: Vec<&str> = described.lines().take_while(|line| !line.starts_with(".SH")).collect();
        for (number, _) in lines.iter().enumerate().filter(|(_, line)| **line == ".TP") {
            let text = lines.get(number + 2).copied().unwrap_or_default();
            assert!(!text.is_empty() && !text.starts_with('.'), "{name}.1: {} has no text", lines[number + 1]);
            options += 1;
        }
    }
    assert!(options > 350, "{options}");
}

/// A terminal gets coloured labels, and nothing else does.
#[cfg(target_os = "linux")]
#[test]
fn labels_of_errors_are_coloured_on_terminals_only() {
    let folder = Folder::new();
    let on_terminal = |variables: &[(&str, &str)]| {
        let command = format!("{} topology ring:x", env!("CARGO_BIN_EXE_mopsim"));
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &command, "/dev/null"]).env("TERM", "xterm");
        ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"].iter().for_each(|name| {
            script.env_remove(name);
        });
        let run = script.envs(variables.iter().copied()).current_dir(folder.path("")).output().ok()?;
        Some(String::from_utf8_lossy(&run.stdout).into_owned())
    };
    let Some(coloured) = on_terminal(&[]) else { return eprintln!("skipped: there is no script(1)") };
    assert!(coloured.contains("\u{1b}[1;31merror:\u{1b}[0m "), "{coloured:?}");
    for plain in [[("NO_COLOR", "1")], [("TERM", "dumb")], [("CLICOLOR", "0")]] {
        let text = on_terminal(&plain).expect("it ran before");
        assert!(text.contains("error: ") && !text.contains('\u{1b}'), "{text:?}");
    }
    let run = folder.run(&["topology", "ring:x"]).code(2);
    assert!(!run.get_output().stderr.contains(&0x1b));
}
