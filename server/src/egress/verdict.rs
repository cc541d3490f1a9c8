//! What the proxy said to each target, so that a failed navigation can be told by its cause: behind a proxy
//! a name that cannot be found and a refusal look alike to the browser.

use std::collections::VecDeque;

use super::target::Target;

/// Targets that are remembered for one port; beyond it the oldest is forgotten.
const REMEMBERED: usize = 256;

/// What became of a request to a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was let through and the target could be reached.
    Allowed,
    /// It may not be reached.
    Refused {
        /// The words complete "it is not allowed: …".
        why: String,
    },
    /// Its name cannot be found, or was not within the time.
    DnsFailed,
    /// It could not be reached.
    ConnectFailed {
        /// What the network, or the target by hanging up, said.
        why: String,
    },
    /// It did not answer within the time.
    ConnectTimeout,
}

/// The newest verdict on each target, oldest first.
#[derive(Debug, Default)]
pub struct Verdicts(VecDeque<(Target, Verdict)>);

impl Verdicts {
    /// Remembers a verdict instead of the one before on the same target.
    pub fn record(&mut self, target: &Target, verdict: Verdict) {
        self.0.retain(|(known, _)| known != target);
        if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back((target.clone(), verdict));
    }

    /// The newest verdict on a target.
    #[must_use]
    pub fn of(&self, target: &Target) -> Option<Verdict> {
        self.0.iter().rev().find(|(known, _)| known == target).map(|(_, verdict)| verdict.clone())
    }

    /// All of them, oldest first.
    #[must_use]
    pub fn all(&self) -> Vec<(Target, Verdict)> {
        self.0.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_verdict_stands_and_the_oldest_target_is_forgotten() {
        let mut verdicts = Verdicts::default();
        let target = |port| Target::new("shop.example", port).expect("a host");
        verdicts.record(&target(1), Verdict::DnsFailed);
        verdicts.record(&target(1), Verdict::Allowed);
        assert_eq!(verdicts.all(), [(target(1), Verdict::Allowed)]);
        (2..2 + REMEMBERED as u16).for_each(|port| verdicts.record(&target(port), Verdict::Allowed));
        assert_eq!(verdicts.of(&target(1)), None);
        assert_eq!(verdicts.all().len(), REMEMBERED);
    }
}
