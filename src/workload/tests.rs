//! Tests of programs: what they record, and how they are refused.

use super::*;
use crate::trace::{self, Action, Datatype, Locate, Options, Trace, read_from, ti};
use crate::user_error::UserError;

/// Runs a program on a number of ranks.
pub(super) fn run(text: &str, ranks: u32) -> Result<Trace, WorkloadError> {
    Program::parse("mine.star", text.to_owned(), None, false)?.instantiate(ranks, &[], &Limits::default())?.trace()
}

/// Returns the trace of a program of two ranks whose `main` has this body.
pub(super) fn recorded(body: &str) -> Trace {
    run(&format!("def main(rank, size, params):\n    {body}\n"), 2).unwrap()
}

/// Returns message and help of the error of a program of two ranks.
pub(super) fn refused(text: &str) -> String {
    let error = run(text, 2).unwrap_err();
    format!("{error}\n help: {}", error.help())
}

/// Like [`refused`], of a program whose `main` has this body.
pub(super) fn refused_body(body: &str) -> String {
    refused(&format!("def main(rank, size, params):\n    {body}\n"))
}

/// Returns the actions of rank 0 as text, without `init` and `finalize`.
pub(super) fn actions(trace: &Trace) -> Vec<String> {
    let all = trace.actions[0].iter().filter(|action| !matches!(action, Action::Init | Action::Finalize));
    all.map(|action| ti::text(trace, &action)).collect()
}

#[test]
fn counts_are_those_that_readers_accept() {
    let most = "2147483647";
    for (call, name) in [
        ("send(1, N)", "count"),
        ("recv(0, N)", "count"),
        ("sendrecv(1, 1, 1, N)", "recv_count"),
        ("put(1, N)", "count"),
        ("bcast(N)", "count"),
        ("alltoall(1, N)", "recv_count"),
    ] {
        recorded(&call.replace('N', most));
        let said = refused_body(&call.replace('N', "2147483648"));
        let expected = format!("mine.star:2:5: `{name}` is 2147483648, and must be at most {most}, the largest count");
        assert!(said.contains(&expected) && said.contains("help: count elements of a larger"), "{said}");
    }
    let said = refused_body("scatterv([1, 99999999999999999999], 1)");
    assert!(said.contains("`counts` has 99999999999999999999, and must be at most 2147483647"), "{said}");
    assert!(refused_body("send(1, -1)").contains("`count` is -1, and must be 0 or more"));
    assert!(refused_body("send(-5000000000, 1)").contains("is -5000000000, and must be -2147483648 or more"));
}

#[test]
fn counts_of_partners_may_have_any_sum() {
    let written = recorded("alltoallv([2000000000, 2000000000], [2000000000, 2000000000], BYTE)");
    let mut text = Vec::new();
    trace::write(&written, trace::writer_for("t.ti".as_ref()), &mut text).unwrap();
    assert_eq!(read_from(&text[..], "t.ti", &Options::default()).unwrap().actions[0].len(), 3);
}

/// Returns message and help of the error of a program whose `legal` has this body.
pub(super) fn illegal(body: &str, ranks: u32) -> String {
    let error =
        run(&format!("def legal(size, params):\n    {body}\n\ndef main(rank, size, params):\n    pass\n"), ranks);
    let error = error.unwrap_err();
    format!("{error}\n help: {}", error.help())
}

#[test]
fn a_number_of_ranks_is_refused_with_the_reason_of_the_program() {
    let text = "`mine.star` does not run on 7 ranks: need multiple of 4\n help: the nearest valid numbers of ranks are 4 and 8";
    assert_eq!(illegal("return True if size % 4 == 0 else \"need multiple of 4\"", 7), text);
    let text = "`mine.star` does not run on 1 rank\n help: the nearest valid number of ranks is 6";
    assert_eq!(illegal("return size > 5", 1), text);
    let text = "`mine.star` does not run on 0 ranks\n help: the nearest valid number of ranks is 6";
    assert_eq!(illegal("return size > 5", 0), text);
    assert!(
        run(
            "RANKS = \"two\"\ndef legal(size, params):\n    return False\ndef main(rank, size, params):\n    pass\n",
            3
        )
        .unwrap_err()
        .to_string()
        .ends_with("does not run on 3 ranks: it takes two")
    );
}

#[test]
fn legal_has_to_answer() {
    let said = illegal("size > 3", 4);
    assert!(
        said.starts_with("mine.star:2:5: legal(size, params) returned nothing (None): it must return True, False"),
        "{said}"
    );
    assert!(illegal("return 7", 4).contains("returned int: it must"));
}

/// Returns a program of four calls of `repeat` of a function with this body, after another statement.
fn repeating(before: &str, body: &str) -> String {
    format!(
        "def main(rank, size, params):\n    {before}\n    def step():\n        {body}\n    repeat(4, step)\n    waitall()\n"
    )
}

#[test]
fn repetitions_begin_with_the_same_open_requests() {
    for body in ["allreduce(1, blocks = False)", "isend(1 - rank, 10)"] {
        let said = refused(&repeating("pass", body));
        assert!(said.starts_with("mine.star:5:5: the function of `repeat` leaves 1 request without a wait"), "{said}");
    }
    let said = refused(&repeating("r = allreduce(1, blocks = False)", "wait(r)"));
    assert!(
        said.contains("`repeat` waits for a request from before it, which 4 calls cannot repeat: wait after"),
        "{said}"
    );
    assert!(refused(&repeating("isend(1 - rank, 10)", "waitall()")).contains("waits for a request from before it"));
    // Each repetition ends as it began: a receive that is posted one iteration ahead.
    let ahead = "wait(r.pop())\n        r.append(irecv(1 - rank, 10))";
    let trace = run(&repeating("r = [irecv(1 - rank, 10)]", ahead), 2).unwrap();
    assert_eq!(trace.actions[0].len(), 2 + 1 + 2 * 4 + 1);
    run(&repeating("r = [allreduce(1, blocks = False)]", "wait(allreduce(2, blocks = False))"), 2).unwrap();
    // A single call is not repeated.
    run(&repeating("pass", "isend(1 - rank, 10)").replace("repeat(4", "repeat(1"), 2).unwrap();
}

#[test]
fn errors_say_what_to_write() {
    for (body, message, help) in [
        ("send(1, 1000 / 4)", "`count` is of type float, 250.0, and must be a whole number", "`//` divides"),
        (
            "send(1, 1, datatype = \"FLOAT\")",
            "`datatype` is of type string, \"FLOAT\", and must be a datatype",
            "write the",
        ),
        ("alltoallv([1.5, 2], [1, 2])", "`send_counts` is of type list, [1.5, 2], and must be a list", "`//` divides"),
        ("waitall([None])", "`requests` is of type list, [None], and must be a list of whole", "`//` divides"),
        ("compute(\"x\")", "`flops` is of type string, \"x\", and must be a number\n", "docs/guide/workloads.md"),
        (
            "send(1, 4, dataype = FLOAT)",
            "send has no named argument `dataype` (did you mean `datatype`?)",
            "docs/guide",
        ),
        ("bcast(1, rot = 1)", "bcast has no named argument `rot` (did you mean `root`?)", "docs/guide"),
        ("print(rank)", "there is no `print`: a program only describes calls", "fail(\"text\", value) ends"),
        ("repeat(1 << 27, barrier)", "a rank has more than 67108864 actions", "record fewer iterations"),
    ] {
        let said = refused_body(body);
        assert!(said.starts_with(&format!("mine.star:2:5: {message}")), "{said}");
        assert!(said.contains(&format!("\n help: {help}")), "{said}");
    }
    for nested in ["partial(x, 1)", "partial(f, [x])", "partial(f, *[x])", "partial(f, a = (x,))"] {
        let said =
            refused_body(&format!("f = lambda l: len(l)\n    x = partial(f, [1])\n    compute(x())\n    y = {nested}"));
        assert!(said.starts_with("mine.star:5:9: a partial of a partial"), "{said}");
    }
    for change in ["X.append(2)", "X[0] = 2", "Y[\"a\"] = 1"] {
        let said = refused(&format!("X = [1]\nY = {{}}\ndef main(rank, size, params):\n    {change}\n"));
        assert!(said.starts_with("mine.star:4:5: this value cannot change: it is frozen"), "{said}");
        assert!(said.contains("help: make the value in `main`"), "{said}");
    }
    let program = Program::parse(
        "mine.star",
        "PARAMETERS = [parameter(\"flops\", default = 1.0), parameter(\"n\", default = 1, help = \"rows\", min = 1)]\n\
         def main(rank, size, params):\n    pass\n"
            .to_owned(),
        None,
        false,
    )
    .unwrap();
    let wrong = |name: &str, value: &str| {
        let error = program.instantiate(1, &[(name.to_owned(), value.to_owned())], &Limits::default()).unwrap_err();
        (error.to_string(), error.help())
    };
    let expected = ("flops = 1G: it must be a finite number, such as 1e9", "flops is of type float");
    assert_eq!(wrong("flops", "1G"), (expected.0.to_owned(), expected.1.to_owned()));
    let expected = ("n = 3.5: it must be a whole number", "n is of type int (1 or more): rows");
    assert_eq!(wrong("n", "3.5"), (expected.0.to_owned(), expected.1.to_owned()));
}

#[test]
fn messages_to_no_rank_do_nothing() {
    let nothing = "send(-1, 9)\n    recv(PROC_NULL, 9)\n    sendrecv(-1, 9, -1)\n    probe(-1)\n    wait(isend(-1, 9))\n    \
                   waitall([irecv(-1, 9), isend(PROC_NULL, 9, tag = 3)])";
    assert_eq!(actions(&recorded(nothing)), ["waitall"]);
    // Of a list, only the others are waited for.
    let some = "a = irecv(1, 9, tag = 2)\n    b = irecv(1, 9, tag = 3)\n    waitall([isend(-1, 9), a])\n    wait(b)";
    assert_eq!(actions(&recorded(some)), ["irecv 1 2 9 0", "irecv 1 3 9 0", "wait 1 0 2", "wait 1 0 3"]);
    assert_eq!(actions(&recorded("sendrecv(1, 5, -1)")), ["isend 1 0 5 0", "wait 0 1 0"]);
    assert_eq!(actions(&recorded("sendrecv(-1, 5, 1, 6)")), ["recv 1 0 6 0"]);
    assert!(refused_body("send(-2, 1)").contains("there is no rank -2"));
    // Such a request is waited for once.
    assert!(refused_body("r = isend(-1, 1)\n    wait(r)\n    wait(r)").contains("no such request"));
    // Ranks at the edge of a grid have other requests, and the same repetitions.
    run(&repeating("pass", "wait(isend(rank - 1, 10))\n        wait(irecv(rank + 1 if rank == 0 else -1, 10))"), 2)
        .unwrap();
}

#[test]
fn combined_calls_may_have_a_tag() {
    assert_eq!(actions(&recorded("sendrecv(1, 5, 1)")), ["sendRecv 5 1 5 1 0 0"]);
    assert_eq!(actions(&recorded("sendrecv(1, 5, 1, 6, tag = 4)")), ["isend 1 4 5 0", "recv 1 4 6 0", "wait 0 1 4"]);
}

#[test]
fn datatypes_have_the_sizes_of_their_names() {
    for (name, size) in [("FLOAT16", 2), ("BFLOAT16", 2), ("UINT8", 1), ("LONG_DOUBLE", 16), ("FLOAT_INT", 8)] {
        let trace = recorded(&format!("send(1, 1, {name})"));
        let sent = trace.actions[0].iter().find_map(|action| match action {
            Action::Send { datatype, .. } => Some(datatype),
            _ => None,
        });
        assert_eq!(sent.map(Datatype::size), Some(size), "{name}");
    }
}

#[test]
fn actions_have_the_lines_of_their_calls() {
    let text = "def main(rank, size, params):\n    barrier()\n    def inner():\n        compute(1)\n        send(1 - rank, 1)\n    \
                def outer():\n        repeat(3, inner)\n        if rank == 1:\n            bcast(1)\n    repeat(2, outer)\n    \
                waitall()\n";
    let file = tempfile::NamedTempFile::with_suffix(".star").unwrap();
    std::fs::write(file.path(), text).unwrap();
    let program = GeneratedBy::new(file.path().to_str().unwrap(), 2, &[], &Limits::default());
    let lines = |rank: usize, number: usize| -> Vec<Option<u64>> {
        (0..number).map(|action| Some(program.locate(rank, action)?.line)).collect()
    };
    let [inner, last] = [[Some(4), Some(5)].repeat(3), vec![Some(11), None, None]];
    let rank_0 = [&[None, Some(2)], &inner[..], &inner, &last].concat();
    assert_eq!(lines(0, rank_0.len()), rank_0);
    let rank_1 = [&[None, Some(2)], &inner[..], &[Some(9)], &inner, &[Some(9)], &last].concat();
    assert_eq!(lines(1, rank_1.len()), rank_1);
    let place = program.locate(0, 3).unwrap();
    assert_eq!((place.file.as_path(), place.text.as_str()), (file.path(), "send(1 - rank, 1)"));
    // A built-in program, and one that is gone.
    let builtin = GeneratedBy::new("npb/ep", 2, &[("class".to_owned(), "S".to_owned())], &Limits::default());
    assert!(builtin.locate(0, 1).unwrap().file.ends_with("ep.star"));
    assert!(GeneratedBy::new("gone.star", 2, &[], &Limits::default()).locate(0, 1).is_none());
}

#[test]
fn bytes_are_not_in_the_language() {
    for body in ["x = b\"a\"", "x = bytes(\"a\")", "x = [len(b\"a\") for i in range(3)]"] {
        let said = refused_body(body);
        assert!(said.starts_with("mine.star:2:") && said.contains("`bytes` are not in the language"), "{said}");
    }
}

#[test]
fn operators_that_count_work_keep_their_meaning() {
    let body = "d = {1: 2} | {3: 4}\n    d |= {5: 6}\n    n = 5 | 2\n    n |= 8\n    s = \"ab\" + \"cd\"\n    \
        yes = 3 in d and 4 not in d and \"bc\" in s and 2 in (1, 2) and 7 not in range(7)\n    \
        compute(1.0 * n + 100 * len(d) + (1000 if yes else 0))";
    assert_eq!(actions(&recorded(body)), ["compute 1315"]);
}

#[test]
fn checks_keep_the_meaning_of_a_program() {
    let text = r#"
TABLE = {"a b": 1, ("c", 2): 2, -3: 3}  # a comment with ) and (

def named(*all, **by_name):
    return [len(all), by_name.get("x", 0)]

def typed(n, many = []):
    return n + len(many)

def main(rank, size, params):
    s = ( "one" + " two" ) . split( )
    s += (["three", "four"][0 :
        1])
    t = ()
    t += (1, 2)
    t += (3,)
    t += ((4), (5))
    d = dict([("k", 1), [(1, (2)), 2]], m = 3)
    d[("a", (rank))] = d["k"]
    d[(1, (2))] += (d)[("k")]
    d |= {"n": (9)}
    (d)["p"], [s[0], s[-1]] = (1, ["x", "y (z"])
    f = struct(count = 5, index = named)
    n = f.count + f.index(*s[1:], **{"y": 1, "x": (7)})[1] + (f).index((1), x = (2))[1]
    n += len({(k): v for (k), v in d.items() if (k) != "m" and not k == (1, 2)})
    n += [i for i in range(3) for j in [i, (i)][(0):] if (j) in (0, 1)][-1]
    n += (lambda x, y = [1, 2][1]: (x + y))(1) + max(1, 2, key = lambda q: -q) + min([4, 3])
    n += (s if n > 3 else t).index("y (z"[0:]) + sorted((3, 1, 2), reverse = True)[0] + reversed([1, 2])[0]
    n += enumerate(["a"], 4)[0][0] + typed(1, many = [1, 2]) + (1 if all([1, (2)]) and any((0, 1)) else 0)
    n += "a\"b)c".find(")") + 'x\'('.count("(") + """(
""".find("\n") + r"\(".find("(")  # ((
    n += TABLE["a b"] + TABLE[("c", 2)] + TABLE[-3] + list("ab".elems()).pop(0).find("a") + "%d" .count("d")
    n += named([1], len([2]), max([3], key = lambda v: len([v])))[0] + (named) ([4], x = len([5]))[1]
    n += "a,b,c".split(",", len([1]))[1].find("c")
    e = [1, 2]
    n += e.pop(len(e) - 1) + e.index(len(e))
    n += int("0x1F", 16) + int("-0b11", 0) + int("+7") + int("zz", 36)
    n += 1 if "x" <= "y" and [1, 2] < [1, 3] and (1, 2) != [1, 2] and d == dict(d) and 1 >= 1.0 and 2 > 1 else 0
    compute(n + len(t) * 1000)
"#;
    // Checks are in programs of users only.
    let program = |trusted| Program::parse("mine", text.to_owned(), None, trusted).unwrap();
    let said = |trusted| actions(&program(trusted).instantiate(1, &[], &Limits::default()).unwrap().trace().unwrap());
    assert_eq!(said(false), said(true));
    assert_eq!(said(false), ["compute 6393"]);
}

#[test]
fn functions_of_a_structure_may_have_the_names_of_methods() {
    let body = "d = {}\n    d.update(a = size)\n    d.update([(1, 2)], b = size)\n    x = d.get(\"z\", [0] * 2000)\n    \
                x = d.setdefault(\"k\", list(range(2000)))\n    x = d.pop(\"zz\", x)\n    \
                ops = struct(update = lambda n: n, get = len, index = lambda a: a)\n    \
                n = ops.update(5) + ops.get([1] * 2000) + ops.index(a = 3)\n    \
                for i in range(60000):\n        x.extend([i])\n        d.update({i: i})\n    \
                a = 2\n    n += len(\"abcd\"[a:3:1]) * 10000\n    compute(n + len(d))";
    let said = actions(&recorded(body));
    assert_eq!(said, ["compute 72011"]);
}

#[test]
fn values_without_an_order_are_told() {
    let said = refused_body("y = sorted([(i * 7919) % 101 if i % 3 else \"a\" for i in range(200)])");
    assert!(said.starts_with("mine.star:2:"), "{said}");
    let body = "x = [(i * 37 % 101, i) for i in range(101)] * 2\n    y = sorted(x)\n    z = sorted(x, reverse = True)\n    \
                k = sorted(range(10), key = lambda i: i % 3)\n    \
                yes = [a for a, b in y] == [i // 2 for i in range(202)] and z == reversed(y)\n    \
                compute(1.0 if yes and k == [0, 3, 6, 9, 1, 4, 7, 2, 5, 8] else 2.0)";
    assert_eq!(actions(&recorded(body)), ["compute 1"]);
}

#[test]
fn columns_are_those_of_the_file() {
    for (body, column) in [
        ("x = [1, 2][0:1].index(5)", 9),
        ("x = [1]; y = (x[0:]).pop(0); z = x[7]", 38),
        ("x = {}; y = x.get((1, 2)); z = x[(1, 2)]", 36),
        ("x = \"a\"; x += \"b\".upper(); send(7, 1)", 32),
    ] {
        let said = refused_body(body);
        assert!(said.starts_with(&format!("mine.star:2:{column}: ")), "{body}: {said}");
        assert!(!said.contains("__mopsim_") && !said.contains("in key"), "{said}");
    }
    let said = refused("def main(rank, size, params):\n    __mopsim_size = 1\n");
    assert!(said.starts_with("mine.star:2:1: `__mopsim_` is for mopsim itself"), "{said}");
    let many = vec!["1"; 300].join(", ");
    assert!(refused_body(&format!("x = ({many})")).contains("300 arguments of a call, or elements of a tuple"));
    let said = refused_body("f = [1].append\n    f(2)");
    assert!(said.starts_with("mine.star:2:9: a method without a call"), "{said}");
}
