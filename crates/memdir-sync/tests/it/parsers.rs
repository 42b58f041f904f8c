//! What must hold for any bytes that a remote, another machine or a broken disk hands us: the bodies of the fuzz targets.

use std::net::IpAddr;

use memdir_sync::remote::http::ServerAddress;
use memdir_sync::state::{Pending, SyncState};
use memdir_wire::entry::SignedEntry;
use memdir_wire::gzip::{compress, decompress};
use memdir_wire::invitation::Invitation;
use memdir_wire::member::{Member, Revocation};
use memdir_wire::round::Round;
use memdir_wire::signing::SecretKey;
use memdir_wire::team_id::TeamId;
use memdir_wire::voucher::Voucher;

/// The body of a target.
type Body = fn(&[u8]);

/// Every target, by name.
pub(crate) const TARGETS: [(&str, Body); 6] = [
    ("signed_entry", read_signed_entry),
    ("team_record", read_team_record),
    ("invitation", read_invitation),
    ("sync_state", read_sync_state),
    ("server_address", read_server_address),
    ("gzip", unpack),
];

/// The team of which the records are.
pub(crate) fn founder() -> (Member, TeamId, SecretKey) {
    let key = SecretKey::from_seed([1; 32]);
    let (member, team) = Member::founder(&key, "Ada", "n");
    (member, team, key)
}

/// An entry has one form in bytes, so that nothing can be hidden in another.
pub(crate) fn read_signed_entry(data: &[u8]) {
    if let Ok(entry) = SignedEntry::parse(data) {
        assert_eq!(entry.render(), data);
    }
}

/// So has every record about members.
pub(crate) fn read_team_record(data: &[u8]) {
    let (_, team, _) = founder();
    let read = [
        Member::parse(data, &team).map(|record| record.render()),
        Revocation::parse(data, &team).map(|record| record.render()),
        Voucher::parse(data, &team).map(|record| record.render()),
        Round::parse(data, &team).map(|record| record.render()),
    ];
    let read: Vec<Vec<u8>> = read.into_iter().flatten().collect();
    assert!(read.len() <= 1 && read.iter().all(|bytes| bytes == data), "one form, and one kind");
}

/// An invitation says the same when it is passed on.
pub(crate) fn read_invitation(data: &[u8]) {
    let Some(invitation) = std::str::from_utf8(data).ok().and_then(Invitation::from_token) else { return };
    let token = invitation.to_token();
    let again = Invitation::from_token(&token).map(|again| again.to_token());
    assert_eq!(again.as_deref(), Some(token.as_str()));
    assert!(invitation.grant.is_for(&invitation.team), "the inviting member has signed it");
}

/// What is remembered reads back as it was understood.
pub(crate) fn read_sync_state(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Some(state) = SyncState::parse(text) {
        assert_eq!(SyncState::parse(&state.render()), Some(state));
    }
    if let Some(pending) = Pending::parse(text) {
        assert_eq!(Pending::parse(&pending.render()), Some(pending));
    }
}

/// An address says the same when it is passed on, and no token goes to another machine in the clear.
pub(crate) fn read_server_address(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(address) = ServerAddress::parse(text) else { return };
    let whole = address.reveal();
    assert_eq!(
        ServerAddress::parse(&whole).map(|again| again.reveal()).ok().as_deref(),
        Some(whole.as_str())
    );
    let shown = address.to_string();
    let Some(rest) = shown.strip_prefix("http://") else { return };
    let host = rest.split('/').next().unwrap_or_default();
    let name = if host.ends_with(']') { host } else { host.rsplit_once(':').map_or(host, |(name, _)| name) };
    let ip = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    assert!(name.eq_ignore_ascii_case("localhost") || ip.is_ok_and(|ip| ip.is_loopback()), "{shown}");
}

/// Nothing unpacks to more than was wanted, and what was packed comes out.
pub(crate) fn unpack(data: &[u8]) {
    const MOST: usize = 1 << 16;
    assert!(decompress(data, MOST).is_none_or(|bytes| bytes.len() <= MOST));
    assert_eq!(decompress(&compress(data), data.len()).as_deref(), Some(data));
}
