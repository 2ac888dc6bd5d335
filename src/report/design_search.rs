//! Sheet of a search for networks.

use super::number::{counted, grouped};
use super::offers;
use super::sheet::{Column, Datum, Rows, Sheet};
use crate::design::fit::Wanted;
use crate::design::space::{BALANCES, Candidate, PORTS, Space};
use crate::study::search::{Entry, Fate, Search, Standing};
use std::collections::BTreeMap;

/// Returns the sheet of a search: its networks, of which `space` has the candidates.
pub fn sheet(wanted: Wanted, space: &Space, search: &Search<'_>, entries: &[Entry], notes: &[String]) -> Sheet {
    let study = search.study();
    let plan = &study.plan;
    let candidates: BTreeMap<String, &Candidate> = space.candidates.iter().map(|one| (one.name(), one)).collect();
    let count = |fate: &dyn Fn(&Entry) -> bool| Datum::Count(entries.iter().filter(|entry| fate(entry)).count() as u64);
    let of = |fate: Fate| move |entry: &Entry| entry.fate == fate;
    let is_excluded = |entry: &Entry| matches!(entry.fate, Fate::Excluded { .. });
    let is_repeated = entries.iter().any(|entry| entry.speed.is_some_and(|speed| speed.half_width.is_some()));
    let mut replayed: Vec<&Entry> = entries.iter().filter(|entry| entry.fate == Fate::Replayed).collect();
    let speed = |entry: &Entry| entry.speed.map_or(0.0, |speed| speed.mean);
    let setting = |entry: &Entry| plan.columns.iter().position(|c| c.setting == plan.columns[entry.column].setting);
    replayed.sort_by(|a, b| {
        let key = |entry: &Entry| (setting(entry), entry.standing);
        key(a).cmp(&key(b)).then(speed(b).total_cmp(&speed(a))).then(a.column.cmp(&b.column))
    });
    let columns = columns(is_repeated);
    let table = |name, of: Vec<&Entry>| Rows {
        name,
        columns: columns.clone(),
        rows: of.into_iter().map(|entry| row(search, &candidates, entry)).collect(),
    };
    let limit = |limit: Option<f64>| Datum::number(limit, 0);
    let of_space = |count: usize| Datum::Count(count as u64);
    let counts = [
        ("specifications that were tried", of_space(space.tried)),
        ("of families that were left out", of_space(space.left_out)),
        ("do not exist", of_space(space.not_built)),
        ("too few hosts or too many ports", of_space(space.too_small)),
        ("the same network as another one", of_space(space.twice)),
        ("candidates", of_space(space.candidates.len())),
        ("with the networks of the study, in all settings", Datum::Count(entries.len() as u64)),
        ("over a limit of price, power or cable", count(&of(Fate::OverLimit))),
        ("without a known price or power", count(&of(Fate::NoPrice))),
        ("replayed", count(&of(Fate::Replayed))),
        ("cannot be on the front, by bounds", count(&is_excluded)),
        ("not tried", count(&of(Fate::NotTried))),
    ];
    let counts = Rows {
        name: "counts",
        columns: [("what", "networks"), ("number", "number")]
            .map(|(name, heading)| Column { name, heading: Some(heading) })
            .to_vec(),
        rows: counts.into_iter().map(|(what, number)| vec![Datum::Text(what.into()), number]).collect(),
    };
    Sheet {
        schema: "mopsim.design-search/2",
        title: format!("Networks for {} hosts from switches with {} ports: {}", wanted.hosts, wanted.radix, plan.title),
        facts: vec![
            ("hosts", "hosts", Datum::Count(wanted.hosts)),
            ("radix", "ports of a switch", Datum::Count(wanted.radix)),
            ("baseline", "baseline", Datum::Text(plan.columns[plan.baseline].network.clone())),
            ("price_limit", "highest price", limit(search.limits().dollars)),
            ("watts_limit", "highest power, W", limit(search.limits().watts)),
        ],
        tables: vec![counts, table("replayed", replayed)],
        detail: Some(table("networks", entries.iter().collect())),
        notes: texts(search, entries, is_repeated).into_iter().chain(notes.iter().cloned()).collect(),
    }
}

/// `true` if a network is within the limits of the search, or its cost is unknown.
fn is_within(search: &Search<'_>, entry: &Entry) -> bool {
    entry.cost.is_none_or(|cost| search.limits().allows(&cost) != Some(false))
}

fn columns(is_repeated: bool) -> Vec<Column> {
    let column = |name, heading| Column { name, heading };
    let repeated = |heading| Some(heading).filter(|_| is_repeated);
    vec![
        column("name", Some("network")),
        column("topology", None),
        column("hosts_per_switch", None),
        column("candidate", None),
        column("fit", Some("fit")),
        column("hosts", Some("hosts")),
        column("switches", None),
        column("cables", None),
        column("diameter", None),
        column("aspl", None),
        column("balance", None),
        column("fate", None),
        column("standing", Some("standing")),
        column("excluded_by", None),
        column("speed", Some("speed")),
        column("low", repeated("low")),
        column("high", repeated("high")),
        column("highest", None),
        column("estimate", None),
        column("price", Some("price")),
        column("watts", Some("watts")),
        column("metres", None),
        column("total", None),
        column("network", None),
        column("spec", None),
        column("family", None),
        column("performance", None),
        column("cable_metres", None),
        column("total_cost", None),
    ]
}

fn row(search: &Search<'_>, candidates: &BTreeMap<String, &Candidate>, entry: &Entry) -> Vec<Datum> {
    let columns = &search.study().plan.columns;
    let own = &columns[entry.column];
    let candidate = candidates.get(&own.network).filter(|_| entry.is_candidate);
    let fit = candidate.map(|candidate| &candidate.fit);
    let (fate, by) = match entry.fate {
        Fate::Replayed => ("replayed", None),
        Fate::OverLimit => ("over limit", None),
        Fate::NoPrice => ("no price", None),
        Fate::Excluded { by } => ("excluded", Some(columns[by].info.name.clone())),
        Fate::NotTried => ("not tried", None),
    };
    let standing = match (entry.standing, entry.fate) {
        (Standing::Front, _) => Datum::Text("front".into()),
        (Standing::Perhaps, _) => Datum::Text("perhaps".into()),
        (Standing::Behind, Fate::Replayed) if !is_within(search, entry) => Datum::Text("over limit".into()),
        (Standing::Behind, Fate::Replayed | Fate::Excluded { .. }) => Datum::Text("behind".into()),
        (Standing::Behind, _) => Datum::Missing,
    };
    let speed = entry.speed;
    let interval = speed.and_then(|speed| speed.interval());
    let cost = entry.cost.as_ref();
    vec![
        Datum::Text(own.info.name.clone()),
        Datum::Text(own.info.topology.clone()),
        Datum::count(candidate.and_then(|one| one.hosts_per_switch).map(u64::from)),
        Datum::Flag(entry.is_candidate),
        candidate.map_or(Datum::Missing, |one| Datum::Flag(one.is_smallest)),
        Datum::Count(own.info.hosts as u64),
        Datum::count(fit.map(|fit| fit.switches as u64)),
        Datum::count(fit.map(|fit| fit.cables as u64)),
        Datum::count(fit.and_then(|fit| fit.diameter).map(|diameter| diameter as u64)),
        Datum::number(fit.and_then(|fit| fit.aspl), 2),
        Datum::number(fit.and_then(|fit| fit.balance), 2),
        Datum::Text(fate.into()),
        standing,
        by.map_or(Datum::Missing, Datum::Text),
        Datum::number(speed.map(|speed| speed.mean), 3),
        Datum::number(interval.map(|ends| ends[0]), 3),
        Datum::number(interval.map(|ends| ends[1]), 3),
        Datum::number(entry.bound, 3),
        Datum::number(entry.estimate, 3),
        Datum::number(cost.and_then(|cost| cost.dollars), 0),
        Datum::number(cost.and_then(|cost| cost.watts), 0),
        Datum::number(cost.and_then(|cost| cost.metres), 0),
        Datum::number(cost.and_then(|cost| cost.total), 0),
        Datum::Text(own.info.name.clone()),
        Datum::Text(own.info.topology.clone()),
        own.info.family().map_or(Datum::Missing, |family| Datum::Text(family.into())),
        Datum::number(speed.map(|speed| speed.mean), 3),
        Datum::number(cost.and_then(|cost| cost.metres), 0),
        Datum::number(cost.and_then(|cost| cost.total), 0),
    ]
}

fn texts(search: &Search<'_>, entries: &[Entry], is_repeated: bool) -> Vec<String> {
    let plan = &search.study().plan;
    let percent = |parts: &[f64]| parts.iter().map(|part| format!("{}", part * 100.0)).collect::<Vec<_>>().join(", ");
    let number = |is: &dyn Fn(&Entry) -> bool| entries.iter().filter(|entry| is(entry)).count();
    let settings = plan.columns.chunk_by(|a, b| a.setting == b.setting).count();
    let mut texts = Vec::new();
    if entries.iter().all(|entry| entry.fate == Fate::OverLimit || !is_within(search, entry)) {
        let cheapest = entries.iter().filter_map(|entry| entry.cost?.dollars).reduce(f64::min);
        let least = entries.iter().filter_map(|entry| entry.cost?.watts).reduce(f64::min);
        let currency = &plan.prices.currency;
        let known = [
            cheapest.map(|price| format!("the lowest price is {} {currency}", grouped(price.ceil() as u64))),
            least.map(|watts| format!("the lowest power {} W", grouped(watts.ceil() as u64))),
        ];
        let known: Vec<String> = known.into_iter().flatten().collect();
        texts.push(format!("No network is within the limits: {}.", known.join(", ")));
    }
    let not_tried = number(&|entry| entry.fate == Fate::NotTried);
    if not_tried > 0 {
        texts.push(format!(
            "{} {} not tried: more --replays were needed, and any of them may be on the front. They have the lowest ranks by \
             estimate; --format json lists them.",
            grouped(not_tried as u64),
            if not_tried == 1 { "candidate was" } else { "candidates were" }
        ));
    }
    if number(&|entry| matches!(entry.fate, Fate::Excluded { .. })) > 0 {
        texts.push(
            "Candidates that cannot be on the front were not replayed: some replayed network is as fast as they can be at best, \
             costs no more and draws no more power."
                .into(),
        );
    }
    texts.push(format!(
        "Candidates have the sizes of `topology --fit` (fit: yes), and others by the same rules: with {} % of the ports and for {} % \
         of uniform traffic. No other sizes are candidates.",
        percent(&PORTS),
        percent(&BALANCES)
    ));
    texts.push(format!(
        "speed: geometric mean over {} of the speed relative to the baseline. A network is on the front if no replayed one \
         is at least as fast, as cheap and as low in power, and better in one of these.",
        counted(plan.workloads.len() as u64, "workload")
    ));
    if is_repeated {
        texts.push(
            "low, high: 95 % interval. `perhaps` lists networks behind the front whose intervals overlap with those of all networks \
             that are ahead."
                .into(),
        );
    }
    if settings > 1 {
        texts.push(format!(
            "Each of the {settings} settings has a front and a baseline of its own; numbers are sums over settings."
        ));
    }
    let list = &plan.prices;
    let note = list.note.as_ref().map_or_else(String::new, |note| format!(" {}", offers::sentence(note)));
    let (currency, name, rates, scope) = (&list.currency, &list.name, offers::rates(list), offers::scope(list));
    texts.push(format!("price: purchase price in {currency} by the price list {name}, {rates}.{note} {scope}"));
    texts
}
