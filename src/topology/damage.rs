//! Failures of cables and switches, as written on the command line and in studies.
//!
//! A damaged network is a topology of the family `damaged`, whose base is the intact one. This file builds its
//! specification; `families/damaged.rs` builds its graph.

use std::fmt;
use std::str::FromStr;

use super::error::TopologyError;
use super::family::quoted;
use super::spec::Spec;

/// A number of cables or switches: a count, or a share of all.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Amount {
    /// Number of cables or switches.
    Count(u64),
    /// A share from 0 to 1.
    Share(f64),
}

impl Amount {
    /// Returns the number of `total` things: of a share above 0 at least one, otherwise rounded.
    pub fn of(self, total: usize) -> usize {
        match self {
            Self::Count(count) => usize::try_from(count).unwrap_or(usize::MAX),
            Self::Share(0.0) => 0,
            Self::Share(share) => ((share * total as f64).round() as usize).clamp(1.min(total), total),
        }
    }

    /// Returns `true` if the amount is 0.
    pub fn is_zero(self) -> bool {
        matches!(self, Self::Count(0)) || self == Self::Share(0.0)
    }
}

/// Rule for amounts, as the end of a sentence.
pub const RULE: &str = "it must be a number such as `2`, or a share from `0 %` to `100 %`";

impl FromStr for Amount {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        match text.trim().strip_suffix('%') {
            Some(share) => match share.trim().parse::<f64>() {
                Ok(share) if (0.0..=100.0).contains(&share) => Ok(Self::Share(share / 100.0)),
                _ => Err(RULE),
            },
            None => text.trim().parse().map(Self::Count).map_err(|_| RULE),
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            // The shortest text with this percentage to twelve digits.
            Self::Share(share) => write!(f, "{}%", (share * 1e14).round() / 1e12),
        }
    }
}

/// Cables and switches that fail, and cables that become slower.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Damage {
    /// Cables by their two switches and switches by number, such as `3-7,12`.
    pub without: Option<String>,
    /// Cables that fail, at random.
    pub cables: Option<Amount>,
    /// Switches that fail, at random, with their cables and hosts.
    pub switches: Option<Amount>,
    /// Cables that become slower, at random, and the share of their bandwidth that is left.
    pub degraded: Option<(Amount, Amount)>,
    /// Seed of the choice.
    pub seed: Option<u64>,
}

impl Damage {
    /// Returns `true` if nothing fails and nothing becomes slower.
    pub fn is_none(&self) -> bool {
        *self == Self { seed: self.seed, ..Self::default() }
    }

    /// Returns the specification of the damaged network.
    ///
    /// # Errors
    /// [`TopologyError`] if a value breaks a rule of the family `damaged`.
    pub fn of(&self, base: &Spec) -> Result<Spec, TopologyError> {
        let mut text = format!("damaged:base={}", quoted(&base.to_string()));
        if let Some(without) = &self.without {
            text.push_str(&format!(",without={}", quoted(without)));
        }
        let amounts = [
            ("cables", self.cables),
            ("switches", self.switches),
            ("degraded", self.degraded.map(|(cables, _)| cables)),
            ("bandwidth", self.degraded.map(|(_, bandwidth)| bandwidth)),
        ];
        for (name, amount) in amounts {
            if let Some(amount) = amount {
                text.push_str(&format!(",{name}={amount}"));
            }
        }
        if let Some(seed) = self.seed {
            text.push_str(&format!(",seed={seed}"));
        }
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_counts_or_shares() {
        let amount = |text: &str| text.parse::<Amount>();
        assert_eq!(amount("2"), Ok(Amount::Count(2)));
        assert_eq!(amount(" 1 % "), Ok(Amount::Share(0.01)));
        // 1.92 of 192 cables round to 2; a share above 0 is at least one cable.
        assert_eq!(
            (amount("1%").unwrap().of(192), amount("1%").unwrap().of(12), amount("0%").unwrap().of(12)),
            (2, 1, 0)
        );
        assert_eq!((amount("100%").unwrap().of(7), amount("1%").unwrap().of(0)), (7, 0));
        for text in ["", "-1", "x", "101%", "-1%", "nan%", "inf%", "1.5", "%"] {
            assert!(amount(text).is_err(), "{text}");
        }
        for text in ["0%", "0.1%", "1%", "33.3%", "12", "7%", "29%", "57%"] {
            assert_eq!(amount(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_damaged_network_is_a_specification() {
        let damage = Damage {
            without: Some("3-7,12".into()),
            cables: Some(Amount::Share(0.01)),
            seed: Some(4),
            ..Damage::default()
        };
        let spec = damage.of(&"random:n=64,d=6".parse().unwrap()).unwrap();
        let text = "damaged:base=\"random_regular:n=64,d=6,seed=1\",without=\"3-7,12\",cables=1%,seed=4";
        assert_eq!(spec.to_string(), text);
        assert!(!damage.is_none() && Damage { seed: Some(3), ..Damage::default() }.is_none());
    }
}
