//! Sheets of design searches.

use super::offers::ONE_WAY;
use super::sheet::{Column, Datum, Rows, Sheet};
use crate::cost::Prices;
use crate::design::bounds::SwitchCounts;
use crate::design::dsnf::{Expansion, ExpansionStep, Switch, Work};
use crate::design::equality::Search;
use crate::design::fit::{Fit, Wanted};
use crate::printable;

const fn column(name: &'static str, heading: &'static str) -> Column {
    Column { name, heading: Some(heading) }
}

const fn hidden(name: &'static str) -> Column {
    Column { name, heading: None }
}

/// Returns the sheet of the networks that fit.
pub fn fits(wanted: Wanted, fits: &[Fit], prices: &Prices) -> Sheet {
    let row = |fit: &Fit| {
        vec![
            Datum::Text(fit.topology.clone()),
            Datum::Count(fit.hosts_per_switch.into()),
            Datum::Count(fit.hosts),
            Datum::Count(fit.switches as u64),
            Datum::Count(fit.cables as u64),
            Datum::Flag(fit.directed),
            Datum::Count(fit.ports),
            Datum::count(fit.diameter.map(|diameter| diameter as u64)),
            Datum::number(fit.aspl, 2),
            Datum::number(fit.balance, 2),
            Datum::Number(fit.bill.dollars(), 0),
            Datum::Number(fit.bill.watts, 0),
            Datum::Number(fit.metres, 0),
            Datum::Text(fit.topology.clone()),
            Datum::Text(fit.family().to_owned()),
            // Under the names that all verbs use.
            Datum::Text(fit.topology.clone()),
            Datum::Number(fit.bill.dollars(), 0),
            Datum::Number(fit.metres, 0),
        ]
    };
    let mut notes = vec![
        "h/s: hosts on each switch that has hosts. ports: in use on the fullest switch; a cable out and a cable in share \
         one. Distances are between switches with hosts. balance: cables in both directions over hosts times ASPL; \
         below 1, all links together cannot carry uniform traffic at full speed; at 1 and above they can, where routes load them evenly \
         (`mopsim throughput`). Where h/s differs from the hosts per switch of the specification, give \
         --hosts-per-switch the number in that column. Of each family, and of each number of dimensions or levels, the \
         smallest network that its convention of hosts per switch allows is shown; where names describe the same network, the \
         shortest. Order: by switches and cables, those with a balance below 0.9 last."
            .into(),
        format!(
            "price in {}, and watts: price list `{}`, links of {} Gbit/s, {}; metres: cables between switches; both on the \
             floor plan `grid`. A switch is priced by its ports in use; `least_ports` of a price list is the smallest size on offer. {ONE_WAY}",
            prices.currency,
            prices.name,
            printable::number(prices.link_rate_gbps),
            match prices.host {
                Some(_) => "adapters and host links counted",
                None => "host links not counted",
            }
        ),
    ];
    if fits.is_empty() {
        let none = "None of the networks that are searched fits: those are of a few dimensions or levels, and most carry uniform traffic. Take \
             switches with more ports, or name a topology with fewer hosts per switch.";
        notes.insert(0, none.into());
    }
    Sheet {
        schema: "mopsim.topology-fit/2",
        title: format!("Networks for {} hosts from switches with {} ports", wanted.hosts, wanted.radix),
        facts: vec![
            ("hosts", "hosts", Datum::Count(wanted.hosts)),
            ("radix", "ports of a switch", Datum::Count(wanted.radix)),
            ("currency", "currency", Datum::Text(prices.currency.clone())),
        ],
        tables: vec![Rows {
            name: "fits",
            columns: vec![
                column("topology", "topology"),
                column("hosts_per_switch", "h/s"),
                column("hosts", "hosts"),
                column("switches", "switches"),
                column("cables", "cables"),
                hidden("directed"),
                column("ports", "ports"),
                column("diameter", "diam."),
                column("aspl", "ASPL"),
                column("balance", "balance"),
                column("dollars", "price"),
                column("watts", "watts"),
                column("metres", "metres"),
                hidden("spec"),
                hidden("family"),
                hidden("network"),
                hidden("price"),
                hidden("cable_metres"),
            ],
            rows: fits.iter().map(row).collect(),
        }],
        detail: None,
        notes,
    }
}

/// Returns the sheet of bounds on the number of switches.
pub fn switches(nodes: u64, ports: u64, node_ports: u64, counts: SwitchCounts) -> Sheet {
    Sheet {
        schema: "mopsim.design-switches/1",
        title: format!("Switches with {ports} ports for {nodes} compute nodes with {node_ports} each"),
        facts: vec![
            ("nodes", "compute nodes", Datum::Count(nodes)),
            ("ports", "ports of a switch", Datum::Count(ports)),
            ("node_ports", "ports of a node", Datum::Count(node_ports)),
            ("min", "fewest switches", Datum::count(counts.least)),
            ("max", "most switches", u64::try_from(counts.most).map_or(Datum::Missing, Datum::Count)),
            ("levels", "levels at most", Datum::Count(counts.levels.into())),
        ],
        tables: Vec::new(),
        detail: None,
        notes: [
            counts.least.is_none().then_some("the fewest switches are known only for compute nodes with one port"),
            u64::try_from(counts.most).is_err().then_some("the most switches are more than 64 bits can count"),
            Some(
                "fewest: switches in a chain, one cable between neighbours, all other ports for nodes. most: each port of a node has a \
                 tree of switches of its own that reaches all other nodes, and trees share no switch; more switches shorten no path. \
                 levels: switches of such a tree from the node to the farthest leaf",
            ),
        ]
        .into_iter()
        .flatten()
        .map(str::to_owned)
        .collect(),
    }
}

/// Returns the sheet of a search for hops.
pub fn equality(search: &Search) -> Sheet {
    let (first, best) = (&search.first, search.best());
    let product = |genome| {
        let aspl: f64 = search.aspl(genome);
        genome.score.diameter.map(|diameter| aspl * f64::from(diameter))
    };
    let connected = |aspl: f64| aspl.is_finite().then_some(aspl);
    Sheet {
        schema: "mopsim.design-equality/1",
        title: format!("Equality with {} switches of degree {}", search.goal.switches, search.goal.degree),
        facts: vec![
            ("topology", "best found", Datum::Text(search.spec(best))),
            ("n", "switches", Datum::Count(search.goal.switches.into())),
            ("degree", "degree", Datum::Count(search.goal.degree.into())),
            ("seed", "seed", Datum::Count(search.goal.seed)),
            ("generation", "generations", Datum::Count(search.generation.into())),
            ("best_since", "best since generation", Datum::Count(search.best_since.into())),
            ("diameter", "diameter", Datum::count(best.score.diameter.map(u64::from))),
            ("aspl", "ASPL", Datum::number(connected(search.aspl(best)), 6)),
            ("product", "ASPL x diameter", Datum::number(product(best), 6)),
            ("first_product", "initial product", Datum::number(product(first), 6)),
        ],
        tables: Vec::new(),
        detail: None,
        notes: vec!["the search is random: there may be a better network".into()],
    }
}

/// Returns the sheet of the expansion of a DSN-F.
pub fn dsnf(from: &str, to: &str, Expansion { steps, fill, is_default }: &Expansion) -> Sheet {
    let summary = |(index, step): (usize, &ExpansionStep)| {
        let [added, moved, removed] = step.counts();
        let what = if step.p > step.p_before {
            format!("turn p = {} into {}", step.p_before, step.p)
        } else {
            format!("add {} switches", step.n - step.n_before)
        };
        vec![
            Datum::Count(index as u64 + 1),
            Datum::Text(what),
            Datum::Count(step.n as u64),
            Datum::Count(step.p as u64),
            Datum::Count(step.layers as u64),
            Datum::Count(step.cables as u64),
            Datum::Count(added as u64),
            Datum::Count(moved as u64),
            Datum::Count(removed as u64),
            Datum::number(step.fraction_of_source(), 3),
        ]
    };
    let cables = |(index, step): (usize, &ExpansionStep)| {
        let label = |switch: &Switch| Datum::List(switch.label.iter().map(|&part| part as u64).collect());
        step.changes
            .iter()
            .map(|change| {
                let (work, from) = match &change.work {
                    Work::Add => ("add", None),
                    Work::Move { from } => ("move", Some(from)),
                    Work::Remove => ("remove", None),
                };
                let [a, b] = &change.ends;
                vec![
                    Datum::Count(index as u64 + 1),
                    Datum::Text(work.into()),
                    Datum::Count(a.number as u64),
                    label(a),
                    Datum::Count(b.number as u64),
                    label(b),
                    Datum::count(from.map(|from| from.number as u64)),
                    from.map_or(Datum::Missing, label),
                ]
            })
            .collect::<Vec<_>>()
    };
    Sheet {
        schema: "mopsim.design-dsnf/1",
        title: format!("Expansion of DSN-F from {from} to {to}"),
        facts: vec![
            ("from", "from", Datum::Text(from.into())),
            ("to", "to", Datum::Text(to.into())),
            ("fill", "fill of the last layer", Datum::Text((*fill).into())),
        ],
        tables: vec![Rows {
            name: "steps",
            columns: vec![
                column("step", "step"),
                column("what", "what"),
                column("n", "switches"),
                column("p", "p"),
                hidden("layers"),
                column("cables", "cables"),
                column("added", "added"),
                column("moved", "moved"),
                column("removed", "removed"),
                hidden("fraction_of_source"),
            ],
            rows: steps.iter().enumerate().map(summary).collect(),
        }],
        detail: Some(Rows {
            name: "changes",
            columns: vec![
                hidden("step"),
                hidden("work"),
                hidden("a"),
                hidden("a_label"),
                hidden("b"),
                hidden("b_label"),
                hidden("moved_from"),
                hidden("moved_from_label"),
            ],
            rows: steps.iter().enumerate().flat_map(cables).collect(),
        }),
        notes: [
            (*is_default && *fill == "balanced").then(|| {
                "Both networks have fill=balanced, which the transformation to p + 1 needs; without it, a specification of \
                 `mopsim topology` means fill=sequential, which has other cables in an incomplete last layer."
                    .to_owned()
            }),
            Some("--format csv and json list every cable, with the numbers of its switches (which stay when a switch gets another \
             label) and their labels: level, layer, super-node. Of a moved cable end a stays where it is."
                .into()),
        ]
        .into_iter()
        .flatten()
        .collect(),
    }
}
