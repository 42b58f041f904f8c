//! How many connections each address has.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::limits::Limits;
use crate::rate::source_of;

/// The connections of every address.
pub(crate) struct Addresses {
    most: usize,
    most_here: usize,
    open: Arc<Mutex<HashMap<String, usize>>>,
}

/// A connection, until it is dropped.
pub(crate) struct Connected {
    open: Arc<Mutex<HashMap<String, usize>>>,
    source: String,
}

impl Addresses {
    /// The limits of a server. Behind a proxy all connections are the proxy's, and none is too many.
    pub(crate) fn new(limits: &Limits, behind_proxy: bool) -> Self {
        let any = behind_proxy || limits.address_connections == 0;
        let most = if any { usize::MAX } else { limits.address_connections };
        // Programs of this machine may have more, and still not everything.
        Self { most, most_here: most.max(limits.connections / 2), open: Arc::default() }
    }

    /// One more connection of an address; `None` if those are too many.
    pub(crate) fn connect(&self, address: IpAddr) -> Option<Connected> {
        let most = if address.to_canonical().is_loopback() { self.most_here } else { self.most };
        let source = source_of(address);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.get(&source).copied().unwrap_or(0);
        if count >= most {
            return None;
        }
        open.insert(source.clone(), count + 1);
        Some(Connected { open: Arc::clone(&self.open), source })
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        match open.get_mut(&self.source) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(open.remove(&self.source)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_client_takes_all_places() {
        let check = |address_connections, behind_proxy, address: &str, expected: usize| {
            let limits = Limits { connections: 20, address_connections, ..Limits::default() };
            let addresses = Addresses::new(&limits, behind_proxy);
            let address: IpAddr = address.parse().unwrap();
            let open: Vec<_> = (0..100).map_while(|_| addresses.connect(address)).collect();
            assert_eq!(open.len(), expected, "{address_connections} {behind_proxy} {address}");
            assert!(addresses.connect("192.0.2.9".parse().unwrap()).is_some(), "others are let in");
            drop(open);
            assert!(addresses.open.lock().unwrap().is_empty());
        };
        check(4, false, "192.0.2.1", 4);
        check(4, false, "::ffff:192.0.2.1", 4);
        check(4, false, "2001:db8::1", 4);
        check(4, false, "127.0.0.1", 10);
        check(4, false, "::1", 10);
        check(4, false, "::ffff:127.0.0.1", 10);
        check(15, false, "127.0.0.1", 15);
        check(0, false, "192.0.2.1", 100);
        check(4, true, "192.0.2.1", 100);
    }
}
