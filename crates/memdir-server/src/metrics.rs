//! Counters, as Prometheus reads them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What is counted.
#[derive(Default)]
pub struct Metrics {
    requests: Mutex<BTreeMap<(String, String, u16), u64>>,
    times: Mutex<Times>,
    /// Connections that are open.
    pub connections: AtomicI64,
    /// Connections that were turned away because there were too many.
    pub turned_away: AtomicU64,
    /// Versions that were published.
    pub published: AtomicU64,
    /// Versions that were refused because another one was faster.
    pub moved: AtomicU64,
}

#[derive(Default)]
struct Times {
    buckets: [u64; BOUNDS.len()],
    count: u64,
    seconds: f64,
}

const BOUNDS: [f64; 9] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0];

impl Metrics {
    /// Counts a request that was answered.
    pub fn count(&self, method: &str, route: &str, status: u16, took: Duration) {
        let key = (method.to_owned(), route.to_owned(), status);
        *self.requests.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default() += 1;
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let seconds = took.as_secs_f64();
        times.count += 1;
        times.seconds += seconds;
        for (bucket, bound) in times.buckets.iter_mut().zip(BOUNDS) {
            *bucket += u64::from(seconds <= bound);
        }
    }

    /// Everything in the text format.
    #[must_use]
    pub fn render(&self, engine: &str, lines_dropped: u64) -> String {
        let mut text = String::new();
        let mut say = |line: std::fmt::Arguments<'_>| {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{line}");
        };
        say(format_args!("# HELP memdir_requests_total Requests that were answered."));
        say(format_args!("# TYPE memdir_requests_total counter"));
        for ((method, route, status), count) in
            self.requests.lock().unwrap_or_else(PoisonError::into_inner).iter()
        {
            say(format_args!(
                "memdir_requests_total{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}} {count}"
            ));
        }
        say(format_args!("# HELP memdir_request_seconds How long answers took."));
        say(format_args!("# TYPE memdir_request_seconds histogram"));
        {
            let times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
            for (bucket, bound) in times.buckets.iter().zip(BOUNDS) {
                say(format_args!("memdir_request_seconds_bucket{{le=\"{bound}\"}} {bucket}"));
            }
            say(format_args!("memdir_request_seconds_bucket{{le=\"+Inf\"}} {}", times.count));
            say(format_args!("memdir_request_seconds_sum {}", times.seconds));
            say(format_args!("memdir_request_seconds_count {}", times.count));
        }
        for (name, kind, help, value) in [
            ("connections", "gauge", "Connections that are open.", self.connections.load(Ordering::Relaxed)),
            (
                "connections_turned_away_total",
                "counter",
                "Connections beyond the limit.",
                number(&self.turned_away),
            ),
            (
                "log_lines_dropped_total",
                "counter",
                "Lines that the log had no room for.",
                i64::try_from(lines_dropped).unwrap_or(i64::MAX),
            ),
            ("versions_published_total", "counter", "Versions that were published.", number(&self.published)),
            (
                "versions_moved_total",
                "counter",
                "Versions that others were faster than.",
                number(&self.moved),
            ),
        ] {
            say(format_args!("# HELP memdir_{name} {help}"));
            say(format_args!("# TYPE memdir_{name} {kind}"));
            say(format_args!("memdir_{name} {value}"));
        }
        say(format_args!("# HELP memdir_storage_info The database."));
        say(format_args!("# TYPE memdir_storage_info gauge"));
        say(format_args!("memdir_storage_info{{engine=\"{engine}\"}} 1"));
        text
    }
}

fn number(counter: &AtomicU64) -> i64 {
    i64::try_from(counter.load(Ordering::Relaxed)).unwrap_or(i64::MAX)
}
