use super::*;

const DECISION: &str = "# Use cookies

**Date**: 2026-01-19T22:30:00Z
**Category**: architecture
**Status**: decided

## Context
Tokens leaked.

```
## no heading
```

## Decision
Use httpOnly cookies. They cannot be read by scripts.

## Alternatives Considered

## Consequences
CSRF.
";

#[test]
fn a_record_reads_back_as_it_was() {
    let record = Record::parse(DECISION);
    assert_eq!(record.to_string(), DECISION);
    assert_eq!(record.title, "Use cookies");
    assert_eq!(record.field("category"), Some("architecture"));
    assert_eq!(record.section("Alternatives Considered"), None);
    assert_eq!(record.summary(Kind::Decision), "Use httpOnly cookies");
}

#[test]
fn arranging_adds_what_is_missing_and_keeps_what_is_foreign() {
    let mut record =
        Record::parse("# T\n\n**Mine**: x\n**Status**: decided\n\n## Own\ntext\n\n## Decision\nDo it.\n");
    record.set_field("Date", "2026");
    record.arrange(Kind::Decision);
    insta::assert_snapshot!(record, @r"
    # T

    **Date**: 2026
    **Status**: decided
    **Mine**: x

    ## Context

    ## Decision
    Do it.

    ## Alternatives Considered

    ## Consequences

    ## Own
    text
    ");
}

#[test]
fn a_field_is_edited_and_nothing_else() {
    let changed = edit_field(DECISION, "Status", "superseded", "Status");
    assert_eq!(changed, DECISION.replace("decided\n", "superseded\n"));
    let linked = edit_field(&changed, "Superseded by", "decisions/b.md", "Status");
    assert!(linked.contains("**Status**: superseded\n**Superseded by**: decisions/b.md\n"));
    assert_eq!(edit_field("# T\n\ntext\n", "Status", "x", "Date"), "# T\n\n**Status**: x\n\ntext\n");
    assert_eq!(edit_field("**Status**: a\r\nb\r\n", "Status", "x", ""), "**Status**: x\r\nb\r\n");
}

#[test]
fn words_are_validated_and_the_error_lists_them() {
    assert_eq!("Architecture".parse::<DecisionCategory>().unwrap().to_string(), "architecture");
    let error = "maybe".parse::<DecisionStatus>().unwrap_err();
    assert_eq!(error.to_string(), "`maybe` is not a status: decided, pending, superseded");
}

#[test]
fn any_text_is_a_record() {
    for text in ["", "#", "# ", "**: x", "```\n# x", "## \n", "text\n# late\n**A**: b"] {
        let record = Record::parse(text);
        assert_eq!(Record::parse(&record.to_string()).sections, record.sections, "{text:?}");
    }
    assert_eq!(Record::parse("just text").preamble, "just text");
}
