//! Who may see the viewer: a browser that opened a link which this process printed.

use std::collections::HashMap;
use std::io;
use std::sync::{Mutex, PoisonError};

use memdir_disk::random::random_bits;
use subtle::ConstantTimeEq;

/// The name of the cookie.
const COOKIE: &str = "memdir";
/// So many browsers may be open at once; the oldest is forgotten first.
const MAX_BROWSERS: usize = 16;

/// The secrets of one run.
#[derive(Debug)]
pub(crate) struct Access {
    /// `127.0.0.1:PORT`: the only `Host` that is answered.
    pub(crate) host: String,
    /// The first part of every address. The cookie is bound to it: browsers send a cookie of 127.0.0.1 to every port, so
    /// without it a program that listens on another port would be sent ours.
    pub(crate) prefix: String,
    /// What the next browser has to know; each link works once.
    link: Mutex<String>,
    browsers: Mutex<Vec<Browser>>,
}

/// A browser that came in.
#[derive(Debug, Clone)]
pub(crate) struct Browser {
    cookie: String,
    /// What its forms send with every change.
    pub(crate) token: String,
}

impl Access {
    pub(crate) fn new(host: String) -> io::Result<Self> {
        let prefix = secret()?.get(..16).unwrap_or_default().to_owned();
        Ok(Self { host, prefix, link: Mutex::new(secret()?), browsers: Mutex::default() })
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.host)
    }

    /// The address that lets the next browser in.
    pub(crate) fn link(&self) -> String {
        let secret = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        format!("{}/open/{secret}", self.origin())
    }

    /// Lets a browser in. Returns its `Set-Cookie`; `None` if the link is wrong or was used before.
    pub(crate) fn redeem(&self, given: &str) -> io::Result<Option<String>> {
        let mut link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_same(&link, given) {
            return Ok(None);
        }
        *link = secret()?;
        let browser = Browser { cookie: secret()?, token: secret()? };
        let cookie = format!(
            "{COOKIE}={}; Path=/{}/; HttpOnly; SameSite=Strict; Max-Age=86400",
            browser.cookie, self.prefix
        );
        let mut browsers = self.browsers.lock().unwrap_or_else(PoisonError::into_inner);
        if browsers.len() >= MAX_BROWSERS {
            browsers.remove(0);
        }
        browsers.push(browser);
        Ok(Some(cookie))
    }

    /// The browser that sent these `Cookie` headers.
    pub(crate) fn browser<'h>(&self, headers: impl Iterator<Item = &'h str>) -> Option<Browser> {
        let browsers = self.browsers.lock().unwrap_or_else(PoisonError::into_inner);
        let pairs =
            headers.flat_map(|header| header.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let given: Vec<&str> = pairs.filter(|(name, _)| *name == COOKIE).map(|(_, value)| value).collect();
        browsers.iter().find(|browser| given.iter().any(|given| is_same(&browser.cookie, given))).cloned()
    }
}

impl Browser {
    pub(crate) fn may_change(&self, token: &str) -> bool {
        is_same(&self.token, token)
    }
}

fn is_same(known: &str, given: &str) -> bool {
    known.as_bytes().ct_eq(given.as_bytes()).into()
}

/// 256 random bits in hexadecimal.
fn secret() -> io::Result<String> {
    Ok(format!("{:032x}{:032x}", random_bits()?, random_bits()?))
}

/// The token of a form, as browsers send forms.
pub(crate) fn token_of(body: &[u8]) -> Option<String> {
    let body = std::str::from_utf8(body).ok()?;
    let fields: HashMap<&str, &str> = body.split('&').filter_map(|field| field.split_once('=')).collect();
    fields.get("token").map(|token| (*token).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_works_once_and_the_next_one_again() {
        let access = Access::new("127.0.0.1:1".to_owned()).unwrap();
        let secret_of = |link: String| link.rsplit('/').next().unwrap().to_owned();
        let first = secret_of(access.link());
        assert!(access.redeem("").unwrap().is_none());
        assert!(access.redeem(&first).unwrap().is_some());
        assert!(access.redeem(&first).unwrap().is_none());
        assert!(access.redeem(&secret_of(access.link())).unwrap().is_some());
    }

    #[test]
    fn only_the_right_cookie_is_known() {
        let access = Access::new("127.0.0.1:1".to_owned()).unwrap();
        let secret = access.link().rsplit('/').next().unwrap().to_owned();
        let header = access.redeem(&secret).unwrap().unwrap();
        assert!(header.contains("HttpOnly; SameSite=Strict"), "{header}");
        let pair = header.split(';').next().unwrap();
        assert!(access.browser([pair].into_iter()).is_some());
        assert!(access.browser([format!("other=1; {pair}").as_str()].into_iter()).is_some());
        assert!(access.browser(["memdir="].into_iter()).is_none());
        assert!(access.browser([format!("{pair}0").as_str()].into_iter()).is_none());
        assert!(access.browser(std::iter::empty()).is_none());
    }
}
