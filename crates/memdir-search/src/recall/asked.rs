use std::collections::HashSet;

use camino::Utf8PathBuf;
use jiff::tz::TimeZone;

use super::by_model::{Reading, Understood};
use super::features::{Features, complete, probabilities};
use super::intent::Intent;
use super::memory_file::MemoryFile;
use super::{RecallOptions, common_words};
use crate::analyze::{Analyzer, Sort, Term, TermMap};
use crate::collection::{Collection, open_file};
use crate::error::SearchError;
use crate::query::Query;
use crate::rank::{best_first, rank};
use crate::succession::{DatedText, FILES_APART};

/// How many of the best candidates are looked at closely.
const MAX_CANDIDATES: usize = 16;
/// So many files of other people's talk are added to every store: in a small one everything seems rare or common.
const BACKGROUND: f32 = 20.0;
/// How much a word counts that says little.
const WEAK: f32 = 0.5;
/// How much a word of every request counts.
const COMMON: f32 = 0.15;
/// How much a word of a cue counts that the prompt does not hold: how rare it is was not looked up.
const OTHER_WORD: f32 = 0.8;

/// A prompt, and the weight of its words in this store.
pub(super) struct Asked {
    query: Query,
    /// Every word once, with its weight from 0 to 1.
    weights: TermMap<f32>,
    /// What all words weigh together.
    total: f32,
    /// The files that it names.
    files: Vec<String>,
    intent: Intent,
}

impl Asked {
    pub(super) fn new(prompt: &str, analyzer: &mut Analyzer) -> Self {
        let query = Query::of_words(prompt, analyzer);
        Self {
            query,
            weights: TermMap::default(),
            total: 0.0,
            files: files_in(prompt),
            intent: Intent::of(prompt),
        }
    }

    /// The memories that share most with the prompt, in words or in meaning, with the numbers that speak for each.
    pub(super) fn candidates(
        &mut self,
        prompt: &str,
        collections: &[&Collection],
        options: &RecallOptions<'_>,
        analyzer: &mut Analyzer,
    ) -> Result<Vec<MemoryFile>, SearchError> {
        let reading = Reading::begin(options.model, prompt, collections);
        let parts: Vec<_> = (0..)
            .zip(collections)
            .flat_map(|(number, one)| one.live().iter().map(move |live| (number, live)))
            .collect();
        let lives: Vec<_> = parts.iter().map(|(_, live)| *live).collect();
        let today = crate::query::day_number(options.now.to_zoned(TimeZone::UTC).date());
        let ranked = rank(&lives, &self.query, today)?;
        let all: usize = lives.iter().map(|live| live.segment.groups()).sum();
        self.weigh(prompt, all as f32, &ranked.files, analyzer);
        let understood = reading.and_then(Reading::end);
        let mut looked = Looked {
            asked: self,
            collections,
            options,
            understood: understood.as_ref(),
            groups: HashSet::new(),
            files: HashSet::new(),
            paths: HashSet::new(),
            found: Vec::new(),
        };
        for candidate in best_first(ranked.candidates) {
            if looked.found.len() >= MAX_CANDIDATES {
                break;
            }
            let Some((number, live)) = parts.get(candidate.segment as usize) else { continue };
            let group = live.segment.unit_group()?.get(candidate.unit as usize).copied().unwrap_or(0);
            if looked.groups.insert((candidate.segment, group)) {
                looked.at(*number, &live.segment.group(group)?.path, analyzer);
            }
        }
        for (number, path) in understood.iter().flat_map(|understood| &understood.nearest) {
            looked.at(*number, path, analyzer);
        }
        let mut found = looked.found;
        complete(&mut found.iter_mut().map(|memory| &mut memory.features).collect::<Vec<_>>());
        let features: Vec<Features> = found.iter().map(|memory| memory.features).collect();
        for (memory, probability) in found.iter_mut().zip(probabilities(&features)) {
            memory.probability = probability;
        }
        Ok(found)
    }

    fn weigh(&mut self, prompt: &str, all: f32, files: &[u64], analyzer: &mut Analyzer) {
        let holding: TermMap<u64> =
            self.query.terms.iter().zip(files).map(|(term, files)| (term.term, *files)).collect();
        let weights = &mut self.weights;
        analyzer.each_term(prompt, |term, text, sort| {
            // What is beyond the words of a question was not looked up.
            if let Some(holding) = holding.get(&term).filter(|_| sort != Sort::Whole) {
                let weight = rarity(all, holding.max(&1)) * plain_weight(text, sort);
                let known = weights.entry(term).or_insert(0.0);
                *known = known.max(weight);
            }
        });
        self.total = weights.values().sum();
    }

    /// What speaks for a memory.
    fn features(
        &self,
        memory: &MemoryFile,
        options: &RecallOptions<'_>,
        analyzer: &mut Analyzer,
    ) -> Features {
        let mut shared: HashSet<Term> = HashSet::new();
        let title = self.weight_of(&memory.title(), &mut shared, analyzer);
        self.weight_of(&memory.body, &mut shared, analyzer);
        let mut sentence: f32 = 0.0;
        for text in memory.sentences() {
            sentence = sentence.max(self.said_of(text, analyzer));
        }
        let mut in_cues: HashSet<Term> = HashSet::new();
        let mut best_cue: f32 = 0.0;
        for cue in &memory.cues {
            best_cue = best_cue.max(self.said_of(cue, analyzer));
            self.weight_of(cue, &mut in_cues, analyzer);
        }
        let weight = |term: &Term| self.weights.get(term).copied().unwrap_or(0.0);
        let cues = in_cues.iter().map(weight).sum();
        shared.extend(in_cues);
        let mut strongest: Vec<f32> = shared.iter().map(weight).collect();
        strongest.sort_by(|one, other| other.total_cmp(one));
        let words: f32 = strongest.iter().sum();
        let age = memory.modified.map_or(0, |time| (options.now.as_second() - time.as_second()).max(0));
        let Intent {
            explain,
            mechanical,
            look,
            social,
            question_word,
            task,
            question_mark,
            words: prompt_words,
        } = self.intent;
        let is = |kind: &str| f32::from(memory.kind == kind);
        Features {
            words,
            title,
            description: self.said_of(&memory.description, analyzer),
            sentence,
            cues,
            best_cue,
            coverage: words / self.total.max(f32::EPSILON),
            first_word: strongest.first().copied().unwrap_or(0.0),
            second_word: strongest.get(1).copied().unwrap_or(0.0),
            length: self.total.ln_1p(),
            body_length: (memory.body.len() as f32 / 6.0).ln_1p(),
            has_cues: f32::from(!memory.cues.is_empty()),
            explain,
            mechanical,
            look,
            social,
            question_word,
            task,
            question_mark,
            prompt_words,
            reference: is("reference"),
            feedback: is("feedback"),
            about_user: is("user"),
            reference_asked: is("reference") * question_word.max(question_mark),
            names_file: f32::from(self.files.iter().any(|file| memory.text.contains(file.as_str()))),
            recent: f32::from(memory.is_recent(options.recent)),
            age: age as f32 / (365.0 * 86_400.0),
            ..Features::default()
        }
    }

    /// What a memory says, for comparing it with others.
    pub(super) fn dated(&self, memory: &MemoryFile, score: f32, analyzer: &mut Analyzer) -> DatedText {
        let time = memory.modified.map(jiff::Timestamp::as_second);
        let superseded_by = memory.validity.superseded_by.clone().unwrap_or_default();
        let names = vec![memory.name()];
        let apart = FILES_APART;
        let mut dated =
            DatedText { names, superseded_by, time, apart, score, is_memory: true, ..DatedText::default() };
        dated.read(&memory.body, &self.weights, analyzer);
        dated
    }

    /// What the prompt's words weigh that are in a text; they are added to `shared`.
    fn weight_of(&self, text: &str, shared: &mut HashSet<Term>, analyzer: &mut Analyzer) -> f32 {
        let mut here: HashSet<Term> = HashSet::new();
        analyzer.each_term(text, |term, _, _| {
            if self.weights.contains_key(&term) {
                here.insert(term);
            }
        });
        let weight = here.iter().filter_map(|term| self.weights.get(term)).sum();
        shared.extend(here);
        weight
    }

    /// How much of a cue the prompt says: more if it says much, and more if it says most of it.
    fn said_of(&self, cue: &str, analyzer: &mut Analyzer) -> f32 {
        let (mut said, mut all) = (0.0, 0.0);
        analyzer.each_term(cue, |term, text, sort| {
            if sort == Sort::Whole {
                return;
            }
            match self.weights.get(&term) {
                Some(weight) => {
                    said += weight;
                    all += weight;
                }
                None => all += OTHER_WORD * plain_weight(text, sort),
            }
        });
        if all > 0.0 { said * said / all } else { 0.0 }
    }
}

/// What has been looked at for a prompt.
struct Looked<'a> {
    asked: &'a Asked,
    collections: &'a [&'a Collection],
    options: &'a RecallOptions<'a>,
    understood: Option<&'a Understood>,
    /// Files of segments.
    groups: HashSet<(u32, u32)>,
    /// Files by collection and path, before what replaced them.
    files: HashSet<(usize, String)>,
    /// What was found, by its path.
    paths: HashSet<Utf8PathBuf>,
    found: Vec<MemoryFile>,
}

impl Looked<'_> {
    /// Looks at a file, unless it is not a memory, does not count or was looked at before.
    fn at(&mut self, number: usize, path: &str, analyzer: &mut Analyzer) {
        let Some(collection) = self.collections.get(number) else { return };
        if !collection.is_memory(path) || !self.files.insert((number, path.to_owned())) {
            return;
        }
        let (full, scope) = (collection.path_of(path), collection.source().scope_of(path));
        let read = open_file(&full).ok().and_then(|file| MemoryFile::read(file, full, scope));
        let Some(mut memory) = read else { return };
        // What the old text says leads to the new one.
        let mut features = self.asked.features(&memory, self.options, analyzer);
        if let Some(understood) = self.understood {
            understood.compare(number, path, &memory, &mut features);
        }
        memory = memory.newest();
        if !memory.counts(self.options) || !self.paths.insert(memory.path.clone()) {
            return;
        }
        features.pinned = f32::from(memory.validity.pinned);
        features.superseded = f32::from(memory.validity.superseded_by.is_some());
        memory.features = features;
        self.found.push(memory);
    }
}

/// What a word weighs by itself, however rare it is.
fn plain_weight(stem: &str, sort: Sort) -> f32 {
    let weak = if sort == Sort::Weak { WEAK } else { 1.0 };
    if common_words::is_common(stem) { weak * COMMON } else { weak }
}

/// How rare a word is that is in so many of all files.
fn rarity(all: f32, holding: &u64) -> f32 {
    let frequency = |holding: f32| (1.0 + (all + BACKGROUND - holding + 0.5).max(0.0) / (holding + 0.5)).ln();
    (frequency(*holding as f32) / frequency(1.0)).clamp(0.0, 1.0)
}

/// What looks like a file's name or path.
fn files_in(prompt: &str) -> Vec<String> {
    const MOST: usize = 16;
    let is_file = |word: &&str| {
        let dot = word.rfind('.').is_some_and(|at| at > 0 && at + 1 < word.len() && word.len() - at <= 6);
        word.len() >= 5 && (dot || word.trim_matches('/').contains('/')) && !word.contains("://")
    };
    let tokens =
        prompt.split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '(' | ')' | ',' | ';'));
    tokens
        .map(|word| word.trim_end_matches(['.', ':', '?', '!']))
        .filter(is_file)
        .take(MOST)
        .map(str::to_owned)
        .collect()
}
