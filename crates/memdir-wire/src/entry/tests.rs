use proptest::prelude::*;

use super::*;

fn key() -> SecretKey {
    SecretKey::from_seed([3; 32])
}

fn team() -> TeamId {
    TeamId::founded_by(&key().public(), "nonce")
}

fn entry(text: Option<&str>) -> Entry {
    Entry {
        team: team(),
        memory: Some(MemoryId::new(1, "deploy.md")),
        path: "deploy.md".to_owned(),
        version: 2,
        round: 7,
        parent: Some(ContentHash::of(b"before")),
        renamed_from: None,
        time: "2026-01-02T03:04:05Z".parse().unwrap(),
        author: key().public(),
        text: text.map(str::to_owned),
    }
}

fn read(bytes: &[u8]) -> Result<Entry, EntryRefused> {
    SignedEntry::parse(bytes)?.verify(&team(), "deploy.md")
}

#[test]
fn an_entry_reads_as_markdown_with_a_hidden_last_line() {
    let bytes = entry(Some("Deploy on Fridays.\n")).sign(&key()).render();
    let text = String::from_utf8(bytes.clone()).unwrap();
    assert!(
        text.starts_with("Deploy on Fridays.\n\n<!-- memdir {\"v\":2,") && text.ends_with("} -->\n"),
        "{text}"
    );
    assert_eq!(read(&bytes).unwrap(), entry(Some("Deploy on Fridays.\n")));
    let deleted = entry(None).sign(&key()).render();
    assert!(deleted.starts_with(b"<!-- memdir "));
    assert_eq!(read(&deleted).unwrap(), entry(None));
}

#[test]
fn every_flipped_bit_is_refused() {
    for text in [Some("---\nname: é\n---\n\nDeploy on Fridays.\n"), Some(""), None] {
        let bytes = entry(text).sign(&key()).render();
        for at in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[at / 8] ^= 1 << (at % 8);
            assert!(read(&flipped).is_err(), "bit {at} of {:?}", String::from_utf8_lossy(&bytes));
        }
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end]).is_err());
        }
    }
}

#[test]
fn an_entry_of_format_1_reads_as_it_was_signed_and_its_id_follows_from_its_path() {
    let old = Entry { memory: None, renamed_from: Some("old.md".to_owned()), ..entry(Some("x\n")) };
    let bytes = old.clone().sign(&key()).render();
    // As memdir signed and wrote it before entries had ids.
    let (parent, author) = (ContentHash::of(b"before"), key().public());
    let statement = Statement::about("entry")
        .text(team().as_str())
        .text("deploy.md")
        .number(2)
        .number(7)
        .optional(Some(parent.as_bytes()))
        .optional(Some(b"old.md"))
        .text("2026-01-02T03:04:05Z")
        .bytes(author.as_bytes())
        .optional(Some(b"x\n"));
    let signature = serde_json::to_string(&key().sign(&statement)).unwrap();
    let seal = format!(
        r#"{{"v":1,"team":"{}","path":"deploy.md","version":2,"round":7,"parent":"{parent}","renamed_from":"old.md","time":"2026-01-02T03:04:05Z","author":"{author}","deleted":false,"signature":{signature}}}"#,
        team()
    );
    assert_eq!(String::from_utf8(bytes.clone()).unwrap(), format!("x\n\n<!-- memdir {seal} -->\n"));
    let known = read(&bytes).unwrap();
    assert_eq!(known, old);
    assert_eq!(known.identity(), MemoryId::of_path(&team(), "deploy.md"));
    // The signature of one format does not fit the other.
    let signature = SignedEntry::parse(&bytes).unwrap().signature;
    let forged = SignedEntry { entry: entry(Some("x\n")), signature }.render();
    assert_eq!(read(&forged), Err(EntryRefused::BadSignature));
}

#[test]
fn an_entry_fits_one_team_and_one_path() {
    let bytes = entry(Some("x")).sign(&key()).render();
    let other = TeamId::founded_by(&key().public(), "other");
    let parsed = || SignedEntry::parse(&bytes).unwrap();
    assert_eq!(parsed().verify(&other, "deploy.md"), Err(EntryRefused::OtherTeam));
    assert_eq!(parsed().verify(&team(), "other.md"), Err(EntryRefused::OtherPath));
    let forged = Entry { author: SecretKey::from_seed([9; 32]).public(), ..entry(Some("x")) };
    let forged = SignedEntry { signature: parsed().signature, entry: forged }.render();
    assert_eq!(read(&forged), Err(EntryRefused::BadSignature));
}

#[test]
fn what_stays_at_home_does_not_travel() {
    let bytes = entry(Some("---\nname: a\nmodified: 2026\n---\n")).sign(&key()).render();
    assert_eq!(read(&bytes), Err(EntryRefused::Malformed));
    assert_eq!(SignedEntry::parse(&vec![b'x'; MAX_ENTRY_BYTES + 1]), Err(EntryRefused::TooLarge));
}

proptest! {
    #[test]
    fn every_text_reads_back(text in "(\\PC|\n|\r|<!-- memdir | -->){0,200}") {
        let shared = canonical(&text).into_owned();
        let signed = entry(Some(&shared)).sign(&key());
        prop_assert_eq!(read(&signed.render()).unwrap().text, Some(shared));
    }

    #[test]
    fn no_bytes_break_the_reader(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(read(&bytes).is_err());
    }
}
