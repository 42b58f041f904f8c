//! A stream that closes on a client that does not read its answers: unread answers would stay in memory.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A client that reads so many bytes a second may take as long as it wants.
const SLOW_BYTES_A_SECOND: f64 = 10_000.0;

/// A stream, and how long writes may wait for the other side: waiting uses patience up, and what is read gives some of it
/// back. So it ends for the process that reads a byte now and then, too.
pub(crate) struct SlowClientStream<S> {
    stream: S,
    patience: Duration,
    left: Duration,
    /// Runs while a write waits.
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl<S> SlowClientStream<S> {
    pub(crate) fn new(stream: S, patience: Duration) -> Self {
        Self { stream, patience, left: patience, waiting: None }
    }

    /// What came of a write; an error once the other side was waited for too long.
    fn bounded<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            if let Some((since, _)) = self.waiting.take() {
                self.left = self.left.saturating_sub(since.elapsed());
            }
            return written;
        }
        let left = self.left;
        let (_, waiting) = self.waiting.get_or_insert_with(|| (Instant::now(), Box::pin(sleep(left))));
        match waiting.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }

    fn after_writing(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let written = self.bounded(context, written);
        if let Poll::Ready(Ok(bytes)) = written {
            let given = Duration::from_secs_f64(bytes as f64 / SLOW_BYTES_A_SECOND);
            self.left = self.patience.min(self.left.saturating_add(given));
        }
        written
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for SlowClientStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for SlowClientStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.after_writing(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.bounded(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let closed = Pin::new(&mut self.stream).poll_shutdown(context);
        self.bounded(context, closed)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.after_writing(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    /// Writes to a client that reads so many bytes at a time, with a while in between.
    fn write_to_reader_of(bytes: usize) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (mut reader, writer) = duplex(4096);
            let reading = tokio::spawn(async move {
                let mut buffer = vec![0; bytes];
                while reader.read(&mut buffer).await.is_ok_and(|read| read > 0) {
                    sleep(Duration::from_millis(10)).await;
                }
            });
            let mut writer = SlowClientStream::new(writer, Duration::from_millis(200));
            let written = tokio::time::timeout(Duration::from_secs(20), writer.write_all(&[0; 40_000]));
            let written = written.await.unwrap_or(Ok(()));
            drop(writer);
            reading.await.unwrap();
            written
        })
    }

    #[test]
    fn a_byte_now_and_then_is_not_enough() {
        assert_eq!(write_to_reader_of(1).map_err(|error| error.kind()), Err(io::ErrorKind::TimedOut));
        assert!(write_to_reader_of(4096).is_ok());
    }
}
