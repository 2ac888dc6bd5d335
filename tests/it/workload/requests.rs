//! Waits for requests that are not the oldest of their kind, in every format.

use crate::support::cli::{Folder, number};

/// Rank 0 waits for its second message, which is short, while the first needs a receive that is posted after 5 ms. With
/// `tags` the messages have different tags, so that any wait is for the only request of its triple.
fn program(tags: [u32; 2]) -> String {
    let [a, b] = tags;
    format!(
        "def main(rank, size, params):
    if rank == 0:
        first = isend(1, 1000000, tag = {a})
        second = isend(1, 1, tag = {b})
        wait(second)
        compute(1e9)
        wait(first)
    else:
        sleep(5e-3)
        recv(0, 1000000, tag = {a})
        recv(0, 1, tag = {b})
"
    )
}

/// Receives whose second message is sent 50 ms later: who waits for it first cannot compute earlier.
const RECEIVES: &str = "def main(rank, size, params):
    if rank == 0:
        send(1, 1)
        sleep(50e-3)
        send(1, 1)
    else:
        first = irecv(0, 1)
        second = irecv(0, 1)
        waitall([second])
        compute(1e9)
        waitall([first])
";

fn seconds(folder: &Folder, trace: &str) -> f64 {
    number(
        &folder.json(&["replay", trace, "--topology", "full_mesh:1", "--hosts-per-switch", "2"]),
        "simulated_seconds",
    )
}

#[test]
fn a_wait_is_for_its_own_request_in_every_format() {
    let folder = Folder::new();
    for (name, text) in [("same", program([0, 0])), ("apart", program([1, 2])), ("receives", RECEIVES.to_owned())] {
        folder.write(&format!("{name}.star"), text);
        for format in ["ti", "mtrace", "goal"] {
            let (file, program) = (format!("{name}.{format}"), format!("{name}.star"));
            folder.run(&["workload", &program, "--ranks", "2", "-o", &file]).success();
        }
    }
    assert!(folder.read("same.ti").contains("0 pick 1\n0 wait 0 1 0\n"), "{}", folder.read("same.ti"));
    assert!(!folder.read("apart.ti").contains("pick"));
    let expected = seconds(&folder, "apart.ti");
    assert!((expected - 10e-3).abs() < 1e-5, "the computation hides both messages: {expected}");
    for format in ["ti", "mtrace", "goal"] {
        assert!((seconds(&folder, &format!("same.{format}")) - expected).abs() < 1e-9, "{format}");
        let receives = seconds(&folder, &format!("receives.{format}"));
        assert!((receives - 60e-3).abs() < 1e-4, "{format}: {receives}");
    }
    // Parts keep it as far as the requests are in them, and SimGrid cannot know it.
    folder.run(&["trace", "cut", "same.ti", "--ranks", "0-1", "-o", "part.ti"]).success();
    assert!((seconds(&folder, "part.ti") - expected).abs() < 1e-9);
    folder.refuse(
        &["trace", "convert", "same.ti", "--for", "simgrid", "-o", "s.ti"],
        2,
        &["another request of a triple"],
    );
    assert!(folder.output(&["trace", "check", "same.ti"]).contains("no errors"));
}
