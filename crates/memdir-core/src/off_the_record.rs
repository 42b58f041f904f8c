//! Wishes not to store something: "off the record", "don't save this", "between us", in the languages of extraction.
//!
//! Extraction, the search over sessions and model calls obey them. A wish counts for its whole turn, whether it stands
//! before or after the statement, and for the session if it says so. Rules of a project ("never store tokens in plain
//! text") are not wishes: those name what is not to be stored, and where.

/// How far a wish reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// What was said up to this byte of the turn is withdrawn; what follows counts.
    Before(usize),
    /// The turn in which it stands.
    Turn,
    /// The session in which it stands.
    Session,
}

/// The wish in what a user said, if there is one; the one that reaches furthest.
#[must_use]
pub fn wish(said: &str) -> Option<Reach> {
    // A wish is said, not pasted: it stands in the first or the last part of a long turn.
    let text = ends_of(said);
    let plain = normalised(&text);
    let found = |phrase: &str| holds(&plain, phrase);
    let asks =
        PHRASES.lines().any(found) || refuses_to_keep(&plain) || STEMS.iter().any(|stem| stem.is_in(&plain));
    if SESSION.lines().any(found) || asks && WHOLE.lines().any(found) {
        return Some(Reach::Session);
    }
    if asks {
        return Some(Reach::Turn);
    }
    let last = WITHDRAWN.iter().filter_map(|phrase| place_of(&plain, phrase)).max()?;
    // Only the text as it was said can be cut, so a text that changed its length is withdrawn as a whole.
    if plain.len() == said.len() && said.is_char_boundary(last) {
        Some(Reach::Before(last))
    } else {
        Some(Reach::Turn)
    }
}

/// How much of each end of a turn is looked at.
const END: usize = 4_000;

fn ends_of(text: &str) -> String {
    if text.len() <= 2 * END {
        return text.to_owned();
    }
    let first = (0..=END).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let last = (text.len() - END..).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    format!("{}\n{}", text.get(..first).unwrap_or_default(), text.get(last..).unwrap_or_default())
}

fn normalised(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\u{2019}' | '\u{2018}' | '`' => plain.push('\''),
            character if character.is_whitespace() => plain.push(' '),
            character => plain.extend(character.to_lowercase()),
        }
    }
    plain
}

/// Where a phrase stands as words of its own; scripts without spaces have no such borders.
fn place_of(text: &str, phrase: &str) -> Option<usize> {
    let is_letter = |character: char| character.is_alphabetic() && (character as u32) < 0x2e80;
    text.match_indices(phrase).map(|(at, _)| at).find(|at| {
        let before = text.get(..*at).and_then(|text| text.chars().next_back());
        let after = text.get(at + phrase.len()..).and_then(|text| text.chars().next());
        let (first, last) = (phrase.chars().next(), phrase.chars().next_back());
        !(first.is_some_and(is_letter) && before.is_some_and(is_letter)
            || last.is_some_and(is_letter) && after.is_some_and(is_letter))
    })
}

fn holds(text: &str, phrase: &str) -> bool {
    place_of(text, phrase).is_some()
}

/// "Don't save this": a refusal, a word for keeping, and what was said as its object. Where it would be kept decides: in
/// memory is a wish, in a file or a table is a rule of the project.
fn refuses_to_keep(text: &str) -> bool {
    for refusal in REFUSALS.lines() {
        let mut rest = text;
        while let Some(at) = place_of(rest, refusal) {
            let behind = rest.get(at + refusal.len()..).unwrap_or_default();
            if is_kept_object(behind.trim_start()) {
                return true;
            }
            rest = behind;
        }
    }
    false
}

fn is_kept_object(text: &str) -> bool {
    let strip = |words: &[&str], text: &str| without_first(words.iter().copied(), text);
    let text = strip(FILLERS, text).unwrap_or_else(|| text.to_owned());
    let Some(text) = without_first(KEEPING.lines(), &text) else { return false };
    let Some(text) = without_first(OBJECTS.lines(), &text) else { return false };
    let text = strip(&["down", "off", "away"], &text).unwrap_or(text);
    // "in plain text", "to the database": a rule about a place that is not memory.
    let Some(place) = strip(PREPOSITIONS, &text) else { return true };
    let place =
        strip(&["your", "the", "my", "any", "our", "a", "long-term", "persistent", "claude's"], &place)
            .unwrap_or(place);
    MEMORY_WORDS.iter().any(|word| starts_with_word(&place, word))
}

/// The text behind the longest of the words that it begins with.
fn without_first<'w>(words: impl Iterator<Item = &'w str>, text: &str) -> Option<String> {
    let longest = words.filter(|word| starts_with_word(text, word)).max_by_key(|word| word.len())?;
    Some(text.get(longest.len()..).unwrap_or_default().trim_start().to_owned())
}

fn starts_with_word(text: &str, word: &str) -> bool {
    let Some(rest) = text.strip_prefix(word) else { return false };
    !rest.chars().next().is_some_and(char::is_alphanumeric)
}

/// A refusal to keep whose object decides: with one of its own it is a rule of the project.
struct Stem {
    phrases: &'static [&'static str],
    /// What may stand right before it, beside the beginning of a clause; empty: anything.
    before: &'static [&'static str],
    /// What may stand right behind it, beside the end of a clause; empty: anything.
    behind: &'static [&'static str],
}

impl Stem {
    fn is_in(&self, text: &str) -> bool {
        let ends = |character: char| !character.is_alphanumeric() && character != ' ';
        self.phrases.iter().any(|phrase| {
            text.match_indices(phrase).any(|(at, _)| {
                let before = text.get(..at).unwrap_or_default().trim_end();
                let behind = text.get(at + phrase.len()..).unwrap_or_default().trim_start();
                let before_fits = self.before.is_empty()
                    || before.is_empty()
                    || before.ends_with(ends)
                    || self.before.iter().any(|word| before.ends_with(word));
                let behind_fits = self.behind.is_empty()
                    || behind.is_empty()
                    || behind.starts_with(ends)
                    || self.behind.iter().any(|word| behind.starts_with(word));
                before_fits && behind_fits
            })
        })
    }
}

const STEMS: &[Stem] = &[
    Stem {
        phrases: &[
            "nicht speichern",
            "nicht merken",
            "nicht aufschreiben",
            "nicht notieren",
            "nicht festhalten",
            "nicht protokollieren",
            "nicht abspeichern",
            "nicht mitschreiben",
            "nicht behalten",
            "nicht gespeichert",
            "nicht notiert",
            "nicht aufgeschrieben",
            "nirgends speichern",
            "nirgends aufschreiben",
            "nirgendwo speichern",
        ],
        before: &[
            "bitte", "das", "dies", " es", "davon", "dieses", "jetzt", "lieber", "mal", "aber", "und",
            "hier", "dir", "was",
        ],
        behind: &["bitte", "und", "aber", "oder", "ja", "werden", "soll", "solltest", "sollst"],
    },
    Stem {
        phrases: &[
            "ne note pas",
            "ne notez pas",
            "n'enregistre pas",
            "n'enregistrez pas",
            "ne retiens pas",
            "ne retenez pas",
            "ne mémorise pas",
            "ne mémorisez pas",
            "ne garde pas",
            "ne gardez pas",
            "ne conserve pas",
            "ne conservez pas",
            "ne sauvegarde pas",
            "ne te souviens pas",
            "ne pas noter",
            "ne pas enregistrer",
            "ne pas retenir",
            "ne pas mémoriser",
            "n'écris pas",
            "n'écrivez pas",
            "ne stocke pas",
            "ne stockez pas",
        ],
        before: &[],
        behind: &[
            "ça",
            "cela",
            "ceci",
            "ce que",
            "ce qui",
            "cette info",
            "cette phrase",
            "de ça",
            "la suite",
            "ce message",
            "s'il",
            "stp",
            "svp",
            "en mémoire",
            "dans ta mémoire",
            "dans tes notes",
        ],
    },
    Stem {
        phrases: &[
            "别记",
            "不要记",
            "不用记",
            "别保存",
            "不要保存",
            "不用保存",
            "别存",
            "不要存",
            "不用存",
            "别录",
            "不要录",
            "无需保存",
            "无需记",
            "请勿保存",
            "请勿记",
            "別記",
            "不要記",
            "別保存",
            "不要儲存",
            "不必保存",
            "不必记",
            "不需要保存",
            "不需要记",
        ],
        before: &[],
        behind: &[
            "这",
            "那",
            "它",
            "下来",
            "下",
            "住",
            "录",
            "我",
            "以上",
            "以下",
            "在记忆",
            "到记忆",
            "进记忆",
            "入记忆",
            "了",
            "哦",
            "啊",
            "吧",
            "哈",
            "這",
            "起来",
            "在案",
            "任何",
        ],
    },
    Stem {
        phrases: &[
            "記録しないで",
            "記録しなくて",
            "保存しないで",
            "保存しなくて",
            "覚えないで",
            "覚えなくて",
            "メモしないで",
            "メモしなくて",
            "書き留めないで",
            "記憶しないで",
            "記憶しなくて",
            "メモらないで",
            "メモを取らないで",
        ],
        before: &[
            "これは",
            "これを",
            "それは",
            "それを",
            "話は",
            "話を",
            "ことは",
            "ことを",
            "件は",
            "件を",
            "内容は",
            "内容を",
            "今のは",
            "あれは",
            "は",
            "にも",
            "けど",
            "ので",
            "も",
        ],
        behind: &[],
    },
];

const REFUSALS: &str = include_str!("off_the_record/refusals.txt");
const FILLERS: &[&str] = &[
    "you",
    "please",
    "ever",
    "even",
    "bother to",
    "bother",
    "go and",
    "you to",
    "want you to",
    "want this",
    "want to",
    "want it",
    "try to",
    "actually",
    "have to",
    "need to",
];
const KEEPING: &str = include_str!("off_the_record/keeping.txt");
const OBJECTS: &str = include_str!("off_the_record/objects.txt");
const PREPOSITIONS: &[&str] =
    &["in", "into", "to", "on", "onto", "as", "inside", "at", "with", "under", "via"];
const MEMORY_WORDS: &[&str] = &[
    "memory",
    "memories",
    "notes",
    "journal",
    "yourself",
    "mind",
    "anywhere",
    "anyone",
    "memdir",
    "claude.md",
];

/// Wishes as they stand.
const PHRASES: &str = include_str!("off_the_record/phrases.txt");

/// Words that make a wish one for the session.
const WHOLE: &str = include_str!("off_the_record/whole.txt");

/// Wishes for a session as they stand.
const SESSION: &str = include_str!("off_the_record/session.txt");

/// Words that take back what was just said.
const WITHDRAWN: &[&str] = &[
    "scratch that",
    "strike that",
    "forget that",
    "never mind that",
    "ignore what i just said",
    "disregard that",
    "disregard what i",
    "ignore that last",
];

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;
    use crate::extract::{Extractor, Source};

    #[test]
    fn a_rule_of_a_project_is_not_a_wish() {
        for rule in include_str!("off_the_record/rules.txt").lines() {
            assert_eq!(wish(rule), None, "{rule}");
        }
    }

    #[test]
    fn a_wish_reaches_as_far_as_it_says() {
        assert_eq!(wish("Off the record: the launch is in May."), Some(Reach::Turn));
        assert_eq!(wish("This conversation is off the record."), Some(Reach::Session));
        assert_eq!(wish("From now on, don't save anything I say."), Some(Reach::Session));
        assert_eq!(wish("Always use tabs. Scratch that, use spaces."), Some(Reach::Before(17)));
        assert_eq!(wish("Always use tabs."), None);
    }

    /// What extraction would store of a case: turns, parted by bars.
    fn stored(case: &str) -> Vec<String> {
        let mut extractor = Extractor::new(TimeZone::UTC);
        for (number, turn) in case.split(" ||| ").enumerate() {
            extractor.said(turn, &Source { turn: number.to_string(), time: None });
        }
        extractor.finish().memories.into_iter().map(|memory| memory.description).collect()
    }

    fn cases(set: &str) -> Vec<&'static str> {
        let lines = include_str!("off_the_record/cases.txt").lines();
        lines
            .filter_map(|line| line.split_once('\t'))
            .filter(|(of, _)| *of == set)
            .map(|(_, case)| case)
            .collect()
    }

    #[test]
    fn nothing_is_stored_that_is_off_the_record() {
        let kept: Vec<_> = cases("dev").into_iter().filter(|case| !stored(case).is_empty()).collect();
        assert_eq!(kept, Vec::<&str>::new());
    }

    #[test]
    fn nothing_is_stored_of_cases_that_were_held_out() {
        let kept: Vec<_> = cases("held").into_iter().filter(|case| !stored(case).is_empty()).collect();
        assert_eq!(kept, Vec::<&str>::new());
    }
}
