use super::*;
use crate::invitation::Invitation;
use crate::signing::SecretKey;

fn key(seed: u8) -> SecretKey {
    SecretKey::from_seed([seed; 32])
}

fn join(team: &TeamId, by: &SecretKey, seed: u8, name: &str) -> Member {
    let token = Invitation::new(team, "file:///r", "memdir", by, [seed + 100; 32]).to_token();
    let invitation = Invitation::from_token(&token).unwrap();
    let member = Member::invited(&key(seed), name, team, invitation.grant, &invitation.key);
    Member::parse(&member.render(), team).unwrap()
}

fn standing(roster: &Roster, seed: u8) -> String {
    format!("{:?}", roster.standing(&key(seed).public()))
}

#[test]
fn only_members_bring_members_in() {
    let (founder, team) = Member::founder(&key(1), "Ada", "n");
    let founder = Member::parse(&founder.render(), &team).unwrap();
    let (bob, eve) = (join(&team, &key(1), 2, "Bob"), join(&team, &key(2), 3, "Eve"));
    let mallory = join(&team, &key(9), 4, "Mallory");
    let mut roster = Roster::new(team.clone());
    // The order of the records does not matter.
    let learnt = roster.learn(vec![eve, mallory, bob.clone(), founder.clone()], Vec::new());
    assert_eq!((learnt.joined.len(), learnt.problems.len()), (3, 1));
    assert_eq!(
        [1, 2, 3, 4].map(|seed| standing(&roster, seed)),
        ["Member(\"Ada\")", "Member(\"Bob\")", "Member(\"Eve\")", "Unknown"]
    );

    // Bob may not remove Ada; Ada may remove Bob; those whom Bob brought in stay, and Bob brings in no one any more.
    let by_bob =
        Revocation::parse(&Revocation::of(&key(1).public(), &team, &key(2)).render(), &team).unwrap();
    let by_ada = Revocation::of(&key(2).public(), &team, &key(1));
    let late = join(&team, &key(2), 5, "Late");
    let learnt = roster.learn(vec![late], vec![by_bob, by_ada]);
    assert_eq!((learnt.revoked.len(), learnt.problems.len()), (1, 2));
    assert_eq!(
        [1, 2, 3, 5].map(|seed| standing(&roster, seed)),
        ["Member(\"Ada\")", "Revoked(\"Bob\")", "Member(\"Eve\")", "Unknown"]
    );

    // A second founder cannot be, and a record that is known is never replaced.
    assert!(Member::parse(&Member::founder(&key(7), "Mallory", "n").0.render(), &team).is_none());
    let renamed = join(&team, &key(1), 2, "Robert");
    assert_eq!(roster.learn(vec![renamed], Vec::new()).problems.len(), 1);
    assert_eq!(standing(&roster, 2), "Revoked(\"Bob\")");
}

#[test]
fn every_flipped_bit_of_a_record_is_refused() {
    let (founder, team) = Member::founder(&key(1), "Ada", "n");
    let records = [founder.render(), join(&team, &key(1), 2, "Bob").render()];
    for bytes in records {
        for at in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[at / 8] ^= 1 << (at % 8);
            assert_eq!(Member::parse(&flipped, &team), None, "bit {at}");
        }
    }
    let bytes = Revocation::of(&key(2).public(), &team, &key(1)).render();
    for at in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[at / 8] ^= 1 << (at % 8);
        assert_eq!(Revocation::parse(&flipped, &team), None, "bit {at}");
    }
}

#[test]
fn a_changed_token_is_not_an_invitation() {
    let team = TeamId::founded_by(&key(1).public(), "n");
    let token = Invitation::new(&team, "https://example.com/r.git", "memdir", &key(1), [8; 32]).to_token();
    assert_eq!(Invitation::from_token(&format!(" {token}\n")).unwrap().remote, "https://example.com/r.git");
    for bad in ["", "memdir-invitation-1:", &token[..token.len() - 8], &token.replace("memdir", "x")] {
        assert!(Invitation::from_token(bad).is_none(), "{bad}");
    }
    let other = TeamId::founded_by(&key(2).public(), "n");
    let stolen = Invitation::from_token(&token).unwrap();
    assert_eq!(
        Member::parse(&Member::invited(&key(5), "Eve", &other, stolen.grant, &stolen.key).render(), &other),
        None
    );
}

#[test]
fn names_are_short_and_visible() {
    let team = TeamId::founded_by(&key(1).public(), "n");
    for bad in ["", " a", "a\nb", "a\u{202e}b", "<system>", &"x".repeat(61)] {
        assert_eq!(Member::parse(&Member::founder(&key(1), bad, "n").0.render(), &team), None, "{bad:?}");
    }
}

#[test]
fn a_leave_locks_no_member_out_and_a_revocation_stays() {
    let (founder, team) = Member::founder(&key(1), "Ada", "n");
    let (bob, eve) = (join(&team, &key(1), 2, "Bob"), join(&team, &key(2), 3, "Eve"));
    let mallory = join(&team, &key(2), 4, "Mallory");
    let left = |seed: u8| Revocation::of(&key(seed).public(), &team, &key(seed));
    let by_bob = Revocation::of(&key(4).public(), &team, &key(2));
    let mut roster = Roster::new(team.clone());
    roster.learn(vec![founder, bob, eve, mallory], vec![left(1), left(2), by_bob]);
    assert_eq!(
        [1, 2, 3, 4].map(|seed| standing(&roster, seed)),
        ["Revoked(\"Ada\")", "Revoked(\"Bob\")", "Member(\"Eve\")", "Revoked(\"Mallory\")"]
    );
}

#[test]
fn a_member_vouches_for_those_whom_a_removed_member_brought_in() {
    let (founder, team) = Member::founder(&key(1), "Ada", "n");
    let (eve, bob) = (join(&team, &key(1), 2, "Eve"), join(&team, &key(2), 3, "Bob"));
    let carol = join(&team, &key(1), 4, "Carol");
    let members = || vec![founder.clone(), eve.clone(), bob.clone(), carol.clone()];
    let put_out = Revocation::of(&key(2).public(), &team, &key(1));
    let check = |vouching: u8, expected: &str| {
        let mut roster = Roster::new(team.clone());
        let voucher = Voucher::of(&key(3).public(), &team, &key(vouching));
        roster.learn_vouched(members(), vec![put_out.clone()], &[voucher]);
        assert_eq!(standing(&roster, 3), expected, "{vouching}");
    };
    check(4, "Member(\"Bob\")");
    // Neither Bob's own word counts, nor Eve's, nor a stranger's.
    for vouching in [3, 2, 9] {
        check(vouching, "Unknown");
    }
    let mut roster = Roster::new(team.clone());
    roster.learn(members(), Vec::new());
    roster.learn(Vec::new(), vec![put_out]);
    assert_eq!(roster.without_inviter().map(|member| member.name.as_str()).collect::<Vec<_>>(), ["Bob"]);
    // A voucher gives no right over whom it is for.
    let by_carol = Revocation::of(&key(3).public(), &team, &key(4));
    roster.learn_vouched(Vec::new(), vec![by_carol], &[Voucher::of(&key(3).public(), &team, &key(4))]);
    assert_eq!(standing(&roster, 3), "Member(\"Bob\")");
}

proptest::proptest! {
    /// Eight people, each brought in by one before them, and revocations by any of them of any other.
    #[test]
    fn the_order_of_records_decides_nothing(
        inviters in proptest::collection::vec(0_u8..8, 7),
        revocations in proptest::collection::vec((1_u8..9, 1_u8..9), 0..6),
        vouchers in proptest::collection::vec((1_u8..9, 1_u8..9), 0..6),
        order in proptest::collection::vec(proptest::prelude::any::<u32>(), 14),
    ) {
        let (founder, team) = Member::founder(&key(1), "Ada", "n");
        let mut members = vec![founder];
        for (seed, inviter) in (2_u8..).zip(inviters) {
            members.push(join(&team, &key(1 + inviter % (seed - 1)), seed, "Bob"));
        }
        let mut revocations: Vec<Revocation> = revocations
            .into_iter()
            .map(|(of, by)| Revocation::of(&key(of).public(), &team, &key(by)))
            .collect();
        let mut vouchers: Vec<Voucher> = vouchers
            .into_iter()
            .map(|(of, by)| Voucher::of(&key(of).public(), &team, &key(by)))
            .collect();
        let mut first = Roster::new(team.clone());
        first.learn_vouched(members.clone(), revocations.clone(), &vouchers);

        let mut shuffled: Vec<(u32, Member)> = order.iter().copied().zip(members).collect();
        shuffled.sort_by_key(|(at, _)| *at);
        let mut places = order.iter().rev();
        revocations.sort_by_cached_key(|_| places.next());
        vouchers.reverse();
        let mut second = Roster::new(team.clone());
        second.learn_vouched(shuffled.into_iter().map(|(_, member)| member).collect(), revocations, &vouchers);
        proptest::prop_assert_eq!(&first, &second);

        let members = first.members().cloned().collect();
        let pinned = Roster::pinned(team, members, first.revocations().cloned().collect());
        proptest::prop_assert_eq!(&first, &pinned);
        let mut again = first.clone();
        again.learn(first.members().cloned().collect(), first.revocations().cloned().collect());
        proptest::prop_assert_eq!(&first, &again);
    }
}
