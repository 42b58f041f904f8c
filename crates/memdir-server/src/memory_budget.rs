//! How much memory requests and answers take while they are under way.
//!
//! A client that sends slowly, or does not read what it asked for, keeps something in memory meanwhile. All of that together is
//! bounded: what does not fit waits, and when too many wait, the next client is refused.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::api_error::ApiError;

/// What takes no more than this is not counted: a connection takes as much.
pub const SMALL_BYTES: usize = 16 << 10;

/// So many may wait for room: each of them holds something, too.
const MOST_WAITING: usize = 128;

/// Beyond so many teams those that hold nothing are forgotten.
const MOST_TEAMS: usize = 1_000;

/// How much memory requests may take: so many bytes for all, at most half of them for a team, a quarter for a token.
pub struct MemoryBudget {
    bytes: usize,
    whole: Arc<Semaphore>,
    teams: Mutex<HashMap<String, Arc<Semaphore>>>,
    tokens: Shares,
    waiting: AtomicUsize,
    large_version: Arc<Semaphore>,
}

type Shares = Arc<Mutex<HashMap<String, usize>>>;

/// A place in the room, until it is dropped.
pub struct Held {
    whole: OwnedSemaphorePermit,
    team: OwnedSemaphorePermit,
    token: Share,
}

/// The only place for a version that came in parts, until it is dropped.
pub struct LargeVersion {
    _place: OwnedSemaphorePermit,
    _token: Share,
}

struct Share {
    shares: Shares,
    name: String,
    bytes: usize,
}

impl MemoryBudget {
    /// A room for so many bytes.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        Self {
            bytes,
            whole: Arc::new(Semaphore::new(bytes)),
            teams: Mutex::default(),
            tokens: Arc::default(),
            waiting: AtomicUsize::new(0),
            large_version: Arc::new(Semaphore::new(1)),
        }
    }

    /// Memory for so many bytes, as soon as there is some; `None` if they are too few to be counted. The caller must hold
    /// none, or two could wait for each other.
    ///
    /// # Errors
    /// The token has too much under way, or too many wait already.
    pub async fn take(&self, team: &str, token: &str, bytes: usize) -> Result<Option<Held>, ApiError> {
        if bytes <= SMALL_BYTES {
            return Ok(None);
        }
        let bytes = bytes.min(self.bytes / 4);
        let token = self.share(token.to_owned(), bytes)?;
        let permits = u32::try_from(bytes).unwrap_or(u32::MAX);
        let team = self.wait(self.of_team(team), permits).await?;
        let whole = self.wait(Arc::clone(&self.whole), permits).await?;
        Ok(Some(Held { whole, team, token }))
    }

    /// The place for a version that came in parts: they are large, so the server puts them together one after the other.
    ///
    /// # Errors
    /// The token has one under way, or too many wait already.
    pub async fn take_large_version(&self, token: &str) -> Result<LargeVersion, ApiError> {
        let share = self.share(format!("{token} large"), self.bytes / 4)?;
        let place = self.wait(Arc::clone(&self.large_version), 1).await?;
        Ok(LargeVersion { _place: place, _token: share })
    }

    fn of_team(&self, team: &str) -> Arc<Semaphore> {
        let mut teams = self.teams.lock().unwrap_or_else(PoisonError::into_inner);
        if teams.len() >= MOST_TEAMS {
            // A holder of something of a team's, or a waiter for it, has the team's semaphore, too.
            teams.retain(|_, semaphore| Arc::strong_count(semaphore) > 1);
        }
        let half = || Arc::new(Semaphore::new(self.bytes / 2));
        Arc::clone(teams.entry(team.to_owned()).or_insert_with(half))
    }

    fn share(&self, name: String, bytes: usize) -> Result<Share, ApiError> {
        let mut shares = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        let held = shares.entry(name.clone()).or_default();
        if *held > 0 && *held + bytes > self.bytes / 4 {
            let message = "too much is under way with this token; read what you asked for first";
            return Err(ApiError::new("too_many_requests", message).after(1));
        }
        *held += bytes;
        Ok(Share { shares: Arc::clone(&self.tokens), name, bytes })
    }

    async fn wait(&self, semaphore: Arc<Semaphore>, permits: u32) -> Result<OwnedSemaphorePermit, ApiError> {
        if let Ok(permit) = Arc::clone(&semaphore).try_acquire_many_owned(permits) {
            return Ok(permit);
        }
        let busy = || {
            let message = "the server is busy with large requests; nothing was changed, try again";
            ApiError::new("unavailable", message).after(1)
        };
        let waiting = Waiting(&self.waiting);
        if waiting.0.fetch_add(1, Ordering::Relaxed) >= MOST_WAITING {
            return Err(busy());
        }
        semaphore.acquire_many_owned(permits).await.map_err(|_| busy())
    }
}

/// A waiting request, until it is dropped.
struct Waiting<'w>(&'w AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Held {
    /// How much it is.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.whole.num_permits()
    }

    /// Gives back what is beyond so many bytes.
    pub fn shrink_to(&mut self, bytes: usize) {
        for permit in [&mut self.whole, &mut self.team] {
            drop(permit.split(permit.num_permits().saturating_sub(bytes)));
        }
        self.token.shrink_to(bytes);
    }
}

impl Share {
    fn shrink_to(&mut self, bytes: usize) {
        let beyond = self.bytes.saturating_sub(bytes);
        self.bytes -= beyond;
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        let left = shares.get_mut(&self.name).map_or(0, |held| {
            *held = held.saturating_sub(beyond);
            *held
        });
        if left == 0 {
            shares.remove(&self.name);
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.shrink_to(0);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const KIB: usize = 1 << 10;

    fn run(test: impl Future<Output = ()>) {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
    }

    async fn waits<T>(taking: impl Future<Output = T>) -> bool {
        tokio::time::timeout(Duration::from_millis(20), taking).await.is_err()
    }

    #[test]
    fn there_is_room_for_so_much_and_no_more() {
        run(async {
            let room = MemoryBudget::new(1024 * KIB);
            let code = |taken: Result<Option<Held>, ApiError>| taken.err().map(|error| error.code);
            assert!(room.take("a", "1", SMALL_BYTES).await.unwrap().is_none());
            // A token has a quarter, and what is larger is taken for one.
            let mut first = room.take("a", "1", 900 * KIB).await.unwrap().unwrap();
            assert_eq!(first.bytes(), 256 * KIB);
            assert_eq!(code(room.take("a", "1", 20 * KIB).await), Some("too_many_requests"));
            // A team has half.
            let second = room.take("a", "2", 256 * KIB).await.unwrap();
            assert!(waits(room.take("a", "3", 256 * KIB)).await);
            // Others have the rest, and then there is no more.
            let others = [
                room.take("b", "4", 256 * KIB).await.unwrap(),
                room.take("c", "5", 256 * KIB).await.unwrap(),
            ];
            assert!(waits(room.take("d", "6", 20 * KIB)).await);
            first.shrink_to(100 * KIB);
            assert!(!waits(room.take("d", "6", 20 * KIB)).await);
            assert!(!waits(room.take("a", "1", 156 * KIB)).await);
            assert_eq!(code(room.take("a", "1", 157 * KIB).await), Some("too_many_requests"));
            drop((first, second, others));
            assert_eq!(room.whole.available_permits(), 1024 * KIB);
            assert!(room.tokens.lock().unwrap().is_empty());
            assert_eq!(room.waiting.load(Ordering::Relaxed), 0);
        });
    }

    #[test]
    fn large_versions_come_one_after_the_other_and_not_too_many_wait() {
        run(async {
            let room = MemoryBudget::new(1024 * KIB);
            let first = room.take_large_version("1").await.unwrap();
            let again = room.take_large_version("1").await.err().map(|error| error.code);
            assert_eq!(again, Some("too_many_requests"));
            assert!(waits(room.take_large_version("2")).await);
            let names: Vec<String> = (0..MOST_WAITING).map(|number| format!("w{number}")).collect();
            let mut many: Vec<_> = names.iter().map(|name| Box::pin(room.take_large_version(name))).collect();
            for one in &mut many {
                let mut context = std::task::Context::from_waker(std::task::Waker::noop());
                assert!(one.as_mut().poll(&mut context).is_pending());
            }
            let beyond = room.take_large_version("2").await.err().map(|error| error.code);
            assert_eq!(beyond, Some("unavailable"));
            drop(many);
            drop(first);
            assert!(!waits(room.take_large_version("1")).await);
        });
    }

    #[test]
    fn teams_that_hold_nothing_are_forgotten() {
        run(async {
            let room = MemoryBudget::new(1024 * KIB);
            let held = room.take("kept", "1", 20 * KIB).await.unwrap();
            for number in 0..3 * MOST_TEAMS {
                drop(room.take(&number.to_string(), "2", 20 * KIB).await.unwrap());
            }
            let teams = room.teams.lock().unwrap();
            assert!(teams.len() <= MOST_TEAMS && teams.contains_key("kept"));
            drop(held);
        });
    }
}
