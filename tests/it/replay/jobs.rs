//! Several jobs in one replay: by hand, against each job alone, and against SimGrid's programs for several traces.

use crate::support::cli::{Folder, assert_80_columns, number};
use crate::support::relative_difference;
use crate::support::star::{model, star};
use mopsim::engine::{Repeats, Span, replay, replay_jobs};
use mopsim::ids::HostId;
use mopsim::mpi::collective::select::Table;
use mopsim::mpi::rank_map::RankMap;
use mopsim::trace::transform::merge;
use mopsim::trace::{Options, Trace, read_from};
use serde_json::Value;

/// All kinds of actions that name ranks, communicators or tables.
const EVERYTHING: &str = "0 init\n1 init\n2 init\n3 init\n\
    0 communicator 1 3 0\n3 communicator 1 3 0\n\
    0 compute 1e5\n1 compute 3e5\n\
    0 allreduce 4000 1e4 6\n1 allreduce 4000 1e4 6\n2 allreduce 4000 1e4 6\n3 allreduce 4000 1e4 6\n\
    0 on 1 bcast 70000 1 6\n3 on 1 bcast 70000 1 6\n0 on 1 ibcast 9 500 0 6\n3 on 1 ibcast 9 500 0 6\n0 wait_request 9\n3 wait_request 9\n0 put 2 5000 6\n0 flush 2\n\
    0 alltoallv 60 10 20 30 0 60 10 20 30 0 6 6\n1 alltoallv 60 10 20 30 0 60 10 20 30 0 6 6\n\
    2 alltoallv 60 10 20 30 0 60 10 20 30 0 6 6\n3 alltoallv 60 10 20 30 0 60 10 20 30 0 6 6\n\
    1 isend 2 5 90000 6\n2 irecv 1 5 90000 6\n1 wait 1 2 5\n2 waitall\n\
    0 sendRecv 500 1 500 3 6 6\n1 sendRecv 500 2 500 0 6 6\n2 sendRecv 500 3 500 1 6 6\n3 sendRecv 500 0 500 2 6 6\n\
    0 barrier\n1 barrier\n2 barrier\n3 barrier\n";

fn trace(text: &str) -> Trace {
    read_from(text.as_bytes(), "t", &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn on(hosts: impl IntoIterator<Item = u32>) -> RankMap {
    RankMap::new(hosts.into_iter().map(HostId).collect())
}

#[test]
fn a_job_among_others_does_what_it_does_alone() {
    // Links of a star are those of its hosts, so jobs on other hosts change nothing, to the last bit.
    let (platform, trace) = (star(9), trace(EVERYTHING));
    for table in [Table::Default, Table::Mvapich2, Table::Ompi, Table::Mpich] {
        let model = model(table);
        let alone = replay(&trace, &platform, &on([4, 5, 6, 6]), &model, &mut ()).expect("ends");
        let merged = merge(&[&trace, &trace]).expect("fits");
        assert_eq!((merged.ranks(), merged.total_actions()), (8, 2 * trace.total_actions()));
        let both = replay(&merged, &platform, &on([0, 1, 2, 2, 4, 5, 6, 6]), &model, &mut ()).expect("ends");
        assert_eq!(both.simulated_seconds, alone.simulated_seconds);
        for (rank, times) in both.ranks.iter().enumerate() {
            assert_eq!(*times, alone.ranks[rank % 4], "rank {rank}");
        }
        assert_eq!((both.messages, both.bytes), (2 * alone.messages, 2 * alone.bytes));
    }
}

#[test]
fn neighbours_on_a_link_cost_what_they_take_of_it() {
    // Each job sends 1 MB from host 0 to a host of its own: 1 ms alone. The second begins half-way through the first.
    // Together they have half of the link each: the first needs 1 ms for its second half; the second then has half
    // left, which takes 0.5 ms alone. So both take 1.5 ms.
    let folder =
        Folder::with_trace("0 init\n1 init\n0 send 1 0 1000000 6\n1 recv 0 0 1000000 6\n0 finalize\n1 finalize\n")
            .pinned();
    let run_with = |job: &str, sharing: &str| {
        folder.json(&[
            "replay",
            "-q",
            "--sharing",
            sharing,
            "--job",
            "t.ti,hosts=0+1,name=first",
            "--job",
            job,
            "--topology",
            "ring:3",
            "--cores",
            "2",
            "--host-link-bandwidth",
            "1 GB/s",
            "--link-bandwidth",
            "8 GB/s",
            "--link-latency",
            "0",
            "--model",
            "ideal",
        ])
    };
    let run = |job: &str| run_with(job, "exact");
    let seconds = |job: &Value, member: &str, expected: f64| {
        assert!((number(job, member) - expected).abs() < 1e-9, "{member} of {job}");
    };
    let report = run("t.ti,hosts=0+2,name=second,start=0.5 ms");
    for (job, other) in report["jobs"].as_array().expect("jobs").iter().zip(["second", "first"]) {
        seconds(job, "alone_seconds", 1e-3);
        seconds(job, "together_seconds", 1.5e-3);
        seconds(job, "aggressor_costs_seconds", 0.5e-3);
        assert!((number(job, "slowdown") - 1.5).abs() < 1e-6);
        assert_eq!(job["aggressor"], other);
    }
    assert!((number(&report, "simulated_seconds") - 2e-3).abs() < 1e-9);
    // A repeating job takes half of the link all the time, ends with the other, and leaves no message behind.
    let report = run("t.ti,hosts=0+2,name=second,repeat");
    let jobs = report["jobs"].as_array().expect("jobs");
    seconds(&jobs[0], "together_seconds", 2e-3);
    assert!((number(&report, "simulated_seconds") - 2e-3).abs() < 1e-9);
    assert!(jobs[1]["together_seconds"].is_null() && jobs[1]["repeats"] == true);
    // The times of a rank that is cut off also add up.
    let split = |name: &str| number(&report["time_split"][name], "mean");
    let sum = split("compute") + split("communication") + split("waiting");
    assert!((sum - 2e-3).abs() < 1e-12 && report["busiest_links"][0]["utilisation"] == 1.0, "{report}");
    // Of a message in transit at the end, only the bytes that have been carried count: 1 of 100 MB. The links to both
    // receivers have carried half of what they could.
    folder.write("long.ti", "0 send 1 0 100000000 6\n1 recv 0 0 100000000 6\n");
    for sharing in ["exact", "within:1%", "simgrid-full", "simgrid-lazy"] {
        let report = run_with("long.ti,hosts=0+2,name=second,repeat", sharing);
        let links = report["busiest_links"].as_array().expect("links");
        let mut loads: Vec<f64> =
            links.iter().map(|link| number(link, "utilisation")).filter(|&load| load > 0.0).collect();
        loads.sort_by(f64::total_cmp);
        assert!(
            loads
                .iter()
                .zip([1.0 / 16.0, 1.0 / 16.0, 0.5, 0.5, 1.0])
                .all(|(load, expected)| (load - expected).abs() < 1e-3),
            "{loads:?}"
        );
        assert_eq!(loads.len(), 5, "{report}");
        // Ranks of the job that is cut off transfer all the time; the first job's wait for nothing either.
        assert!(number(&report["time_split"]["waiting"], "max") < 1e-9, "{report}");
    }
    // A job that starts when the other has ended costs nothing.
    let report = run("t.ti,hosts=0+2,name=second,start=1 s");
    assert!(report["jobs"][0]["aggressor"].is_null(), "{report}");
}

#[test]
fn only_jobs_that_never_repeat_are_waited_for() {
    let (platform, model) = (star(4), model(Table::Default));
    let merged = merge(&[&trace("0 compute 3e6\n"), &trace("0 compute 1e6\n1 compute 2e6\n"), &trace("0 init\n")]);
    let merged = merged.expect("fits");
    let span = |ranks, start, repeats| Span { ranks, start, repeats };
    for (repeats, ends) in [(Repeats::Together, [3e-3, 2e-3]), (Repeats::EachRank, [3e-3, 2e-3])] {
        // The last job takes no time, and so cannot repeat; it does not keep others from ending.
        let spans = [span(1, 1e-3, Repeats::Never), span(2, 0.0, repeats), span(1, 0.0, repeats)];
        let outcome = replay_jobs(&merged, &spans, &platform, &on(0..4), &model, &mut ()).expect("ends");
        assert_eq!(outcome.simulated_seconds, 1e-3 + 3e-3);
        let latest = [1, 2].map(|rank| outcome.ranks[rank].end);
        // Ranks of the second job end every 2 ms together, or every 1 ms and every 2 ms.
        assert!(latest.iter().zip(ends).all(|(&end, least)| end >= least - 1e-12 && end <= 4e-3 + 1e-12), "{latest:?}");
    }
}

/// The jobs of the golden numbers: computation, collectives and messages.
fn simgrid_folder() -> Folder {
    let folder = Folder::new().pinned();
    folder.write(
        "platform.xml",
        "<?xml version='1.0'?><platform version=\"4.1\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" \
         bw=\"125MBps\" lat=\"50us\" bb_bw=\"150MBps\" bb_lat=\"500us\"/></platform>",
    );
    for r in 0..3 {
        folder.write(
            &format!("a/{r}.ti"),
            format!(
                "{r} init\n{r} compute {}e8\n{r} alltoall 4000000 4000000 6 6\n{r} allreduce 1000000 2e7 6\n{r} barrier\n\
                 {r} finalize\n",
                r + 1
            ),
        );
        let (to, from) = ((r + 1) % 3, (r + 2) % 3);
        folder.write(
            &format!("b/{r}.ti"),
            format!(
                "{r} init\n{r} compute 5e7\n{r} bcast 30000000 0 6\n{r} send {to} 7 60000 6\n{r} recv {from} 7 60000 6\n\
                 {r} compute 2e8\n{r} gather 2000000 2000000 0 6 6\n{r} finalize\n"
            ),
        );
    }
    for job in ["a", "b"] {
        folder.write(&format!("{job}.list"), format!("{job}/0.ti\n{job}/1.ti\n{job}/2.ti\n"));
    }
    folder
}

/// Numbers of SimGrid 3.32: its examples `replay_multiple_manual` (3 processes of noise at the start, 2 between jobs; the
/// same without) and `replay_multiple`, compiled against its library.
#[test]
fn simgrid_agrees_on_both_deployments() {
    let folder = simgrid_folder();
    folder.write(
        "workload",
        "Remarks are lines like this\none a.list 3 0 0,1,2\ntwo b.list 3 0 1,2,3\n\nlate a.list 3 1 0,2,3\n",
    );
    folder.write("description", "first a.list 3 0\nsecond b.list 3 150000000\n");
    let run = |file: &str| {
        let flags =
            ["--platform", "platform.xml", "--compat", "simgrid", "--model", "lv08", "--collectives", "default"];
        folder.json(&[&["replay", "-q", "--jobs", file], &flags[..]].concat())
    };
    let report = run("workload");
    let ends = [("one", 0.611757430927835), ("two", 1.061516119587629), ("late", 1.525651208247423)];
    for (job, (name, end)) in report["jobs"].as_array().expect("jobs").iter().zip(ends) {
        let found = number(job, "start_seconds") + number(job, "together_seconds");
        assert!(job["job"] == name && relative_difference(found, end) < 1e-14, "{name}: {found} {end}");
    }
    let found = number(&run("description"), "simulated_seconds");
    assert!(relative_difference(found, 1.299535472164948) < 1e-14, "{found}");
}

#[test]
fn background_traffic_has_the_load_that_it_is_asked_for() {
    // 16 hosts, each with 40 % of a host link of 1 GB/s, for a second; the last round may be cut.
    let folder = Folder::with_trace("0 init\n0 sleep 1\n0 finalize\n").pinned();
    let report = folder.json(&[
        "replay",
        "-q",
        "t.ti",
        "--job",
        "traffic=uniform:exclude_self=true,load=0.4,message=100000",
        "--topology",
        "torus:4x4",
        "--host-link-bandwidth",
        "1 GB/s",
        "--link-bandwidth",
        "10 GB/s",
        "--model",
        "ideal",
    ]);
    let bytes = number(&report, "bytes");
    assert!((bytes / (16.0 * 0.4e9) - 1.0).abs() < 0.03, "{bytes}");
    assert_eq!((number(&report, "simulated_seconds"), number(&report["jobs"][0], "slowdown")), (1.0, 1.0));
}

#[test]
fn a_study_compares_jobs_with_the_baseline_and_does_not_depend_on_threads() {
    let folder = simgrid_folder();
    folder.write(
        "s.toml",
        "title = 'Mix'\nallocation = 'random'\nrepetitions = 2\n[[networks]]\ntopology = 'ring:8'\n[[networks]]\n\
         topology = 'full-mesh:8'\n[[workloads]]\ntrace = 'a.list'\n[[jobs]]\ntrace = 'a.list'\n[[jobs]]\ntrace = 'b.list'\n\
         start = '1 ms'\n[[jobs]]\ntraffic = 'uniform'\nload = 0.2\n",
    );
    let one = folder.output(&["compare", "-q", "s.toml", "--threads", "1"]);
    assert_eq!(one, folder.output(&["compare", "-q", "s.toml", "--threads", "3"]));
    assert_80_columns(&one);
    assert!(one.contains("Jobs of a.list + b.list + uniform") && one.contains("with one other job on B"), "{one}");
    let report = folder.json(&["compare", "-q", "s.toml", "--results", "r.jsonl"]);
    let cells = report["cells"].as_array().expect("cells");
    let of = |network: &str| {
        let is = |cell: &&Value| cell["topology"].as_str().is_some_and(|name| name.starts_with(network));
        cells.iter().find(|cell| is(cell) && !cell["jobs"].is_null()).expect("a cell of jobs")
    };
    let (ring, mesh) = (&of("ring")["jobs"], &of("full")["jobs"]);
    for job in 0..2 {
        let expected = number(&ring[job], "together_seconds") / number(&mesh[job], "together_seconds");
        assert_eq!((number(&mesh[job], "relative"), number(&ring[job], "relative")), (expected, 1.0));
        assert!(number(&ring[job], "slowdown") >= 1.0 && number(&mesh[job], "slowdown") >= 1.0);
        assert_eq!(ring[job]["slowdown_beside"].as_array().map(Vec::len), Some(3));
    }
    // The page has the tables; a timeline shows one application.
    folder.output(&["compare", "-q", "s.toml", "--html", "r.html"]);
    let page = folder.read("r.html");
    assert!(page.contains("<h3>Jobs of a.list + b.list + uniform, alone and together</h3>"));
    let cell = ["--html", "r.html", "--timeline-cell", "a.list + b.list + uniform@full_mesh:n=8"];
    folder.refuse(&[&["compare", "-q", "s.toml"], &cell[..]].concat(), 2, &["several jobs", "choose one application"]);
    // Stored results equal a new replay.
    let kept = folder.output(&["compare", "-q", "s.toml", "--results", "r.jsonl", "--resume"]);
    assert_eq!(kept, one);
}

#[test]
fn a_job_of_the_command_line_is_that_of_a_file() {
    let folder = simgrid_folder();
    folder.write(
        "jobs.toml",
        "[[jobs]]\ntrace = 'a.list'\n[[jobs]]\nworkload = 'npb/is'\nclass = 'S'\niterations = 2\nranks = 4\n\
         [[jobs]]\ntraffic = 'uniform'\nload = 0.2\nmessage = '64 KiB'\n",
    );
    let run =
        |jobs: &[&str]| folder.output(&[&["replay", "-q", "--format", "json", "--topology", "ring:8"], jobs].concat());
    let of_file = run(&["--jobs", "jobs.toml"]);
    let workload = "workload=npb/is,class=S,iterations=2,ranks=4";
    let of_flags =
        run(&["--job", "trace=a.list", "--job", workload, "--job", "traffic=uniform,load=20%,message=64KiB"]);
    assert_eq!(of_file, of_flags);
    assert!(of_file.contains("\"job\": \"is\"") || of_file.contains("is.S"), "{of_file}");
    let default = run(&["a.list", "--job", workload, "--job", "traffic=uniform,load=0.2"]);
    assert_eq!(default, of_file);
}

#[test]
fn mistakes_in_jobs_are_named() {
    let folder = simgrid_folder();
    let refuse = |arguments: &[&str], code: i32, parts: &[&str]| {
        folder.refuse(&[&["replay", "-q", "--topology", "ring:6"], arguments].concat(), code, parts);
    };
    refuse(
        &["a.list", "b.list", "a.list"],
        2,
        &["job `a.list (2)` has 3 ranks, and other jobs have all 6 hosts", "`hosts=0+1`", "add --share-hosts"],
    );
    refuse(
        &["a.list", "b.list", "a.list", "--share-hosts"],
        2,
        &["other jobs have all 6 hosts", "only jobs whose hosts are named share them", "`hosts=0+1+2`"],
    );
    refuse(
        &["a.list", "b.list", "--without", "5"],
        2,
        &[
            "job `b.list` has 3 ranks, and other jobs have 3 of 5 hosts; the other 2 have room for 2 (a switch failed with its hosts)",
        ],
    );
    let overlap = ["--job", "a.list,hosts=0+1+2", "--job", "b.list,hosts=2+3+4"];
    refuse(&overlap, 2, &["jobs `a.list` and `b.list` overlap: host `h2` has 2 ranks and 1 core", "--share-hosts"]);
    let shared = folder.json(&[&["replay", "-q", "--topology", "ring:6", "--share-hosts"], &overlap[..]].concat());
    assert!(number(&shared["jobs"][0], "slowdown") > 1.0);
    folder.json(&[&["replay", "-q", "--topology", "ring:6", "--cores", "2"], &overlap[..]].concat());
    refuse(&["a.list", "--job", "b.list,start=-1 s"], 2, &["start=`-1 s`", "it must be zero or more"]);
    refuse(&["a.list", "--job", "b.list,hosts=7"], 2, &["job `b.list`: there is no host number 7; there are 6"]);
    refuse(&["a.list", "--job", "b.list,start=1 s,start=2 s"], 2, &["start is there twice"]);
    refuse(&["a.list", "--job", "b.list,name="], 2, &["job `b.list`: name is empty"]);
    refuse(&["--job", "a.list,repeat"], 2, &["every job repeats"]);
    refuse(&["--job", "traffic=uniform,load=0.5"], 2, &["every job repeats"]);
    refuse(&["a.list", "--job", "traffic=uniform,load=1.5"], 2, &["load = 1.5 is not above 0 and at most 1"]);
    refuse(&["a.list", "--job", "traffic=unifrom,load=0.5"], 2, &["unifrom", "uniform"]);
    refuse(&["a.list", "--job", "traffic=uniform,load=0.5,start=1"], 2, &["it runs on all hosts, all the time"]);
    refuse(
        &["a.list", "--job", "b.list,colour=red"],
        2,
        &["there is no key `colour`; a job has name, trace, workload"],
    );
    refuse(&["a.list", "--job", "b.list,strat=1 s"], 2, &["there is no key `strat`; did you mean `start`?"]);
    refuse(&["a.list", "--job", "b.list,repaet"], 2, &["there is no key `repaet`; did you mean `repeat`?"]);
    refuse(&["a.list", "--job", "worklaod=npb/cg,ranks=4"], 2, &["`worklaod`; did you mean `workload`?"]);
    refuse(&["a.list", "--job", "traffic=uniform,laod=0.5"], 2, &["there is no key `laod`; did you mean `load`?"]);
    refuse(&["a.list", "--job", "workload=npb/cg,parameters=1"], 2, &["only a file of --jobs takes `parameters`"]);
    refuse(&["a.list", "--job", "workload=npb/cg,class=S"], 2, &["job `npb/cg`", "needs `ranks = N`"]);
    refuse(&["a.list", "--job", "workload=npb/cg,ranks=x"], 2, &["ranks=`x`: write a whole number, 0 or more"]);
    refuse(
        &["a.list", "--job", "traffic=uniform,load=0.5,message=1 KB"],
        2,
        &["message=`1 KB`", "there is no unit `KB`"],
    );
    refuse(
        &["a.list", "--job", "traffic=uniform,load=0.5,message=8 GB"],
        2,
        &["a message has at most 4294967295 bytes"],
    );
    refuse(&["a.list", "b.list", "--mapping", "block"], 2, &["--mapping goes with one trace", "allocation=RULE"]);
    refuse(&["a.list", "--allocation", "scattered"], 2, &["`scattered` is no allocation", "random-groups"]);
    refuse(&["a.list", "--job", "b.list,hostfile=none"], 3, &["job `b.list`", "none"]);
    // A job that cannot end is replayed alone first; otherwise a repeating one would run forever with it.
    folder.write("stuck.ti", "0 init\n0 recv 1 0 10 6\n1 init\n");
    refuse(&["stuck.ti", "--job", "a.list,repeat"], 1, &["job stuck on ring:n=6", "stuck.ti:2: blocked in recv"]);
    folder.write("jobs.toml", "[[jobs]]\ntrace = 'a.list'\nbegin = 5\n");
    refuse(&["--jobs", "jobs.toml"], 2, &["jobs.toml:3:1", "begin"]);
    for (job, parts) in [
        ("trace = 'none.ti'", &["jobs.toml:4:9: none.ti"][..]),
        ("trace = 'a.list'\nclass = 'S'", &["jobs.toml:3:1: job `a.list`: class, iterations and parameters"]),
        ("trace = 'a.list'\nallocation = 'x'", &["jobs.toml:5:14: `x` is no allocation"]),
        ("workload = 'npb/xx'\nranks = 4", &["jobs.toml:4:12: ", "npb/xx"]),
        ("traffic = 'uniform'\nload = 0.5\nmessage = '1 KB'", &["jobs.toml:6:11: `1 KB` is not a size"]),
        ("traffic = 'uniform'\nload = 1e308", &["jobs.toml:3:1: job `uniform`: load = 1e308 is not above 0"]),
    ] {
        folder.write("jobs.toml", format!("[[jobs]]\ntrace = 'a.list'\n[[jobs]]\n{job}\n"));
        refuse(&["--jobs", "jobs.toml"], if job.contains("none.ti") { 3 } else { 2 }, parts);
    }
    folder.write("jobs", "one a.list 3 0 0,1\n");
    refuse(&["--jobs", "jobs"], 2, &["jobs:1:1: 3 ranks, but 2 hosts"]);
    folder.write(
        "s.toml",
        "title = 't'\n[[networks]]\ntopology = 'ring:4'\n[[jobs]]\ntrace = 'a.list'\n[[jobs]]\ntrace = 'a.list'\n",
    );
    folder.refuse(&["compare", "-q", "s.toml"], 2, &["s.toml:4:", "two jobs are called `a.list`"]);
}
