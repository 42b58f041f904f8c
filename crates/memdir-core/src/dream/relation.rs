//! What two statements have to do with each other: whether one says all that the other says, or takes its place.
//!
//! Two statements are of one matter only if nothing tells their subjects apart. A word on both sides that differs is
//! the difference that counts: `staging` and `production`, `Anna Berg` and `Anna Holm`, `v1` and `v2`.

use std::collections::HashSet;

use super::statement::normal;
use crate::extract::reading::{is_german, is_small, negates};

/// What the second of two statements has to do with the first, which is the older one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// Both say the same.
    Same,
    /// The newer one says all that the older one says.
    Held,
    /// The older one says all that the newer one says.
    Holds,
    /// They say nearly the same, and each of them a little more than the other.
    Near,
    /// The newer one says what holds now.
    Replaces,
}

/// A word that says something.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Term {
    /// Without its ending, or as it is if every sign of it counts.
    text: String,
    kind: TermKind,
    /// Which clause of the statement it is in.
    clause: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum TermKind {
    Plain,
    /// The name of a person or a thing.
    Name,
    /// Code, a path, an address.
    Exact,
    Number,
}

impl Term {
    /// What the term is known by.
    pub(super) fn key(&self) -> &str {
        &self.text
    }

    fn tells_apart(&self) -> bool {
        self.kind != TermKind::Plain
    }

    fn is_like(&self, other: &Self) -> bool {
        self.text == other.text
            || self.kind == TermKind::Plain
                && other.kind == TermKind::Plain
                && (is_compound(&self.text, &other.text)
                    || is_compound(&other.text, &self.text)
                    || is_typo(&self.text, &other.text))
    }
}

/// `Repositroy` is meant to be `repository`: a long word with one or two letters exchanged, left out or added.
fn is_typo(one: &str, other: &str) -> bool {
    const SHORTEST: usize = 5;
    let begins_alike = one.chars().next() == other.chars().next();
    begins_alike && one.len().min(other.len()) >= SHORTEST && strsim::damerau_levenshtein(one, other) == 1
}

/// `Schreiben` is in `ausschreiben`.
fn is_compound(one: &str, other: &str) -> bool {
    const SHORTEST: usize = 7;
    one.len() >= SHORTEST && other.len() > one.len() && other.ends_with(one)
}

/// A statement as it is compared.
#[derive(Debug, Clone)]
pub(super) struct Said {
    terms: Vec<Term>,
    normal: String,
    /// How many of the terms come before what is said of them.
    subject: Option<usize>,
    is_past: bool,
    negates: bool,
    announces: News,
    /// What it says of its subject leaves room for more of the kind.
    is_open: bool,
    /// Words that make an order count, each with the word behind it.
    directions: Vec<(String, String)>,
    /// Whether words stand without spaces between them.
    is_dense: bool,
}

/// So many shared words make one matter of two statements.
const FEWEST_SHARED: usize = 3;
/// Of so many pairs of signs one may be other than in the longer text.
const MOST_DENSE: usize = 6;
/// Of ten words that two statements share, so many others may stand between them.
const MOST_BETWEEN: usize = 4;
/// Of ten words of the older statement, so many must stand in one that announces something new.
const FEWEST_OF_OLD: usize = 4;

impl Said {
    pub(super) fn of(text: &str) -> Self {
        let Reader { terms, subject, is_past, is_open, directions, .. } = read(text);
        let normal = normal(text);
        Self {
            directions,
            is_open,
            announces: announces(&normal),
            negates: negates(text),
            is_dense: normal.chars().filter(|c| *c as u32 >= 0x2e80).count() * 2 > normal.chars().count(),
            terms,
            normal,
            subject,
            is_past,
        }
    }

    fn is_terse(&self) -> bool {
        self.terms.len() <= FEWEST_SHARED
    }

    fn clauses(&self) -> usize {
        self.terms.last().map_or(0, |term| term.clause)
    }

    /// The words that say something.
    pub(super) fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// What a newer statement has to do with this one. `context` says whether the text around them is of one matter,
    /// and `is_later` whether the other is known to be younger.
    pub(super) fn relation(&self, newer: &Self, context: Context, is_later: bool) -> Option<Relation> {
        if context == Context::Apart {
            return None;
        }
        if self.normal == newer.normal {
            return Some(Relation::Same);
        }
        if is_later && self.is_replaced_by(newer, context) {
            return Some(Relation::Replaces);
        }
        let (left, right) = (only(&self.terms, &newer.terms), only(&newer.terms, &self.terms));
        let shared = self.terms.len() - left.len();
        let names = self.terms.iter().filter(|term| term.tells_apart() && !left.contains(term)).count();
        if self.negates != newer.negates
            || shared < FEWEST_SHARED && (shared < 2 || names == 0 && !(self.is_terse() && newer.is_terse()))
            || !self.has_order_of(newer)
        {
            return None;
        }
        // In a text without spaces the verb comes after all clauses.
        let is_told_whole = |terms: &[Term], missing: &[&Term]| {
            missing.len() * MOST_DENSE <= terms.len() && missing.iter().all(|term| !term.tells_apart())
        };
        if self.is_dense
            && newer.is_dense
            && is_told_whole(&self.terms, &left)
            && newer.clauses() > self.clauses()
        {
            return Some(Relation::Held);
        }
        if self.is_dense
            && newer.is_dense
            && is_told_whole(&newer.terms, &right)
            && newer.clauses() < self.clauses()
        {
            return Some(Relation::Holds);
        }
        let (inner_left, inner_right) = (inside(&self.terms, &left), inside(&newer.terms, &right));
        let may_stand = |inner: &[&Term]| {
            inner.iter().all(|term| !term.tells_apart()) && inner.len() <= 1.max(shared * MOST_BETWEEN / 10)
        };
        if !(inner_left.is_empty() && may_stand(&inner_right)
            || inner_right.is_empty() && may_stand(&inner_left))
        {
            return None;
        }
        Some(match (left.is_empty() && inner_right.is_empty(), right.is_empty() && inner_left.is_empty()) {
            (true, true) => Relation::Same,
            (true, false) => Relation::Held,
            (false, true) => Relation::Holds,
            _ => Relation::Near,
        })
    }

    fn is_replaced_by(&self, newer: &Self, context: Context) -> bool {
        !self.has_other_subject(newer)
            && (context != Context::Other && self.has_other_number(newer)
                || self.is_announced(newer)
                || self.has_other_value(newer, context))
    }

    /// Whether what the two speak of differs on both sides.
    fn has_other_subject(&self, newer: &Self) -> bool {
        let of = |said: &Self| said.terms.get(..said.subject.unwrap_or(0)).unwrap_or_default().to_vec();
        !only(&of(self), &newer.terms).is_empty() && !only(&of(newer), &self.terms).is_empty()
    }

    /// `Needs Node 18` and `needs Node 20`: the first clauses differ in one number behind the verb.
    fn has_other_number(&self, newer: &Self) -> bool {
        let first =
            |said: &Self| said.terms.iter().filter(|term| term.clause == 0).cloned().collect::<Vec<_>>();
        let (old, new) = (first(self), first(newer));
        let subject = self.subject.filter(|_| !self.is_past && !newer.is_past).unwrap_or(usize::MAX);
        let differing: Vec<usize> =
            (0..old.len().min(new.len())).filter(|at| old.get(*at) != new.get(*at)).collect();
        let is_number =
            |terms: &[Term], at: usize| terms.get(at).is_some_and(|term| term.kind == TermKind::Number);
        old.len() == new.len()
            && old.len() >= 2
            && matches!(differing.as_slice(), [at] if *at >= subject && is_number(&old, *at) && is_number(&new, *at))
    }

    /// The newer one says that something changed, and speaks of most of what this one says.
    fn is_announced(&self, newer: &Self) -> bool {
        let left = only(&self.terms, &newer.terms);
        let shared = self.terms.len() - left.len();
        let is_near = shared >= 2 && shared * 10 >= self.terms.len() * FEWEST_OF_OLD;
        // `Now uses` leaves room for what was used before, unless the new one speaks of that.
        let value = self.terms.get(self.subject.unwrap_or(0)..).unwrap_or_default();
        let excludes = !self.is_open || only(value, &newer.terms).len() < value.len();
        is_near && (newer.announces == News::Change || newer.announces == News::Now && excludes)
    }

    /// Under one title the same thing is said to be something else.
    fn has_other_value(&self, newer: &Self, context: Context) -> bool {
        const LONGEST: usize = 4;
        let (Some(one), Some(other)) = (self.subject, newer.subject) else { return false };
        let (subject, value) = self.terms.split_at(one.min(self.terms.len()));
        let (other, new) = newer.terms.split_at(other.min(newer.terms.len()));
        let differs = !only(value, new).is_empty() && !only(new, value).is_empty();
        context == Context::Same
            && subject == other
            && !subject.is_empty()
            && (1..=LONGEST).contains(&value.len())
            && (1..=LONGEST).contains(&new.len())
            && differs
            && self.negates == newer.negates
            && !self.is_past
            && !newer.is_past
    }

    /// Whether nothing that both name is turned round: from here to there is not from there to here.
    fn has_order_of(&self, other: &Self) -> bool {
        self.directions.iter().all(|(direction, term)| {
            let mut same = other.directions.iter().filter(|(known, _)| known == direction).peekable();
            let names_it = other.terms.iter().any(|known| known.text == *term);
            same.peek().is_none() || !names_it || same.any(|(_, known)| known == term)
        })
    }
}

/// How a statement says that something is not as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum News {
    None,
    /// By a word for now.
    Now,
    /// By saying what changed.
    Change,
}

/// The text around two statements: titles, descriptions, headings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// It names the same.
    Same,
    /// Nothing in it tells them apart.
    Open,
    /// It says nothing, or speaks of other things.
    Other,
    /// It names two things in the same words: `Timeout in staging`, `Timeout in production`.
    Apart,
}

impl Context {
    /// Compares titles, leaving out what the statements say themselves and words for when.
    pub(super) fn of(titles: (&str, &str), statements: (&Said, &Said)) -> Self {
        let told = |term: &Term| {
            let known = |said: &Said| said.terms.iter().any(|known| known.is_like(term));
            known(statements.0) || known(statements.1) || holds_any(&term.text, TIMES)
        };
        let named = |title: &str| -> Vec<Term> {
            read(title).terms.into_iter().filter(|term| term.kind != TermKind::Number).collect()
        };
        let (one, other) = (named(titles.0), named(titles.1));
        let (left, right) = (only(&one, &other), only(&other, &one));
        let open = |terms: &[&Term]| terms.iter().any(|term| !told(term));
        let shares = left.len() < one.len();
        match (open(&left), open(&right)) {
            (true, true) if shares => Self::Apart,
            (true, true) => Self::Other,
            _ if one.is_empty() || other.is_empty() => Self::Other,
            (false, false) => Self::Same,
            _ => Self::Open,
        }
    }
}

/// Whether a label, such as the title of a memory that went, says nothing that `home` does not: every name and number of
/// it is there, and what remains only names the matter.
pub(super) fn is_label_of(label: &str, home: &str) -> bool {
    const LONGEST: usize = 10;
    let label_terms = read(label).terms;
    let home_terms = read(home).terms;
    let known: HashSet<&str> = home_terms.iter().map(Term::key).collect();
    let missing: Vec<&Term> = label_terms.iter().filter(|term| !known.contains(term.key())).collect();
    let shares = missing.len() < label_terms.len();
    missing.iter().all(|term| !term.tells_apart())
        && (!negates(label) || negates(home))
        && label_terms.len() <= LONGEST
        && (shares && missing.len() * 2 <= label_terms.len()
            || is_question_clause(label)
            || label_terms.len() <= 2)
}

/// `Where the logs are` names a matter and says nothing about it.
fn is_question_clause(label: &str) -> bool {
    const OPENINGS: &str = "what where which who whom whose when how why wie was wo wer welche welcher wann où quel quelle qui \
        quand comment qué dónde quién cuál cuándo cómo onde quem qual quando como";
    let first = label.split_whitespace().next().unwrap_or_default().to_lowercase();
    OPENINGS.split_whitespace().any(|word| word == first)
}

/// The terms of `one` that have nothing like them in `other`.
fn only<'t>(one: &'t [Term], other: &[Term]) -> Vec<&'t Term> {
    one.iter().filter(|term| !other.iter().any(|known| known.is_like(term))).collect()
}

/// Those of the terms that `others` lack which stand beside shared ones, and not in a clause of their own behind them.
fn inside<'t>(terms: &'t [Term], missing: &[&'t Term]) -> Vec<&'t Term> {
    let last = terms.iter().rposition(|term| !missing.contains(&term)).unwrap_or(0);
    let clause = terms.get(last).map_or(0, |term| term.clause);
    let is_inside =
        |(at, term): &(usize, &Term)| missing.contains(term) && (*at < last || term.clause == clause);
    terms.iter().enumerate().filter(is_inside).map(|(_, term)| term).collect()
}

/// The words of a statement that say something, how many come before its verb, and what else tells statements apart.
fn read(text: &str) -> Reader {
    let mut reader = Reader { has_names: !is_german(text), ..Reader::default() };
    let mut rest = text;
    while let Some(open) = rest.find('`') {
        reader.plain(rest.get(..open).unwrap_or_default());
        let behind = rest.get(open + 1..).unwrap_or_default();
        let (code, after) = behind.split_once('`').unwrap_or((behind, ""));
        reader.push(&code.split_whitespace().collect::<Vec<_>>().join(" "), TermKind::Exact);
        rest = after;
    }
    reader.plain(rest);
    reader
}

#[derive(Default)]
struct Reader {
    terms: Vec<Term>,
    clause: usize,
    subject: Option<usize>,
    is_past: bool,
    is_open: bool,
    directions: Vec<(String, String)>,
    /// A word behind which the next one is noted.
    direction: Option<String>,
    has_names: bool,
    is_inside: bool,
}

impl Reader {
    fn plain(&mut self, text: &str) {
        for word in text.split_whitespace() {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            if word.starts_with(['(', '[', '–', '—']) {
                self.clause += usize::from(!self.terms.is_empty());
            }
            if !bare.is_empty() {
                self.word(bare);
            }
            let ends = word.ends_with([',', ';', ':', ')', '–', '—']);
            if word.ends_with(':') && self.subject.is_none() {
                self.subject = Some(self.terms.len());
            }
            self.clause += usize::from(ends && !self.terms.is_empty());
            self.is_inside = !word.ends_with(['.', '!', '?']);
        }
    }

    fn word(&mut self, word: &str) {
        let lower = word.to_lowercase();
        let is_address = word.contains("://") || word.contains('@') || word.starts_with('#');
        let signs = word.contains(['/', '_', '\\', '=']) || word.contains('.') && !word.ends_with('.');
        let has_digit = word.contains(|c: char| c.is_ascii_digit());
        let has_inner_capital = word.chars().skip(1).any(char::is_uppercase);
        if word.chars().any(|c| c as u32 >= 0x2e80) {
            self.dense(&lower);
        } else if is_address || signs && !has_digit {
            self.push(word, TermKind::Exact);
        } else if has_digit {
            self.push(&lower, TermKind::Number);
        } else {
            if self.subject.is_none() && holds_any(&lower, VERBS) {
                self.subject = Some(self.terms.len());
                self.is_past = holds_any(&lower, PAST);
                self.is_open = holds_any(&lower, OPEN);
            }
            if holds_any(&lower, DIRECTIONS) {
                self.direction = Some(lower.clone());
            }
            let is_name =
                self.has_names && self.is_inside && word.starts_with(char::is_uppercase) || has_inner_capital;
            for part in lower.split(['-', '\'', '’']) {
                if is_reason(part) {
                    self.clause += usize::from(!self.terms.is_empty());
                }
                // `Service A` is not `Service B`.
                let is_letter = is_name && word.len() == 1 && word != "I";
                let is_telling = is_letter
                    || part.chars().count() > 1
                        && !is_small(part)
                        && ![EMPTY, VERBS, NOWS].iter().any(|words| holds_any(part, words));
                if is_telling {
                    self.push(stem(part), if is_name { TermKind::Name } else { TermKind::Plain });
                }
            }
        }
    }

    /// A text without spaces: its pairs of signs, and clauses at its commas.
    fn dense(&mut self, word: &str) {
        for (number, clause) in word.split(['、', '，', '；', '：', '（', '）']).enumerate() {
            self.clause += usize::from(number > 0 && !self.terms.is_empty());
            let runs = clause.split(|c: char| !c.is_alphanumeric());
            for run in runs {
                for ascii in run.split(|c: char| !c.is_ascii()).filter(|part| part.len() > 1) {
                    let is_number = ascii.contains(|c: char| c.is_ascii_digit());
                    self.push(ascii, if is_number { TermKind::Number } else { TermKind::Name });
                }
                for digits in run.split(|c: char| !c.is_ascii_digit()).filter(|part| part.len() == 1) {
                    self.push(digits, TermKind::Number);
                }
                let signs: Vec<char> = run.chars().filter(|c| !c.is_ascii()).collect();
                for pair in signs.windows(2) {
                    let is_grammar = pair.iter().all(|c| ('\u{3041}'..='\u{309f}').contains(c));
                    if !is_grammar {
                        self.push(&pair.iter().collect::<String>(), TermKind::Plain);
                    }
                }
            }
        }
    }

    fn push(&mut self, text: &str, kind: TermKind) {
        let text =
            if kind == TermKind::Name { stem(&text.to_lowercase()).to_owned() } else { text.to_owned() };
        if let Some(direction) = self.direction.take() {
            self.directions.push((direction, text.clone()));
        }
        let known = self.terms.iter().any(|term| term.text == text);
        if !known && !text.is_empty() {
            self.terms.push(Term { text, kind, clause: self.clause });
        }
    }
}

/// A word without its ending.
fn stem(word: &str) -> &str {
    const SHORTEST: usize = 4;
    for ending in ["ing", "ed", "es", "en", "er", "em", "e", "s", "n", "d"] {
        if let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.chars().count() >= SHORTEST) {
            return stem;
        }
    }
    word
}

fn holds_any(text: &str, words: &str) -> bool {
    let mut own = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    own.any(|own| words.split_whitespace().any(|word| word == own))
}

fn is_reason(word: &str) -> bool {
    const REASONS: &str = "because since as so denn weil da parce car porque pues pois";
    holds_any(word, REASONS)
}

/// Whether a statement says that something is not as it was, and how.
fn announces(normal: &str) -> News {
    const WORDS: &str = "replaces replaced replacing instead moved moves switched switching renamed changed postponed extended \
        raised lowered corrected became becomes promoted withdrawn reversed formerly previously anymore \
        cancelled abandoned dropped retired migrated ersetzt stattdessen umgezogen verschoben gewechselt umbenannt abgelöst \
        erhöht gesenkt befördert reemplaza sustituye aplazado movido cambiado subido ascendido remplace \
        déplacé reporté remplacé augmenté promu substitui adiado mudou movido trocado aumentado promovido ";
    const PHRASES: [&str; 50] = [
        "no longer",
        "instead of",
        "not any longer",
        "stopped ",
        "has been since",
        "not any more",
        "gave up",
        "given up",
        "after all",
        "as of ",
        "from now on",
        "used to ",
        "the old ",
        "is gone",
        "are gone",
        "is over",
        "switched off",
        "took over",
        "takes over",
        "left the",
        "nicht mehr",
        "ab sofort",
        "statt ",
        "doch ",
        "n'est plus",
        "ne sont plus",
        "au lieu de",
        "à la place",
        "en remplacement",
        "ya no ",
        "en lugar de",
        "en vez de",
        "não é mais",
        "em vez de",
        "改为",
        "改成",
        "不再",
        "换成",
        "取代",
        "に変更",
        "ではなく",
        "に移行",
        "was wrong",
        "is wrong",
        "was incorrect",
        "war falsch",
        "ist falsch",
        "était faux",
        "era incorrecto",
        "estava errado",
    ];
    let is_french = normal.contains(" plus") && (normal.contains(" ne ") || normal.contains("n'"));
    if is_french || holds_any(normal, WORDS) || PHRASES.iter().any(|phrase| normal.contains(phrase)) {
        News::Change
    } else if holds_any(normal, NOWS) {
        News::Now
    } else {
        News::None
    }
}

/// Words that say what is so of something.
const VERBS: &str = "is are was were runs run costs takes expires ends starts lives sits equals uses use listens needs need \
    requires require has have stands means moved moves replaces allows leads owns belongs ist sind war läuft kostet dauert \
    endet beginnt nutzt verwendet braucht hat steht liegt gehört es son está están cuesta dura usa utiliza necesita est sont \
    coûte dure utilise nécessite é são fica custa precisa";
const OPEN: &str = "use uses need needs require requires has have listens means allows nutzt verwendet braucht hat usa utiliza \
    necesita utilise nécessite precisa";
/// Words that say that something is so now.
const NOWS: &str = "now jetzt nun inzwischen ab ahora desormais désormais maintenant agora";
const PAST: &str = "was were war waren fue fueron était étaient foi foram";
const DIRECTIONS: &str = "from to before after over than instead into not von nach bis vor statt als nicht desde hacia antes \
    después vers avant après para antes depois";
/// Words that say when a text was written or how it is called, and not of what it is.
const TIMES: &str = "new old current planned plann previou latest again updat chang mov correct january february march april may \
    june july august september october november december jan feb mar apr jun jul aug sep oct nov dec neu neuer alt aktuell nuevo \
    actual nouveau nouvelle actuel novo atual version";
/// Words that add nothing to what is said.
const EMPTY: &str = "user wants want prefers prefer likes keep should must please ever too rather also very really simply again please bitte auch";

#[cfg(test)]
mod tests;
