//! Networks that may fit: of each family the parameters that need the fewest switches.

use super::Wanted;
use crate::topology::build;
use crate::topology::families::spectralfly;
use crate::topology::metrics::bounds;

/// Specifications that may fit, with the hosts on each switch that bears some. Families without a convention of their own
/// carry `balance` times the uniform traffic of full speed.
pub(in crate::design) fn candidates(Wanted { hosts, radix }: Wanted, balance: f64) -> Vec<(String, u32)> {
    let mut found: Vec<(String, u64)> = Vec::new();
    // Families of any size and degree: as many hosts on a switch as the lower bound of distances lets through.
    for (directed, family) in
        [(false, "random_regular"), (true, "random_directed"), (true, "imase_itoh"), (true, "gen_de_bruijn")]
    {
        let carries = |p: &u64| {
            let (n, degree) = (hosts.div_ceil(*p), radix - p);
            n > degree
                && degree >= 3
                && bounds::aspl(n, degree, directed).is_some_and(|a| degree as f64 >= balance * *p as f64 * a)
        };
        if let Some(p) = (1..radix).rev().find(carries) {
            found.push((format!("{family}:n={},d={}", hosts.div_ceil(p), radix - p), p));
        }
    }
    if let Some(p) = (1..radix).rev().find(|p| {
        let n = hosts.div_ceil(*p);
        n >= 2 && n - 1 + p <= radix && n as f64 > balance * *p as f64
    }) {
        found.push((format!("full_mesh:n={}", hosts.div_ceil(p)), p));
    }
    for dimensions in 2..=6_u32 {
        let sized = |p: u64| sides(hosts.div_ceil(p), dimensions);
        let text = |sides: &[u64]| sides.iter().map(u64::to_string).collect::<Vec<_>>().join("x");
        let torus = |p: u64| {
            let sides = sized(p);
            let degree: u64 = sides.iter().map(|&side| (side - 1).min(2)).sum();
            let mean: f64 = sides.iter().map(|&side| side as f64 / 4.0).sum();
            (degree, mean)
        };
        let full = |p: &u64| torus(*p).0 + p <= radix && torus(*p).0 as f64 >= balance * *p as f64 * torus(*p).1;
        let p = (1..radix).rev().find(full).unwrap_or(1);
        found.push((format!("torus:{}", text(&sized(p))), p));
        let hyperx = |p: &u64| {
            let sides = sized(*p);
            let degree: u64 = sides.iter().map(|side| side - 1).sum();
            let mean: f64 = sides.iter().map(|&side| 1.0 - 1.0 / side as f64).sum();
            degree + p <= radix && degree as f64 >= balance * *p as f64 * mean
        };
        if let Some(p) = (1..radix).rev().find(hyperx) {
            found.push((format!("hyperx:{}", text(&sized(p))), p));
        }
        let levels = u64::from(dimensions);
        if let Some(k) = (2..=radix).find(|k: &u64| k.checked_pow(dimensions).is_none_or(|room| room >= hosts)) {
            found.push((format!("flattened_butterfly:k={k},n={levels}"), k));
            found.push((format!("kary_ntree:k={k},n={levels}"), k));
        }
    }
    for p in [1, 2] {
        let d = u64::from(hosts.div_ceil(p).next_power_of_two().ilog2()).max(1);
        found.push((format!("hypercube:{d}"), p));
    }
    for p in 1..radix {
        // Kautz and de Bruijn graphs exist for few sizes: the smallest one that is large enough, for each diameter.
        for k in 2..=4_u32 {
            let degree = radix - p;
            let room = degree.checked_pow(k).and_then(|words| words.checked_mul(p));
            let carries = |degree: u64| degree as f64 >= balance * p as f64 * (f64::from(k) - 0.1);
            if degree >= 2 && room.is_some_and(|room| room >= hosts) && carries(degree) {
                let smaller =
                    (2..degree).find(|d: &u64| d.checked_pow(k).is_some_and(|words| words * p >= hosts) && carries(*d));
                found.push((format!("kautz:d={},k={k}", smaller.unwrap_or(degree)), p));
            }
        }
    }
    if let Some(h) = (1..=radix.div_ceil(4)).find(|h| 4 * h - 1 <= radix && 2 * h * h * (2 * h * h + 1) >= hosts) {
        let g = hosts.div_ceil(2 * h * h).max(2);
        found.push((format!("dragonfly:a={},h={h},g={g},p={h}", 2 * h), h));
    } else {
        found.extend(unbalanced_dragonfly(hosts, radix));
    }
    // Networks of a fixed size for each q. By convention, half of the degree as hosts on a switch; smaller networks with
    // up to as many hosts as cables on a switch are listed with the balance that they reach.
    type Sizes = (u64, u64, u64);
    // Number of switches, degree, hosts on a switch.
    let slimfly = |q: u64| -> Sizes {
        let degree = if q % 4 == 3 { (3 * q).div_ceil(2) } else { 3 * q / 2 };
        (2 * q * q, degree, degree.div_ceil(2))
    };
    let polarity = |q: u64| -> Sizes { (q * q + q + 1, q + 1, q.div_ceil(2)) };
    let mut by_field = |sizes: &dyn Fn(u64) -> Sizes, spec: &dyn Fn(u64, u64) -> String| {
        for q in 2..radix {
            let (switches, degree, half) = sizes(q);
            let p = half.max(hosts.div_ceil(switches));
            if p > degree || degree + p > radix || build(&spec(q, p)).is_err() {
                continue;
            }
            found.push((spec(q, p), p));
            if p == half {
                break;
            }
        }
    };
    by_field(&slimfly, &|q, p| format!("slimfly:q={q},p={p}"));
    by_field(&polarity, &|q, _| format!("polarity:q={q}"));
    let even = || (1..=radix / 2).map(|half| 2 * half);
    found.extend(even().find(|k| k * k / 2 >= hosts).map(|k| (format!("fat_tree2:k={k}"), k / 2)));
    found.extend(even().find(|k| k * k * k / 4 >= hosts).map(|k| (format!("fat_tree3:k={k}"), k / 2)));
    newer(hosts, radix, balance, &mut found);
    // Networks of low degree, one host at a switch.
    found.extend(
        [("dsn", 4), ("dsnf", 2)]
            .into_iter()
            .filter(|(_, least)| hosts >= *least)
            .map(|(f, _)| (format!("{f}:n={hosts}"), 1)),
    );
    // Of each Kautz diameter the network with the fewest switches would win; the sort and the measures see to that.
    best_of_kautz(&mut found);
    found.into_iter().map(|(spec, p)| (spec, p as u32)).collect()
}

/// Keeps, of the Kautz graphs of each diameter, the one with the fewest switches.
fn best_of_kautz(found: &mut Vec<(String, u64)>) {
    let parts = |spec: &str| -> Option<(u32, u64)> {
        let (d, k) = spec.strip_prefix("kautz:d=")?.split_once(",k=")?;
        Some((k.parse().ok()?, d.parse().ok()?))
    };
    let mut smallest = std::collections::BTreeMap::new();
    for (k, d) in found.iter().filter_map(|(spec, _)| parts(spec)) {
        let least: &mut u64 = smallest.entry(k).or_insert(d);
        *least = d.min(*least);
    }
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|(spec, _)| parts(spec).is_none_or(|(k, d)| smallest[&k] == d && seen.insert(k)));
}

/// Returns nearly equal sizes of `dimensions` dimensions whose product is at least n, as small as possible with steps
/// of one.
fn sides(n: u64, dimensions: u32) -> Vec<u64> {
    let side = (1..).find(|side: &u64| side.checked_pow(dimensions).is_none_or(|product| product >= n)).unwrap_or(1);
    let mut sides = vec![side; dimensions as usize];
    for place in 0..sides.len() {
        sides[place] -= 1;
        if sides[place] == 0 || sides.iter().product::<u64>() < n {
            sides[place] += 1;
        }
    }
    sides
}

/// Returns, where Dragonflies with `a = 2p = 2h` are too small, the one with the most cables per host, and of those the
/// one with the fewest switches.
fn unbalanced_dragonfly(hosts: u64, radix: u64) -> Option<(String, u64)> {
    let shapes = (1..radix).flat_map(|p| (1..radix).map(move |h| (p, h)));
    let fitting = shapes.filter_map(|(p, h)| {
        let a = (radix + 1).checked_sub(p + h).filter(|&a| a >= 2)?;
        let g = hosts.div_ceil(a * p).max(2);
        (g <= a * h + 1).then_some((p, a * g, a, h, g))
    });
    // Switches are full, so the fewest hosts on a switch leave the most cables.
    fitting.min().map(|(p, _, a, h, g)| (format!("dragonfly:a={a},h={h},g={g},p={p}"), p))
}

/// Networks of the families that are sold or were proposed lately, and of trunked and oversubscribed ones.
fn newer(hosts: u64, radix: u64, balance: f64, found: &mut Vec<(String, u64)>) {
    // Balanced with as many hosts and cables to other groups as cables within the group.
    if let Some(p) = (1..=radix / 2).find(|p| (p * p + 1) * p * p >= hosts) {
        let g = hosts.div_ceil(p * p).max(2);
        found.push((format!("dragonfly_plus:l={p},s={p},h={p},g={g},p={p}{}", trunk(p * p / (g - 1))), p));
    }
    // With fewer groups than there can be, several cables join each pair.
    if let Some(h) = (1..=radix.div_ceil(4)).find(|h| 4 * h - 1 <= radix && 2 * h * h * (2 * h * h + 1) >= hosts) {
        let g = hosts.div_ceil(2 * h * h).max(2);
        found.push((format!("dragonfly:a={},h={h},g={g},p={h}{}", 2 * h, trunk(2 * h * h / (g - 1))), h));
    }
    for (dimensions, k) in [(2, 2), (2, 3), (3, 2)] {
        let sized = |p: u64| sides(hosts.div_ceil(p), dimensions);
        let carries = |p: &u64| {
            let sides = sized(*p);
            let degree: u64 = sides.iter().map(|side| k * (side - 1)).sum();
            let mean: f64 = sides.iter().map(|&side| 1.0 - 1.0 / side as f64).sum();
            degree + p <= radix && degree as f64 >= balance * *p as f64 * mean
        };
        if let Some(p) = (1..radix).rev().find(carries) {
            let text = sized(p).iter().map(u64::to_string).collect::<Vec<_>>().join("x");
            found.push((format!("hyperx:{text},k=[{k}],p={p}"), p));
        }
    }
    for down in [2, 3] {
        let split = || (1..=radix / 2).map(|half| 2 * half).filter(|k| k % (down + 1) == 0);
        let leaf = |k: u64| k * down / (down + 1);
        let two = split().find(|&k| k * leaf(k) >= hosts);
        found.extend(two.map(|k| (format!("fat_tree2:k={k},ratio={down}:1"), leaf(k))));
        let three = split().find(|&k| k * k / 2 * leaf(k) >= hosts);
        found.extend(three.map(|k| (format!("fat_tree3:k={k},ratio={down}:1"), leaf(k))));
    }
    found.extend(trunked_tree(hosts, radix));
    star_products(hosts, radix, found);
    // Expanders: as many hosts on a switch as the lower bound of distances lets through.
    let carries = |n: u64, degree: u64, p: u64| {
        degree + p <= radix
            && n > degree
            && bounds::aspl(n, degree, false).is_some_and(|mean| degree as f64 >= balance * p as f64 * mean)
    };
    let lift = |p: u64| hosts.div_ceil(p * (radix - p + 1)).max(1);
    if let Some(p) = (1..radix - 1).rev().find(|&p| carries(lift(p) * (radix - p + 1), radix - p, p)) {
        found.push((format!("xpander:d={},k={},p={p}", radix - p, lift(p)), p));
    }
    let ramanujan =
        (3..radix).step_by(2).flat_map(|p| (3..=61).step_by(2).map(move |q| (p, q))).filter_map(|(p, q)| {
            let n = spectralfly::switches(p as usize, q as usize)? as u64;
            let c = hosts.div_ceil(n).max(1);
            carries(n, p + 1, c).then_some((n, p, q, c))
        });
    let smallest = ramanujan.min();
    found.extend(smallest.map(|(_, p, q, c)| (format!("spectralfly:p={p},q={q},hosts={c}"), c)));
    // One host on each switch: boards of accelerators with four ports, and the ten ports of Tofu.
    for side in [2_u64, 4] {
        let boards = hosts.div_ceil(side * side);
        let x = boards.isqrt() + u64::from(boards.isqrt().pow(2) < boards);
        let y = boards.div_ceil(x);
        let even = radix / 2 * 2;
        found.push((format!("hxmesh:a={side},b={side},x={x},y={y},radix={even}"), 1));
    }
    let groups = sides(hosts.div_ceil(12), 3);
    found.push((format!("tofu:{}x{}x{}", groups[0], groups[1], groups[2]), 1));
}

/// Returns the fat tree with the most parallel cables to each switch of its top level, hence the fewest switches, if all
/// switches have `radix` ports in use; with three levels only where two are not enough.
fn trunked_tree(hosts: u64, radix: u64) -> Option<(String, u64)> {
    let half = radix / 2;
    let (levels, most) = if 2 * half * half >= hosts { (2, 2 * half * half) } else { (3, 2 * half.pow(3)) };
    let trunk = (2..=half).rev().find(|&t| half.is_multiple_of(t) && most / t >= hosts)?;
    Some((format!("fat_tree{levels}:k={},t={trunk}", 2 * half), half))
}

/// Returns the parameter for the cables between two groups; nothing for one.
fn trunk(cables: u64) -> String {
    if cables > 1 { format!(",t={cables}") } else { String::new() }
}

/// Adds the smallest PolarStar of each kind and the smallest Bundlefly. By convention of their papers, a third of the
/// degree as hosts on a switch.
fn star_products(hosts: u64, radix: u64, found: &mut Vec<(String, u64)>) {
    let power = |q: u64| {
        (2..=q).find(|p| q.is_multiple_of(*p)).is_some_and(|p| (1..).map(|e| p.pow(e)).find(|&x| x >= q) == Some(q))
    };
    // Most cables of a switch lead out of its supernode, as in the largest networks of each degree.
    let fits = |switches: u64, degree: u64, inside: u64| {
        let p = (degree / 3).max(1);
        (2 * inside <= degree && degree + p <= radix && switches * p >= hosts).then_some((switches, p))
    };
    let pairs = |most: u64| (2..most).filter(|&q| power(q)).flat_map(move |q| (0..most).map(move |k| (q, k)));
    let iq = pairs(radix).filter(|(_, k)| k % 4 == 0 || k % 4 == 3).filter_map(|(q, k)| {
        fits((q * q + q + 1) * (2 * k + 2), q + 1 + k, k).map(|(n, p)| (n, p, format!("polarstar:q={q},k={k},p={p}")))
    });
    let paley = pairs(radix).filter(|(_, k)| *k > 0 && k % 2 == 0 && power(2 * k + 1)).filter_map(|(q, k)| {
        let spec = |p| format!("polarstar:q={q},k={k},supernode=paley,p={p}");
        fits((q * q + q + 1) * (2 * k + 1), q + 1 + k, k).map(|(n, p)| (n, p, spec(p)))
    });
    let bundles =
        pairs(radix).filter(|&(q, k)| q % 4 != 2 && k > 0 && k % 2 == 0 && power(2 * k + 1)).filter_map(|(q, k)| {
            let degree = if q % 4 == 3 { (3 * q).div_ceil(2) } else { 3 * q / 2 } + k;
            let spec = |p| format!("bundlefly:q={q},m={},p={p}", 2 * k + 1);
            fits(2 * q * q * (2 * k + 1), degree, k).map(|(n, p)| (n, p, spec(p)))
        });
    found.extend([iq.min(), paley.min(), bundles.min()].into_iter().flatten().map(|(_, p, spec)| (spec, p)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_nearly_equal() {
        assert_eq!(sides(100, 2), [10, 10]);
        assert_eq!(sides(64, 3), [4, 4, 4]);
        assert_eq!(sides(30, 2), [5, 6]);
    }

    #[test]
    fn dragonflies_need_not_be_balanced() {
        // 72 hosts are the most with a = 2p = 2h and 8 ports.
        let of = |hosts| {
            let found = candidates(Wanted { hosts, radix: 8 }, 1.0);
            found.into_iter().find(|(spec, _)| spec.starts_with("dragonfly:")).map(|(spec, _)| spec)
        };
        assert_eq!(of(72).as_deref(), Some("dragonfly:a=4,h=2,g=9,p=2"));
        assert_eq!(of(100).as_deref(), Some("dragonfly:a=5,h=2,g=10,p=2"));
        assert_eq!(of(5000), None);
    }

    #[test]
    fn trees_of_whole_switches_have_parallel_cables() {
        assert_eq!(trunked_tree(1024, 64), Some(("fat_tree2:k=64,t=2".to_owned(), 32)));
        assert_eq!(trunked_tree(300, 65), Some(("fat_tree2:k=64,t=4".to_owned(), 32)));
        assert_eq!(trunked_tree(1025, 64), None);
        assert_eq!(trunked_tree(4096, 64), Some(("fat_tree3:k=64,t=16".to_owned(), 32)));
        assert_eq!(trunked_tree(2, 3), None);
        for (hosts, radix) in [(1024, 64), (4096, 64), (100, 24), (5000, 48)] {
            let (spec, _) = trunked_tree(hosts, radix).unwrap();
            let graph = build(&spec).unwrap().graph;
            assert!(u64::from(graph.default_hosts().iter().sum::<u32>()) >= hosts, "{spec}");
        }
    }

    #[test]
    fn every_family_with_sizes_of_its_own_is_found() {
        let found = candidates(Wanted { hosts: 400, radix: 36 }, 1.0);
        for family in [
            "dragonfly_plus:",
            "dragonfly:a=8,h=4,g=13,p=4,t=2",
            "hyperx:",
            "fat_tree2:k=30,ratio=2:1",
            "fat_tree3:k=12,ratio=3:1",
            "polarstar:",
            "bundlefly:",
            "xpander:",
            "spectralfly:",
            "hxmesh:a=4",
            "tofu:",
        ] {
            assert!(found.iter().any(|(spec, _)| spec.starts_with(family)), "{family}: {found:?}");
        }
        // Whatever is looked for, the specifications are legal or too large.
        for (hosts, radix) in [(2, 3), (17, 5), (300, 16), (4096, 64), (1 << 18, 1024)] {
            for (spec, _) in candidates(Wanted { hosts, radix }, 1.0) {
                assert!(spec.parse::<crate::topology::Spec>().is_ok(), "{spec}");
            }
        }
    }
}
