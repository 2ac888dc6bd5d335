//! Patterns in which a source has a few destinations.

use super::arguments::PatternArguments;
use super::{Flows, PatternInput, TrafficError};

type Built = Result<Box<dyn Flows>, TrafficError>;

/// Destinations of a source from a function.
struct Several<F>(F);

impl<F: Fn(u32, &mut dyn FnMut(u32, f64)) + Send + Sync> Flows for Several<F> {
    fn visit(&self, source: u32, visit: &mut dyn FnMut(u32, f64)) {
        (self.0)(source, visit);
    }
}

pub(super) fn asymmetric(_: &PatternArguments<'_>, setting: &PatternInput<'_>) -> Built {
    let n = setting.endpoints();
    if n % 2 == 1 {
        let rule = "an even number of hosts".into();
        return Err(TrafficError::WrongHosts { pattern: "asymmetric".into(), rule, hosts: n });
    }
    let half = n / 2;
    Ok(Box::new(Several(move |source: u32, visit: &mut dyn FnMut(u32, f64)| {
        visit(source % half, 0.5);
        visit(source % half + half, 0.5);
    })))
}

pub(super) fn diagonal(_: &PatternArguments<'_>, setting: &PatternInput<'_>) -> Built {
    let n = setting.endpoints();
    Ok(Box::new(Several(move |source: u32, visit: &mut dyn FnMut(u32, f64)| {
        visit((source + 1) % n, 1.0 / 3.0);
        visit(source, 2.0 / 3.0);
    })))
}

pub(super) fn hotspot(arguments: &PatternArguments<'_>, setting: &PatternInput<'_>) -> Built {
    let n = setting.endpoints();
    let Some(nodes) = arguments.list::<u32>("nodes", "the number of a host")? else {
        return Err(arguments.invalid("`nodes` is required, e.g. nodes=[0,5]"));
    };
    if let Some(node) = nodes.iter().find(|&&node| node >= n) {
        return Err(arguments.invalid(format!("`nodes` has {node}, but the hosts are 0 to {}", n - 1)));
    }
    let rates = arguments.list::<f64>("rates", "a number")?.unwrap_or_else(|| vec![1.0; nodes.len()]);
    if rates.len() != nodes.len() {
        let (rates, nodes) = (rates.len(), nodes.len());
        return Err(arguments.invalid(format!("there are {rates} rates for {nodes} nodes, and each needs one")));
    }
    if let Some(rate) = rates.iter().find(|rate| !(**rate > 0.0 && **rate <= 1e12)) {
        return Err(arguments.invalid(format!("`rates` has {rate}, and a rate must be more than 0, up to 1e12")));
    }
    let sum: f64 = rates.iter().sum();
    let shares: Vec<(u32, f64)> = nodes.into_iter().zip(rates.into_iter().map(|rate| rate / sum)).collect();
    Ok(Box::new(Several(move |_: u32, visit: &mut dyn FnMut(u32, f64)| {
        shares.iter().for_each(|&(node, share)| visit(node, share));
    })))
}

pub(super) fn incast(arguments: &PatternArguments<'_>, setting: &PatternInput<'_>) -> Built {
    let n = u64::from(setting.endpoints());
    if n < 2 {
        let rule = "at least 2 hosts".into();
        return Err(TrafficError::WrongHosts { pattern: "incast".into(), rule, hosts: setting.endpoints() });
    }
    let target = arguments.integer("target")?.unwrap_or(0);
    if target >= n {
        return Err(arguments.invalid(format!("`target` is {target}, but the hosts are 0 to {}", n - 1)));
    }
    let sources = arguments.integer("sources")?.unwrap_or(n - 1);
    if !(1..n).contains(&sources) {
        return Err(arguments.invalid(format!("`sources` is {sources}, and must be from 1 to {}", n - 1)));
    }
    // The hosts after the target, cyclically.
    Ok(Box::new(Several(move |source: u32, visit: &mut dyn FnMut(u32, f64)| {
        let after = (u64::from(source) + n - target) % n;
        if (1..=sources).contains(&after) {
            visit(target as u32, 1.0);
        }
    })))
}
