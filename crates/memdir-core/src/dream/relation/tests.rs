//! Pairs of statements, of one matter and of two.

use super::*;

fn check(old: (&str, &str), new: (&str, &str), expected: Option<Relation>) {
    let (one, other) = (Said::of(old.1), Said::of(new.1));
    let context = Context::of((old.0, new.0), (&one, &other));
    assert_eq!(
        one.relation(&other, context, true),
        expected,
        "{old:?} {new:?} {context:?} {one:?} {other:?}"
    );
}

#[test]
fn one_matter_in_two_wordings() {
    let title = |text: &str| if text.contains("4.0") || text.contains("Node") { "Version" } else { "" };
    for (old, new, expected) in [
        ("Never force-push to shared branches.", "Don't force-push shared branches, ever.", Relation::Same),
        (
            "Pipeline bugs are tracked in Linear, project INGEST.",
            "Bugs of the pipeline are tracked in the Linear project INGEST; severity is set by Noor.",
            Relation::Held,
        ),
        (
            "Use pnpm for installs in this repository, not npm.",
            "Use pnpm, not npm, in this repository.",
            Relation::Near,
        ),
        (
            "コミットメッセージは日本語で書く。",
            "コミットメッセージは日本語で、一行目は50文字以内に書く。",
            Relation::Held,
        ),
        (
            "Texte mit echten Umlauten schreiben, nicht mit ae, oe, ue.",
            "Umlaute ausschreiben (ä, ö, ü), nie ae, oe, ue, denn der Screenreader liest es sonst falsch vor.",
            Relation::Near,
        ),
        ("Open the repositroy before the review.", "Open the repository before the review.", Relation::Same),
        ("部署只在周二进行。", "部署只在周二进行，由玛丽负责。", Relation::Held),
        (
            "Version 4.0 is released on 2026-09-15.",
            "Version 4.0 is released on 2026-10-20, moved since the auditors need more time.",
            Relation::Replaces,
        ),
        ("The project needs Node 18.", "The project needs Node 20; 18 no longer works.", Relation::Replaces),
        (
            "We use RabbitMQ as the queue; Kafka was rejected as too heavy.",
            "Kafka replaces RabbitMQ, because replay is needed for the audit.",
            Relation::Replaces,
        ),
        (
            "Indent with tabs everywhere in this repository.",
            "Indent with two spaces everywhere in this repository; the user gave up on tabs.",
            Relation::Replaces,
        ),
    ] {
        check((title(old), old), (title(old), new), Some(expected));
    }
    check(
        ("Who owns billing", "Billing is owned by Ana."),
        ("Who owns billing", "Billing is owned by Tomás."),
        Some(Relation::Replaces),
    );
}

#[test]
fn two_matters_that_look_alike() {
    for (old, new) in [
        ("API v1 allows 100 requests a minute.", "API v2 allows 500 requests a minute."),
        ("The staging database runs on port 5432.", "The production database now runs on port 5433."),
        ("Anna Berg leads design and approves changes.", "Anna Holm leads security and approves changes."),
        ("Copy the dump from staging to production.", "Copy the dump from production to staging."),
        ("Use npm, not pnpm, in this repository.", "Use pnpm, not npm, in this repository."),
        ("Lines in Python files end at column 88.", "Lines in Markdown files end at column 100."),
        ("The disk of db-1 was full on 2025-08-12.", "The disk of db-1 was full on 2025-09-30."),
        (
            "Acceptance of the portal at Brandt is on 2026-11-12.",
            "Acceptance of the portal at Brandis is on 2026-11-26.",
        ),
        ("Version 1 uses MySQL.", "Version 1 now uses feature flags."),
        ("Backup runs at 02:00.", "Backup runs at 14:00."),
        (
            "Run the linter before every commit in the frontend.",
            "Run the linter before every commit in the backend.",
        ),
    ] {
        check(("", old), ("", new), None);
    }
    check(
        ("Timeout in staging", "The timeout is 30 seconds."),
        ("Timeout in production", "The timeout is 60 seconds."),
        None,
    );
}

#[test]
fn a_label_names_and_does_not_state() {
    let check = |label: &str, home: &str, expected: bool| {
        assert_eq!(is_label_of(label, home), expected, "{label} | {home}");
    };
    check("Docker cleaning", "If runner-3 is full, run `docker builder prune --all`.", true);
    check(
        "Planned release date of 4.0",
        "Current release date of 4.0. Version 4.0 is released on 2026-12-01.",
        true,
    );
    check("Where latency is shown", "The dashboard moved.", true);
    check("Never on Fridays", "Deploy on Tuesdays.", false);
    check("The badge printer needs toner 44A", "The printer is on the second floor.", false);
}
