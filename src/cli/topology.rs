//! `mopsim topology`: properties of topologies, several side by side.

use super::args::{Output, Topology};
use super::failure::Failure;
use super::files::{self, Outputs};
use super::site::Site;
use super::{inputs, options, print_report, progress, say};
use mopsim::cost::{PriceList, Prices};
use mopsim::defaults::Version;
use mopsim::design::fit::{self, Wanted};
use mopsim::floorplan::{FloorOptions, FloorPlan, svg};
use mopsim::platform::units::{Bandwidth, Seconds};
use mopsim::printable::number;
use mopsim::report::design;
use mopsim::steps::Steps;
use mopsim::study::procurement::{self, PriceListError};
use mopsim::survey::{Effort, Survey, SurveyError, SurveyOptions};
use std::path::Path;

pub fn run(arguments: &Topology, output: &Output) -> Result<(), Failure> {
    if let Some(fit) = &arguments.fit {
        let wanted: Wanted = fit.parse()?;
        let list = price_list(arguments, &output.site)?;
        let prices = prices_at(arguments, &output.site, &list)?;
        let fits = fit::fits(wanted, &prices)?;
        let sheet = design::fits(wanted, &fits, &prices);
        return print_report(output, &from_site(arguments), |out| output.format.sheet(&sheet, out));
    }
    let wanted = choices(arguments, &output.site)?;
    if let (Some(_), 2..) = (&arguments.floor_svg, arguments.specs.len()) {
        return Err(Failure::input("--floor-svg draws one topology, and several are given", "give one SPEC"));
    }
    let specs = || arguments.specs.iter().flat_map(|spec| inputs::topology(spec, Path::new("")));
    Outputs::default()
        .report("--floor-svg", arguments.floor_svg.as_deref(), arguments.force)
        .check(|| specs().chain(arguments.prices.clone()))?;
    let mut reports = Vec::with_capacity(arguments.specs.len());
    for spec in options::with_ports(&arguments.specs, &arguments.ports)? {
        let chosen = options::topology(&spec, arguments.seed, arguments.without.as_deref())?;
        let topology = progress::building(&chosen.to_string(), output.quiet, || chosen.build())?;
        let steps = Steps::default();
        let what = format!("distances and cables of {}", topology.name());
        let waiting = progress::counted(what, &steps, output.quiet);
        let report = Survey::of(&topology, &SurveyOptions { steps, ..wanted.clone() });
        waiting.finish_and_clear();
        reports.push(report?);
        if let Some(file) = &arguments.floor_svg {
            let plan = FloorPlan::new(&topology, &wanted.floor).map_err(SurveyError::from)?;
            let drawing = svg::draw(&plan, &topology.graph, &topology.name());
            files::report(file, |out| out.write_all(drawing.as_bytes()))?;
            if !output.quiet {
                say(&format!("{}: {} cabinets of switches", files::name(file), plan.cabinets));
            }
        }
    }
    print_report(output, &from_site(arguments), |out| output.format.topology(&reports, out))
}

/// Returns the keys that the site may set, because no flag does.
fn from_site(arguments: &Topology) -> Vec<&'static str> {
    let given = [
        ("switch_delay", arguments.switch_delay.is_some() || arguments.fit.is_some()),
        ("cable_delay", arguments.cable_delay.is_some() || arguments.fit.is_some()),
        ("prices", arguments.prices.is_some()),
        ("link_bandwidth", arguments.link_bandwidth.is_some()),
    ];
    given.into_iter().filter(|(_, is_given)| !is_given).map(|(key, _)| key).collect()
}

/// Reads the price list: that of the flag, that of the site, or the built-in one.
fn price_list(arguments: &Topology, site: &Site) -> Result<PriceList, Failure> {
    match &arguments.prices {
        Some(file) => prices(file),
        None => Ok(site.price_list()?.unwrap_or_default()),
    }
}

/// Returns the prices at the rate of the flag or of the site, or the first of the list: a topology alone has no rate.
fn prices_at(arguments: &Topology, site: &Site, list: &PriceList) -> Result<Prices, Failure> {
    let given: Option<Bandwidth> = options::parse("link-bandwidth", arguments.link_bandwidth.as_deref())?;
    let Some(rate) = given.or(site.parameters.link_bandwidth) else { return Ok(list.rates[0].clone()) };
    let gbps = rate.value() * 8.0 / 1e9;
    let prices = list.at(gbps);
    // Without the flag the rate is a default for other verbs, and the report states that of its prices.
    if given.is_some() && !list.covers(gbps) {
        let (asked, nearest) = (number(gbps), number(prices.link_rate_gbps));
        say(&format!("warning: the price list has no links of {asked} Gbit/s; prices are those of {nearest} Gbit/s"));
    }
    Ok(prices)
}

/// Returns the options of the report, from the flags and the defaults of the site.
pub fn choices(arguments: &Topology, site: &Site) -> Result<SurveyOptions, Failure> {
    let version: Option<Version> = options::parse("defaults", arguments.defaults.defaults.as_deref())?;
    let default = SurveyOptions::of(version.unwrap_or_default());
    let list = price_list(arguments, site)?;
    let seconds = |option: &str, text: &Option<String>, of_site: Option<Seconds>, default: f64| {
        let given = options::parse::<Seconds>(option, text.as_deref())?;
        Ok::<f64, Failure>(given.or(of_site).map_or(default, Seconds::value))
    };
    let route = arguments.route.as_deref().and_then(|ends| match ends {
        [from, to] => Some((arguments.routing.clone(), *from, *to)),
        _ => None,
    });
    let floor = &arguments.floor;
    Ok(SurveyOptions {
        aspl_samples: arguments.aspl_samples.map(|samples| samples as usize),
        seed: arguments.seed.unwrap_or(default.seed),
        routing_seed: arguments.seed,
        bisection_seeds: arguments.bisection.map(|seeds| seeds as usize),
        effort: if arguments.full { Effort::Full } else { default.effort },
        floor: FloorOptions {
            model: options::parse("floor-plan", floor.floor_plan.as_deref())?.unwrap_or_default(),
            switches_per_cabinet: floor.switches_per_cabinet,
            placement: options::parse("placement", floor.placement.as_deref())?.unwrap_or_default(),
            endpoints_per_switch: arguments.hosts_per_switch,
            hosts_per_cabinet: floor.hosts_per_cabinet,
        },
        switch_delay: seconds(
            "switch-delay",
            &arguments.switch_delay,
            site.parameters.switch_delay,
            default.switch_delay,
        )?,
        cable_delay: seconds("cable-delay", &arguments.cable_delay, site.parameters.cable_delay, default.cable_delay)?,
        prices: prices_at(arguments, site, &list)?,
        prices_note: list.note,
        route,
        defaults: default.defaults,
        steps: default.steps,
    })
}

/// Reads a price list.
pub fn prices(file: &Path) -> Result<PriceList, Failure> {
    procurement::read_prices(file).map_err(|error| match error {
        PriceListError::Io { file, error } => Failure::file("read", &file, &error),
        wrong => wrong.into(),
    })
}
