use super::*;
use std::path::Path;

fn read(text: &str) -> Result<Vec<Series>, CalibrateError> {
    read_from(text, Path::new("f.txt"))
}

/// A ping-pong with the times of a function.
fn ping_pong(time: impl Fn(f64) -> f64) -> Series {
    let points = (0..23).map(|power| (1_u32 << power, time(f64::from(1_u32 << power)))).collect();
    Series { kind: SeriesKind::PingPong, program: "p".into(), file: "f".into(), points }
}

#[test]
fn sections_are_found_where_the_protocol_changes() {
    // 1 us and 10 GB/s up to 16 KiB, then 3 us and 12 GB/s: two control messages of 1 us.
    let series = ping_pong(|size| if size <= 16_384.0 { 1e-6 + size / 10e9 } else { 3e-6 + size / 12e9 });
    let route = Route { bandwidth: Some(12.5e9), latency: Some(2e-7) };
    let series = [series];
    let fitted = fit(&series, route).unwrap();
    let [small, large] = fitted.sections[..] else { panic!("{:?}", fitted.sections) };
    assert_eq!(large.above, 16_384);
    for (found, expected) in
        [(small.fixed, 1e-6), (large.fixed, 3e-6), (1.0 / small.per_byte, 10e9), (1.0 / large.per_byte, 12e9)]
    {
        assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
    }
    assert!((fitted.message_latency[0].1 - 8e-7).abs() < 1e-12, "{fitted:?}");
    assert_eq!(fitted.rendezvous, Some(Rendezvous { eager_up_to: 16_384, trips: 2 }));
    // The overhead of senders and the effect of opposite messages are unknown.
    assert_eq!(fitted.crosstraffic, None);
    assert!(fitted.open.len() >= 3, "{:?}", fitted.open);
    // The model reproduces its measurements.
    let all = residuals(&series, &fitted).unwrap();
    assert!(all.iter().all(|residual| residual.error() < 2e-3), "{all:?}");
    assert!(fitted.toml(&in_words(&series, &all)).starts_with(MARK));
}

#[test]
fn announced_messages_keep_the_rest_of_their_constant() {
    // Protocols of 1, 2 and 10 us, with growth of 1 us and 8 us: the larger jump is the eager limit, and no two control
    // messages of 1 us take 9 us.
    let constant = |size: f64| {
        if size <= 128.0 {
            1e-6
        } else if size <= 8_192.0 {
            2e-6
        } else {
            1e-5
        }
    };
    let series = [ping_pong(|size| constant(size) + size / 10e9)];
    let fitted = fit(&series, Route { bandwidth: Some(12.5e9), latency: Some(2e-7) }).unwrap();
    assert_eq!(fitted.rendezvous, Some(Rendezvous { eager_up_to: 8_192, trips: 2 }));
    let [_, (128, sender), (8_192, _)] = fitted.send_overhead[..] else { panic!("{:?}", fitted.send_overhead) };
    let [_, (8_192, rest)] = fitted.message_latency[..] else { panic!("{:?}", fitted.message_latency) };
    assert!((sender - 1e-6).abs() < 1e-11 && (rest - 7.8e-6).abs() < 1e-11, "{sender} {rest}");
    let all = residuals(&series, &fitted).unwrap();
    assert!(all.iter().all(|residual| residual.error() < 2e-3), "{all:?}");
    // A constant that grows by less than a control message has none: the sender only waits.
    let series = [ping_pong(|size| if size <= 8_192.0 { 1e-6 } else { 1.7e-6 } + size / 10e9)];
    let fitted = fit(&series, Route { bandwidth: Some(12.5e9), latency: Some(2e-7) }).unwrap();
    assert_eq!(fitted.rendezvous, Some(Rendezvous { eager_up_to: 8_192, trips: 0 }));
    let all = residuals(&series, &fitted).unwrap();
    assert!(all.iter().all(|residual| residual.error() < 2e-3), "{all:?}");
}

#[test]
fn a_rate_that_falls_changes_nothing_for_small_messages() {
    // 12 GB/s up to 1 MiB and 11 GB/s beyond: a line through the largest messages begins below 0.
    let rate =
        |size: f64| if size <= 1_048_576.0 { size / 12e9 } else { 1_048_576.0 / 12e9 + (size - 1_048_576.0) / 11e9 };
    let pong = ping_pong(|size| 2e-6 + rate(size));
    let stream = |size: f64| (2e-7_f64).max(rate(size));
    let points = pong.points.iter().map(|&(size, _)| (size, stream(f64::from(size)))).collect();
    let series = [pong, Series { kind: SeriesKind::Stream, points, ..ping_pong(|_| 0.0) }];
    let fitted = fit(&series, Route { bandwidth: Some(12.5e9), latency: Some(6e-7) }).unwrap();
    assert!((fitted.message_latency[0].1 + fitted.send_overhead[0].1 - 1.4e-6).abs() < 1e-9, "{fitted:?}");
    // 64 messages take 64 times 0.2 us in all, of which the last one and the answer take 2 us each.
    assert!((fitted.send_overhead[0].1 - 1.4e-7).abs() < 1e-8 && fitted.send_overhead.len() == 1, "{fitted:?}");
    let all = residuals(&series, &fitted).unwrap();
    assert!(all.iter().all(|residual| residual.series > 0 || residual.error() < 0.04), "{all:?}");
    // The bandwidth of the links is that of large messages without what all messages take.
    let alone = [ping_pong(|size| if size <= 8_192.0 { 2e-6 + size / 10e9 } else { 8e-6 + size / 12.5e9 })];
    let fitted = fit(&alone, Route { bandwidth: None, latency: Some(0.0) }).unwrap();
    assert!((fitted.bandwidth / 12.5e9 - 1.0).abs() < 1e-3 && fitted.sections.len() == 2, "{fitted:?}");
    let level = [ping_pong(|_| 2e-6)];
    assert_eq!(
        fit(&level, Route { bandwidth: None, latency: Some(0.0) }),
        Err(FitError::NoBandwidth { bytes: 1 << 22 })
    );
}

#[test]
fn streams_say_what_senders_and_opposite_messages_take() {
    let pong = ping_pong(|size| 2e-6 + size / 10e9);
    // A message every 0.4 us, or at the rate of the link; opposite streams take 5 % of each other.
    let stream = |kind, factor: f64| Series {
        kind,
        points: pong.points.iter().map(|&(size, _)| (size, (4e-7_f64).max(f64::from(size) / 10e9) * factor)).collect(),
        ..pong.clone()
    };
    let all = [pong.clone(), stream(SeriesKind::Stream, 1.0), stream(SeriesKind::BothWays, 1.05)];
    let route = Route { bandwidth: Some(10e9), latency: Some(0.0) };
    let fitted = fit(&all, route).unwrap();
    assert!((fitted.send_overhead[0].1 - (64.0 * 4e-7 - 4e-6) / 63.0).abs() < 2e-8, "{fitted:?}");
    assert!((fitted.message_latency[0].1 + fitted.send_overhead[0].1 - 2e-6).abs() < 1e-9);
    assert!((fitted.crosstraffic.unwrap() - 0.05).abs() < 1e-6);
    // On a busy machine, messages in opposite directions can take more than twice as long.
    let busy = [pong.clone(), stream(SeriesKind::Stream, 1.0), stream(SeriesKind::BothWays, 2.5)];
    let slowest = fit(&busy, Route { bandwidth: Some(10e9), latency: Some(0.0) }).unwrap();
    assert_eq!(slowest.crosstraffic, Some(0.999));
    residuals(&busy, &slowest).unwrap();
    let found = residuals(&all, &fitted).unwrap();
    let small = found.iter().filter(|residual| residual.series == 1 && residual.bytes <= 256);
    assert!(small.clone().count() == 9 && small.clone().all(|residual| residual.error() < 0.03), "{found:?}");
    let large = found.iter().filter(|residual| residual.bytes >= 1 << 20);
    assert!(large.clone().count() == 9 && large.clone().all(|residual| residual.error() < 0.06), "{found:?}");
    let [median, _] = errors(&all, &found, SeriesKind::PingPong, Residual::error).unwrap();
    assert!(median < 1e-3, "{median}");
    // Without a stream, opposite ones still tell what they take from each other.
    let alone = fit(&all[..1].iter().chain(&all[2..]).cloned().collect::<Vec<_>>(), route).unwrap();
    assert!((alone.crosstraffic.unwrap() - 0.05).abs() < 1e-3, "{alone:?}");
    assert!(alone.open.iter().any(|what| what.contains("how long a sender needs")), "{:?}", alone.open);
}

#[test]
fn noise_makes_no_sections() {
    // A line with 5 % of deterministic noise.
    let mut state = 1_u64;
    let noise: Vec<f64> = (0..64)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / (1_u64 << 31) as f64 - 0.5
        })
        .collect();
    let series = ping_pong(|size| (3e-6 + size / 1e9) * (1.0 + 0.1 * noise[size.log2() as usize]));
    let fitted = fit(&[series], Route { bandwidth: None, latency: Some(0.0) }).unwrap();
    assert!(fitted.sections.len() <= 2, "{:?}", fitted.sections);
}

/// Hosts copy eager messages at 5 GB/s, and links carry 10 GB/s: two such streams of different hosts fit on a link.
#[test]
fn slow_hosts_leave_links_to_others() {
    let series = [ping_pong(|size| if size <= 16_384.0 { 2e-6 + size / 5e9 } else { 6e-6 + size / 10e9 })];
    let fitted = fit(&series, Route { bandwidth: Some(12.5e9), latency: Some(0.0) }).unwrap();
    let toml = fitted.toml("");
    assert!(toml.contains("bandwidth_factor = \"0:0.8\"\nrate_bound = \"0:0.4;16384:0.8\"\n"), "{toml}");
    // What the sender of an announced message needs is part of the message, blocking or not.
    assert_eq!(fitted.send_overhead, [(0, 0.0)]);
    let all = residuals(&series, &fitted).unwrap();
    assert!(all.iter().all(|residual| residual.error() < 2e-3), "{all:?}");
    // Small messages that take the same time whatever their size do not say that all of the link is left for data, and opposite
    // streams slow each other down by as much as measured although none of them fills the link.
    let pong = ping_pong(|size| {
        if size <= 64.0 {
            2e-6
        } else if size <= 8_192.0 {
            2e-6 + size / 5e9
        } else {
            6e-6 + size / 15e9
        }
    });
    let stream = |kind, factor: f64| {
        let points =
            pong.points.iter().map(|&(size, _)| (size, 1e-6_f64.max(f64::from(size) / 15e9) * factor)).collect();
        Series { kind, points, ..pong.clone() }
    };
    let series = [pong.clone(), stream(SeriesKind::Stream, 1.0), stream(SeriesKind::BothWays, 1.4)];
    let fitted = fit(&series, Route { bandwidth: Some(25e9), latency: Some(0.0) }).unwrap();
    assert!((fitted.data_share - 0.6).abs() < 1e-3 && (fitted.crosstraffic.unwrap() - 0.4).abs() < 1e-3, "{fitted:?}");
    assert!(fitted.bound_text().unwrap().starts_with("0:0.6;64:0.2;8192:0.6"), "{:?}", fitted.bound_text());
    let all = residuals(&series, &fitted).unwrap();
    let large = all.iter().filter(|residual| residual.bytes >= 1 << 20);
    assert!(large.clone().count() == 9 && large.clone().all(|residual| residual.error() < 0.05), "{all:?}");
    // One rate for all sizes needs no bound.
    let series = [ping_pong(|size| 2e-6 + size / 10e9)];
    let fitted = fit(&series, Route { bandwidth: Some(12.5e9), latency: Some(0.0) }).unwrap();
    assert!(fitted.toml("").contains("\"0:0.8\"\ncap_factors"), "{}", fitted.toml(""));
}

#[test]
fn what_was_measured_elsewhere_is_said() {
    let pong = ping_pong(|size| 2e-6 + size / 10e9);
    let said = |series: &[Series], bandwidth: f64, latency: Option<f64>| {
        fit(series, Route { bandwidth: Some(bandwidth), latency }).unwrap().open.join("\n")
    };
    let bits = said(std::slice::from_ref(&pong), 100e9, None);
    assert!(bits.contains("no message reached more than 9.9") && bits.contains("--link-latency gives it"), "{bits}");
    assert!(!said(std::slice::from_ref(&pong), 12.5e9, Some(0.0)).contains("--link-"));
    let text = "# mopsim hosts\n# n1\n# n1\n# mopsim calibrate ping-pong\n# bytes microseconds\n1 1\n2 1\n4 2\n8 3\n";
    let one_host = read(text).unwrap();
    assert!(said(&one_host, 1e9, None).contains("both ranks ran on n1"));
    assert!(!said(&read(&text.replacen("n1", "n2", 1)).unwrap(), 1e9, None).contains("both ranks"));
    let device = [Series { program: "OSU MPI-CUDA Latency Test v7.4".into(), ..pong.clone() }];
    assert!(said(&device, 12.5e9, None).contains("the buffers were those of a device"));
    // Nearly all of the ping-pong is the links: what is left is the sender's.
    let points = pong.points.iter().map(|&(size, _)| (size, 4e-7_f64.max(f64::from(size) / 10e9))).collect();
    let quick = [pong.clone(), Series { kind: SeriesKind::Stream, points, ..pong.clone() }];
    let fitted = fit(&quick, Route { bandwidth: Some(12.5e9), latency: Some(1.8e-6) }).unwrap();
    assert!((fitted.send_overhead[0].1 - 2e-7).abs() < 1e-9, "{fitted:?}");
    assert!(!fitted.open.join(" ").contains("slower than the ping-pong"), "{:?}", fitted.open);
    // A window of one message is no stream.
    let points = pong.points.iter().map(|&(size, time)| (size, 2.0 * time)).collect();
    let slow = [pong.clone(), Series { kind: SeriesKind::Stream, points, ..pong.clone() }];
    assert!(said(&slow, 12.5e9, None).contains("the stream is slower than the ping-pong"));
    // The two that are farthest apart, and the median of an even number of series.
    let other = |factor: f64| {
        let points = pong.points.iter().map(|&(size, time)| (size, factor * time)).collect();
        Series { points, file: factor.to_string().into(), ..pong.clone() }
    };
    let apart = said(&[other(1.0), other(0.5), other(5.0)], 1e11, None);
    assert!(apart.contains("which of 0.5 and 5 is right: ping-pong times differ by a factor of 10.0"), "{apart}");
    let mean = fit(&[other(1.0), other(1.4)], Route { bandwidth: Some(12.5e9), latency: None }).unwrap();
    assert!((mean.sections[0].fixed - 2.4e-6).abs() < 1e-12, "{mean:?}");
}

#[test]
fn nothing_is_faster_than_its_route() {
    let series = [ping_pong(|size| 1e-6 + size / 1e9)];
    let error = fit(&series, Route { bandwidth: None, latency: Some(1e-5) }).unwrap_err();
    assert!(error.to_string().contains("cannot be faster than its links"), "{error}");
    let error = fit(&series, Route { bandwidth: Some(5e8), latency: Some(0.0) }).unwrap_err();
    assert!(error.to_string().contains("at 0.9998 GB/s, and its route has 0.5 GB/s"), "{error}");
    let stream = [Series { kind: SeriesKind::Stream, ..series[0].clone() }];
    assert_eq!(fit(&stream, Route { bandwidth: None, latency: Some(0.0) }), Err(FitError::NoPingPong));
    let few = [Series { points: series[0].points[..2].to_vec(), ..series[0].clone() }];
    assert_eq!(fit(&few, Route { bandwidth: None, latency: Some(0.0) }), Err(FitError::TooFew(2)));
}

#[test]
fn wrong_lines_are_named() {
    for (text, line, part) in [
        ("# OSU MPI Latency Test v7.4\n# Size Latency (us)\n1 x\n", 3, "`x` is not a number"),
        ("# OSU MPI Latency Test v7.4\n# Size Latency (us)\n1 1.0\n2 0.00\n", 4, "cannot take 0 s"),
        ("# OSU MPI Latency Test v7.4\n# Size Latency (us)\n1\n", 3, "0 values follow the size"),
        ("# OSU MPI Latency Test v7.4\n# Size Latency (us)\n1 -3\n", 3, "`-3` is not a number that can be measured"),
        ("# OSU MPI Latency Test v7.4\n# Size Latency (us)\n99999999999 3\n", 3, "is not a size"),
        ("# OSU MPI Bandwidth Test v7.4\n# Size Bandwidth (MB/s)\n1 0\n", 3, "would take for ever"),
        ("# OSU MPI Latency Test v7.4\n", 1, "no measurements follow"),
        ("# OSU MPI_Put Latency Test v7.4\n# Size\n1 2\n", 1, "is not a test that is used"),
        ("# OSU MPI Latency Test v7.4\n# Size Latency (us) Validation\n1 1.0 Fail\n", 3, "data were wrong"),
        ("# OSU MPI Alltoall Latency Test v7.4\n# Size\n1 2\n", 1, "is not a test that is used"),
        ("  0:  1 bytes 100 times -->  0.45 Mbps in\n", 1, "has no time"),
    ] {
        match read(text) {
            Err(CalibrateError::Malformed { line: found, message, .. }) => {
                assert!(found == line && message.contains(part), "{text}: {found}: {message}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    let judged = read("# OSU MPI Latency Test v7.4\n# Size Avg Latency(us) Validation\n1 1.5 Pass\n").unwrap();
    assert_eq!(judged[0].points, [(1, 1.5e-6)]);
    assert!(matches!(read(""), Err(CalibrateError::Unknown { .. })));
    assert!(matches!(read("1 2 3\n"), Err(CalibrateError::Unknown { .. })), "a rate that does not go with the time");
}
