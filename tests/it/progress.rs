//! Long work counts its steps: by its end all that were expected are done, and there were some before.

use mopsim::steps::Steps;
use mopsim::survey::{Effort, Survey, SurveyOptions};
use mopsim::throughput::bounds::Wanted;
use mopsim::throughput::{Network, Speeds, ThroughputOptions, evaluate};
use mopsim::trace::{self, compact::Compact};
use std::path::{Path, PathBuf};

fn counted(steps: &Steps, what: &str) -> u64 {
    let (done, expected) = steps.now();
    assert_eq!(done, expected, "{what}");
    assert!(done > 0, "{what}: nothing is counted");
    done
}

fn traces() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("traces");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "zst"));
    files.sort();
    files
}

#[test]
fn reading_counts_bytes_of_files_and_writing_counts_actions() {
    let folder = tempfile::tempdir().unwrap();
    for file in traces() {
        let options = trace::Options::default();
        let read = trace::read(&file, &options).unwrap();
        let what = file.display().to_string();
        assert_eq!(counted(&options.steps, &what), file.metadata().unwrap().len(), "{what}");
        let steps = Steps::default();
        trace::write_watched(&read, &Compact, &mut std::io::sink(), &steps).unwrap();
        assert_eq!(counted(&steps, &what), read.total_actions(), "{what}");
    }
    // A list of two files, the second of which is longer.
    let lines = |rank: usize, sends: usize| {
        let one = format!("{rank} {} {} 0 8\n", if rank == 0 { "send" } else { "recv" }, 1 - rank);
        format!("{rank} init\n{}{rank} compute {}\n{rank} finalize\n", one.repeat(sends), "9".repeat(100 * rank + 1))
    };
    for rank in 0..2 {
        std::fs::write(folder.path().join(format!("{rank}.txt")), lines(rank, 100)).unwrap();
    }
    let list = folder.path().join("list");
    std::fs::write(&list, "0.txt\n1.txt\n").unwrap();
    let options = trace::Options::default();
    trace::read(&list, &options).unwrap();
    let sizes = [&list, &folder.path().join("0.txt"), &folder.path().join("1.txt")];
    let all: u64 = sizes.iter().map(|file| file.metadata().unwrap().len()).sum();
    assert_eq!(counted(&options.steps, "a list"), all);
}

#[test]
fn measuring_a_topology_counts_searches() {
    for (spec, samples) in
        [("random:n=2000,d=4,seed=1", None), ("star:n=3000", None), ("random:n=2000,d=4,seed=1", Some(50))]
    {
        let topology = mopsim::topology::build(spec).unwrap();
        let options = SurveyOptions {
            effort: Effort::Full,
            aspl_samples: samples,
            bisection_seeds: Some(0),
            ..Default::default()
        };
        Survey::of(&topology, &options).unwrap();
        // From every switch, or every drawn one, for distances, and twice for latencies.
        let switches = topology.graph.switches() as u64;
        let searches = samples.map_or(switches, |samples| samples as u64) + 2 * switches;
        assert_eq!(counted(&options.steps, spec), searches, "{spec}");
    }
}

#[test]
fn throughput_counts_classes_and_rounds() {
    for routing in ["bfs", "split"] {
        let topology = mopsim::topology::build("random:n=40,d=4,seed=3").unwrap();
        let network = Network::new(topology, None, None, Speeds::default(), &Default::default()).unwrap();
        let options = ThroughputOptions { bound: Wanted::Flow, gap: 0.05, ..ThroughputOptions::default() };
        evaluate(&network, "uniform", &[routing.to_owned()], &options).unwrap();
        assert!(counted(&options.steps, routing) > 600);
    }
}
