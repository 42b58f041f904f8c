//! Every parser of what others send, over good input that was bent.

use memdir_core::content_hash::ContentHash;
use memdir_sync::remote::Version;
use memdir_sync::state::{Agreed, Pending, PendingChange, SyncState};
use memdir_wire::entry::Entry;
use memdir_wire::gzip::compress;
use memdir_wire::invitation::Invitation;
use memdir_wire::member::{Member, Revocation};
use memdir_wire::memory_id::MemoryId;
use memdir_wire::round::Round;
use memdir_wire::signing::SecretKey;
use memdir_wire::voucher::Voucher;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::parsers::{TARGETS, founder};
use crate::people::now;

/// One good input of every kind.
fn good() -> Vec<Vec<u8>> {
    let (ada, team, key) = founder();
    let invitation = Invitation::new(&team, "file:///r", "memdir", &key, [2; 32]);
    let bob = SecretKey::from_seed([3; 32]);
    let member = Member::invited(&bob, "Bob", &team, invitation.grant.clone(), &invitation.key);
    let entry = Entry {
        team: team.clone(),
        path: "a/b.md".to_owned(),
        version: 2,
        round: 7,
        parent: Some(ContentHash::of(b"x")),
        memory: Some(MemoryId::new(5, "a.md")),
        renamed_from: Some("c.md".to_owned()),
        time: now(),
        author: key.public(),
        text: Some("---\nname: b\n---\n\nWe deploy on Mondays.\n".to_owned()),
    };
    let agreed =
        Agreed { version: 3, round: 9, id: "ff".into(), content: Some(ContentHash::of(b"x")), memory: None };
    let mut state = SyncState::new(team.clone());
    state.roster.learn(vec![ada.clone(), member.clone()], Vec::new());
    state.agreed.insert("a b/c.md".to_owned(), agreed.clone());
    state.moved.insert("d.md".to_owned(), Some("a b/c.md".to_owned()));
    let change = PendingChange { key: "a b/c.md".into(), after: Some(agreed), before: None };
    let pending = Pending {
        onto: None,
        version: Version("v".into()),
        round: 4,
        seen: 3,
        settled: Vec::new(),
        changes: vec![change],
        moved: state.moved.clone(),
        read_up_to: state.read_up_to.clone(),
    };
    vec![
        entry.sign(&key).render(),
        ada.render(),
        member.render(),
        Revocation::of(&bob.public(), &team, &key).render(),
        Voucher::of(&bob.public(), &team, &key).render(),
        Round::new(&team, 5, 1, &key).render(),
        invitation.to_token().into_bytes(),
        state.render().into_bytes(),
        pending.render().into_bytes(),
        b"https://memdir_token@memory.example.com:8443/crew".to_vec(),
        b"http://memdir_token@127.0.0.1:8080/crew".to_vec(),
        compress(&b"again and ".repeat(200)),
    ]
}

#[test]
fn what_is_good_passes_every_parser() {
    for input in good() {
        TARGETS.iter().for_each(|(_, body)| body(&input));
    }
}

/// One way of bending: at this place, these bytes instead of so many.
type Bend = (Index, Vec<u8>, usize);

proptest! {
    #[test]
    fn what_was_bent_passes_every_parser(
        which in any::<Index>(),
        bends in prop::collection::vec((any::<Index>(), prop::collection::vec(any::<u8>(), 0..6), 0usize..6), 1..5),
    ) {
        let good = good();
        let mut input = which.get(&good).clone();
        for (at, bytes, instead) in bends as Vec<Bend> {
            let from = at.index(input.len() + 1);
            let to = (from + instead).min(input.len());
            input.splice(from..to, bytes);
        }
        TARGETS.iter().for_each(|(_, body)| body(&input));
    }

    #[test]
    fn anything_at_all_passes_every_parser(input in prop::collection::vec(any::<u8>(), 0..400)) {
        TARGETS.iter().for_each(|(_, body)| body(&input));
    }
}
