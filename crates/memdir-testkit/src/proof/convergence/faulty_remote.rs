use memdir_sync::remote::in_process::InProcess;
use memdir_sync::remote::{Listed, Prepared, Published, Put, Remote, RemoteError, Version};

use crate::proof::random::Random;

/// The way of one member to the remote: requests get lost, answers get lost, what was published arrives late or twice.
pub(super) struct FaultyRemote {
    inner: Box<dyn Remote>,
    random: Random,
    faulty: bool,
    /// What is still under way.
    late: Vec<(Option<Version>, Version)>,
}

impl Default for FaultyRemote {
    fn default() -> Self {
        Self::new(Box::new(InProcess::new()), Random::new(0))
    }
}

impl FaultyRemote {
    pub(super) fn new(inner: Box<dyn Remote>, random: Random) -> Self {
        Self { inner, random, faulty: false, late: Vec::new() }
    }

    pub(super) fn faults(&mut self, faulty: bool) {
        self.faulty = faulty;
    }

    /// What was under way arrives.
    pub(super) fn deliver(&mut self) {
        for (onto, next) in std::mem::take(&mut self.late) {
            let _ = self.inner.publish(onto.as_ref(), &next);
        }
    }

    fn is_lost(&mut self) -> bool {
        self.faulty && self.random.below(5) == 0
    }
}

fn lost<T>() -> Result<T, RemoteError> {
    Err(RemoteError::Unreachable { message: "lost on the way".to_owned() })
}

impl Remote for FaultyRemote {
    fn head(&mut self) -> Result<Option<Version>, RemoteError> {
        if self.is_lost() { lost() } else { self.inner.head() }
    }

    fn view(&mut self, version: &Version) -> Result<Vec<Listed>, RemoteError> {
        if self.is_lost() { lost() } else { self.inner.view(version) }
    }

    fn read(&mut self, ids: &[&str], limit: usize) -> Result<Vec<Option<Vec<u8>>>, RemoteError> {
        self.inner.read(ids, limit)
    }

    fn prepare(
        &mut self,
        onto: Option<&Version>,
        puts: &[Put],
        message: &str,
    ) -> Result<Prepared, RemoteError> {
        self.inner.prepare(onto, puts, message)
    }

    fn publish(&mut self, onto: Option<&Version>, next: &Version) -> Result<Published, RemoteError> {
        if !self.faulty {
            return self.inner.publish(onto, next);
        }
        match self.random.below(6) {
            // The request is lost.
            0 => lost(),
            // The answer is lost.
            1 => {
                self.inner.publish(onto, next)?;
                lost()
            }
            // It arrives when no process waits for it any more.
            2 => {
                self.late.push((onto.cloned(), next.clone()));
                lost()
            }
            // It arrives twice.
            3 => {
                let first = self.inner.publish(onto, next)?;
                self.inner.publish(onto, next)?;
                Ok(first)
            }
            _ => self.inner.publish(onto, next),
        }
    }

    fn descends(&mut self, newer: &Version, older: &Version) -> Result<bool, RemoteError> {
        self.inner.descends(newer, older)
    }

    fn ever_held(&mut self, version: &Version, path: &str, id: &str) -> Result<bool, RemoteError> {
        self.inner.ever_held(version, path, id)
    }

    fn past_of(&mut self, version: &Version, path: &str) -> Result<Vec<String>, RemoteError> {
        self.inner.past_of(version, path)
    }
}
