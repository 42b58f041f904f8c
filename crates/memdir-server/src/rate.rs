//! How often a client may ask.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Buckets that fill with time, one for each name.
pub struct Rates {
    a_second: f64,
    buckets: Mutex<HashMap<String, Bucket>>,
}

struct Bucket {
    left: f64,
    since: Instant,
}

/// So many seconds' worth may be asked at once.
const BURST_SECONDS: f64 = 10.0;
/// Beyond this, buckets that are full again are thrown away; where none are, all of them.
const MOST_BUCKETS: usize = 50_000;

/// Who asks from an address: a client with one of the newer kind has 2^64 of them.
#[must_use]
pub fn source_of(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [one, two, three, four, ..] = address.segments();
            format!("{one:x}:{two:x}:{three:x}:{four:x}::")
        }
    }
}

impl Rates {
    /// So many a second; 0: any number.
    #[must_use]
    pub fn new(a_second: u32) -> Self {
        Self { a_second: a_second.into(), buckets: Mutex::default() }
    }

    /// Takes one from a client's bucket.
    ///
    /// # Errors
    /// It is empty: so many seconds must pass first.
    pub fn take(&self, name: &str, now: Instant) -> Result<(), u32> {
        if self.a_second <= 0.0 {
            return Ok(());
        }
        let most = self.a_second * BURST_SECONDS;
        let filled = |bucket: &Bucket| {
            (bucket.left + now.saturating_duration_since(bucket.since).as_secs_f64() * self.a_second)
                .min(most)
        };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MOST_BUCKETS {
            buckets.retain(|_, bucket| filled(bucket) < most);
            // Counting does not stop a client with so many addresses, and it must not stop the server either: the next
            // look at all of them is far away again.
            if buckets.len() >= MOST_BUCKETS / 2 {
                buckets.clear();
            }
        }
        let left = buckets.get(name).map_or(most, filled);
        if left < 1.0 {
            return Err(((1.0 - left) / self.a_second).ceil() as u32);
        }
        buckets.insert(name.to_owned(), Bucket { left: left - 1.0, since: now });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn names_without_end_take_no_room_without_end() {
        let rates = Rates::new(1);
        let start = Instant::now();
        for number in 0..3 * MOST_BUCKETS {
            assert_eq!(rates.take(&number.to_string(), start), Ok(()));
        }
        assert!(rates.buckets.lock().unwrap().len() <= MOST_BUCKETS);
        let address = |text: &str| source_of(text.parse().unwrap());
        assert_eq!(address("2001:db8:1:2:3::4"), address("2001:db8:1:2:ffff::1"));
        assert_ne!(address("2001:db8:1:2::1"), address("2001:db8:1:3::1"));
        assert_ne!(address("10.0.0.1"), address("10.0.0.2"));
        assert_eq!(address("::ffff:10.0.0.1"), address("10.0.0.1"));
    }

    #[test]
    fn a_bucket_empties_and_fills_again() {
        let rates = Rates::new(2);
        let start = Instant::now();
        for _ in 0..20 {
            assert_eq!(rates.take("a", start), Ok(()));
        }
        assert_eq!(rates.take("a", start), Err(1));
        assert_eq!(rates.take("b", start), Ok(()), "everybody has a bucket of their own");
        let later = start + Duration::from_secs(1);
        assert_eq!(rates.take("a", later), Ok(()));
        assert_eq!(rates.take("a", later), Ok(()));
        assert_eq!(rates.take("a", later), Err(1));
        assert_eq!(Rates::new(0).take("a", start), Ok(()));
    }
}
