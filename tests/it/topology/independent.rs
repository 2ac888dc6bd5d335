//! Families built a second time from their definitions, by tests of all pairs of switches: cables, degrees and distances
//! agree with the generators. Fields are integers modulo a prime, squares and primitive roots are found by trying.

use mopsim::topology::metrics::{Metrics, edge_sha256};
use mopsim::topology::{Graph, build};

/// Compares a network with the one in which `cables(u, v)` cables join each pair u < v of `n` switches.
fn agrees(spec: &str, n: usize, cables: impl Fn(usize, usize) -> usize) {
    let mut pairs = Vec::new();
    let mut distance = vec![vec![usize::MAX / 2; n]; n];
    let mut degree = vec![0; n];
    for u in 0..n {
        distance[u][u] = 0;
        for v in u + 1..n {
            let count = cables(u, v);
            pairs.extend(std::iter::repeat_n((u as u32, v as u32), count));
            degree[u] += count;
            degree[v] += count;
            if count > 0 {
                (distance[u][v], distance[v][u]) = (1, 1);
            }
        }
    }
    // Floyd and Warshall.
    for middle in 0..n {
        let by = distance[middle].clone();
        for row in &mut distance {
            let first = row[middle];
            row.iter_mut().zip(&by).for_each(|(there, &rest)| *there = (*there).min(first + rest));
        }
    }
    let all = || distance.iter().flatten();
    let sum: usize = all().sum();
    let graph = build(spec).unwrap_or_else(|error| panic!("{spec}: {error}")).graph;
    let metrics = Metrics::of(&graph).unwrap();
    let expected = Graph::with_parallel_cables(n, false, pairs).unwrap();
    assert_eq!(metrics.edge_sha256, edge_sha256(&expected), "{spec}");
    let degrees = (metrics.degrees.min_out, metrics.degrees.max_out);
    assert_eq!(degrees, (*degree.iter().min().unwrap(), *degree.iter().max().unwrap()), "{spec}");
    let distances = metrics.distances.unwrap_or_else(|| panic!("{spec} is disconnected"));
    assert_eq!(distances.diameter(), *all().max().unwrap(), "{spec}");
    let mean = sum as f64 / (n * (n - 1)) as f64;
    assert!((distances.aspl - mean).abs() < 1e-12 * mean, "{spec}: {} {mean}", distances.aspl);
}

/// Matrices `a b / c d` modulo q.
type Matrix = [i64; 4];

fn product([a, b, c, d]: Matrix, [e, f, g, h]: Matrix, q: i64) -> Matrix {
    [a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h].map(|entry| entry.rem_euclid(q))
}

/// The generators of LPS(p, q) as quaternions of norm p, with squares found by trying.
fn quaternions(p: i64) -> Vec<[i64; 4]> {
    let range = || -p..=p;
    let mut found = Vec::new();
    for a in 0..=p {
        for (b, c) in range().flat_map(|b| range().map(move |c| (b, c))) {
            for d in range().filter(|d| a * a + b * b + c * c + d * d == p) {
                let odd = |x: i64| x.rem_euclid(2) == 1;
                let parities = if p % 4 == 1 {
                    odd(a) && !odd(b) && !odd(c) && !odd(d)
                } else {
                    !odd(a) && odd(b) && odd(c) && odd(d)
                };
                // Of a quaternion and its negative, one.
                let first = [a, b, c, d].into_iter().find(|&x| x != 0).unwrap();
                if parities && first > 0 {
                    found.push([a, b, c, d]);
                }
            }
        }
    }
    assert_eq!(found.len() as i64, p + 1);
    found
}

#[test]
fn ramanujan_graphs() {
    for (p, q, switches) in [(3, 5, 120), (5, 7, 336), (11, 7, 168), (3, 11, 660), (7, 5, 0)] {
        if switches == 0 {
            // Below 2*sqrt(p) the graph is not defined.
            assert!(build(&format!("spectralfly:p={p},q={q}")).is_err());
            continue;
        }
        let invertible = |[a, b, c, d]: Matrix| (a * d - b * c).rem_euclid(q);
        let square = |x: i64| (1..q).any(|y| y * y % q == x);
        let all =
            (0..q).flat_map(|a| (0..q).flat_map(move |b| (0..q).flat_map(move |c| (0..q).map(move |d| [a, b, c, d]))));
        // One matrix of each class of multiples: the smallest that begins with a 1.
        let multiples = |m: Matrix| (1..q).map(move |k| m.map(|entry| entry * k % q));
        let own = |m: Matrix| multiples(m).find(|m| m.iter().find(|&&x| x != 0) == Some(&1)).unwrap();
        let half = square(p % q);
        let classes: Vec<Matrix> =
            all.filter(|&m| invertible(m) != 0 && own(m) == m && (!half || square(invertible(m)))).collect();
        assert_eq!(classes.len(), switches);
        let (x, y) =
            (0..q).flat_map(|x| (0..q).map(move |y| (x, y))).find(|(x, y)| (x * x + y * y + 1) % q == 0).unwrap();
        let generators: Vec<Matrix> = quaternions(p)
            .into_iter()
            .map(|[a, b, c, d]| [a + b * x + d * y, c - b * y + d * x, -c - b * y + d * x, a - b * x - d * y])
            .map(|m| own(m.map(|entry| entry.rem_euclid(q))))
            .collect();
        // v is joined to u if u^-1 v is a generator; the adjugate is a multiple of the inverse.
        let joined = |u: usize, v: usize| {
            let [a, b, c, d] = classes[u];
            let quotient = own(product([d, -b, -c, a].map(|x| x.rem_euclid(q)), classes[v], q));
            usize::from(generators.contains(&quotient))
        };
        agrees(&format!("spectralfly:p={p},q={q}"), switches, joined);
        // Ramanujan: all eigenvalues but those of the constant and, if bipartite, of the alternating vector are at most
        // 2 sqrt(p). Powers of the squared matrix grow by the largest that is left.
        let rows: Vec<Vec<usize>> =
            (0..switches).map(|u| (0..switches).filter(|&v| joined(u, v) == 1).collect()).collect();
        let sides: Vec<f64> = classes.iter().map(|&m| if half || square(invertible(m)) { 1.0 } else { -1.0 }).collect();
        let mut vector: Vec<f64> = (0..switches).map(|u| ((u * 7919 + 13) % 101) as f64 - 50.0).collect();
        let mut growth = 0.0;
        for _ in 0..400 {
            for weights in [&vec![1.0; switches], &sides] {
                let part = vector.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>() / switches as f64;
                vector.iter_mut().zip(weights).for_each(|(x, w)| *x -= part * w);
            }
            let norm = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
            vector.iter_mut().for_each(|x| *x /= norm);
            let next: Vec<f64> = rows.iter().map(|row| row.iter().map(|&v| vector[v]).sum()).collect();
            growth = next.iter().map(|x| x * x).sum::<f64>().sqrt();
            vector = next;
        }
        assert!(growth <= 2.0 * (p as f64).sqrt() + 1e-9, "LPS({p}, {q}): {growth}");
    }
}

fn is_square(x: i64, q: i64) -> bool {
    (1..q).any(|y| y * y % q == x.rem_euclid(q))
}

/// The smallest number whose powers are all numbers from 1 to q - 1.
fn primitive_root(q: i64) -> i64 {
    let order = |g: i64| {
        1 + (1..q).scan(g, |power, _| Some((*power, *power = *power * g % q).0)).take_while(|&x| x != 1).count() as i64
    };
    (2..q).find(|&g| order(g) == q - 1).unwrap()
}

/// Returns `true` if vertices of the inductive quad of a degree are joined, by the place of each: its quad, its pair in
/// the quad and its side of the pair.
fn quad_joined(degree: usize, u: usize, v: usize) -> bool {
    let place = |vertex: usize| match degree % 4 {
        0 if vertex < 2 => (0, 0, vertex),
        0 => (1 + (vertex - 2) / 8, (vertex - 2) % 4, (vertex - 2) / 4 % 2),
        _ => (vertex / 8, vertex % 4, vertex / 4 % 2),
    };
    let ((first, i, side), (second, j, other)) = (place(u), place(v));
    if first != second {
        // The pairs 0 and 1 of the later quad meet the unprimed vertices of all earlier ones, 2 and 3 the primed.
        let (pair, earlier) = if first > second { (i, other) } else { (j, side) };
        return earlier == usize::from(pair >= 2);
    }
    match (i, j) {
        (0, 0) => false,
        (0, _) => other == 0,
        (_, 0) => side == 0,
        // y_j' is met by both of the pair before it in the cycle 1, 2, 3.
        _ => other == 1 && j == i % 3 + 1 || side == 1 && i == j % 3 + 1,
    }
}

#[test]
fn star_products_of_polarity_graphs() {
    for (q, k) in [(2, 0), (3, 3), (3, 4), (5, 3), (2, 7)] {
        let vectors = (0..q).flat_map(|a| (0..q).flat_map(move |b| (0..q).map(move |c| [a, b, c])));
        let mut points: Vec<[i64; 3]> = vectors.filter(|v| v.iter().find(|&&x| x != 0) == Some(&1)).collect();
        // (1, a, b) before (0, 1, a) before (0, 0, 1).
        points.sort_by_key(|v| (v.iter().position(|&x| x != 0), *v));
        let orthogonal = |u: usize, v: usize| points[u].iter().zip(points[v]).map(|(a, b)| a * b).sum::<i64>() % q == 0;
        let m = 2 * k + 2;
        let image = |a: usize| match k % 4 {
            0 if a < 2 => 1 - a,
            0 => 2 + ((a - 2) ^ 4),
            _ => a ^ 4,
        };
        agrees(&format!("polarstar:q={q},k={k}"), points.len() * m, |u, v| {
            let ((x, a), (y, b)) = ((u / m, u % m), (v / m, v % m));
            let inside = x == y && quad_joined(k, a, b);
            usize::from(inside || orthogonal(x, y) && image(a) == b)
        });
    }
}

#[test]
fn star_products_with_paley_graphs() {
    // Slim Fly of q = 5 and 13: differences are squares on one side, no squares on the other.
    for (q, m) in [(5, 5), (5, 13), (13, 5)] {
        let slim = |u: usize, v: usize| {
            let split = |w: usize| (w as i64 / (q * q), w as i64 / q % q, w as i64 % q);
            match (split(u), split(v)) {
                ((side, x, y), (other, z, w)) if side == other => {
                    x == z && y != w && is_square(y - w, q) == (side == 0)
                }
                ((0, x, y), (1, slope, c)) => y == (slope * x + c) % q,
                _ => unreachable!("u < v"),
            }
        };
        let g = primitive_root(m as i64);
        agrees(&format!("bundlefly:q={q},m={m}"), 2 * (q * q) as usize * m, |u, v| {
            let ((x, a), (y, b)) = ((u / m, (u % m) as i64), (v / m, (v % m) as i64));
            usize::from(if x == y { is_square(a - b, m as i64) } else { slim(x, y) && b == g * a % m as i64 })
        });
    }
    // The Paley supernode of PolarStar.
    let q = 3;
    let points: Vec<[i64; 3]> = (0..q)
        .flat_map(|a| (0..q).map(move |b| [1, a, b]))
        .chain((0..q).map(|a| [0, 1, a]))
        .chain([[0, 0, 1]])
        .collect();
    agrees("polarstar:q=3,k=6,supernode=paley", 13 * 13, |u, v| {
        let ((x, a), (y, b)) = ((u / 13, (u % 13) as i64), (v / 13, (v % 13) as i64));
        let orthogonal = points[x].iter().zip(points[y]).map(|(a, b)| a * b).sum::<i64>() % q == 0;
        usize::from(if x == y { is_square(a - b, 13) } else { orthogonal && b == primitive_root(13) * a % 13 })
    });
}

/// Digits of a number, the first one fastest.
fn digits<const N: usize>(mut number: usize, sizes: [usize; N]) -> [usize; N] {
    sizes.map(|size| {
        let digit = number % size;
        number /= size;
        digit
    })
}

#[test]
fn grids() {
    for (outer, mesh) in [([3, 4, 1], ""), ([3, 4, 2], "y"), ([5, 1, 3], "xz"), ([4, 3, 3], "xyz")] {
        let sizes = [2, 3, 2, outer[0], outer[1], outer[2]];
        let ring = [true, true, true, !mesh.contains('x'), !mesh.contains('y'), !mesh.contains('z')];
        let axes = if mesh.is_empty() { String::new() } else { format!(",mesh={mesh}") };
        let spec = format!("tofu:{}x{}x{}{axes}", outer[0], outer[1], outer[2]);
        agrees(&spec, sizes.iter().product(), |u, v| {
            let (here, there) = (digits(u, sizes), digits(v, sizes));
            let differing: Vec<usize> = (0..6).filter(|&axis| here[axis] != there[axis]).collect();
            let [axis] = differing[..] else { return 0 };
            let gap = here[axis].abs_diff(there[axis]);
            usize::from(gap == 1 || ring[axis] && gap == sizes[axis] - 1)
        });
    }
    for (sizes, trunks) in [([3, 4, 2], [2, 1, 3]), ([5, 1, 3], [1, 2, 2])] {
        agrees(
            &format!("hyperx:{}x{}x{},k={trunks:?}", sizes[0], sizes[1], sizes[2]),
            sizes.iter().product(),
            |u, v| {
                let (here, there) = (digits(u, sizes), digits(v, sizes));
                let differing: Vec<usize> = (0..3).filter(|&axis| here[axis] != there[axis]).collect();
                if let [axis] = differing[..] { trunks[axis] } else { 0 }
            },
        );
    }
}

/// The far group and switch of each global port of a group: ports are dealt to the other groups in ascending order,
/// `t` to each, and `h` of them are on a switch.
fn ports(group: usize, groups: usize, h: usize, t: usize) -> Vec<(usize, usize, usize)> {
    let others = (0..groups).filter(|&other| other != group).flat_map(|other| (0..t).map(move |nth| (other, nth)));
    others.enumerate().map(|(port, (other, nth))| (port / h, other, nth)).collect()
}

fn between(groups: usize, h: usize, t: usize, (g, i): (usize, usize), (k, j): (usize, usize)) -> usize {
    let (here, there) = (ports(g, groups, h, t), ports(k, groups, h, t));
    let mine = here.iter().filter(|&&(switch, other, _)| switch == i && other == k);
    mine.filter(|&&(_, _, nth)| there.contains(&(j, g, nth))).count()
}

#[test]
fn groups() {
    for (a, h, g, t, l) in [(4, 2, 9, 1, 1), (4, 3, 4, 4, 1), (3, 4, 3, 5, 2), (2, 3, 3, 3, 3)] {
        agrees(&format!("dragonfly:a={a},h={h},g={g},t={t},l={l}"), a * g, |u, v| {
            let ends = ((u / a, u % a), (v / a, v % a));
            if u / a == v / a { l } else { between(g, h, t, ends.0, ends.1) }
        });
    }
    for (l, s, h, g, t) in [(2, 2, 2, 5, 1), (3, 2, 4, 4, 2), (4, 4, 4, 17, 1), (2, 3, 2, 3, 3)] {
        let size = l + s;
        agrees(&format!("dragonfly_plus:l={l},s={s},h={h},g={g},t={t}"), size * g, |u, v| {
            let ((g1, i), (g2, j)) = ((u / size, u % size), (v / size, v % size));
            match (i.checked_sub(l), j.checked_sub(l)) {
                (None, Some(_)) | (Some(_), None) => usize::from(g1 == g2),
                (Some(i), Some(j)) if g1 != g2 => between(g, h, t, (g1, i), (g2, j)),
                _ => 0,
            }
        });
    }
}

#[test]
fn boards() {
    // One switch for each line; then fat trees of 4-port switches: three boards have six ports, three leaves, two spines.
    for (a, b, x, y) in [(2, 2, 4, 3), (4, 4, 2, 2), (1, 1, 3, 3), (3, 2, 2, 4)] {
        let (width, height) = (a * x, b * y);
        let accelerators = width * height;
        agrees(&format!("hxmesh:a={a},b={b},x={x},y={y}"), accelerators + height + width, |u, v| {
            let place = |w: usize| (w % width, w / width);
            let ((column, row), line) = (place(u), v.wrapping_sub(accelerators));
            let edge =
                |at: usize, side: usize| usize::from(at.is_multiple_of(side)) + usize::from(at % side == side - 1);
            if u >= accelerators {
                0
            } else if v < accelerators {
                let (other, below) = place(v);
                let beside = row == below && other == column + 1 && !other.is_multiple_of(a);
                usize::from(beside || column == other && below == row + 1 && below % b != 0)
            } else if line < height {
                if line == row { edge(column, a) } else { 0 }
            } else if line - height == column {
                edge(row, b)
            } else {
                0
            }
        });
    }
    agrees("hxmesh:a=1,b=1,x=3,y=1,radix=4", 3 + 5 + 3, |u, v| match (u, v) {
        // Both ports of an accelerator are on the leaf of its row.
        (0..=2, 3..=5) if v == u + 3 => 2,
        // Leaves have two cables up, dealt to the spines 6 and 7 in turn.
        (3..=5, 6..=7) => 1,
        (0..=2, 8..=10) if v == u + 8 => 2,
        _ => 0,
    });
}

#[test]
fn tapered_trees_are_generalised_fat_trees() {
    for (k, ratio, down, up) in [(6, "2:1", 4, 2), (8, "3:1", 6, 2), (8, "3:5", 3, 5), (12, "5:1", 10, 2)] {
        let two = build(&format!("fat_tree2:k={k},ratio={ratio}")).unwrap().graph;
        assert_eq!(two, build(&format!("xgft:m=[{down},{k}],w=[1,{up}]")).unwrap().graph);
        let three = build(&format!("fat_tree3:k={k},ratio={ratio}")).unwrap().graph;
        let xgft = build(&format!("xgft:m=[{down},{},{k}],w=[1,{up},{}]", k / 2, k / 2)).unwrap().graph;
        // Cores are numbered in another order there: by digit of the third level first.
        let (of_three, of_xgft) = (Metrics::of(&three).unwrap(), Metrics::of(&xgft).unwrap());
        assert_eq!(
            (of_three.distances, of_three.degrees, of_three.cables),
            (of_xgft.distances, of_xgft.degrees, of_xgft.cables)
        );
        assert_eq!(three.hosts(), xgft.hosts());
    }
    assert_eq!(build("fat_tree3:k=8,ratio=1:1").unwrap().graph, build("fat_tree3:8").unwrap().graph);
}

#[test]
fn trees_with_parallel_cables() {
    agrees("fat_tree2:k=8,t=2", 4 + 2, |u, v| if (0..4).contains(&u) && (4..6).contains(&v) { 2 } else { 0 });
    agrees("fat_tree2:k=12,ratio=2:1,t=4", 3 + 1, |u, v| if u < 3 && v == 3 { 4 } else { 0 });
    // Four pods of four edge and four aggregation switches, which have two cables to each of two cores of their own.
    agrees("fat_tree3:k=8,t=2", 16 + 16 + 8, |u, v| match (u, v) {
        (0..16, 16..32) if u / 4 == (v - 16) / 4 => 1,
        (16..32, 32..40) if u % 4 == (v - 32) / 2 => 2,
        _ => 0,
    });
    for (tree, general) in [
        ("fat_tree2:k=8,t=2", "xgft:m=[4,4],w=[1,2],p=[1,2]"),
        ("fat_tree2:k=12,ratio=2:1,t=4", "xgft:m=[8,3],w=[1,1],p=[1,4]"),
        ("fat_tree2:k=8", "xgft:m=[4,8],w=[1,4],p=[1,1]"),
    ] {
        assert_eq!(build(tree).unwrap().graph, build(general).unwrap().graph, "{tree}");
    }
    // The tree of 1,024 hosts from switches of 64 ports has 48 of them, and all ports are in use.
    let graph = build("fat_tree2:k=64,t=2").unwrap().graph;
    assert_eq!((graph.switches(), graph.default_hosts().iter().sum::<u32>()), (48, 1024));
    let mut ports = graph.default_hosts().to_vec();
    for (u, v) in graph.cable_ends() {
        ports[u.0 as usize] += 1;
        ports[v.0 as usize] += 1;
    }
    assert_eq!(ports, [64; 48]);
}

#[test]
fn lifts_of_the_complete_graph() {
    let (d, k) = (5, 7);
    let graph = build("xpander:d=5,k=7,seed=4").unwrap().graph;
    assert_eq!(graph, build("xpander:d=5,k=7,seed=4").unwrap().graph);
    assert_ne!(graph, build("xpander:d=5,k=7,seed=5").unwrap().graph);
    let mut partners = vec![vec![0; d + 1]; (d + 1) * k];
    for (u, v) in graph.cable_ends() {
        partners[u.index()][v.index() / k] += 1;
        partners[v.index()][u.index() / k] += 1;
    }
    for (switch, counts) in partners.iter().enumerate() {
        for (node, &count) in counts.iter().enumerate() {
            assert_eq!(count, usize::from(node != switch / k), "switch {switch}, meta-node {node}");
        }
    }
}

#[test]
fn printed_sizes() {
    for (spec, switches, degree, hosts) in [
        // PolarStar at radix 15 with inductive quads of degree 3, and Bundlefly of q = 7, m = 9 at the same radix.
        ("polarstar:q=11,k=3,p=5", 1064, 15, 5320),
        ("bundlefly:q=7,m=9", 882, 15, 882),
        // PSL(2, 7), PSL(2, 11) and PSL(2, 17).
        ("spectralfly:11,7", 168, 12, 168),
        ("spectralfly:23,11", 660, 24, 660),
        ("spectralfly:53,17", 2448, 54, 2448),
        // Dragonfly+ of 36-port switches: group of k^2/4 = 324 hosts, (k^2/4 + 1) groups.
        ("dragonfly_plus:l=18,s=18,h=18,p=18", 11_700, 36, 105_300),
        // The 2 x 2 boards of 1,024 accelerators with 64-port switches.
        ("hxmesh:a=2,b=2,x=16,y=16", 1024 + 64, 32, 1024),
        // Fugaku.
        ("tofu:24x23x24", 158_976, 10, 158_976),
    ] {
        let graph = build(spec).unwrap().graph;
        let most = (0..graph.switches() as u32).map(|s| graph.out_degree(mopsim::ids::SwitchId(s))).max().unwrap();
        let found: u32 = graph.default_hosts().iter().sum();
        assert_eq!((graph.switches(), most, found), (switches, degree, hosts), "{spec}");
    }
}

#[test]
fn sizes_that_do_not_exist_name_their_neighbours() {
    for (spec, rule) in [
        ("polarstar:q=6,k=3", "the nearest are 5 and 7"),
        ("polarstar:q=5,k=5", "0 or 3 modulo 4; the nearest are 4 and 7"),
        ("polarstar:q=5,k=5,supernode=paley", "the nearest are 4 and 6"),
        ("polarstar:q=5,k=4,supernode=ring", "`iq` (inductive quad) or `paley`"),
        ("polarstar:q=-1,k=3", "the nearest is 2"),
        ("polarstar:q=401,k=1024", "the limit is 16777216"),
        ("bundlefly:q=6,m=5", "the nearest are 5 and 7"),
        ("bundlefly:q=5,m=7", "the nearest are 5 and 9"),
        ("bundlefly:q=281,m=281", "the limit is"),
        ("spectralfly:p=9,q=11", "the nearest are 7 and 11"),
        ("spectralfly:p=23,q=8", "the nearest is 11"),
        ("spectralfly:p=5,q=5", "the nearest is 7"),
        ("spectralfly:p=3,q=9223372036854775807", "the nearest is 317"),
        ("xpander:d=1,k=4", "from 2 to"),
        ("xpander:d=3,k=16777216", "the limit is"),
        ("hxmesh:a=2,b=2,x=9,y=2,radix=4", "joins at most 4 boards"),
        ("hxmesh:a=2,b=2,x=4,y=2,radix=5", "the nearest are 4 and 6"),
        ("hxmesh:a=0,b=2,x=4,y=2", "from 1 to"),
        ("hxmesh:a=16777216,b=16777216,x=1,y=1", "the limit is"),
        ("tofu:4x4", "three sizes"),
        ("tofu:4x4x4,mesh=w", "axes out of x, y and z"),
        ("tofu:4x4x4,mesh=xx", "each once"),
        ("tofu:1024x1024x8", "more than 16777216 switches"),
        ("dragonfly:a=4,h=2,t=3,g=4", "from 2 to a*h/t + 1 = 3"),
        ("dragonfly:a=4,h=2,t=9", "from 1 to a*h = 8"),
        ("dragonfly:a=4,h=2,l=0", "from 1 to 1024"),
        ("dragonfly:a=16777216,h=16777216,g=2,t=9223372036854775807", "from 1 to 67108864"),
        ("dragonfly_plus:l=2,s=2,h=1,g=4", "from 2 to s*h + 1 = 3"),
        ("hyperx:4x4,k=[1,2,3]", "one for each of the 2 sizes"),
        ("hyperx:4x4,k=[0]", "from 1 to 1024"),
        ("hyperx:4x4,k=[]", "from 1 to 1024"),
        ("fat_tree2:k=8,ratio=2:1", "the nearest are 6 and 12"),
        ("fat_tree2:k=8,t=3", "it must divide 8 ports and 4 cables up: the nearest are 2 and 4"),
        ("fat_tree2:k=8,t=0", "from 1 to 4"),
        ("fat_tree3:k=8,t=8", "from 1 to 4"),
        ("xgft:m=[4,4],w=[1,2],p=[1]", "as many numbers as `m`, 2"),
        ("xgft:m=[4,4],w=[1,2],p=[2,1]", "a host with one parent has one cable"),
        ("xgft:m=[4,4],w=[1,2],p=[1,16777216]", "the limit is 67108864"),
        ("fat_tree3:k=8,ratio=0:1", "such as `2:1`"),
        ("fat_tree3:k=8,ratio=x", "such as `2:1`"),
    ] {
        let error = build(spec).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(rule), "{spec}: {error}");
    }
}
