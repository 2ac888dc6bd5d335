//! Laws: written text reads back, and no input makes the reader panic.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::packed::PACKINGS;
use super::*;
use crate::trace::CollectiveKind;
use crate::trace::testing::trace;

/// Words that reach far into the parser, and some that do not.
fn word() -> impl Strategy<Value = String> {
    let names = CollectiveKind::ALL.map(CollectiveKind::name).into_iter();
    let words: Vec<String> = names
        .chain([
            "init", "compute", "send", "irecv", "wait", "sendRecv", "sleep", "location", "waitall", "\n", "\r\n", "\t",
        ])
        .chain(["communicator 1 0 1", "on 1", "iallreduce", "wait_request", "put", "get", "fence", "flush", "probe"])
        .chain(["0", "1", "2", "-1", "1e6", "nan", "-0", "4294967296", "1e400", ".", "#", "\0", "\u{e9}", "\n0", "\n1"])
        .map(str::to_owned)
        .collect();
    select(words)
}

proptest! {
    #[test]
    fn what_is_written_reads_back(trace in trace(), known in any::<bool>()) {
        let mut text = Vec::new();
        write(&trace, &mut text).unwrap();
        let options = Options { ranks: known.then_some(trace.ranks()), ..Options::default() };
        let again = read_from(&*text, "t", &options).map_err(|error| TestCaseError::fail(error.to_string()))?;
        assert_same(&trace, &again);
        // Once interned, writing the read text again changes nothing.
        let mut second = Vec::new();
        write(&again, &mut second).unwrap();
        prop_assert_eq!(text, second);
    }

    #[test]
    fn the_order_of_the_ranks_does_not_matter(trace in trace(), turns in vec(0usize..6, 0..60)) {
        let mut text = Vec::new();
        write(&trace, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let mut queues = vec![std::collections::VecDeque::new(); trace.ranks()];
        // Communicators are declared before their use.
        let (declared, lines) = text.lines().partition::<Vec<_>, _>(|line| line.contains("communicator"));
        for line in lines {
            queues[line.split(' ').next().unwrap().parse::<usize>().unwrap()].push_back(line);
        }
        let mut shuffled: String = declared.into_iter().flat_map(|line| [line, "\n"]).collect();
        for turn in turns.into_iter().chain(0..6) {
            if let Some(line) = queues.get_mut(turn).and_then(|queue| queue.pop_front()) {
                shuffled.push_str(line);
                shuffled.push('\n');
            }
        }
        for line in queues.iter_mut().rev().flat_map(|queue| queue.drain(..)) {
            shuffled.push_str(line);
            shuffled.push('\n');
        }
        assert_same(&parse(&text).unwrap(), &parse(&shuffled).unwrap());
    }

    #[test]
    fn bytes_never_panic(bytes in vec(any::<u8>(), 0..300), head in select(vec![&b""[..], b"0 init\n0 ", b"\x1f\x8b\x08", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"])) {
        let _ = read_from(&*[head, &bytes].concat(), "t", &Options::default());
    }

    #[test]
    fn words_never_panic(words in vec(word(), 0..80), ranks in select(vec![None, Some(1), Some(2), Some(3)])) {
        let _ = parse_for(ranks, &format!("0 init\n1 {}\n", words.join(" ")));
    }

    #[test]
    fn damage_never_panics(which in 0usize..3, changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let text: String = (0..300).map(|i| format!("0 compute {}\n", i * i * i)).collect();
        let mut bytes = PACKINGS[which].1(text.as_bytes());
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        let _ = read_from(&*bytes, "t", &Options::default());
    }
}

/// Generates a line that is canonical, or nearly so.
fn nearly_canonical() -> impl Strategy<Value = String> {
    const WORDS: &[&str] =
        &["compute", "send", "isend", "recv", "irecv", "wait", "waitall", "sleep", "barrier", "wai", "sends"];
    let number = prop_oneof![
        6 => (0u32..3).prop_map(|n| n.to_string()),
        2 => (0u64..1 << 33).prop_map(|n| n.to_string()),
        1 => "[0-9]{1,20}",
        1 => select(vec!["-1", "1e3", "2.5", "", "x"]).prop_map(str::to_owned),
    ];
    (0u32..4, select(WORDS), vec(number, 0..6), 0usize..12).prop_map(|(rank, word, numbers, oddity)| {
        let line = format!("{rank} {word} {}", numbers.join(" "));
        match oddity {
            0 => format!("0{line}"),
            1 => format!("{line} "),
            2 => line.replacen(' ', "\t", 1),
            3 => format!("{line}\r"),
            4 => line.trim_end().to_owned(),
            _ => line,
        }
    })
}

proptest! {
    /// A leading blank makes a line non-canonical and has no meaning.
    #[test]
    fn the_short_way_reads_what_the_long_way_reads(lines in vec(nearly_canonical(), 1..6)) {
        let frame = |lines: Vec<String>| {
            let inits = (0..3).map(|rank| format!("{rank} init"));
            let ends = (0..3).map(|rank| format!("{rank} compute 100000000000000000000"));
            inits.chain(lines).chain(ends).map(|line| line + "\n").collect::<String>()
        };
        let read = |text: String| read_from(text.as_bytes(), "lines", &Options { ranks: Some(3), ..Options::default() });
        let short = read(frame(lines.clone()));
        let long = read(frame(lines.into_iter().map(|line| format!(" {line}")).collect()));
        match (short, long) {
            (Ok(short), Ok(long)) => prop_assert_eq!(short.actions, long.actions),
            (Err(short), Err(long)) => {
                prop_assert_eq!((short.line, short.text), (long.line, long.text));
                prop_assert_eq!(format!("{:?}", short.kind), format!("{:?}", long.kind));
            }
            (short, long) => prop_assert!(false, "{short:?} {long:?}"),
        }
    }
}
