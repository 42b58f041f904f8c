//! How much is too much.

use std::time::Duration;

use crate::api_error::ApiError;

/// A day, in seconds.
pub(crate) const DAY: i64 = 24 * 60 * 60;

/// The bounds of a server.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Files of a team.
    pub team_files: u64,
    /// Bytes of a team's files.
    pub team_bytes: u64,
    /// Files of a team that one member put there.
    pub member_files: u64,
    /// Bytes of those.
    pub member_bytes: u64,
    /// Bytes of a team's parts of versions that are not published.
    pub waiting_bytes: u64,
    /// Requests a second with one token; 0: any number.
    pub token_rate: u32,
    /// Versions a second that one token publishes; 0: any number.
    pub publish_rate: u32,
    /// Requests a second from one address; 0: any number.
    pub address_rate: u32,
    /// Bytes of all requests and answers that are under way.
    pub room_bytes: usize,
    /// Connections at once.
    pub connections: usize,
    /// Connections at once from one address beyond this machine; 0: any number.
    pub address_connections: usize,
    /// How long the head of a request may take to come, and a connection may be silent.
    pub head_time: Duration,
    /// How long the body of a request may take to come.
    pub body_time: Duration,
    /// How long a client may keep the server waiting while it reads the answer slowly.
    pub read_time: Duration,
    /// How long an answer may take to be made.
    pub answer_time: Duration,
    /// How long requests may go on after the server was told to stop.
    pub stop_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            team_files: 200_000,
            team_bytes: 1 << 30,
            member_files: 150_000,
            member_bytes: 768 << 20,
            waiting_bytes: 256 << 20,
            token_rate: 50,
            publish_rate: 2,
            address_rate: 500,
            room_bytes: 256 << 20,
            connections: 10_000,
            address_connections: 500,
            head_time: Duration::from_secs(10),
            body_time: Duration::from_secs(30),
            read_time: Duration::from_secs(30),
            answer_time: Duration::from_secs(60),
            stop_time: Duration::from_secs(20),
        }
    }
}

impl Limits {
    /// Whether a team may have so much, given how much it had: who has too much already may always have less.
    ///
    /// # Errors
    /// It may not.
    pub fn check_team(&self, files: u64, bytes: u64, old_files: u64, old_bytes: u64) -> Result<(), ApiError> {
        if files > self.team_files && files > old_files {
            let message = format!("the team would have {files} files, and {} are the most", self.team_files);
            return Err(ApiError::new("quota", message));
        }
        if bytes > self.team_bytes && bytes > old_bytes {
            let message = format!("the team would have {bytes} bytes, and {} are the most", self.team_bytes);
            return Err(ApiError::new("quota", message));
        }
        Ok(())
    }

    /// Whether a team has so much that one member's share of it may be too much.
    #[must_use]
    pub fn may_crowd(&self, files: u64, bytes: u64) -> bool {
        files > self.member_files || bytes > self.member_bytes
    }

    /// Whether one member may have put so many files and bytes there, given how many they had: the others need room.
    ///
    /// # Errors
    /// They may not.
    pub fn check_member(
        &self,
        (files, bytes): (u64, u64),
        (old_files, old_bytes): (u64, u64),
    ) -> Result<(), ApiError> {
        if files > self.member_files && files > old_files {
            let most = self.member_files;
            let message = format!("{files} files would be yours, and {most} are the most for one member");
            return Err(ApiError::new("quota", message));
        }
        if bytes > self.member_bytes && bytes > old_bytes {
            let most = self.member_bytes;
            let message = format!("{bytes} bytes would be yours, and {most} are the most for one member");
            return Err(ApiError::new("quota", message));
        }
        Ok(())
    }

    /// Whether a team may replace more texts. Old ones are forgotten as they become too many, a while later.
    ///
    /// # Errors
    /// It has to wait for that.
    pub fn check_old(&self, old_bytes: u64) -> Result<(), ApiError> {
        if old_bytes > self.team_bytes.saturating_mul(2) {
            let message = "more texts were replaced than can be kept; the oldest are being forgotten";
            return Err(ApiError::new("too_many_requests", message).after(60));
        }
        Ok(())
    }
}
