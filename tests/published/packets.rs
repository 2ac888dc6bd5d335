//! The page on flows and packets: the same replays under several network models.

use super::pages::Page;
use super::studies::data;
use std::collections::BTreeMap;

/// Simulated times of a study: by routing rule, model, network and workload.
struct Times {
    networks: Vec<String>,
    workloads: Vec<String>,
    seconds: BTreeMap<[String; 4], f64>,
}

/// Factor below which two means have no order that could change.
const APART: f64 = 1.01;

impl Times {
    fn read(name: &str) -> Self {
        let mut reader = csv::Reader::from_path(data(name)).expect("results");
        let headings = reader.headers().expect("a heading").clone();
        let mut times = Self { networks: Vec::new(), workloads: Vec::new(), seconds: BTreeMap::new() };
        for line in reader.records() {
            let line = line.expect("a line");
            let field = |name: &str| {
                let place = headings.iter().position(|heading| heading == name);
                place.and_then(|at| line.get(at)).unwrap_or_default().to_owned()
            };
            let [workload, network] = ["workload", "topology"].map(field);
            for (name, list) in [(&workload, &mut times.workloads), (&network, &mut times.networks)] {
                if !list.contains(name) {
                    list.push(name.clone());
                }
            }
            let seconds = field("simulated_seconds").parse().expect("seconds");
            times.seconds.insert([field("routing_setting"), field("model"), network, workload], seconds);
        }
        times
    }

    fn get(&self, (rule, model): (&str, &str), network: &str, workload: &str) -> Option<f64> {
        self.seconds.get(&[rule, model, network, workload].map(str::to_owned)).copied()
    }

    /// Returns the weighted geometric mean over the workloads of the ratio of two times; `None` if there is none.
    fn mean(&self, weights: &[f64], ratio: impl Fn(&str) -> Option<f64>) -> Option<f64> {
        let logs: Option<Vec<f64>> = self.workloads.iter().map(|workload| Some(ratio(workload)?.ln())).collect();
        let sum: f64 = logs?.iter().zip(weights).map(|(log, weight)| log * weight).sum();
        Some((sum / weights.iter().sum::<f64>()).exp())
    }

    /// Returns the performance of a network relative to the first one, under a rule and a model.
    fn relative(&self, setting: (&str, &str), network: &str, weights: &[f64]) -> Option<f64> {
        let baseline = &self.networks[0];
        self.mean(weights, |workload| {
            Some(self.get(setting, baseline, workload)? / self.get(setting, network, workload)?)
        })
    }

    /// Returns the smallest, mean and largest ratio of the times of two settings on a network.
    fn ratios(&self, over: (&str, &str), under: (&str, &str), network: &str) -> Option<[f64; 3]> {
        let ratio = |workload: &str| Some(self.get(over, network, workload)? / self.get(under, network, workload)?);
        let all: Option<Vec<f64>> = self.workloads.iter().map(|workload| ratio(workload)).collect();
        let all = all?;
        let mean = self.mean(&vec![1.0; all.len()], ratio)?;
        Some([all.iter().copied().fold(f64::INFINITY, f64::min), mean, all.iter().copied().fold(0.0, f64::max)])
    }

    /// Lists the networks in the order of their means, with `=` between those within one per cent.
    fn order(&self, setting: (&str, &str), weights: &[f64]) -> String {
        let letter = |n: usize| char::from(b'A' + n as u8).to_string();
        let mut all: Vec<(usize, f64)> = (0..self.networks.len())
            .filter_map(|n| Some((n, self.relative(setting, &self.networks[n], weights)?)))
            .collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut text = String::new();
        for (place, &(n, value)) in all.iter().enumerate() {
            if place > 0 {
                text += if all[place - 1].1 > value * APART { " > " } else { " = " };
            }
            text += &letter(n);
        }
        text
    }

    /// Returns a table of means: a line for each network, a column for each model, and the order of the networks below.
    fn means(&self, rule: &str, models: &[&str], weights: &[f64]) -> String {
        let titles: Vec<String> = models.iter().map(|model| format!("`{model}`")).collect();
        let mut lines = vec![
            format!("| | network | {} |", titles.join(" | ")),
            format!("| --- | --- |{}", " ---: |".repeat(models.len())),
        ];
        for (n, network) in self.networks.iter().enumerate() {
            let values: Vec<String> =
                models.iter().map(|model| shown(self.relative((rule, model), network, weights))).collect();
            lines.push(format!("| {} | {network} | {} |", char::from(b'A' + n as u8), values.join(" | ")));
        }
        let orders: Vec<String> = models.iter().map(|model| self.order((rule, model), weights)).collect();
        lines.push(format!("| | order | {} |", orders.join(" | ")));
        lines.join("\n")
    }
}

fn shown(value: Option<f64>) -> String {
    value.map_or_else(|| "not modelled".to_owned(), |value| format!("{value:.3}"))
}

/// Formats a range: `1.02 (0.98 to 1.31)`.
fn spread(values: Option<[f64; 3]>) -> String {
    values
        .map_or_else(|| "not modelled".to_owned(), |[least, mean, most]| format!("{mean:.3} ({least:.2} to {most:.2})"))
}

/// Returns the times under a model over those under another one: workload by workload, network by network.
fn times(all: &Times, over: &str, under: &str) -> String {
    let mut lines = vec![
        format!("| workload | {} |", all.networks.join(" | ")),
        format!("| --- |{}", " ---: |".repeat(all.networks.len())),
    ];
    for workload in &all.workloads {
        let ratio =
            |network: &String| Some(all.get(("", over), network, workload)? / all.get(("", under), network, workload)?);
        let cells: Vec<String> = all.networks.iter().map(|network| shown(ratio(network))).collect();
        lines.push(format!("| {workload} | {} |", cells.join(" | ")));
    }
    lines.join("\n")
}

/// Returns the times under some models over those under another one: a line for each workload and network.
fn against(all: &Times, models: &[&str], under: &str) -> String {
    let titles: Vec<String> = models.iter().map(|model| format!("`{model}`")).collect();
    let mut lines = vec![
        format!("| workload | network | {} |", titles.join(" | ")),
        format!("| --- | --- |{}", " ---: |".repeat(models.len())),
    ];
    for workload in &all.workloads {
        for network in &all.networks {
            let ratio =
                |model: &str| Some(all.get(("", model), network, workload)? / all.get(("", under), network, workload)?);
            let cells: Vec<String> = models.iter().map(|model| shown(ratio(model))).collect();
            lines.push(format!("| {workload} | {network} | {} |", cells.join(" | ")));
        }
    }
    lines.join("\n")
}

/// Returns the speedup of a rule over that of the family, with flows and with packets.
fn adaptive(all: &Times) -> String {
    let mut lines = vec![
        "| network | rule | time, packets / flows | speedup over the family's rule, flows | speedup over the family's rule, packets |"
            .to_owned(),
        "| --- | --- | ---: | ---: | ---: |".to_owned(),
    ];
    for network in &all.networks {
        for rule in ["default", "adaptive", "ugal"] {
            let gain = |model: &str| {
                let [_, mean, _] = all.ratios(("default", model), (rule, model), network)?;
                Some(mean)
            };
            let cell = |model: &str| if rule == "default" { "—".to_owned() } else { shown(gain(model)) };
            lines.push(format!(
                "| {network} | {rule} | {} | {} | {} |",
                spread(all.ratios((rule, "packet"), (rule, "ordered"), network)),
                cell("ordered"),
                cell("packet"),
            ));
        }
    }
    lines.join("\n")
}

#[test]
fn the_page_on_packets_shows_the_results() {
    let page = Page::open("packets");
    let flagship = Times::read("packets-64");
    let even = vec![1.0; flagship.workloads.len()];
    page.put("means", &flagship.means("", &["ordered", "smpi", "packet", "packet:routing=amin"], &even));
    page.put("times", &times(&flagship, "packet", "ordered"));
    page.put("adaptive times", &times(&flagship, "packet:routing=amin", "packet"));
    page.put("adaptive", &adaptive(&Times::read("packets-adaptive")));
    let congestion = Times::read("packets-congestion");
    page.put("congestion", &against(&congestion, &["smpi", "packet", "packet:routing=amin"], "ordered"));
    let offers = Times::read("packets-offers");
    page.put("offers", &offers.means("", &["ordered", "smpi", "packet", "packet:routing=amin"], &[1.0, 2.0, 1.0]));
    page.put("offer times", &times(&offers, "packet", "ordered"));
}
