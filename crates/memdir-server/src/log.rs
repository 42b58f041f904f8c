//! What happened, for the operator: a line of JSON each, without a word of anybody's memory.
//!
//! A thread of its own writes the lines: if the log is not read, or the disk is slow, requests go on, and what there is no
//! room for is counted instead.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::{Map, Value};

/// Where lines go.
pub struct Log {
    lines: Option<SyncSender<Message>>,
    dropped: Arc<AtomicU64>,
}

enum Message {
    Line(Timestamp, String),
    Finish(SyncSender<()>),
}

/// So many lines wait to be written.
const MOST_WAITING: usize = 4096;

/// So long the end of the program waits for the last lines.
const FINISH_TIME: Duration = Duration::from_secs(1);

impl Log {
    /// A log that is written there.
    #[must_use]
    pub fn to(out: Box<dyn Write + Send>) -> Self {
        let (lines, waiting) = sync_channel(MOST_WAITING);
        let dropped = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&dropped);
        let writing = move || write_all(out, &waiting, &counted);
        // Without a thread there is no log, and still a server.
        let started = std::thread::Builder::new().name("log".to_owned()).spawn(writing);
        Self { lines: started.is_ok().then_some(lines), dropped }
    }

    /// A log that is not read.
    #[must_use]
    pub fn silent() -> Self {
        Self { lines: None, dropped: Arc::default() }
    }

    /// Writes a line, as soon as those before it are written.
    pub fn line(&self, time: Timestamp, event: &str, fields: Vec<(&'static str, Value)>) {
        let Some(lines) = &self.lines else { return };
        if lines.try_send(Message::Line(time, render(time, event, fields))).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many lines there was no room for.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Waits until everything is written, though not for ever.
    pub fn finish(&self) {
        let Some(lines) = &self.lines else { return };
        let until = Instant::now() + FINISH_TIME;
        let (done, finished) = sync_channel(1);
        let mut message = Message::Finish(done);
        while let Err(TrySendError::Full(again)) = lines.try_send(message) {
            if Instant::now() >= until {
                return;
            }
            message = again;
            std::thread::sleep(Duration::from_millis(10));
        }
        // Whether it was in time or not, it ends here.
        let _ = finished.recv_timeout(until.saturating_duration_since(Instant::now()));
    }
}

fn render(time: Timestamp, event: &str, fields: Vec<(&'static str, Value)>) -> String {
    let mut line = Map::new();
    line.insert("time".to_owned(), time.to_string().into());
    line.insert("event".to_owned(), event.into());
    for (name, value) in fields {
        line.insert(name.to_owned(), value);
    }
    let mut text = Value::Object(line).to_string();
    text.push('\n');
    text
}

fn write_all(mut out: Box<dyn Write + Send>, messages: &Receiver<Message>, dropped: &AtomicU64) {
    let mut told = 0;
    for message in messages {
        match message {
            Message::Line(time, line) => {
                let missing = dropped.load(Ordering::Relaxed).saturating_sub(told);
                if missing > 0 {
                    told += missing;
                    let gap = render(time, "lines dropped", vec![("count", missing.into())]);
                    drop(out.write_all(gap.as_bytes()));
                }
                // A log that cannot be written is not a reason to stop.
                drop(out.write_all(line.as_bytes()));
            }
            Message::Finish(done) => {
                drop(out.flush());
                // The waiting thread may have given up.
                let _ = done.send(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    /// Takes nothing until it is told to.
    struct Stuck(Receiver<()>, Sender<String>);

    impl Write for Stuck {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            // If it cannot report any more, it goes on.
            let _ = self.0.recv();
            drop(self.1.send(String::from_utf8_lossy(bytes).into_owned()));
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_unread_log_stops_no_request() {
        let ((go_on, stuck), (sender, written)) = (channel(), channel());
        let log = Log::to(Box::new(Stuck(stuck, sender)));
        let time = Timestamp::UNIX_EPOCH;
        let sent = MOST_WAITING + 100;
        for number in 0..sent {
            log.line(time, "request", vec![("number", number.into())]);
        }
        let dropped = log.dropped();
        assert!((99..=100).contains(&dropped), "one may be under way: {dropped}");
        // The end of the program does not wait for ever either.
        log.finish();
        drop(go_on);
        drop(log);
        let lines: Vec<String> = written.iter().collect();
        assert_eq!(lines.iter().filter(|line| line.contains("lines dropped")).count(), 1);
        assert_eq!(lines.len() as u64, sent as u64 - dropped + 1);
    }
}
