//! Which process something belongs to, told reliably enough to know that it is gone.

use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};

use memdir_core::operation::OperationId;

use crate::platform::{has_process, process_namespace, start_time, started_at};

/// A process: its number, when it started, and the world in which that number means something.
///
/// The start time tells a new process from a dead one with the same number; the namespace tells a container's
/// processes from ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProcessMark {
    pid: u32,
    started: u64,
    namespace: u64,
}

/// What can be said about a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    Alive,
    Dead,
    /// It runs, or ran, where we cannot look.
    Elsewhere,
}

impl ProcessMark {
    /// This process.
    pub(crate) fn own() -> Self {
        static OWN: OnceLock<ProcessMark> = OnceLock::new();
        *OWN.get_or_init(|| {
            let pid = std::process::id();
            Self { pid, started: start_time(pid).unwrap_or(0), namespace: process_namespace() }
        })
    }

    pub(crate) fn life(&self) -> Life {
        let own = Self::own();
        if self.namespace != own.namespace {
            return Life::Elsewhere;
        }
        let lives =
            if own.started != 0 { start_time(self.pid) == Some(self.started) } else { has_process(self.pid) };
        if lives { Life::Alive } else { Life::Dead }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let pid = u32::from_str_radix(parts.next()?, 16).ok()?;
        let started = u64::from_str_radix(parts.next()?, 16).ok()?;
        let namespace = u64::from_str_radix(parts.next()?, 16).ok()?;
        parts.next().is_none().then_some(Self { pid, started, namespace })
    }
}

impl fmt::Display for ProcessMark {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:x}.{:x}.{:x}", self.pid, self.started, self.namespace)
    }
}

/// The number of this process.
pub(crate) fn own_process() -> u32 {
    std::process::id()
}

/// Whether a process of that number runs that already ran at a time: a number that was given to another process since
/// belongs to no process.
pub(crate) fn has_process_since(process: u32, time: jiff::Timestamp) -> bool {
    const SLACK: i64 = 2;
    if ProcessMark::own().started == 0 {
        return has_process(process);
    }
    let Some(started) = start_time(process) else { return false };
    started_at(started).is_none_or(|seconds| seconds <= time.as_second() + SLACK)
}

/// The operations that threads of this process perform right now: the process lives, so its mark does not tell.
static IN_FLIGHT: Mutex<Vec<OperationId>> = Mutex::new(Vec::new());

/// Held while an operation is under way.
#[derive(Debug)]
pub(crate) struct InFlight(OperationId);

impl InFlight {
    pub(crate) fn enter(operation: &OperationId) -> Self {
        IN_FLIGHT.lock().unwrap_or_else(PoisonError::into_inner).push(operation.clone());
        Self(operation.clone())
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        IN_FLIGHT.lock().unwrap_or_else(PoisonError::into_inner).retain(|operation| *operation != self.0);
    }
}

/// Whether the process that began an operation, this or another one, may still be at it.
pub(crate) fn may_go_on(owner: ProcessMark, operation: &OperationId) -> bool {
    if owner == ProcessMark::own() {
        return IN_FLIGHT.lock().unwrap_or_else(PoisonError::into_inner).contains(operation);
    }
    owner.life() == Life::Alive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn we_live_and_an_ended_child_does_not() {
        let own = ProcessMark::own();
        assert_eq!(own.life(), Life::Alive);
        assert_eq!(ProcessMark::parse(&own.to_string()), Some(own));
        assert_eq!(ProcessMark { started: own.started + 1, ..own }.life(), Life::Dead);
        assert_eq!(ProcessMark { namespace: own.namespace + 1, ..own }.life(), Life::Elsewhere);
        assert_eq!(ProcessMark { pid: u32::MAX, ..own }.life(), Life::Dead);
        for bad in ["", "1", "1.2", "1.2.3.4", "x.1.1", "1..2"] {
            assert_eq!(ProcessMark::parse(bad), None, "{bad}");
        }
    }
}
