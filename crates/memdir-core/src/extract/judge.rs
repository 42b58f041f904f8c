//! What the sentences of a prompt are: something to remember, or one of the many things that only look like it.

use jiff::civil::Date;

use super::cues::{ADDRESS, CODE, Cue, CueSet, Cues, QUOTE};
use super::dates::{NamedDay, named_days};
use super::language::{Language, Tally};
use super::own_words::Paragraph;
use super::sentence::sentences;
use super::token::{Token, TokenKind, contract, fold, tokens};
use super::topic_words::topic_words;
use super::vocabulary::{kinds, marks};

mod statement;
mod weights;

use statement::add;

/// The kinds of memories that a person's words become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    User,
    Feedback,
    Project,
    Reference,
}

/// Sentences of one prompt that are worth a memory.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    pub(super) kind: Kind,
    /// All that was said of it, each day with its date.
    pub(super) text: String,
    /// The one sentence that says it, dates in the place of days that are near.
    pub(super) main: String,
    /// Whether it approves of what the agent said before, and means little without that.
    pub(super) approves: bool,
    /// The reason, if one was given.
    pub(super) reason: Option<String>,
    /// The last day that it names.
    pub(super) day: Option<Date>,
}

/// What a prompt says.
#[derive(Debug, Clone, Default)]
pub(super) struct Judged {
    pub(super) statements: Vec<Statement>,
    /// The words of a sentence that takes something back.
    pub(super) withdrawn: Option<String>,
    /// The language of most of it.
    pub(super) language: Language,
}

/// A prompt has no more sentences that count.
const MOST_SENTENCES: usize = 60;
/// What speaks for a wish must weigh this much, in tenths.
const FEEDBACK_LINE: i32 = 30;
/// A score of tenths from which on a statement is kept beside others.
const CLEAR: i32 = 20;
/// A statement takes in what follows it up to this length.
const STATEMENT_BYTES: usize = 320;

/// Judges the user's own words of a prompt that was typed on `today`. Without a day nothing relative can be made absolute;
/// any day serves to recognise one. `usual` is the language of who speaks, where the words do not tell. `answers` says whether
/// the agent had spoken before.
pub(super) fn judge(words: &[Paragraph], today: Option<Date>, usual: Language, answers: bool) -> Judged {
    let (mut sentences, language) = read(words, today.unwrap_or(Date::constant(2000, 1, 3)), usual);
    let says_so = |paragraph: &Paragraph| paragraph.text.split_whitespace().any(|word| word == "/s");
    let is_in_play = words.iter().any(says_so)
        || sentences.iter().any(|sentence| sentence.cues.has(Cue::Sarcasm) || sentence.cues.has(Cue::Role));
    let mut judged = Judged { language, ..Judged::default() };
    let mut turn = Turn {
        // `Runbooks? In the wiki.`: a question of two words is followed by its own answer.
        asks: sentences.iter().any(|sentence| sentence.asks && sentence.words > 2),
        answers,
        wants_work: sentences.first().is_some_and(|sentence| sentence.cues.place(Cue::Task) == Some(0)),
        ..Turn::default()
    };
    let mut kinds = Vec::with_capacity(sentences.len());
    for (at, sentence) in sentences.iter().enumerate() {
        if at == 0 || sentence.starts_paragraph {
            turn.is_foreign = false;
            turn.is_one_off = false;
        }
        let withdraws = sentence.cues.has(Cue::Withdraw) && !sentence.asks;
        if withdraws && !take_back(sentence, &sentences, &mut kinds) {
            judged.withdrawn.get_or_insert_with(|| sentence.text.to_owned());
        }
        let next = sentences.get(at + 1).filter(|next| next.is_plain_remark());
        turn.explains = next.is_some_and(|next| next.cues.has(Cue::Reason));
        turn.is_liked = next.is_some_and(|next| next.cues.has(Cue::Preference));
        let before = at.checked_sub(1).and_then(|before| sentences.get(before));
        let corrects =
            |other: &Sentence<'_>| other.cues.has(Cue::Complaint) || other.cues.has(Cue::Experience);
        turn.is_corrected = before.is_some_and(corrects) || next.is_some_and(corrects);
        let kind = if turn.is_foreign || turn.ends { None } else { sentence.kind(&turn, is_in_play) };
        kinds.push(kind);
        turn.note(sentence, at == 0);
    }
    // Beside the clearest statement only others that are clear themselves count.
    let clearest = kinds.iter().flatten().map(|(_, score)| *score).max().unwrap_or(0);
    let says_self = kinds.iter().flatten().any(|(kind, _)| *kind == Kind::User);
    for (found, sentence) in kinds.iter_mut().zip(&sentences) {
        *found = found.filter(|(kind, score)| {
            let is_aside = says_self && *kind == Kind::Feedback && !sentence.cues.has(Cue::FeedbackStrong);
            !is_aside && (*score == clearest || *score >= CLEAR || says_self)
        });
    }
    if today.is_none() {
        sentences.iter_mut().for_each(|sentence| sentence.days.retain(|day| day.is_absolute));
    }
    for (at, found) in kinds.iter().enumerate() {
        if let Some((kind, _)) = found {
            add(*kind, at, &sentences, &kinds, &mut judged.statements);
        }
    }
    judged
}

/// Takes back what the same prompt said before: what the sentence names, or else the last thing; whether there was any.
fn take_back(sentence: &Sentence<'_>, sentences: &[Sentence<'_>], kinds: &mut [Option<(Kind, i32)>]) -> bool {
    let named = topic_words(sentence.text);
    let is_named =
        |at: usize| sentences.get(at).is_some_and(|other| !named.is_disjoint(&topic_words(other.text)));
    let standing: Vec<usize> =
        kinds.iter().enumerate().filter(|(_, kind)| kind.is_some()).map(|(at, _)| at).collect();
    let mut taken: Vec<usize> = standing.iter().copied().filter(|at| is_named(*at)).collect();
    if taken.is_empty() {
        taken.extend(standing.last());
    }
    for at in &taken {
        if let Some(kind) = kinds.get_mut(*at) {
            *kind = None;
        }
    }
    !taken.is_empty()
}

/// What earlier sentences of a prompt say about the later ones.
#[derive(Default)]
struct Turn {
    /// The prompt asks for one piece of work, which its later sentences describe.
    is_task: bool,
    /// The paragraph is about this one time.
    is_one_off: bool,
    /// The rest of the paragraph is material.
    is_foreign: bool,
    /// The rest of the prompt is quoted from another person.
    ends: bool,
    /// The next sentence gives the reason for this one.
    explains: bool,
    /// The next sentence says what the speaker likes or not.
    is_liked: bool,
    /// A sentence beside this one says what went wrong.
    is_corrected: bool,
    /// The agent had said something that the prompt answers.
    answers: bool,
    /// Some sentence of the prompt is a question.
    asks: bool,
    /// The prompt begins with asking for one piece of work.
    wants_work: bool,
}

impl Turn {
    fn note(&mut self, sentence: &Sentence<'_>, is_first: bool) {
        let cues = &sentence.cues;
        self.is_task |= cues.has(Cue::Task) && (is_first || cues.has(Cue::Content));
        self.is_one_off |= cues.has(Cue::OneOff);
        let is_material =
            cues.has(Cue::Content) || cues.has(Cue::Reported) || cues.has(Cue::Paste) && sentence.asks;
        if sentence.asks && cues.has(Cue::Handover) {
            self.is_foreign = true;
        }
        if sentence.ends_with_colon {
            let introduces = is_material || cues.has(Cue::Paste) || sentence.asks;
            self.ends |= introduces && !cues.has(Cue::RuleIntro) && !cues.has(Cue::FeedbackStrong);
        } else if sentence.has_colon && (is_material || cues.has(Cue::Task)) {
            self.is_foreign = true;
        }
    }
}

/// A sentence and what its words are signs of.
struct Sentence<'s> {
    text: &'s str,
    cues: CueSet,
    asks: bool,
    has_colon: bool,
    ends_with_colon: bool,
    starts_paragraph: bool,
    paragraph: usize,
    has_place: bool,
    has_code: bool,
    /// More of it is quoted than said.
    is_quotation: bool,
    days: Vec<NamedDay>,
    words: usize,
    past: bool,
    says_we: bool,
    names_file: bool,
}

fn read<'p>(paragraphs: &'p [Paragraph], today: Date, usual: Language) -> (Vec<Sentence<'p>>, Language) {
    let mut whole = Tally::default();
    let mut found = Vec::new();
    for (number, paragraph) in paragraphs.iter().enumerate() {
        for (place, text) in sentences(&paragraph.text).into_iter().enumerate() {
            let tally = Tally::of(text);
            whole.add(&tally);
            // An item of a list belongs to the paragraph above it.
            found.push((text, tally, place == 0 && !paragraph.is_item, number));
        }
    }
    let all = || paragraphs.iter().flat_map(|paragraph| [paragraph.text.as_str(), "\n"]).collect::<String>();
    let language = whole.language(&all, usual);
    let found = found.into_iter().take(MOST_SENTENCES);
    let read = found.map(|(text, tally, starts, number)| {
        let own = if text.len() > 24 { tally.language(&|| text.to_owned(), language) } else { language };
        Sentence::new(text, own, today, starts, number)
    });
    (read.collect(), language)
}

impl<'s> Sentence<'s> {
    fn new(text: &'s str, language: Language, today: Date, starts_paragraph: bool, paragraph: usize) -> Self {
        let table = Cues::of(language);
        let mut pieces = tokens(text, language);
        if language == Language::English {
            contract(&mut pieces);
        }
        table.prepare(&mut pieces);
        let cues = if language.is_eastern() {
            table.of_text(&masked(&pieces, text))
        } else {
            table.of_tokens(&pieces)
        };
        let quoted: usize =
            pieces.iter().filter(|piece| piece.kind == TokenKind::Quote).map(|piece| piece.text.len()).sum();
        let bare = text.trim_end_matches([' ', '*', ')', '"']);
        let is_question = bare.ends_with(['?', '？']) || table.is_question_mark(bare);
        Self {
            text,
            cues,
            asks: is_question || cues.has(Cue::Question),
            has_colon: pieces.iter().any(|piece| matches!(piece.word.as_ref(), ":" | "：")),
            ends_with_colon: bare.ends_with([':', '：']),
            starts_paragraph,
            paragraph,
            has_place: pieces
                .iter()
                .any(|piece| piece.sign.kinds & kinds::PLACE != 0 || is_lasting_address(piece))
                || language.is_eastern() && has_eastern_place(&pieces),
            has_code: pieces.iter().any(|piece| piece.kind == TokenKind::Code),
            is_quotation: quoted * 2 > text.len(),
            days: named_days(text, &pieces, language.is_eastern(), today),
            words: if language.is_eastern() { text.chars().count() / 3 } else { count_words(&pieces) },
            says_we: pieces.iter().any(|piece| piece.sign.marks & marks::WE != 0)
                || !text.is_ascii() && EASTERN_WE.iter().any(|we| text.contains(we)),
            past: table.speaks_of_past(&pieces),
            names_file: pieces.iter().any(|piece| names_file(piece)),
        }
    }

    /// What the sentence is worth remembering as: the kind whose signs outweigh what speaks against it most.
    fn kind(&self, turn: &Turn, is_in_play: bool) -> Option<(Kind, i32)> {
        let cues = &self.cues;
        if self.is_quotation
            || cues.has(Cue::Hypothetical)
            || self.asks && !cues.has(Cue::Asked)
            || is_in_play
        {
            return None;
        }
        let strong = cues.place(Cue::FeedbackStrong);
        // Words that are to be written or translated, unless they follow what was meant for good.
        let is_before = |place: Option<u32>| strong.zip(place).is_some_and(|(strong, place)| strong < place);
        let is_material = cues.has(Cue::Content) && (!is_before(cues.place(Cue::Content)) || self.has_colon)
            || cues.place(Cue::Task) == Some(0) && self.has_colon && !self.ends_with_colon;
        // What follows a withdrawal may take the place of what was withdrawn.
        let replaces = |cue| cues.place(cue) > cues.place(Cue::Withdraw);
        let only_withdraws =
            cues.has(Cue::Withdraw) && !replaces(Cue::FeedbackStrong) && !replaces(Cue::Feedback);
        if is_material {
            return None;
        }
        let kinds = [
            (Kind::Reference, self.reference(turn)),
            (Kind::User, self.user()),
            (Kind::Project, self.project(turn)),
            (Kind::Feedback, if only_withdraws { -1 } else { self.feedback(turn) }),
        ];
        // Who they are explains what they want; the other way round it is a wish.
        let is_of_self = cues.place(Cue::User).is_some_and(|user| strong.is_none_or(|strong| user <= strong));
        if is_of_self && self.user() >= 0 && !cues.has(Cue::Withdraw) {
            return Some((Kind::User, self.user()));
        }
        let possible = kinds.into_iter().filter(|(_, score)| *score >= 0);
        possible.reduce(|best, next| if next.1 > best.1 { next } else { best })
    }
}

/// A text without spaces as its patterns see it: quotations, addresses and code are one sign each.
fn masked(pieces: &[Token<'_>], text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut last_end = 0;
    for piece in pieces {
        let start = (piece.text.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        if start > last_end {
            masked.push(' ');
        }
        last_end = start + piece.text.len();
        match piece.kind {
            TokenKind::Quote => masked.push(QUOTE),
            TokenKind::Address => masked.push(ADDRESS),
            TokenKind::Code if !piece.text.is_ascii() => masked.push_str(&fold(piece.text)),
            TokenKind::Code => masked.push(CODE),
            _ => masked.push_str(&fold(piece.text)),
        }
    }
    masked
}

/// A path, or a name as only code has it: `OrderService`.
fn names_file(piece: &Token<'_>) -> bool {
    const PRODUCTS: &str = "typescript javascript github gitlab postgresql postgres mysql sqlite graphql mongodb openapi nodejs macos ios \
        ipad youtube intellij vscode clickhouse bigquery numpy fastapi websocket websockets openssl devops phpunit latex mariadb \
        dynamodb cloudwatch powershell circleci teamcity webassembly oauth ids urls apis prs cis";
    let is_product = || PRODUCTS.split_whitespace().any(|name| name == piece.word.as_ref());
    let is_camel = piece.kind == TokenKind::Word
        // Only a word with a capital inside needs a closer look.
        && piece.text.bytes().skip(1).any(|byte| !byte.is_ascii() || byte.is_ascii_uppercase())
        && piece
            .text
            .chars()
            .zip(piece.text.chars().skip(1))
            .any(|(one, next)| one.is_lowercase() && next.is_uppercase())
        && !is_product();
    is_camel || piece.kind == TokenKind::Code && piece.text.contains(['/', '.'])
}

fn count_words(pieces: &[Token<'_>]) -> usize {
    pieces.iter().filter(|piece| piece.kind == TokenKind::Word).count()
}

const EASTERN_WE: [&str; 5] = ["我们", "弊社", "当社", "うち", "私たち"];

fn has_eastern_place(pieces: &[Token<'_>]) -> bool {
    pieces.iter().any(|piece| {
        if super::places::EASTERN_NAMES.iter().any(|name| piece.text.contains(name)) {
            return true;
        }
        let mut words = piece.text.split(|character: char| !character.is_ascii_alphanumeric());
        words.any(|word| super::places::NAMES.contains(word.to_ascii_lowercase().as_str()))
    })
}

/// An address that will be worth going to again: no pull request, no machine of one's own.
fn is_lasting_address(piece: &Token<'_>) -> bool {
    const PASSING: [&str; 16] = [
        "localhost",
        "127.0.0.1",
        "0.0.0.0",
        "/pull/",
        "/pulls/",
        "/issues/",
        "/commit/",
        "/merge_requests/",
        "/browse/",
        "stackoverflow.com",
        "/actions/runs/",
        "/jobs/",
        "/blob/",
        "/compare/",
        "?",
        "gist.github",
    ];
    piece.kind == TokenKind::Address && !PASSING.iter().any(|part| piece.text.contains(part))
}

/// Why every sentence of a prompt is judged as it is, for the author of a rule.
#[cfg(test)]
pub(super) fn explain(prompt: &str) -> String {
    let sentences = read(&super::own_words(prompt), Date::constant(2026, 3, 11), Language::English)
        .0
        .iter()
        .map(|sentence| {
            let turn = Turn::default();
            let found = super::cues::SECTIONS
                .iter()
                .filter(|(_, cue)| sentence.cues.has(*cue))
                .map(|(name, _)| *name);
            let scores = [
                sentence.feedback(&turn),
                sentence.user(),
                sentence.project(&turn),
                sentence.reference(&turn),
            ];
            let found: Vec<&str> = found.collect();
            format!("  [{}] {} {scores:?} asks {}\n", sentence.text, found.join(", "), sentence.asks)
        })
        .collect::<Vec<_>>();
    sentences.concat()
}
