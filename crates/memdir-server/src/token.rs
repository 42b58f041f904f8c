//! What opens the server: a random text, of which only a hash is kept.

use std::fmt;

use memdir_wire::server_api::TOKEN_PREFIX;
use subtle::ConstantTimeEq;

/// What a token may do. Each one may do what those before it may, but for the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Read a team's memory.
    Read,
    /// Change its memories, and nothing about its members.
    Session,
    /// Change it, and let others in.
    Write,
    /// Say who has access.
    Admin,
    /// Nothing but become another token, once.
    Invitation,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 5] = [Self::Read, Self::Session, Self::Write, Self::Admin, Self::Invitation];

    /// The scope of that name, if a token can be asked for by scope alone. An invitation is made for one newcomer, and a
    /// session's token for one key.
    #[must_use]
    pub fn of_token(name: &str) -> Option<Self> {
        Self::parse(name).filter(|scope| !matches!(scope, Self::Invitation | Self::Session))
    }

    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Session => "session",
            Self::Write => "write",
            Self::Admin => "admin",
            Self::Invitation => "invitation",
        }
    }

    /// The scope of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }

    /// Whether this one may do what needs that one.
    #[must_use]
    pub fn covers(self, needed: Self) -> bool {
        match (self, needed) {
            (Self::Invitation, needed) => needed == Self::Invitation,
            (_, Self::Invitation) => false,
            (given, needed) => given >= needed,
        }
    }
}

/// Whether a token can be called that: lists of tokens have a line for each.
#[must_use]
pub fn is_label(text: &str) -> bool {
    text.chars().count() <= 100 && !text.chars().any(char::is_control)
}

/// What is said of what is none.
pub const NO_LABEL: &str = "a label is one line of at most 100 characters";

/// A token as its user has it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    id: String,
    secret: String,
}

const ID_DIGITS: usize = 16;
const SECRET_DIGITS: usize = 64;

impl Token {
    /// The token that belongs to 40 random bytes.
    #[must_use]
    pub fn from_random(bytes: &[u8; 40]) -> Self {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let (id, secret) = digits.split_at(ID_DIGITS);
        Self { id: id.to_owned(), secret: secret.to_owned() }
    }

    /// Reads a token; `None` unless it is one to the letter.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (id, secret) = text.strip_prefix(TOKEN_PREFIX)?.split_once('_')?;
        let is_hex = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let fits = id.len() == ID_DIGITS && secret.len() == SECRET_DIGITS && is_hex(id) && is_hex(secret);
        fits.then(|| Self { id: id.to_owned(), secret: secret.to_owned() })
    }

    /// The half by which it is found, which is not a secret.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What is kept of the other half. It is random enough that it cannot be guessed from its hash.
    #[must_use]
    pub fn hash(&self) -> Vec<u8> {
        let mut hasher = blake3::Hasher::new_derive_key("memdir v1 server token");
        hasher.update(self.secret.as_bytes());
        hasher.finalize().as_bytes().to_vec()
    }

    /// Whether this is the token of which that hash was kept, in a time that does not tell how much of it fits.
    #[must_use]
    pub fn is_known_by(&self, hash: &[u8]) -> bool {
        self.hash().ct_eq(hash).into()
    }

    /// The token in full, for the one who gets it.
    #[must_use]
    pub fn reveal(&self) -> String {
        format!("{TOKEN_PREFIX}{}_{}", self.id, self.secret)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Token({})", self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_to_the_letter_and_never_shown() {
        let token = Token::from_random(&[7; 40]);
        let text = token.reveal();
        assert_eq!(Token::parse(&text), Some(token.clone()));
        assert!(token.is_known_by(&token.hash()));
        let mut other = [7; 40];
        other[39] = 8;
        assert!(!Token::from_random(&other).is_known_by(&token.hash()));
        assert!(!token.is_known_by(&[]));
        assert_eq!(format!("{token:?}"), "Token(0707070707070707)");
        for bad in [text.to_uppercase(), format!("{text}0"), text[1..].to_owned(), format!("{text} ")] {
            assert_eq!(Token::parse(&bad), None, "{bad}");
        }
    }

    #[test]
    fn an_invitation_opens_nothing_else() {
        for needed in [Scope::Read, Scope::Write, Scope::Admin] {
            assert!(!Scope::Invitation.covers(needed));
            assert!(Scope::Admin.covers(needed));
            assert!(!needed.covers(Scope::Invitation));
        }
        assert!(Scope::Write.covers(Scope::Read) && !Scope::Write.covers(Scope::Admin));
        assert!(!Scope::Read.covers(Scope::Write));
        assert!(Scope::Session.covers(Scope::Read) && !Scope::Read.covers(Scope::Session));
        assert!(Scope::Write.covers(Scope::Session) && !Scope::Session.covers(Scope::Write));
    }
}
