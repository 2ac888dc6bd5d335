//! Time during which each link is full.

use crate::engine::{Interest, Observer};
use crate::ids::LinkId;
use crate::network::sharing::LinkState;

#[derive(Debug, Clone, Copy, Default)]
struct Account {
    state: LinkState,
    since: f64,
    full: f64,
    limiting: f64,
}

impl Account {
    fn until(&mut self, time: f64) {
        let seconds = time - self.since;
        self.full += if self.state.full { seconds } else { 0.0 };
        self.limiting += if self.state.limiting { seconds } else { 0.0 };
        self.since = time;
    }
}

/// Observer of full links.
#[derive(Debug, Default)]
pub struct Saturation {
    links: Vec<Account>,
}

impl Saturation {
    /// Returns the shares of a run of `end` seconds in which a link was full, and in which it was a bottleneck.
    pub fn shares(&self, link: LinkId, end: f64) -> (f64, f64) {
        let Some(mut account) = self.links.get(link.index()).copied() else { return (0.0, 0.0) };
        account.until(end.max(account.since));
        if end > 0.0 { ((account.full / end).min(1.0), (account.limiting / end).min(1.0)) } else { (0.0, 0.0) }
    }
}

impl Observer for Saturation {
    fn interest(&self) -> Interest {
        Interest::RanksAndLinks
    }

    fn link_changed(&mut self, link: LinkId, state: LinkState, time: f64) {
        if link.index() >= self.links.len() {
            self.links.resize(link.index() + 1, Account::default());
        }
        let account = &mut self.links[link.index()];
        if account.state != state {
            account.until(time);
            account.state = state;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_full_from_one_change_to_the_next() {
        let mut saturation = Saturation::default();
        let mut change = |full, limiting, time| saturation.link_changed(LinkId(1), LinkState { full, limiting }, time);
        change(true, false, 2.0);
        change(true, true, 3.0);
        change(false, false, 4.0);
        change(true, false, 9.0);
        assert_eq!(saturation.shares(LinkId(1), 10.0), (0.3, 0.1));
        assert_eq!(saturation.shares(LinkId(0), 10.0), (0.0, 0.0));
        assert_eq!(saturation.shares(LinkId(7), 10.0), (0.0, 0.0));
    }
}
