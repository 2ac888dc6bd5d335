//! Programs that would take much time or memory: each ends within its limits, with its line.

use super::limits::Limits;
use super::program::Program;
use super::tests::{illegal, refused, refused_body, run};

/// Like [`refused_body`], with few steps and little memory.
fn refused_within(steps: u64, memory: usize, lines: &[&str]) -> String {
    let text = format!("def main(rank, size, params):\n    {}\n", lines.join("\n    "));
    let program = Program::parse("mine.star", text, None, false).unwrap();
    let limits = Limits { steps, memory, ..Limits::default() };
    program.instantiate(1, &[], &limits).unwrap().trace().unwrap_err().to_string()
}

#[test]
fn walks_of_the_library_count_as_steps() {
    for (value, body) in [
        ("list(range(100000))", "y = -1 in x"),
        ("list(range(100000))", "y = -1 not in x"),
        ("\"a\" * 60000", "y = \"b\" in x"),
        ("list(range(100000))", "y = len(x + x)"),
        ("[0] * 20000", "y = len(str(x))"),
        ("\"a\" * 60000", "y = x.find(\"b\")"),
        ("\"a\" * 60000", "y = (x).upper()"),
        ("list(range(100000))", "y = x.index(99999)"),
        ("list(range(100000))", "y = x == list(range(100000))"),
        ("list(range(100000))", "y = x < list(range(100000))"),
        ("list(range(100000))", "y = max(x)"),
        ("list(range(100000))", "y = sorted(x, key = lambda n: -n)"),
        ("list(range(100000))", "y = any([n for n in ()]) or all(x)"),
        ("list(range(100000))", "y = [x.pop(0), x.append(i)]"),
        ("list(range(100000))", "y = (lambda *all: 0)(*x)"),
        ("list(range(100000))", "y = x[1:]"),
        ("{n: n for n in range(20000)}", "y = x.values()"),
        ("{n: n for n in range(20000)}", "y = x | {}"),
        ("\"a\" * 60000", "y = len(\"%s\" % x)"),
        ("\"a\" * 60000", "y = {x: 1}"),
        ("\"a\" * 60000", "y = {}.get(x)"),
        ("\"a\" * 60000", "y = x in {1: 2}"),
        ("\"a\" * 60000", "y = hash(x)"),
        ("\"a\" * 60000", "y = x[::60000]"),
        ("\"0\" * 60000", "y = float(x)"),
        ("\"0\" * 60000", "y = int(x)"),
        ("list(range(100000))", "y = x[::100000]"),
        ("range(100000)", "y = [].extend(x)"),
        ("(\"a\" * 60000).elems()", "y = [].extend(x)"),
        ("[isend(0, 1) for i in range(50000)]", "repeat(2, lambda: None)"),
    ] {
        let lines = [&format!("x = {value}"), "for i in range(100000):", &format!("    {body}")];
        let said = refused_within(200_000, 512 << 20, &lines);
        assert!(said.starts_with("mine.star:4:") && said.contains("the program runs away"), "{body}: {said}");
        // The same place every time.
        assert_eq!(said, refused_within(200_000, 512 << 20, &lines), "{body}");
    }
}

#[test]
fn memory_is_asked_for_before_it_is_taken() {
    for (value, body) in [
        ("list(range(300000))", "y = x + x"),
        ("list(range(300000))", "y = x * 2"),
        ("list(range(300000))", "x += x"),
        ("range(1000000)", "y = zip(x, x)"),
    ] {
        let said = refused_within(200_000_000, 6 << 20, &[&format!("x = {value}"), body]);
        assert!(
            said.starts_with("mine.star:3:") && said.contains("the values of the program would take"),
            "{body}: {said}"
        );
    }
    let said = refused_within(200_000_000, 8 << 20, &["y = [[i] for i in range(1000000)]"]);
    assert!(said.starts_with("mine.star:2:") && said.contains("more memory than the limit"), "{said}");
    for (body, most) in [
        ("x = \"a\" * 60000\n    y = x + x", "65536 bytes"),
        ("x = \"a\" * 60000\n    x += x", "65536 bytes"),
        ("x = 1\n    y = \"ab\" * 60000", "65536 bytes"),
        ("x = [0] * 10000000\n    y = x + x", "16777216"),
    ] {
        let said = refused_body(body);
        assert!(said.starts_with("mine.star:3:") && said.contains(most), "{said}");
    }
    let literal = format!("x = 1\n    y = \"{}\"", "a".repeat(70_000));
    assert!(refused_body(&literal).starts_with("mine.star:3:9: a text of more than 65536 bytes"));
    assert!(refused_body("x = [\"a\"]\n    x[0] += \"b\"").starts_with("mine.star:3:13: `+=` adds a text only to"));
}

#[test]
fn texts_of_values_deep_inside_each_other_are_refused() {
    for (inside, written) in [
        ("[x]", "str(x)"),
        ("[x]", "repr(x)"),
        ("[x]", "\"%s\" % [x]"),
        ("(x,)", "str(x)"),
        ("{1: x}", "str(x)"),
        ("struct(a = x)", "str(x)"),
    ] {
        let text = format!(
            "def f(a):\n    pass\ndef main(rank, size, params):\n    x = []\n    for i in range(400000):\n        x = {inside}\n    \
             y = {written}\n"
        );
        let said = run(&text, 1).unwrap_err().to_string();
        let line = said.starts_with("mine.star:7:");
        assert!(line && said.contains("a text of more than 65536 bytes"), "{inside}, {written}: {said}");
    }
}

#[test]
fn values_that_hold_others_many_times_end_by_their_steps() {
    for body in [
        "send(x, 1)",
        "y = [3].index(x)",
        "f = isend; f(to = x, count = 1)",
        "repeat(1, send, x)",
        "y = (lambda: send)()(x)",
    ] {
        let said = refused_within(10_000_000, 512 << 20, &["x = [0]", "for i in range(60):", "    x = [x, x]", body]);
        assert!(
            said.starts_with("mine.star:5:") && said.contains("a value that holds others more than"),
            "{body}: {said}"
        );
    }
    let said = refused_within(
        10_000_000,
        512 << 20,
        &["x = [0]", "for i in range(60):", "    x = [x, x]", "y = {1: x}.pop(2)"],
    );
    assert!(said.starts_with("mine.star:5:") && said.contains("a value that holds others more than"), "{said}");
    for body in ["y = x == [x[0], x[0][:]]", "y = x[0] in [x[1][:]]", "y = max([x[0], x[0][:]])", "y = [x[:]].index(x)"]
    {
        let said = refused_within(1_000_000, 512 << 20, &["x = [0]", "for i in range(60):", "    x = [x, x]", body]);
        assert!(said.starts_with("mine.star:5:") && said.contains("the program runs away"), "{body}: {said}");
    }
    let keys = "t = (0,)\n    for i in range(60):\n        t = (t, t)\n    d = {}\n    ";
    for body in [
        "d[t] = 1",
        "d = {t: 1}",
        "d = {t: 1 for i in range(2)}",
        "y = d.get(t)",
        "y = t in d",
        "d.update([(t, 1)])",
        "d = dict([(t, 1)])",
        "y = d.setdefault((t), 1)",
    ] {
        let said = refused_body(&format!("{keys}{body}"));
        let message = if body == "d.update([(t, 1)])" {
            "a value that holds others more than"
        } else {
            "a key or an index of more than 1000 values"
        };
        assert!(said.starts_with("mine.star:6:") && said.contains(message), "{body}: {said}");
    }
    // Hashed on the stack, a level would take some hundred bytes of it.
    let deep = "t = ()\n    for i in range(1000000):\n        t = (t,)\n    ";
    for (body, message) in [
        ("y = {t: 1}", "nested more than 100 levels"),
        ("y = t == (t,)", "nested more than 1000 levels"),
        ("send(t, 1)", "nested more than 1000 levels"),
    ] {
        let said = refused_body(&format!("{deep}{body}"));
        assert!(said.starts_with("mine.star:5:") && said.contains(message), "{body}: {said}");
    }
}

#[test]
fn memory_is_counted_within_a_statement() {
    let entries: Vec<String> = (0..1000).map(|i| format!("{i}: x")).collect();
    let literal = format!("y = [{{{}}} for i in range(900)]", entries.join(", "));
    for (value, body) in [
        ("list(range(300000))", "y = [x[:] for i in range(900)]"),
        ("list(range(300000))", "y = [x.extend(x) for i in range(40)]"),
        ("list(range(300000))", "y = [list(x) for i in range(900)]"),
        ("list(range(300000))", "y = [sorted(x) for i in range(900)]"),
        ("list(range(300000))", "y = [(lambda *all: all)(*x) for i in range(900)]"),
        ("list(range(300000))", "y = sorted(range(900), key = lambda i: x[i:])"),
        ("\"a,\" * 30000", "y = [x.split(\",\") for i in range(900)]"),
        ("\"a\" * 60000", "y = [x + x[:1000] for i in range(900)]"),
        ("{i: i for i in range(100000)}", "y = [x.items() for i in range(900)]"),
        ("{i: i for i in range(100000)}", "y = [x | {} for i in range(900)]"),
        ("{i: i for i in range(100000)}", "y = [dict(x) for i in range(900)]"),
        ("0", &literal),
    ] {
        let said = refused_within(200_000_000, 8 << 20, &[&format!("x = {value}"), body]);
        assert!(said.starts_with("mine.star:3:") && said.contains("the values of the program"), "{body}: {said}");
    }
}

#[test]
fn what_a_file_declares_is_limited() {
    let main = "def main(rank, size, params):\n    pass\n";
    let shared = "x = struct(a = 1, b = 2)\nfor i in range(60):\n    x = struct(a = x, b = x)\n";
    assert!(run(&format!("\"\"\"Says what it is.\"\"\"\n{shared}{main}"), 1).is_ok());
    assert!(
        refused(&format!("s = \"a\" * 60000\nPARAMETERS = [s] * 900\n{main}"))
            .starts_with("mine.star:2:1: PARAMETERS has too much in it")
    );
    let keys = format!("T = \"a\" * 60000\nPARAMETERS = [{{T: {{T: 1}}}}] * 1990\n{main}");
    assert!(refused(&keys).starts_with("mine.star:2:1: PARAMETERS has too much in it"));
    let said = illegal(&format!("return \"{}\"", "a".repeat(60_000)), 3);
    assert!(said.len() < 3000 && said.contains("aaa ...\n"), "{}", said.len());
    let lists = format!("def communicators(size, params):\n    return [[0] * (1 << 20)] * (1 << 20)\n{main}");
    assert!(refused(&lists).contains("returned a value that holds others more than"));
    for chain in [" + x", ".a()", " and x", "[0]"] {
        let said = refused_body(&format!("x = size{}", chain.repeat(500)));
        assert!(
            said.starts_with("mine.star:2:") && said.contains("more than 400 operators or calls in a row"),
            "{said}"
        );
    }
    let names = ["d = {\"a\" * 60000: 1}", "y = [partial(len, **d) for i in range(300)]"];
    let said = refused_within(200_000_000, 8 << 20, &names);
    assert!(said.starts_with("mine.star:3:") && said.contains("the values of the program"), "{said}");
    let said = refused_body("y = partial(len, *range(300))");
    assert!(said.contains("300 arguments of a partial, of 255 at most"), "{said}");
    assert!(refused_body("y = \"a\".strip(\"b\" * 65)").contains("more than 64 characters to strip"));
}

#[test]
fn lists_of_counts_are_part_of_the_actions() {
    let body = "n = [0] * size\n    for i in range(4000):\n        n[0] = CHANGE\n        alltoallv(n, n)";
    let tried = |change: &str| {
        let text = format!("def main(rank, size, params):\n    {}\n", body.replace("CHANGE", change));
        let limits = Limits { actions: 60_000, ..Limits::default() };
        Program::parse("mine.star", text, None, false).unwrap().instantiate(8, &[], &limits).unwrap().trace()
    };
    assert_eq!(tried("1").unwrap().actions[7].len(), 4002);
    assert!(tried("i").unwrap_err().to_string().contains("more actions than are allowed"));
}

#[test]
fn arguments_are_checked_when_all_of_them_are_known() {
    let grow =
        "def grow(l):\n    x = [0]\n    for i in range(60):\n        x = [x, x]\n    l.append(x)\n    return 1\n";
    let enter = "def enter(d):\n    l = []\n    grow(l)\n    d[1] = l\n    return 2\n";
    for body in [
        "send(l, grow(l))",
        "send(count = l, to = grow(l))",
        "(send)  (\\\n        l, (grow(l)))",
        "y = \"a\".find(l, grow(l))",
        "y = struct(s = send).s(l, grow(l))",
        "l.remove(grow(l))",
        "y = l.index(grow(l))",
        "y = d.pop(enter(d))",
    ] {
        let text = format!("{grow}{enter}def main(rank, size, params):\n    l = []\n    d = {{}}\n    {body}\n");
        let said = refused(&text);
        assert!(said.starts_with("mine.star:15:") && said.contains("too large for a message"), "{body}: {said}");
    }
    let said = refused_body("l = [[1]]\n    y = l[0].index(len(l))");
    assert!(said.starts_with("mine.star:3:14: a call inside the arguments of `index`"), "{said}");
    let said = refused_body("x = [\"a\" * 65536] * 45000\n    x.index(0)");
    assert!(said.starts_with("mine.star:3:") && said.contains("too large for a message"), "{said}");
    let said = refused_body("l = [1]\n    y = \"ab\"[l:len(l)]");
    assert!(said.starts_with("mine.star:3:14: a bound of a slice that is a list"), "{said}");
    let grown = "def g(l, pairs):\n    l.extend(pairs)\n    return 1\ndef main(rank, size, params):\n    l, pairs = [], [(i, i) for i in range(90000)]\n    keep = []\n    for i in range(20):\n        l.clear()\n        d = {}\n        d.update(l, z = g(l, pairs))\n        keep.append(d)\n";
    let program = Program::parse("mine.star", grown.to_owned(), None, false).unwrap();
    let limits = Limits { memory: 48 << 20, ..Limits::default() };
    let said = program.instantiate(1, &[], &limits).unwrap().trace().unwrap_err().to_string();
    assert!(said.starts_with("mine.star:10:") && said.contains("the values of the program"), "{said}");
    let deep = "def dec(n):\n    return n - 1\ndef rec(a, n):\n    return n if n == 0 else rec([a], dec(n))\ndef main(rank, size, params):\n    compute(1.0 + rec([], 140))\n";
    assert!(run(deep, 1).is_ok());
    let said = refused("def main(rank, size, params):\n    (lambda a, b: fail(\"x\"))([1], len([2]))\n");
    assert!(said.contains("in a function, called at mine.star:2"), "{said}");
    // Places and calls are those of the file.
    let text = "def f(l, n):\n    return l[n]\n\ndef main(rank, size, params):\n    x = f([1], len([2])) if size > 9 else f([1], abs(7))\n";
    let said = refused(text);
    assert!(said.starts_with("mine.star:2:12:") && said.contains("in f, called at mine.star:5"), "{said}");
    assert!(!said.contains("__mopsim_"), "{said}");
}

#[test]
fn texts_in_lists_count_as_the_guide_says() {
    let text = "def main(rank, size, params):\n    names = [\"name %d of a computer\" % i for i in range(1000)]\n    \
                for i in range(1000):\n        y = names.index(names[999])\n";
    let program = Program::parse("mine.star", text.to_owned(), None, false).unwrap();
    let run = |steps| program.instantiate(1, &[], &Limits { steps, ..Limits::default() }).unwrap().trace();
    // Each call visits 1,000 names of 20 to 22 bytes, which count as three values each; two values are a step.
    assert!(run(1_600_000).is_ok());
    assert!(run(1_400_000).unwrap_err().to_string().starts_with("mine.star:4:"));
}

#[test]
fn slow_steps_count_as_several() {
    for (value, body) in [
        ("\"é\" * 30000", "y = x.startswith(\"é\", 29000)"),
        ("\"é\" * 30000", "y = x[29000:]"),
        ("struct(h = hash, t = \"a\" * 60000)", "y = x.h(x.t)"),
        ("[\"a\" * 59999 + \"b\"] * 255", "y = \"a\" * 60000 in x"),
        ("{tuple(list(range(999))): 1}", "y = x.get(tuple(list(range(999))))"),
        ("{tuple(list(range(i, i + 900))): 1 for i in range(90)}", "y = dict(x)"),
    ] {
        let said = refused_within(
            200_000,
            512 << 20,
            &[&format!("x = {value}"), "for i in range(100000):", &format!("    {body}")],
        );
        assert!(said.starts_with("mine.star:4:") && said.contains("the program runs away"), "{body}: {said}");
    }
    for body in
        ["y = partial(hash, \"a\" * 60000)", "y = partial(isqrt, [])", "y = partial(alltoallv, recv_counts = {})"]
    {
        assert!(refused_body(body).contains("a partial of a built-in function, with a list"), "{body}");
    }
    let said = refused_body("y = (\"é\" * 30000).upper()");
    assert!(said.starts_with("mine.star:2:") && said.contains("a text of more than 65536 bytes"), "{said}");
    let many =
        "def communicators(size, params):\n    return [[0, 1]] * 5000000\ndef main(rank, size, params):\n    pass\n";
    let program = Program::parse("mine.star", many.to_owned(), None, false).unwrap();
    let limits = Limits { steps: 1_000_000, ..Limits::default() };
    let said = program.instantiate(2, &[], &limits).unwrap_err().to_string();
    assert!(said.starts_with("mine.star:2:") && said.contains("5: the program runs away"), "{said}");
}

#[test]
fn files_are_loaded_once_and_share_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("d")).unwrap();
    for (name, megabytes) in [("a", 20), ("b", 10), ("c", 20)] {
        std::fs::write(folder.path().join(format!("d/{name}.star")), format!("X = [0] * ({megabytes} << 17)\n"))
            .unwrap();
    }
    let loading = |paths: &[&str]| {
        let lines: Vec<String> =
            paths.iter().enumerate().map(|(i, path)| format!("load(\"{path}\", x{i} = \"X\")\n")).collect();
        let text = format!("{}def main(rank, size, params):\n    compute(len(x0))\n", lines.concat());
        Program::parse("mine.star", text, Some(folder.path()), false).map(|program| program.name)
    };
    loading(&["d/a.star", "d//a.star", "d/./a.star", "d/././a.star", "d/b.star"]).unwrap();
    let said = loading(&["d/a.star", "d/c.star"]).unwrap_err().to_string();
    assert!(
        said.starts_with("mine.star:2:") && said.contains("d/c.star: the values of this file and of those before"),
        "{said}"
    );
}
