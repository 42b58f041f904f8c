//! When a dream is due by itself.

use jiff::{SignedDuration, Timestamp};

/// What decides whether a dream is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gates {
    /// When the last one was: ours or the client's.
    pub last_run: Option<Timestamp>,
    /// How many other sessions were used since then.
    pub sessions: usize,
    /// The time that counts as now.
    pub now: Timestamp,
}

/// Why no dream is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotDue {
    /// The last one is not a day ago.
    #[error("the last dream was less than 24 hours ago")]
    TooSoon,
    /// Too little happened.
    #[error("{0} of 5 sessions were used since the last dream")]
    TooFewSessions(usize),
}

/// So long after a dream there is no other.
const PAUSE: SignedDuration = SignedDuration::from_hours(24);
/// So many sessions make one worth while.
const SESSIONS: usize = 5;

/// Whether a dream is due by itself. A last run that lies in the future was written by a wrong clock, and counts as none.
///
/// # Errors
/// Why not.
pub fn due(gates: &Gates) -> Result<(), NotDue> {
    if is_too_soon(gates.last_run, gates.now) {
        return Err(NotDue::TooSoon);
    }
    if gates.sessions < SESSIONS { Err(NotDue::TooFewSessions(gates.sessions)) } else { Ok(()) }
}

fn is_too_soon(last_run: Option<Timestamp>, now: Timestamp) -> bool {
    const WRONG: SignedDuration = SignedDuration::from_hours(1);
    last_run.is_some_and(|last| {
        let since = now.duration_since(last);
        since < PAUSE && since > -WRONG
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_and_five_sessions() {
        let check = |last: Option<&str>, sessions, expected| {
            let now = "2026-03-12T12:00:00Z".parse().unwrap();
            let last_run = last.map(|time| time.parse().unwrap());
            assert_eq!(due(&Gates { last_run, sessions, now }), expected, "{last:?}");
        };
        check(None, 5, Ok(()));
        check(None, 4, Err(NotDue::TooFewSessions(4)));
        check(Some("2026-03-11T12:00:00Z"), 5, Ok(()));
        check(Some("2026-03-11T12:00:01Z"), 9, Err(NotDue::TooSoon));
        check(Some("2026-03-12T12:30:00Z"), 9, Err(NotDue::TooSoon));
        check(Some("2099-01-01T00:00:00Z"), 9, Ok(()));
    }
}
