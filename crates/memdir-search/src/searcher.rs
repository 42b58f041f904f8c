use std::sync::{Mutex, PoisonError};

use camino::Utf8Path;
use jiff::civil::Date;

use crate::analyze::Analyzer;
use crate::collection::{Collection, Freshness, Limits, Source};
use crate::error::SearchError;
use crate::meaning::{Encoder, MeaningFile};
use crate::query::Query;
use crate::recall::{RecallOptions, Recalled, count_read, read_memories, recall};
use crate::search::{Options, SearchResults, SecondOpinion, search};
use crate::usage::Usage;

/// Several folders, searched as one. What a command, an MCP server or an agent holds on to.
pub struct Searcher {
    collections: Vec<Collection>,
    /// Keeps words that it has seen, which repeat from question to question.
    analyzer: Mutex<Analyzer>,
    usage: Usage,
    second: Option<SecondOpinion>,
}

impl Searcher {
    /// Opens the indexes of some folders as they are. Nothing is scanned, written or refused.
    ///
    /// `cache` is the folder in which all indexes are.
    #[must_use]
    pub fn open(cache: &Utf8Path, sources: Vec<Source>) -> Self {
        let collections = sources.into_iter().map(|source| Collection::open(cache, source)).collect();
        Self { collections, analyzer: Mutex::default(), usage: Usage::default(), second: None }
    }

    /// Whether every index held every file when it was last written.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.collections.iter().all(Collection::is_complete)
    }

    /// Lets what has been of use before decide between equals.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Has an installed model read the best candidates of each search once more.
    #[must_use]
    pub fn with_second_opinion(mut self, second: Option<SecondOpinion>) -> Self {
        self.second = second;
        self
    }

    /// Brings every index up to date, as far as the limits allow.
    ///
    /// # Errors
    /// See [`Collection::refresh`].
    pub fn refresh(&mut self, limits: &mut Limits<'_>) -> Result<Freshness, SearchError> {
        self.refresh_some(limits, |_| true)
    }

    /// Brings these indexes up to date: for a process that knows by other means that
    /// nothing has changed in the others.
    ///
    /// # Errors
    /// See [`Collection::refresh`].
    pub fn refresh_some(
        &mut self,
        limits: &mut Limits<'_>,
        is_wanted: impl Fn(&Source) -> bool,
    ) -> Result<Freshness, SearchError> {
        let mut sum = Freshness::default();
        let wanted = self.collections.iter_mut().filter(|collection| is_wanted(collection.source()));
        for collection in wanted {
            let one = collection.refresh(limits)?;
            sum.files += one.files;
            sum.read += one.read;
            sum.waiting += one.waiting;
        }
        Ok(sum)
    }

    /// Builds those indexes that do not exist yet, as far as the limits allow, and leaves the others as they are.
    ///
    /// # Errors
    /// See [`Collection::refresh`].
    pub fn build_missing(&mut self, limits: &mut Limits<'_>) -> Result<(), SearchError> {
        for collection in self.collections.iter_mut().filter(|collection| !collection.is_indexed()) {
            collection.refresh(limits)?;
        }
        Ok(())
    }

    /// Indexes one file that was just written or removed. Returns whether it belongs to one of the folders and could
    /// be indexed; if not, the next refresh finds it.
    ///
    /// # Errors
    /// See [`Collection::refresh_file`].
    pub fn refresh_file(&mut self, path: &Utf8Path) -> Result<bool, SearchError> {
        for collection in &mut self.collections {
            if collection.refresh_file(path)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Understands a question.
    #[must_use]
    pub fn parse(&mut self, text: &str, today: Date) -> Query {
        Query::parse(text, today, self.analyzer.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    /// Answers a question from the indexes as they are.
    ///
    /// # Errors
    /// An index is damaged; a refresh brings it back.
    pub fn search(&self, query: &Query, options: &Options) -> Result<SearchResults, SearchError> {
        let collections: Vec<&Collection> = self.collections.iter().collect();
        let second = self.second.as_ref();
        // A search at the same time goes without the words that earlier ones have seen.
        match self.analyzer.try_lock() {
            Ok(mut analyzer) => search(&collections, query, options, &self.usage, second, &mut analyzer),
            Err(_) => search(&collections, query, options, &self.usage, second, &mut Analyzer::new()),
        }
    }

    /// Answers a question; an index that turns out to be damaged is built anew first, in memory if it is damaged again
    /// as soon as it is built.
    ///
    /// # Errors
    /// The folder of an index cannot be read.
    pub fn search_repairing(
        &mut self,
        query: &Query,
        options: &Options,
        limits: &mut Limits<'_>,
    ) -> Result<SearchResults, SearchError> {
        match self.search(query, options) {
            Err(SearchError::Damaged { .. }) => {
                for collection in &mut self.collections {
                    collection.rebuild(limits)?;
                }
            }
            other => return other,
        }
        match self.search(query, options) {
            Err(SearchError::Damaged { .. }) => {
                for collection in &mut self.collections {
                    collection.rebuild_in_memory(limits)?;
                }
                self.search(query, options)
            }
            other => other,
        }
    }

    /// The memories that matter for a prompt, from the indexes as they are: nothing is scanned, nothing written.
    ///
    /// # Errors
    /// An index is damaged; a refresh brings it back.
    pub fn recall(&mut self, prompt: &str, options: &RecallOptions<'_>) -> Result<Recalled, SearchError> {
        let collections: Vec<&Collection> = self.collections.iter().collect();
        let analyzer = self.analyzer.get_mut().unwrap_or_else(PoisonError::into_inner);
        recall(&collections, prompt, options, &self.usage, analyzer)
    }

    /// Has a model read what has changed in the indexes, as far as the limits allow.
    ///
    /// # Errors
    /// An index or the model cannot be read, or nothing can be written.
    pub fn read_memories(&self, model: &Encoder, limits: &mut Limits<'_>) -> Result<Freshness, SearchError> {
        self.sum(|collection| read_memories(collection, model, limits))
    }

    /// How many memories there are, and how many of them no model has read as they are now.
    ///
    /// # Errors
    /// An index cannot be read.
    pub fn count_read(&self) -> Result<Freshness, SearchError> {
        self.sum(count_read)
    }

    /// Pairs of memories, by their paths below the folder, whose texts a model found to mean nearly the same; of each
    /// folder so many memories are compared. Empty without a model.
    #[must_use]
    pub fn neighbours(&self, least: f32, most: usize) -> Vec<(String, String)> {
        let files = self.collections.iter().filter_map(|each| MeaningFile::open(each.cache_folder()));
        let pairs = |file: MeaningFile| -> Vec<(String, String)> {
            let pairs = file.neighbours(least, most);
            pairs.into_iter().map(|(one, other)| (one.to_owned(), other.to_owned())).collect()
        };
        files.flat_map(pairs).collect()
    }

    fn sum(
        &self,
        mut of: impl FnMut(&Collection) -> Result<Freshness, SearchError>,
    ) -> Result<Freshness, SearchError> {
        let mut sum = Freshness::default();
        for collection in &self.collections {
            let one = of(collection)?;
            sum.files += one.files;
            sum.read += one.read;
            sum.waiting += one.waiting;
        }
        Ok(sum)
    }

    /// Whether some file was not indexed when an index was last written.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.collections.iter().any(|collection| !collection.is_complete())
    }
}
