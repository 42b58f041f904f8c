use super::*;
use crate::analyze::{Analyzer, Term};

/// A segment in memory; every file is its key and its units' texts.
fn segment(files: &[(u64, &[&str])]) -> Vec<u8> {
    let mut builder = SegmentBuilder::new(Analyzer::new());
    for (key, units) in files {
        builder
            .group(*key, &GroupRecord { path: format!("{key}.md"), modified: 600, ..GroupRecord::default() });
        for (line, text) in units.iter().enumerate() {
            builder.text(text, Weight::BODY);
            let record =
                UnitRecord { line: line as u64, uuid: format!("{key}-{line}"), ..UnitRecord::default() };
            builder.end_unit(&UnitDraft { record, time: 7, ..UnitDraft::default() }, &[]);
        }
    }
    let mut bytes = Vec::new();
    builder.write(&mut bytes).unwrap();
    bytes
}

/// Where a term is: the unit's identity and how often, in halves.
fn found(segment: &Segment, text: &str) -> Vec<(String, u8)> {
    let Some(entry) = segment.find(Term::of(text)).unwrap() else { return Vec::new() };
    let bytes = segment.postings(&entry).unwrap();
    let found: Vec<_> = Postings::new(&bytes)
        .map(|(passage, halves)| {
            let unit = segment.passage_unit().unwrap()[passage as usize];
            (segment.unit(unit).unwrap().uuid, halves)
        })
        .collect();
    assert_eq!(found.len(), entry.passages as usize);
    found
}

fn owned(expected: &[(&str, u8)]) -> Vec<(String, u8)> {
    expected.iter().map(|(uuid, halves)| ((*uuid).to_owned(), *halves)).collect()
}

#[test]
fn what_goes_in_comes_out() {
    let segment =
        Segment::in_memory(segment(&[(1, &["red fish", "blue fish fish"]), (2, &["", "one red"])])).unwrap();
    assert_eq!((segment.groups(), segment.units(), segment.words()), (2, 3, 6));
    assert_eq!(found(&segment, "fish"), owned(&[("1-0", 2), ("1-1", 4)]));
    assert_eq!(found(&segment, "red"), owned(&[("1-0", 2), ("2-1", 2)]));
    assert_eq!(found(&segment, "green"), []);
    assert_eq!(segment.find(Term::of("fish")).unwrap().unwrap().groups, 1);
    assert_eq!(segment.group(1).unwrap().path, "2.md");
    assert_eq!(segment.unit_group().unwrap(), [0, 0, 1]);
}

#[test]
fn long_units_are_shared_out_evenly() {
    let text = (0..200).map(|number| format!("w{number} ")).collect::<String>();
    let segment = Segment::in_memory(segment(&[(1, &[&text])])).unwrap();
    assert_eq!(segment.lengths().unwrap(), [67, 67, 66]);
    assert_eq!(segment.passage_unit().unwrap(), [0, 0, 0]);
}

#[test]
fn a_merge_leaves_the_dead_out_and_joins_the_parts_of_a_file() {
    let one = Segment::in_memory(segment(&[(1, &["red"]), (2, &["red fish"]), (3, &["red"])])).unwrap();
    let two = Segment::in_memory(segment(&[(3, &["red fish"]), (1, &["late red"]), (4, &["fish"])])).unwrap();
    let mut bytes = Vec::new();
    let inputs = [Input { segment: &one, dead: &[1] }, Input { segment: &two, dead: &[] }];
    merge(&inputs, &mut bytes).unwrap().unwrap();
    let merged = Segment::in_memory(bytes).unwrap();
    assert_eq!(merged.group_keys().unwrap(), [1, 3, 4]);
    assert_eq!(merged.unit_group().unwrap(), [0, 0, 1, 1, 2]);
    assert_eq!(found(&merged, "red"), owned(&[("1-0", 2), ("1-0", 2), ("3-0", 2), ("3-0", 2)]));
    assert_eq!(merged.find(Term::of("red")).unwrap().unwrap().groups, 2);
    assert_eq!(found(&merged, "fish"), owned(&[("3-0", 2), ("4-0", 2)]));
    assert_eq!(merged.dictionary().unwrap().iter().count(), 3);
}

/// Reads everything there is.
fn read_all(bytes: Vec<u8>) -> Result<(), crate::error::SearchError> {
    let segment = Segment::in_memory(bytes)?;
    segment.lengths()?;
    segment.passage_unit()?;
    segment.unit_group()?;
    segment.unit_flags()?;
    segment.unit_time()?;
    segment.unit_speaker()?;
    segment.group_keys()?;
    segment.group_time()?;
    for (entry, text) in segment.dictionary()?.iter() {
        segment.postings(&entry)?;
        segment.find(Term::of(text))?;
    }
    (0..segment.groups() as u32).try_for_each(|group| segment.group(group).map(drop))?;
    (0..segment.units() as u32).try_for_each(|unit| segment.unit(unit).map(drop))
}

#[test]
fn every_damaged_byte_and_every_cut_is_noticed() {
    let whole = segment(&[(1, &["red fish", "blue fish"]), (2, &["one red herring"])]);
    read_all(whole.clone()).unwrap();
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x15;
        assert!(read_all(damaged).is_err(), "byte {at} of {}", whole.len());
        assert!(read_all(whole[..at].to_vec()).is_err(), "cut at {at}");
    }
}
