//! Answering a question from one or several collections.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use camino::Utf8PathBuf;
use jiff::{Timestamp, tz::TimeZone};

use crate::analyze::{Analyzer, Term};
use crate::collection::{Collection, Kind, Live, Scope};
use crate::error::SearchError;
use crate::query::{Filters, NothingAsked, Query};
use crate::rank::{Scored, best_first, rank};
use crate::segment::{GroupRecord, Postings, Segment, UnitFlags, UnitRecord};
use crate::transcript::Role;
use crate::usage::Usage;

mod anchor;
mod phrase;
mod second_opinion;
mod snippet;
mod succession;
#[cfg(test)]
mod tests;
mod typo;

pub use second_opinion::SecondOpinion;

/// How a question is to be answered.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How many hits are wanted.
    pub limit: usize,
    /// What the caller takes as now.
    pub now: Timestamp,
    /// Whether hits carry the words that were found; that opens their files.
    pub snippets: bool,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchResults {
    /// Best first. If all that was found holds too little of what was asked for, there are none.
    pub hits: Vec<Hit>,
    /// What comes nearest if nothing was found.
    pub nearest: Vec<Hit>,
    /// Words that occur nowhere, and what was looked for instead, as it is written in a hit where hits have snippets.
    pub corrected: Vec<(String, String)>,
    /// Why there was nothing to look for, if that is so.
    pub nothing_asked: Option<NothingAsked>,
}

/// A file of Markdown, or a turn of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The file.
    pub path: Utf8PathBuf,
    /// The line at which the words are, from 1.
    pub line: u64,
    /// The title, or the session's first prompt.
    pub title: String,
    /// The memory's type; `session` for a turn.
    pub kind: String,
    /// What it is to the user.
    pub scope: Scope,
    /// The project that it belongs to, if that is known.
    pub project: String,
    /// How well it answers; comparable within one answer.
    pub score: f32,
    /// The words that were found, and those around them.
    pub snippet: String,
    /// Where in the snippet the words are that were asked for, in bytes.
    pub marks: Vec<Range<usize>>,
    /// When it was said, or the file was changed.
    pub time: Option<Timestamp>,
    /// The turn, empty for Markdown.
    pub uuid: String,
    /// How much of the question's words, by their weight, the file holds, from 0 to 1; known for files where hits have
    /// snippets.
    pub share: Option<f32>,
    /// The memory that replaced it; empty if none did.
    pub superseded_by: String,
    /// The agent in whose session it was said; empty for Markdown. Known where hits have snippets.
    pub client: String,
    /// Whether it holds so little of what was asked for that it is hardly meant. Known for files where hits have
    /// snippets.
    pub is_weak: bool,
}

/// A file that holds less of the question, by the weight of its words, is hardly meant.
const WEAK: f32 = 0.3;
/// So many of the nearest are shown if nothing was found.
const MAX_NEAREST: usize = 3;

/// No more candidates than this are looked at when filters or phrases refuse them.
const MAX_REFUSED: usize = 200_000;
/// No more files than this are read to find a phrase.
const MAX_PHRASE_READS: usize = 5_000;

/// How many hits more than wanted are looked at.
const BESIDE: usize = 8;

/// Answers a question.
///
/// # Errors
/// An index is damaged: the caller may refresh it and ask again.
pub(crate) fn search(
    collections: &[&Collection],
    query: &Query,
    options: &Options,
    usage: &Usage,
    second: Option<&SecondOpinion>,
    analyzer: &mut Analyzer,
) -> Result<SearchResults, SearchError> {
    // A phrase, or words that are not there, leave nothing to be of another opinion about.
    let second = second.filter(|_| query.phrases.is_empty() && !query.text.is_empty());
    let mut searched = Searched::new(collections, query);
    let date = options.now.to_zoned(TimeZone::UTC).date();
    let today = crate::query::day_number(date);
    let lives: Vec<&Live> = searched.parts.iter().map(|part| part.live).collect();
    let mut dated_query = None;
    if let Some(event) = &query.event
        && let Some(window) = anchor::window(&searched, &lives, event, date)?
    {
        dated_query.insert(query.clone()).set_window(window, analyzer);
    }
    let query = dated_query.as_ref().unwrap_or(query);
    let mut ranked = rank(&lives, query, today)?;
    let mut found = SearchResults { nothing_asked: query.nothing_asked(), ..SearchResults::default() };
    let mut corrected_query = None;
    let mut corrections = Vec::new();
    if typo::is_wanted(query, &ranked) {
        let corrected;
        (corrected, corrections) = typo::correct(&lives, query, &ranked, analyzer)?;
        if !corrections.is_empty() {
            ranked = rank(&lives, &corrected, today)?;
            corrected_query = Some(corrected);
        }
    }
    let query = corrected_query.as_ref().unwrap_or(query);
    searched.exclude(&query.excluded)?;
    let mut snippets = snippet::Snippets::new(query, &ranked, analyzer);
    let mut reads = 0;
    // Use may move a hit up a little, and what replaces another comes before it: from just behind the last one that
    // is wanted too.
    let mut wanted = options.limit.saturating_add(BESIDE);
    if options.snippets {
        // Neighbours of a turn are left out below, and take no place of what is wanted.
        wanted = wanted.saturating_add(options.limit);
    }
    if second.is_some() {
        wanted = wanted.max(second_opinion::MOST_READ);
    }
    let mut places = Vec::new();
    for candidate in best_first(ranked.candidates).take(MAX_REFUSED) {
        if places.len() >= wanted {
            break;
        }
        let Some(mut place) = searched.place(&candidate)? else { continue };
        if !query.phrases.is_empty() {
            reads += 1;
            if reads > MAX_PHRASE_READS {
                break;
            }
            if !phrase::stands_in(&place, &query.phrases) {
                continue;
            }
        }
        place.hit.score *= usage.favour(&place.hit.path);
        places.push(place);
    }
    if let Some(second) = second {
        places.sort_by(|one, other| other.hit.score.total_cmp(&one.hit.score));
        second.reorder(&mut places, &query.text);
    }
    succession::put_successors_first(&mut places, &mut snippets);
    let listed: Vec<Utf8PathBuf> = places.iter().map(|place| place.hit.path.clone()).collect();
    for mut place in places {
        if found.hits.len() >= options.limit {
            break;
        }
        if options.snippets {
            snippets.fill(&mut place);
            if repeats(&place.hit, &listed) || snippets.is_only_a_neighbour(&place) {
                continue;
            }
            place.hit.share = snippets.share_held(&place);
            place.hit.is_weak = place.hit.share.is_some_and(|share| share < WEAK);
        }
        found.hits.push(place.hit);
    }
    for correction in corrections {
        let meant = snippets.as_written(&found.hits, correction.term).unwrap_or(correction.meant);
        found.corrected.push((correction.typed, meant));
    }
    if found.hits.iter().all(|hit| hit.is_weak) {
        found.nearest = std::mem::take(&mut found.hits);
        found.nearest.truncate(MAX_NEAREST);
    }
    Ok(found)
}

/// Whether a hit is a line of an index that links to a memory which was found itself.
fn repeats(hit: &Hit, listed: &[Utf8PathBuf]) -> bool {
    let Some(folder) = hit.path.parent() else { return false };
    matches!(hit.path.file_name(), Some("MEMORY.md" | "MEMORY-overflow.md"))
        && listed.iter().filter_map(|path| path.strip_prefix(folder).ok()).any(|path| {
            hit.snippet.contains(&format!("]({path})")) || hit.snippet.contains(&format!("](<{path}>)"))
        })
}

/// A candidate that passed the filters, with what is needed to read it again.
struct Place {
    hit: Hit,
    kind: Kind,
    unit: UnitRecord,
    /// Whether a later text may take its place: not what an agent said, nor talk between people, who tell and retell.
    is_replaceable: bool,
}

/// One segment of one collection.
struct Part<'a> {
    collection: &'a Collection,
    live: &'a Live,
    records: HashMap<u32, Option<GroupRecord>>,
    /// Groups that have given a hit already, where a hit is a file.
    taken: HashSet<u32>,
    /// Units, or groups where a hit is a file, that hold an excluded word.
    excluded: HashSet<u32>,
}

struct Searched<'a> {
    parts: Vec<Part<'a>>,
    filters: &'a Filters,
}

impl<'a> Searched<'a> {
    fn new(collections: &[&'a Collection], query: &'a Query) -> Self {
        let filters = &query.filters;
        let mut parts = Vec::new();
        for collection in collections {
            let source = collection.source();
            let project = plain(&source.project);
            let wanted = filters.projects.is_empty()
                || filters.projects.iter().any(|wanted| project.contains(&plain(wanted)));
            if !wanted {
                continue;
            }
            parts.extend(collection.live().iter().map(|live| Part {
                collection,
                live,
                records: HashMap::new(),
                taken: HashSet::new(),
                excluded: HashSet::new(),
            }));
        }
        Self { parts, filters }
    }

    fn exclude(&mut self, terms: &[Term]) -> Result<(), SearchError> {
        for part in &mut self.parts {
            let segment = &part.live.segment;
            for term in terms {
                let Some(entry) = segment.find(*term)? else { continue };
                let passage_unit = segment.passage_unit()?;
                for (passage, _) in Postings::new(&segment.postings(&entry)?) {
                    let unit = passage_unit.get(passage as usize).copied().unwrap_or(0);
                    part.excluded.insert(match part.collection.source().kind {
                        Kind::Transcripts => unit,
                        Kind::Markdown => segment.unit_group()?.get(unit as usize).copied().unwrap_or(0),
                    });
                }
            }
        }
        Ok(())
    }

    /// The place of a candidate, unless something speaks against it.
    fn place(&mut self, candidate: &Scored) -> Result<Option<Place>, SearchError> {
        let Some(part) = self.parts.get_mut(candidate.segment as usize) else { return Ok(None) };
        let segment = &part.live.segment;
        let source = part.collection.source();
        let unit = candidate.unit;
        let group = segment.unit_group()?.get(unit as usize).copied().unwrap_or(0);
        let subject = if source.kind == Kind::Markdown { group } else { unit };
        if part.excluded.contains(&subject) || part.taken.contains(&group) {
            return Ok(None);
        }
        let minutes = segment.unit_time()?.get(unit as usize).copied().unwrap_or(0);
        let flags = segment.unit_flags()?.get(unit as usize).copied().unwrap_or(0);
        let filters = self.filters;
        if !filters.holds_day(i64::from(minutes) / 1_440) || !role_fits(filters.role, flags) {
            return Ok(None);
        }
        let record = match part.records.entry(group) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(slot) => {
                let record = segment.group(group)?;
                let fits = fits(filters, source.scope_of(&record.path), source.kind, &record);
                slot.insert(fits.then_some(record))
            }
        };
        let Some(record) = record else { return Ok(None) };
        if source.kind == Kind::Markdown {
            part.taken.insert(group);
        }
        Ok(Some(place_of(part.collection, segment, candidate, record)?))
    }

    /// The place of a candidate, whatever the filters say.
    fn locate(&self, candidate: &Scored) -> Result<Option<Place>, SearchError> {
        let Some(part) = self.parts.get(candidate.segment as usize) else { return Ok(None) };
        let segment = &part.live.segment;
        let group = segment.unit_group()?.get(candidate.unit as usize).copied().unwrap_or(0);
        place_of(part.collection, segment, candidate, &segment.group(group)?).map(Some)
    }
}

fn place_of(
    collection: &Collection,
    segment: &Segment,
    candidate: &Scored,
    record: &GroupRecord,
) -> Result<Place, SearchError> {
    let source = collection.source();
    let unit = segment.unit(candidate.unit)?;
    let minutes = segment.unit_time()?.get(candidate.unit as usize).copied().unwrap_or(0);
    let time = Timestamp::from_second(i64::from(minutes) * 60).ok().filter(|_| minutes > 0);
    let hit = Hit {
        path: collection.path_of(&record.path),
        line: unit.line,
        title: record.title.clone(),
        kind: match source.kind {
            Kind::Markdown => record.kind.clone(),
            Kind::Transcripts => "session".to_owned(),
        },
        scope: source.scope_of(&record.path),
        project: source.project.clone(),
        score: candidate.score,
        snippet: String::new(),
        marks: Vec::new(),
        time,
        uuid: unit.uuid.clone(),
        share: None,
        superseded_by: record.superseded_by.clone(),
        client: String::new(),
        is_weak: false,
    };
    let flags = segment.unit_flags()?.get(candidate.unit as usize).copied().unwrap_or(0);
    let is_replaceable = source.kind == Kind::Markdown || flags & UnitFlags::USER != 0;
    Ok(Place { hit, kind: source.kind, unit, is_replaceable })
}

/// A project's name with nothing but letters and digits: a path and the directory's name that was made of it agree.
fn plain(project: &str) -> String {
    project.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

fn fits(filters: &Filters, scope: Scope, kind: Kind, record: &GroupRecord) -> bool {
    let among =
        |wanted: &[String], value: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == value);
    let type_of = if kind == Kind::Transcripts { "session" } else { record.kind.as_str() };
    let path = record.path.to_lowercase();
    (filters.scopes.is_empty() || filters.scopes.contains(&scope))
        && among(&filters.types, &type_of.to_lowercase())
        && (filters.branches.is_empty()
            || (kind == Kind::Transcripts && among(&filters.branches, &record.kind)))
        && (filters.paths.is_empty() || filters.paths.iter().any(|part| path.contains(part)))
}

fn role_fits(role: Option<Role>, flags: u8) -> bool {
    match role {
        None => true,
        Some(Role::User) => flags & UnitFlags::USER != 0,
        Some(_) => flags & UnitFlags::ASSISTANT != 0,
    }
}
