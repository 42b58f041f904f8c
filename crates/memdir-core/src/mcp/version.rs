/// A revision of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// Before the first release; some clients still offer it.
    V2024_10_07,
    /// The first release.
    V2024_11_05,
    /// Batches, annotations of tools, streamable HTTP.
    V2025_03_26,
    /// Structured output, titles; no batches any more.
    V2025_06_18,
    /// The last one with a handshake.
    V2025_11_25,
    /// No handshake and no session: every request says for itself who asks, and in which version.
    V2026_07_28,
}

/// The revisions that a discovery names: all that were released.
pub const ADVERTISED: [Version; 5] = [
    Version::V2024_11_05,
    Version::V2025_03_26,
    Version::V2025_06_18,
    Version::V2025_11_25,
    Version::V2026_07_28,
];

impl Version {
    /// The newest that a handshake can agree on.
    pub const NEWEST_WITH_HANDSHAKE: Self = Self::V2025_11_25;

    /// The version of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::V2024_10_07].into_iter().chain(ADVERTISED).find(|version| version.as_str() == name)
    }

    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V2024_10_07 => "2024-10-07",
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// Whether a handshake leads to it.
    #[must_use]
    pub fn has_handshake(self) -> bool {
        self < Self::V2026_07_28
    }

    /// What a handshake agrees on when a client offers a version by this name.
    #[must_use]
    pub fn negotiated(offered: &str) -> Self {
        Self::parse(offered).filter(|version| version.has_handshake()).unwrap_or(Self::NEWEST_WITH_HANDSHAKE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handshake_agrees_on_what_the_client_offers_if_it_can() {
        let check = |offered: &str, agreed: &str| assert_eq!(Version::negotiated(offered).as_str(), agreed);
        check("2024-10-07", "2024-10-07");
        check("2024-11-05", "2024-11-05");
        check("2025-03-26", "2025-03-26");
        check("2025-06-18", "2025-06-18");
        check("2025-11-25", "2025-11-25");
        check("2026-07-28", "2025-11-25");
        check("2099-01-01", "2025-11-25");
        check("", "2025-11-25");
    }
}
