//! Laws of every family over random legal parameters: size, degrees, symmetry, connectivity, closed forms.

use super::laws::{Law, PRIME_POWERS, dims, exactly, grid, holds, law, log_ceil, one_way};
use mopsim::topology::registry::FAMILIES;
use mopsim::topology::{Hosts, build};
use proptest::prelude::*;

#[test]
fn grids() {
    holds(
        "torus",
        dims(7, 4).prop_map(|d| {
            let degree = d.iter().map(|&d| (d - 1).min(2)).sum();
            let mean = |d: f64| if d % 2.0 == 0.0 { d / 4.0 } else { (d * d - 1.0) / (4.0 * d) };
            grid("torus", &d, (degree, degree), d.iter().map(|d| d / 2).sum(), mean)
        }),
    );
    holds(
        "mesh",
        dims(6, 4).prop_map(|d| {
            let degree = (d.iter().map(|&d| (d - 1).min(1)).sum(), d.iter().map(|&d| (d - 1).min(2)).sum());
            grid("mesh", &d, degree, d.iter().map(|d| d - 1).sum(), |d| (d * d - 1.0) / (3.0 * d))
        }),
    );
    holds(
        "hyperx",
        dims(6, 4).prop_map(|d| {
            let degree = d.iter().map(|d| d - 1).sum();
            grid("hyperx", &d, (degree, degree), d.iter().filter(|&&d| d > 1).count(), |d| 1.0 - 1.0 / d)
        }),
    );
    holds(
        "flattened_butterfly",
        (2..6_usize, 2..5_usize).prop_map(|(k, n)| {
            let switches = k.pow(n as u32 - 1);
            let degree = (n - 1) * (k - 1);
            let base = law(format!("flattened_butterfly:k={k},n={n}"), switches, (degree, degree));
            Law { diameter: exactly(n - 1), hosts: k * switches, ..base }
        }),
    );
    holds(
        "hypercube",
        (1..=9_usize).prop_map(|d| {
            let base = law(format!("hypercube:{d}"), 1 << d, (d, d));
            let aspl = d as f64 * f64::from(1 << (d - 1)) / (f64::from(1 << d) - 1.0);
            Law { diameter: exactly(d), cables: Some(d << (d - 1)), aspl: Some(aspl), ..base }
        }),
    );
    holds(
        "ring",
        (2..200_usize).prop_map(|n| {
            let degree = 2.min(n - 1);
            Law { diameter: exactly(n / 2), ..law(format!("ring:{n}"), n, (degree, degree)) }
        }),
    );
    holds(
        "full_mesh",
        (1..50_usize).prop_map(|n| {
            let base = law(format!("full_mesh:{n}"), n, (n - 1, n - 1));
            Law { cables: Some(n * (n - 1) / 2), diameter: exactly(1.min(n - 1)), ..base }
        }),
    );
    holds(
        "star",
        (2..200_usize).prop_map(|n| Law {
            cables: Some(n - 1),
            diameter: exactly(2.min(n - 1)),
            ..law(format!("star:{n}"), n, (1, n - 1))
        }),
    );
    holds(
        "tree",
        (1..5_usize, 0..5_usize).prop_map(|(k, h)| {
            let n = (0..=h as u32).map(|level| k.pow(level)).sum();
            let base = law(format!("tree:k={k},h={h}"), n, (1.min(h), k + 1));
            Law { cables: Some(n - 1), diameter: exactly(if k == 1 { h } else { 2 * h }), ..base }
        }),
    );
    holds(
        "ccc",
        (3..9_usize).prop_map(|d| {
            let diameter = if d == 3 { 6 } else { 2 * d + d / 2 - 2 };
            let base = law(format!("ccc:{d}"), d << d, (3, 3));
            Law { cables: Some((3 * d) << (d - 1)), diameter: exactly(diameter), ..base }
        }),
    );
}

#[test]
fn grids_with_trunks_and_axes_without_rings() {
    holds(
        "hyperx",
        (dims(5, 3), prop::collection::vec(1..4_usize, 3), 1..4_usize).prop_map(|(d, k, p)| {
            let k = &k[..d.len()];
            let degree = d.iter().zip(k).map(|(d, k)| k * (d - 1)).sum();
            let base = grid("hyperx", &d, (degree, degree), d.iter().filter(|&&d| d > 1).count(), |d| 1.0 - 1.0 / d);
            Law {
                cables: Some(base.n * degree / 2),
                hosts: base.n * p,
                parallel: true,
                spec: format!("{},k={k:?},p={p}", base.spec),
                ..base
            }
        }),
    );
    holds(
        "tofu",
        (prop::collection::vec(1..6_usize, 3), prop::sample::subsequence(vec!['x', 'y', 'z'], 0..=3)).prop_map(
            |(outer, mesh)| {
                let sizes: Vec<(usize, bool)> = [2, 3, 2]
                    .map(|size| (size, true))
                    .into_iter()
                    .chain(outer.iter().zip("xyz".chars()).map(|(&size, axis)| (size, !mesh.contains(&axis))))
                    .collect();
                let most = sizes.iter().map(|(d, _)| (d - 1).min(2)).sum();
                let least = sizes.iter().map(|&(d, ring)| (d - 1).min(if ring { 2 } else { 1 })).sum();
                let diameter = sizes.iter().map(|&(d, ring)| if ring { d / 2 } else { d - 1 }).sum();
                let n = 12 * outer.iter().product::<usize>();
                let mean = |(d, ring): (usize, bool)| match (d as f64, ring) {
                    (d, false) => (d * d - 1.0) / (3.0 * d),
                    (d, true) if d % 2.0 == 0.0 => d / 4.0,
                    (d, true) => (d * d - 1.0) / (4.0 * d),
                };
                let sum: f64 = sizes.into_iter().map(mean).sum();
                let axes: String = mesh.iter().collect();
                let mesh = if axes.is_empty() { axes } else { format!(",mesh={axes}") };
                let spec = format!("tofu:{}x{}x{}{mesh}", outer[0], outer[1], outer[2]);
                Law {
                    diameter: exactly(diameter),
                    aspl: Some(sum * n as f64 / (n as f64 - 1.0)),
                    ..law(spec, n, (least, most))
                }
            },
        ),
    );
}

#[test]
fn rings_with_shortcuts() {
    let dln = (3..300_usize, 2..8_usize)
        .prop_filter("the shortest shortcut has length 2", |(n, x)| *x == 2 || n >> (x - 2) >= 2);
    holds(
        "dln",
        dln.clone().prop_map(|(n, x)| {
            let regular = x >= 3 && n % (1 << (x - 2)) == 0 && n >> (x - 2) > 1;
            let most = 2 * (x - 1);
            let degree = if regular { (2 * x - 3, 2 * x - 3) } else { (2, most) };
            // The shortcut of half the ring is there twice; with one of length 2 or less shortcuts may meet ring
            // cables.
            law(format!("dln:n={n},x={x}"), n, degree)
        }),
    );
    holds(
        "dln_random",
        (dln, 0..4_usize, any::<u64>()).prop_map(|((n, x), y, seed)| {
            law(format!("dln_random:n={n},x={x},y={},seed={seed}", y.min(n / 2)), n, (2, 2 * (x - 1) + y))
        }),
    );
    holds(
        "random_ring",
        (3..300_usize, 0..6_usize, any::<u64>())
            .prop_map(|(n, y, seed)| law(format!("random_ring:n={n},y={},seed={seed}", y.min(n / 2)), n, (2, 2 + y))),
    );
    holds(
        "dsn",
        (4..600_usize, 0..9_usize).prop_map(|(n, x)| {
            let p = log_ceil(2, n);
            // A long shortcut of one end of the ring may be a short one of the other.
            law(format!("dsn:n={n},x={}", 1 + x % (p - 1)), n, (2, 5))
        }),
    );
    holds(
        "dsnf",
        (1..6_usize, 0.0..1.0, any::<bool>()).prop_map(|(p, share, balanced)| {
            let (least, room) = (p << p, ((p + 1) << (p + 1)) - (p << p));
            let n = least + (share * room as f64) as usize;
            let fill = if balanced { "balanced" } else { "sequential" };
            law(format!("dsnf:n={n},p={p},fill={fill}"), n, (1, 5))
        }),
    );
    holds(
        "dsnf",
        (3..6_usize, 1..4_usize).prop_map(|(p, k)| {
            let n = k * (p << p);
            let degree = if k == 1 { (4, 4) } else { (3, 5) };
            Law { cables: Some(2 * n), ..law(format!("dsnf:n={n},p={p},strict=false"), n, degree) }
        }),
    );
    let hops = (2..60_usize).prop_flat_map(|half| {
        let odd: Vec<usize> = (1..2 * half).step_by(2).collect();
        let even: Vec<usize> = (2..=half).step_by(2).collect();
        let (odds, evens) = (odd.len().min(5), even.len().min(4));
        (Just(half), prop::sample::subsequence(odd, 0..=odds), prop::sample::subsequence(even, 0..=evens))
    });
    holds(
        "equality",
        hops.prop_map(|(half, odd, even)| {
            let n = 2 * half;
            let degree = odd.len() + 2 * even.len() - usize::from(even.contains(&half));
            Law {
                cables: Some(half * degree),
                fallible: true,
                ..law(format!("equality:n={n},sa={odd:?},sb={even:?}"), n, (degree, degree))
            }
        }),
    );
}

#[test]
fn random_families() {
    let sized = (2..90_usize, 0.0..1.0, any::<u64>())
        .prop_map(|(n, share, seed)| (n, 1 + (share * (n - 1) as f64) as usize, seed));
    holds(
        "random_regular",
        sized.clone().prop_map(|(n, d, seed)| {
            // With one cable each, more than two switches are never connected, which is refused.
            let d = if n > 2 { d.max(2) } else { d };
            // Of few cables an instance may be disconnected. A round leaves at most a few switches without a cable.
            Law { fallible: d < 3, ..law(format!("random_regular:n={n},d={d},seed={seed}"), n, (d / 2, d)) }
        }),
    );
    holds(
        "random_directed",
        sized.prop_map(|(n, d, seed)| Law {
            cables: Some(n * d),
            ..one_way(format!("random_directed:n={n},d={d},seed={seed}"), n, (d, d))
        }),
    );
    holds(
        "random_swapping",
        (2..7_usize, 2..7_usize, 1..20_usize, any::<u64>()).prop_map(|(a, b, z, seed)| {
            let degree = (a - 1).min(2) + (b - 1).min(2);
            let n = a * b;
            let base = law(format!("random_swapping:base=torus:{a}x{b},z={z},seed={seed}"), n, (degree, degree));
            Law { cables: Some(n * degree / 2), fallible: true, ..base }
        }),
    );
    holds(
        "xpander",
        (2..9_usize, 1..12_usize, 1..3_usize, any::<u64>()).prop_map(|(d, k, p, seed)| {
            let n = (d + 1) * k;
            // Lifts of a triangle are often several rings.
            let base = law(format!("xpander:d={d},k={k},p={p},seed={seed}"), n, (d, d));
            Law { cables: Some(n * d / 2), hosts: n * p, fallible: d == 2, ..base }
        }),
    );
    holds(
        "damaged",
        (3..7_usize, 3..7_usize, 0..9_usize, any::<u64>()).prop_map(|(a, b, cables, seed)| {
            let spec = format!("damaged:base=torus:{a}x{b},cables={cables},seed={seed}");
            Law { cables: Some(2 * a * b - cables), fallible: true, ..law(spec, a * b, (0, 4)) }
        }),
    );
    holds(
        "rails",
        (3..6_usize, 3..6_usize, 1..4_usize, 1..4_usize).prop_map(|(a, b, planes, ports)| {
            let spec = format!("rails:base=torus:{a}x{b},planes={planes},ports={ports}");
            let n = planes * a * b;
            Law { cables: Some(2 * n), hosts: ports * n, fallible: planes > 1, ..law(spec, n, (4, 4)) }
        }),
    );
    let skywalk = (2..9_usize, 1..40_usize, 0.0..1.0, 0..6_usize, any::<u64>());
    holds(
        "skywalk",
        skywalk.prop_map(|(z, c, inside, outside, seed)| {
            let di = (inside * z as f64) as usize;
            let spec = format!("skywalk:z={z},c={c},di={di},do={outside},seed={seed}");
            Law { fallible: true, ..law(spec, z * c, (0, di + outside)) }
        }),
    );
}

#[test]
fn digraphs() {
    let sized = (2..200_usize, 1..9_usize).prop_map(|(n, d)| (n, d.min(n)));
    for family in ["imase_itoh", "gen_de_bruijn"] {
        holds(
            family,
            sized.clone().prop_map(move |(n, d)| {
                let base = one_way(format!("{family}:n={n},d={d}"), n, (d.saturating_sub(1), d));
                // With one arc each, and no loops, it is rarely connected.
                Law { fallible: d == 1, diameter: Some((0, if d == 1 { n } else { log_ceil(d, n) })), ..base }
            }),
        );
    }
    holds(
        "imase_ab",
        (sized, -9..9_i64, -9..9_i64).prop_map(|((n, d), a, b)| Law {
            fallible: true,
            ..one_way(format!("imase_ab:n={n},d={d},a={a},b={b}"), n, (0, n))
        }),
    );
    holds(
        "de_bruijn",
        (2..7_usize, 1..4_usize).prop_map(|(d, k)| {
            let n = d.pow(k as u32);
            Law {
                cables: Some(n * d - d),
                diameter: exactly(k),
                ..one_way(format!("de_bruijn:d={d},k={k}"), n, (d - 1, d))
            }
        }),
    );
    holds(
        "kautz",
        (1..7_usize, 1..4_usize).prop_map(|(d, k)| {
            let n = d.pow(k as u32) + d.pow(k as u32 - 1);
            let diameter = if d == 1 { 1 } else { k };
            Law { cables: Some(n * d), diameter: exactly(diameter), ..one_way(format!("kautz:d={d},k={k}"), n, (d, d)) }
        }),
    );
    holds(
        "mddp_directed",
        (5..150_usize, 2..6_usize, any::<u64>()).prop_map(|(n, d, seed)| {
            let d = d.min(n - 1);
            Law { cables: Some(n * d), ..one_way(format!("mddp_directed:n={n},d={d},seed={seed}"), n, (d, d)) }
        }),
    );
}

#[test]
fn few_hops() {
    holds(
        "mddp_undirected",
        (10..150_usize, 3..9_usize, any::<u64>())
            .prop_map(|(n, d, seed)| law(format!("mddp_undirected:n={n},d={d},seed={seed}"), n, (1, d))),
    );
    holds(
        "slimfly",
        (prop::sample::select(&PRIME_POWERS[..]), 1..9_usize).prop_map(|(q, p)| {
            let n = 2 * q * q;
            let delta = match q % 4 {
                0 => 0,
                1 => 1,
                _ => -1,
            };
            let degree = ((3 * q as i64 - delta) / 2) as usize;
            let aspl = 2.0 - degree as f64 / (n as f64 - 1.0);
            let base = law(format!("slimfly:q={q},p={p}"), n, (degree, degree));
            Law { diameter: exactly(2), aspl: Some(aspl), hosts: p * n, ..base }
        }),
    );
    holds(
        "polarity",
        prop::sample::select(&PRIME_POWERS[..]).prop_map(|q| {
            let n = q * q + q + 1;
            Law {
                diameter: exactly(2),
                cables: Some(q * (q + 1) * (q + 1) / 2),
                ..law(format!("polarity:q={q}"), n, (q, q + 1))
            }
        }),
    );
    holds(
        "polarstar",
        (prop::sample::select(&[2_usize, 3, 4, 5, 7][..]), prop::sample::select(&[0_usize, 3, 4, 7, 8][..])).prop_map(
            |(q, k)| {
                let n = (q * q + q + 1) * (2 * k + 2);
                let degree = q + 1 + k;
                let base = law(format!("polarstar:q={q},k={k},p=2"), n, (degree, degree));
                Law { cables: Some(n * degree / 2), diameter: Some((2, 3)), hosts: 2 * n, ..base }
            },
        ),
    );
    holds(
        "polarstar",
        (prop::sample::select(&[2_usize, 3, 4, 5, 7][..]), prop::sample::select(&[2_usize, 4, 6, 8][..])).prop_map(
            |(q, k)| {
                let (points, m) = (q * q + q + 1, 2 * k + 1);
                let cables = points * m * k / 2 + q * (q + 1) * (q + 1) / 2 * m;
                let base = law(format!("polarstar:q={q},k={k},supernode=paley"), points * m, (q + k, q + 1 + k));
                Law { cables: Some(cables), diameter: exactly(3), ..base }
            },
        ),
    );
    holds(
        "bundlefly",
        (prop::sample::select(&[3_usize, 4, 5, 7][..]), prop::sample::select(&[5_usize, 9, 13][..])).prop_map(
            |(q, m)| {
                let delta = [0, 1, 0, -1][q % 4];
                let degree = ((3 * q as i64 - delta) / 2) as usize + (m - 1) / 2;
                let n = 2 * q * q * m;
                let base = law(format!("bundlefly:q={q},m={m}"), n, (degree, degree));
                Law { cables: Some(n * degree / 2), diameter: exactly(3), ..base }
            },
        ),
    );
    holds(
        "spectralfly",
        prop::sample::select(&[(3_usize, 5_usize), (5, 7), (3, 7), (11, 7), (3, 11), (5, 11), (7, 11), (13, 11)][..])
            .prop_map(|(p, q)| {
                let square = (1..q).any(|x| x * x % q == p % q);
                let n = q * (q * q - 1) / if square { 2 } else { 1 };
                let base = law(format!("spectralfly:p={p},q={q},hosts=3"), n, (p + 1, p + 1));
                Law { cables: Some(n * (p + 1) / 2), hosts: 3 * n, ..base }
            }),
    );
    let hxmesh = (1..5_usize, 1..5_usize, 1..6_usize, 1..6_usize, prop::sample::select(&[4_usize, 8, 64][..]));
    holds(
        "hxmesh",
        hxmesh.prop_map(|(a, b, x, y, radix)| {
            let (x, y) = (x.min(radix * radix / 4), y.min(radix * radix / 4));
            let (width, height) = (a * x, b * y);
            // Switches and cables within the network of a row or column with this number of ports.
            let inner = |ports: usize| {
                let leaves = ports.div_ceil(radix / 2);
                if ports <= radix { (1, 0) } else { (leaves + leaves.div_ceil(2), leaves * radix / 2) }
            };
            let ((rows, row_cables), (columns, column_cables)) = (inner(2 * x), inner(2 * y));
            let n = width * height + height * rows + width * columns;
            let mesh = width / a * (a - 1) * height + height / b * (b - 1) * width;
            let cables = mesh + height * (2 * x + row_cables) + width * (2 * y + column_cables);
            // A single switch for each line: half the board to its edge, the switch, and half a board again.
            let across = |side: usize, boards: usize| if boards == 1 { side - 1 } else { 2 * ((side - 1) / 2) + 2 };
            let single = 2 * x <= radix && 2 * y <= radix && x > 1 && y > 1;
            Law {
                cables: Some(cables),
                hosts: width * height,
                parallel: true,
                diameter: single.then(|| (across(a, x) + across(b, y), across(a, x) + across(b, y))),
                ..law(format!("hxmesh:a={a},b={b},x={x},y={y},radix={radix}"), n, (1, radix.max(4)))
            }
        }),
    );
    holds(
        "dragonfly_plus",
        (1..5_usize, 1..5_usize, 1..4_usize, 1..4_usize, 0.0..1.0, 1..4_usize).prop_map(|(l, s, h, t, share, p)| {
            let t = t.min(s * h);
            let most = s * h / t + 1;
            let g = 2 + (share * (most - 1) as f64) as usize;
            let g = g.min(most);
            let base =
                law(format!("dragonfly_plus:l={l},s={s},h={h},g={g},t={t},p={p}"), g * (l + s), (0, s.max(l + h)));
            let cables = g * l * s + g * (g - 1) / 2 * t;
            Law { cables: Some(cables), hosts: g * l * p, parallel: true, ..base }
        }),
    );
    holds(
        "dragonfly",
        (1..6_usize, 1..5_usize, 1..6_usize, 1..4_usize, 0.0..1.0).prop_map(|(a, h, t, l, share)| {
            let t = t.min(a * h);
            let most = a * h / t + 1;
            let g = (2 + (share * (most - 1) as f64) as usize).min(most);
            let base = law(format!("dragonfly:a={a},h={h},g={g},t={t},l={l}"), a * g, (0, l * (a - 1) + h));
            let cables = g * a * (a - 1) / 2 * l + g * (g - 1) / 2 * t;
            Law { cables: Some(cables), parallel: true, diameter: Some((1, 3)), ..base }
        }),
    );
    holds(
        "dragonfly",
        (1..7_usize, 1..4_usize, 0.0..1.0, 1..5_usize).prop_map(|(a, h, share, p)| {
            let g = 2 + (share * (a * h) as f64) as usize;
            let whole = g == a * h + 1;
            let degree = if whole { (a - 1 + h, a - 1 + h) } else { (0, a - 1 + h) };
            let base = law(format!("dragonfly:a={a},h={h},g={g},p={p}"), a * g, degree);
            let diameter = if whole && a > 1 && g > 2 { Some((2, 3)) } else { Some((0, 3)) };
            Law { cables: Some(g * a * (a - 1) / 2 + g * (g - 1) / 2), diameter, hosts: a * g * p, ..base }
        }),
    );
    holds(
        "dragonfly_fc",
        (1..9_usize, 2..40_usize).prop_map(|(z, c)| {
            let h = (c - 1).div_ceil(z);
            let base = law(format!("dragonfly_fc:z={z},c={c}"), z * c, (z - 1, z - 1 + h));
            Law { cables: Some(c * z * (z - 1) / 2 + c * (c - 1) / 2), diameter: Some((1, 3)), ..base }
        }),
    );
}

#[test]
fn trees_for_hosts() {
    holds(
        "fat_tree2",
        (1..20_usize).prop_map(|half| {
            let k = 2 * half;
            let base = law(format!("fat_tree2:{k}"), 3 * half, (half, k));
            Law { cables: Some(k * half), hosts: k * half, diameter: exactly(2), ..base }
        }),
    );
    holds(
        "fat_tree3",
        (1..8_usize).prop_map(|half| {
            let k = 2 * half;
            let base = law(format!("fat_tree3:{k}"), 5 * half * half, (half, k));
            let diameter = exactly(4);
            Law { cables: Some(k * k * k / 2), hosts: k * k * k / 4, diameter, ..base }
        }),
    );
    let ratios = prop::sample::select(&[(1_usize, 1_usize), (2, 1), (3, 1), (1, 2), (5, 3)][..]);
    holds(
        "fat_tree2",
        (1..5_usize, ratios.clone()).prop_map(|(times, (down, up))| {
            let k = 2 * times * (down + up);
            let (d, u) = (k * down / (down + up), k * up / (down + up));
            let base = law(format!("fat_tree2:k={k},ratio={down}:{up}"), k + u, (u.min(k), u.max(k)));
            Law { cables: Some(k * u), hosts: k * d, diameter: exactly(2), ..base }
        }),
    );
    holds(
        "fat_tree3",
        (1..3_usize, ratios).prop_map(|(times, (down, up))| {
            let k = 2 * times * (down + up);
            let (d, u) = (k * down / (down + up), k * up / (down + up));
            let base = law(format!("fat_tree3:k={k},ratio={down}:{up}"), k * k / 2 + k * u + u * k / 2, (u.min(k), k));
            Law { cables: Some(k * k * u), hosts: k * k / 2 * d, diameter: exactly(4), ..base }
        }),
    );
    holds(
        "kary_ntree",
        (2..6_usize, 1..5_usize).prop_map(|(k, n)| {
            let width = k.pow(n as u32 - 1);
            let base = law(format!("kary_ntree:k={k},n={n}"), n * width, (if n == 1 { 0 } else { k }, 2 * k));
            Law { cables: Some((n - 1) * width * k), hosts: width * k, diameter: exactly(2 * (n - 1)), ..base }
        }),
    );
    let levels = prop::collection::vec((1..5_usize, 1..4_usize), 1..4);
    holds(
        "xgft",
        levels.prop_map(|levels| {
            let (m, w): (Vec<usize>, Vec<usize>) = levels.into_iter().unzip();
            let size = |level: usize| m[level..].iter().product::<usize>() * w[..level].iter().product::<usize>();
            let cables = |level: usize| size(level) * w[level];
            let first = usize::from(w[0] == 1);
            let n = (first..=m.len()).map(size).sum();
            let most = (0..=m.len()).map(|l| m[..l].last().unwrap_or(&0) + w[l..].first().unwrap_or(&0)).max().unwrap();
            let base = law(format!("xgft:m={m:?},w={w:?}"), n, (0, most));
            // Several roots over one child, or one child under several hosts' cables: parts may be apart only without
            // parents.
            Law {
                cables: Some((first..m.len()).map(cables).sum()),
                hosts: size(0),
                fallible: first == 1 && m.len() == 1,
                ..base
            }
        }),
    );
    holds(
        "clos",
        (1..8_usize, 1..6_usize, 1..6_usize).prop_map(|(m, n, r)| {
            let hosts = n * r;
            let base = one_way(format!("clos:m={m},n={n},r={r}"), hosts + 2 * r + m, (1, m.max(n).max(r)));
            Law { cables: Some(2 * (hosts + r * m)), hosts, ..base }
        }),
    );
}

#[test]
fn no_family_is_forgotten() {
    let source = include_str!("properties.rs");
    for family in FAMILIES.iter().filter(|family| family.parameters.iter().all(|p| p.name != "path")) {
        assert!(source.contains(&format!("\"{}\"", family.name)), "{} has no laws here", family.name);
    }
}

#[test]
fn hosts_of_trees_hang_on_the_lowest_switches() {
    for (spec, bearing) in [("fat_tree2:6", 6), ("fat_tree3:4", 8), ("kary_ntree:3,3", 9), ("xgft:[4,2],[1,2]", 2)] {
        let graph = build(spec).unwrap().graph;
        assert!(matches!(graph.hosts(), Hosts::OnSwitches(_)));
        assert_eq!(graph.default_hosts().iter().filter(|&&count| count > 0).count(), bearing, "{spec}");
    }
}
