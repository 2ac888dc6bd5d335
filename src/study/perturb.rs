//! Perturbations: the same study with links and hosts that are slightly faster or slower than stated.
//!
//! A ranking that is reversed when every link has 5 % less bandwidth is no basis for a decision. Bandwidth and latency
//! of all links and the speed of all hosts are therefore varied together, in the same way for all networks: the
//! uncertain quantity is the technology, with which all networks are built. Factors are drawn from a Latin hypercube:
//! for n samples each quantity takes one value from each n-th of its range, in random order (McKay, Beckman and
//! Conover, A comparison of three methods for selecting values of input variables, Technometrics 21(2), 1979). This
//! covers the range better than the same number of independent draws. The generator is PCG64, and its seed is part of
//! the result. Loopbacks of hosts are not varied.

use crate::network::noise::Noise;
use crate::platform::{Host, Link, LinkKind, Platform};
use crate::share::share;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde::Serialize;
use std::sync::Arc;

/// Factors of the quantities in one sample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Factors {
    /// Factor of the bandwidth of links.
    pub bandwidth: f64,
    /// Factor of the latency of links, including delays of switches.
    pub latency: f64,
    /// Factor of the speed of hosts.
    pub speed: f64,
}

/// Largest variations.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Amplitudes {
    /// Largest deviation of speeds: 0.1 for factors from 0.9 to 1.1.
    pub speeds: f64,
    /// Largest delay of a single message as a fraction of its time.
    pub message: f64,
}

/// Perturbations of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Perturbation {
    /// Largest deviation of speeds: 0.1 for factors from 0.9 to 1.1.
    pub amplitude: f64,
    /// Largest delay of a single message as a fraction of its time; 0 if messages are not delayed.
    pub message: f64,
    /// Seed of the samples.
    pub seed: u64,
    /// Factors of each sample.
    pub samples: Vec<Factors>,
}

impl Perturbation {
    /// Draws a Latin hypercube of `samples` samples.
    pub fn new(Amplitudes { speeds: amplitude, message }: Amplitudes, samples: usize, seed: u64) -> Self {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut values = || -> Vec<f64> {
            let mut parts: Vec<usize> = (0..samples).collect();
            parts.shuffle(&mut random);
            let place = |part: usize, within: f64| (part as f64 + within) / samples as f64;
            parts.iter().map(|&part| 1.0 + amplitude * (2.0 * place(part, random.random::<f64>()) - 1.0)).collect()
        };
        let (bandwidth, latency, speed) = (values(), values(), values());
        let samples =
            (0..samples).map(|i| Factors { bandwidth: bandwidth[i], latency: latency[i], speed: speed[i] }).collect();
        Self { amplitude, message, seed, samples }
    }

    /// Returns the noise of messages in a sample, from 1; `None` if messages are not delayed.
    pub fn noise(&self, sample: usize) -> Option<Noise> {
        let seed = self.seed.wrapping_mul(0x0001_0000_01b3).wrapping_add(sample as u64);
        (self.message > 0.0).then_some(Noise { amplitude: self.message, seed })
    }
}

/// Parses amplitudes: `10%` (speeds), `message=20%` (delays of messages), or both separated by a comma.
///
/// # Errors
/// The broken rule.
pub fn amplitudes(text: &str) -> Result<Amplitudes, String> {
    let mut all = Amplitudes::default();
    for item in text.split(',').map(str::trim) {
        let (part, value) = match item.split_once('=') {
            None => (&mut all.speeds, item),
            Some(("message", value)) => (&mut all.message, value),
            Some((name, _)) => return Err(format!("varies `{name}`: only message= has a name; speeds have none")),
        };
        if *part > 0.0 {
            return Err("says the same thing twice".into());
        }
        *part = amplitude(value)?;
    }
    Ok(all)
}

/// Parses `10%` or `0.1`: a fraction between 0 and 1, both excluded.
///
/// # Errors
/// The broken rule.
fn amplitude(text: &str) -> Result<f64, String> {
    match share(text) {
        Some(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("must be more than 0 % and less than 100 %, written as 10% or 0.1".to_owned()),
    }
}

/// Returns a platform with the same routes and varied speeds.
pub fn perturbed(platform: &Platform, factors: &Factors) -> Platform {
    perturbed_with_hosts(platform, factors, 1.0)
}

/// Returns a platform with the same routes and varied speeds, with an additional factor for the bandwidth of host
/// links.
pub fn perturbed_with_hosts(platform: &Platform, factors: &Factors, host_links: f64) -> Platform {
    let link = |(index, link): (usize, &Link)| {
        let mut link = link.clone();
        if platform.loopback.is_none_or(|loopback| loopback.index() != index) {
            link.bandwidth *= factors.bandwidth;
            link.latency *= factors.latency;
            if link.kind == LinkKind::OfHost {
                link.bandwidth *= host_links;
            }
        }
        link
    };
    Platform {
        name: platform.name.clone(),
        hosts: platform.hosts.iter().map(|host| Host { speed: host.speed * factors.speed, ..host.clone() }).collect(),
        failed: platform.failed.clone(),
        links: platform.links.iter().enumerate().map(link).collect(),
        loopback: platform.loopback,
        routes: Arc::clone(&platform.routes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::HostId;
    use crate::platform::load::LoadOptions;

    #[test]
    fn every_part_of_the_range_is_taken_once() {
        let tenth = Amplitudes { speeds: 0.1, message: 0.0 };
        let perturbation = Perturbation::new(tenth, 20, 1);
        for of in [|f: &Factors| f.bandwidth, |f: &Factors| f.latency, |f: &Factors| f.speed] {
            let mut parts: Vec<usize> =
                perturbation.samples.iter().map(|f| ((of(f) - 0.9) / 0.2 * 20.0) as usize).collect();
            parts.sort_unstable();
            assert_eq!(parts, (0..20).collect::<Vec<_>>());
        }
        assert_eq!(perturbation, Perturbation::new(tenth, 20, 1));
        assert_ne!(perturbation, Perturbation::new(tenth, 20, 2));
        assert_eq!(perturbation.noise(1), None);
        let noisy = Perturbation::new(Amplitudes { speeds: 0.0, message: 0.2 }, 3, 1);
        assert!(noisy.samples.iter().all(|f| *f == Factors { bandwidth: 1.0, latency: 1.0, speed: 1.0 }));
        assert_ne!(noisy.noise(1), noisy.noise(2));
    }

    #[test]
    fn speeds_and_messages_are_varied() {
        let read = |text: &str| amplitudes(text).map(|all| (all.speeds, all.message));
        assert_eq!(read("10%"), Ok((0.1, 0.0)));
        assert_eq!(read("message=20%"), Ok((0.0, 0.2)));
        assert_eq!(read("0.1, message=0.3"), Ok((0.1, 0.3)));
        for wrong in
            ["", "message", "message=", "messages=1%", "10%,20%", "message=1%,message=2%", "message=100%", "-1%"]
        {
            assert!(amplitudes(wrong).is_err(), "{wrong}");
        }
    }

    /// A Vivaldi zone has distances that are not links, and a SimGrid platform adds latencies in an order of its own:
    /// both are parts of the routes, so a perturbed platform keeps them.
    #[test]
    fn a_perturbed_platform_has_the_same_routes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("p.xml");
        let text = "<platform version='4.1'><zone id='w' routing='Vivaldi'>\
                    <peer id='a' speed='1f' coordinates='0 0 1' bw_in='1Bps' bw_out='1Bps'/>\
                    <peer id='b' speed='1f' coordinates='3 4 2' bw_in='1Bps' bw_out='1Bps'/></zone></platform>";
        std::fs::write(&file, text).unwrap();
        let platform = Platform::load(&file, &LoadOptions::default()).unwrap();
        let other = perturbed(&platform, &Factors { bandwidth: 0.5, latency: 2.0, speed: 3.0 });
        assert_eq!(other.routes.extra_latency(HostId(0), HostId(1)), 0.008);
        assert_eq!((other.links[0].bandwidth, other.hosts[0].speed), (0.5, 3.0));
    }

    #[test]
    fn amplitudes_are_parts() {
        assert_eq!((amplitude("10%"), amplitude(" 5 % "), amplitude("0.25")), (Ok(0.1), Ok(0.05), Ok(0.25)));
        for text in ["", "%", "0%", "100%", "1", "-5%", "nan", "x"] {
            assert!(amplitude(text).is_err(), "{text}");
        }
    }
}
