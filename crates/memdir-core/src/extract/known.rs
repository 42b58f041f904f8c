//! What is written down already, so that nothing is written twice.

use std::collections::{HashMap, HashSet};

use super::Extracted;
use super::token::fold;
use super::topic_words::{topic_word_list, topic_words};
use crate::memory::memory_type::MemoryType;
use crate::rel_path::RelPath;

/// How a memory compares with what is written down already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It was not said yet.
    New,
    /// It is said there already.
    Said {
        /// The file.
        whence: String,
    },
    /// This memory is about the same and says it differently.
    Updates {
        /// The memory's file.
        path: RelPath,
    },
}

/// The memories and documents that a new memory is compared with.
#[derive(Debug, Default)]
pub struct KnownTexts {
    memories: Vec<KnownMemory>,
    documents: Vec<(String, Passage)>,
    /// The words of the project's manifests, with the file that holds them.
    names: HashMap<String, String>,
    /// Every passage: the memory's position, and its own in that memory.
    places: Vec<(usize, usize)>,
    /// Which of these hold a word: only those that share some can say the same.
    by_word: HashMap<String, Vec<usize>>,
}

#[derive(Debug)]
struct KnownMemory {
    path: RelPath,
    name: String,
    memory_type: Option<MemoryType>,
    passages: Vec<Passage>,
}

#[derive(Debug)]
struct Passage {
    words: HashSet<String>,
    negates: bool,
    /// What must be the same to the letter: numbers, days, versions, paths, addresses.
    details: HashSet<String>,
    /// The words in their order, if one thing is set against another: `tabs over spaces` is not `spaces over tabs`.
    order: Vec<String>,
    /// What it takes the place of: the word behind `instead of`.
    replaced: HashSet<String>,
}

/// Shares in hundredths: from here on a passage says all of it, or is about the same.
const SAYS_IT: usize = 80;
const SAME_MATTER: usize = 40;
/// Fewer words than these are alike by chance.
const FEWEST_WORDS: usize = 2;
/// A longer line of a manifest was made by a program.
const LONGEST_LINE: usize = 400;
/// Words, as [`topic_words()`] cuts them, by which people say what a project is made with.
const MADE_WITH: [&str; 22] = [
    "project",
    "repo",
    "repository",
    "codebas",
    "writt",
    "built",
    "based",
    "made",
    "run",
    "work",
    "app",
    "service",
    "stack",
    "framework",
    "library",
    "packag",
    "manager",
    "test",
    "databas",
    "languag",
    "backend",
    "frontend",
];
/// So many lines of one document are compared.
const MOST_PASSAGES: usize = 2_000;

impl KnownTexts {
    /// A memory that exists, by its name and body.
    pub fn add_memory(&mut self, path: RelPath, name: &str, memory_type: Option<MemoryType>, body: &str) {
        let passages: Vec<Passage> = statements(body).map(Passage::of).collect();
        let memory = self.memories.len();
        for (at, passage) in passages.iter().enumerate() {
            for word in &passage.words {
                self.by_word.entry(word.clone()).or_default().push(self.places.len());
            }
            self.places.push((memory, at));
        }
        self.memories.push(KnownMemory { path, name: name.to_owned(), memory_type, passages });
    }

    /// A document that the agent reads anyway: an instruction file, the project's README.
    pub fn add_document(&mut self, whence: &str, text: &str) {
        let lines = text.lines().map(str::trim).filter(|line| line.len() > 8);
        for line in lines.take(MOST_PASSAGES) {
            self.documents.push((whence.to_owned(), Passage::of(line)));
        }
    }

    /// A manifest of the project: it names what the project is made with, and agents read it anyway.
    pub fn add_manifest(&mut self, whence: &str, text: &str) {
        let lines = text.lines().filter(|line| line.len() < LONGEST_LINE);
        for word in lines.take(MOST_PASSAGES).flat_map(topic_words) {
            self.names.entry(word).or_insert_with(|| whence.to_owned());
        }
    }

    /// The manifest that holds every name of a statement which only says what the project is made with.
    fn manifest_of(&self, memory: &Extracted, new: &Passage) -> Option<&str> {
        let says_more = new.negates
            || !new.details.is_empty()
            || !new.order.is_empty()
            || memory.reason.is_some()
            || matches!(memory.memory_type, MemoryType::User | MemoryType::Reference);
        if says_more {
            return None;
        }
        let mut named = new.words.iter().filter(|word| !MADE_WITH.contains(&word.as_str())).peekable();
        let first = named.peek().and_then(|word| self.names.get(*word))?;
        named.all(|word| self.names.contains_key(word)).then_some(first.as_str())
    }

    /// How a new memory compares with all that.
    #[must_use]
    pub fn standing(&self, memory: &Extracted) -> Standing {
        let text = memory.statement.as_str();
        let new = Passage::of(text);
        let wanted = &memory.memory_type;
        // A decision that names what it takes the place of, or says that something is so now, is about that.
        let takes_place = *wanted == MemoryType::Project && says_change(text);
        let mut nearest: Option<(usize, &KnownMemory)> = None;
        for ((memory, at), shared) in self.sharing(&new, takes_place) {
            let Some(known) = self.memories.get(memory) else { continue };
            let Some(passage) = known.passages.get(at) else { continue };
            if new.is_said_by(passage, shared) {
                return Standing::Said { whence: known.path.to_string() };
            }
            let share = new.likeness(passage, shared);
            let is_same_type = known.memory_type.as_ref() == Some(wanted);
            let is_same_matter =
                share >= SAME_MATTER || takes_place && new.takes_the_place_of(passage, shared);
            if is_same_type && is_same_matter && nearest.is_none_or(|(best, _)| share > best) {
                nearest = Some((share, known));
            }
        }
        if let Some((whence, _)) =
            self.documents.iter().find(|(_, passage)| new.is_said_by(passage, new.shared(passage)))
        {
            return Standing::Said { whence: whence.clone() };
        }
        if let Some(whence) = self.manifest_of(memory, &new) {
            return Standing::Said { whence: whence.to_owned() };
        }
        let updates = memory
            .updates
            .as_deref()
            .and_then(|name| self.memories.iter().find(|known| known.is_named(name)));
        if let Some(known) = updates {
            return Standing::Updates { path: known.path.clone() };
        }
        match nearest.map(|(_, known)| known) {
            Some(known) => Standing::Updates { path: known.path.clone() },
            None => Standing::New,
        }
    }
}

impl KnownMemory {
    /// By the name in its frontmatter, or by its file.
    fn is_named(&self, name: &str) -> bool {
        self.name == name || self.path.as_str().strip_suffix(".md") == Some(name)
    }
}

impl KnownTexts {
    /// The passages of memories that share enough words with a new one to say the same, in their order, and how many.
    fn sharing(&self, new: &Passage, takes_place: bool) -> Vec<((usize, usize), usize)> {
        let places = new.words.iter().filter_map(|word| self.by_word.get(word)).flatten();
        let mut counts = vec![0_u32; self.places.len()];
        for place in places {
            if let Some(count) = counts.get_mut(*place) {
                *count += 1;
            }
        }
        // What shares less can neither say it nor be about the same.
        let fewest = (new.words.len() * SAME_MATTER.min(SAYS_IT)).div_ceil(100).max(1);
        let fewest = if takes_place { 1 } else { fewest };
        let shared = self.places.iter().copied().zip(counts.into_iter().map(|count| count as usize));
        shared.filter(|(_, count)| *count >= fewest).collect()
    }
}

/// The paragraphs of a memory that state something; not those about why and how.
fn statements(body: &str) -> impl Iterator<Item = &str> {
    const AROUND: [&str; 5] = ["**Why", "**How", "**Said", "**Instead", "**About"];
    body.split('\n')
        .map(str::trim)
        .filter(|line| !line.is_empty() && !AROUND.iter().any(|start| line.starts_with(start)))
        .map(|line| {
            let line = line.trim_start_matches(['>', ' ']);
            let since = line.strip_prefix("**Since ").and_then(|rest| rest.split_once(":** "));
            since.map_or(line, |(_, words)| words)
        })
}

impl Passage {
    fn of(text: &str) -> Self {
        let is_word = |word: &String| !word.contains(|character: char| character.is_ascii_digit());
        let order = if compares(text) { topic_word_list(text) } else { Vec::new() };
        let order = order.into_iter().filter(is_word).collect();
        Self {
            words: topic_words(text),
            negates: negates(text),
            details: details(text),
            order,
            replaced: replaced(text),
        }
    }

    fn shared(&self, other: &Self) -> usize {
        self.words.iter().filter(|word| other.words.contains(*word)).count()
    }

    fn is_said_by(&self, known: &Self, shared: usize) -> bool {
        self.words.len() >= FEWEST_WORDS
            && self.negates == known.negates
            && shared * 100 >= self.words.len() * SAYS_IT
            && self.details.is_subset(&known.details)
            && self.is_in_order_of(known)
    }

    /// Whether the words that both share come in the same order, where that matters.
    fn is_in_order_of(&self, known: &Self) -> bool {
        let both = |own: &[String], others: &HashSet<String>| -> Vec<String> {
            let mut seen = HashSet::new();
            let is_new = |word: &&String| others.contains(*word) && seen.insert((*word).clone());
            own.iter().filter(is_new).cloned().collect()
        };
        self.order.is_empty()
            || known.order.is_empty()
            || both(&self.order, &known.words) == both(&known.order, &self.words)
    }

    /// Whether a change speaks of what the other one says: of half of it, or of all that it is said to replace.
    fn takes_the_place_of(&self, known: &Self, shared: usize) -> bool {
        let is_replaced = !self.replaced.is_empty() && self.replaced.is_subset(&known.words);
        is_replaced || shared > 1 && shared * 2 >= self.words.len().min(known.words.len())
    }

    /// Shared words of all words, in hundredths.
    fn likeness(&self, other: &Self, shared: usize) -> usize {
        let all = self.words.len() + other.words.len() - shared;
        if all < FEWEST_WORDS { 0 } else { shared * 100 / all }
    }
}

/// The first topic word behind the words that put one thing in the place of another.
fn replaced(text: &str) -> HashSet<String> {
    const MARKS: [&str; 14] = [
        "instead of ",
        "in place of ",
        "rather than ",
        "away from ",
        " replaces ",
        "anstelle von ",
        "statt ",
        "en lugar de ",
        "en vez de ",
        "au lieu de ",
        "à la place de ",
        "em vez de ",
        "而不是",
        "代替",
    ];
    let lower = text.to_lowercase();
    let behind = MARKS.iter().filter_map(|mark| lower.split_once(mark).map(|(_, behind)| behind));
    behind.filter_map(|behind| topic_word_list(behind).into_iter().next()).collect()
}

/// Whether a text says that something is another way than before.
fn says_change(text: &str) -> bool {
    const WORDS: [&str; 20] = [
        "instead",
        "now",
        "anymore",
        "longer",
        "switch",
        "switched",
        "moved",
        "dropped",
        "replaces",
        "replaced",
        "statt",
        "jetzt",
        "anstelle",
        "ahora",
        "lugar",
        "maintenant",
        "lieu",
        "agora",
        "vez",
        "after",
    ];
    const PARTS: [&str; 6] = ["改用", "改为", "换成", "而不是", "変更", "代わり"];
    let mut words = text.split(|character: char| !character.is_alphanumeric());
    words.any(|word| WORDS.contains(&fold(word).as_ref())) || PARTS.iter().any(|part| text.contains(part))
}

/// Whether a text prefers one thing to another.
fn compares(text: &str) -> bool {
    const WORDS: [&str; 12] = [
        "over", "instead", "rather", "than", "not", "statt", "anstatt", "lieber", "vez", "lieu", "plutot",
        "before",
    ];
    const PARTS: [&str; 4] = ["而不是", "ではなく", "より", "不是"];
    let mut words = text.split(|character: char| !character.is_alphanumeric());
    words.any(|word| WORDS.contains(&fold(word).as_ref())) || PARTS.iter().any(|part| text.contains(part))
}

/// The pieces of a text that mean something else if one sign of them changes.
fn details(text: &str) -> HashSet<String> {
    let pieces = text.split_whitespace().map(|piece| {
        piece.trim_matches(|character: char| {
            !character.is_alphanumeric() && !matches!(character, '/' | '~' | '#')
        })
    });
    let is_exact = |piece: &&str| {
        piece.contains(|character: char| character.is_ascii_digit())
            || piece.contains(['/', '\\', '_', '@', '.', '#'])
    };
    pieces.filter(is_exact).map(str::to_lowercase).collect()
}

pub(super) fn negates(text: &str) -> bool {
    const WORDS: [&str; 30] = [
        "not", "no", "never", "don't", "dont", "stop", "avoid", "without", "isn't", "won't", "can't", "quit",
        "nunca", "jamas", "sin", "nie", "niemals", "nicht", "kein", "keine", "ohne", "jamais", "pas", "sans",
        "ne", "nao", "sem", "deja", "pare", "arrete",
    ];
    const PARTS: [&str; 8] = ["不", "别", "禁止", "ない", "ません", "やめ", "禁", "没"];
    let mut words = text.split(|character: char| !character.is_alphanumeric() && character != '\'');
    words.any(|word| WORDS.contains(&fold(word).as_ref())) || PARTS.iter().any(|part| text.contains(part))
}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use super::*;

    fn said(memory_type: MemoryType, text: &str, reason: Option<&str>) -> Extracted {
        Extracted {
            memory_type,
            title: String::new(),
            name: "x".to_owned(),
            description: String::new(),
            statement: text.to_owned(),
            reason: reason.map(str::to_owned),
            day: None,
            body: format!("> {text}\n"),
            source: Source::default(),
            cues: Vec::new(),
            is_lesson: false,
            updates: None,
        }
    }

    #[test]
    fn nothing_is_written_twice() {
        let mut known = KnownTexts::default();
        let path = RelPath::parse("feedback-tabs.md").unwrap();
        let old = "> Always use tabs for indentation in Go files.\n\n**Said:** 2026-03-11\n";
        known.add_memory(path.clone(), "tabs", Some(MemoryType::Feedback), old);
        known.add_document("CLAUDE.md", "# Rules\n\n- Run the linter before every commit, please.\n");
        let check = |known: &KnownTexts, text: &str, expected: &Standing| {
            let memory = said(MemoryType::Feedback, text, None);
            assert_eq!(known.standing(&memory), *expected, "{text}");
        };
        let updates = Standing::Updates { path };
        check(
            &known,
            "please always use tabs for indentation in Go files",
            &Standing::Said { whence: "feedback-tabs.md".to_owned() },
        );
        check(
            &known,
            "run the linter before each commit",
            &Standing::Said { whence: "CLAUDE.md".to_owned() },
        );
        check(&known, "never use tabs for indentation in Go files", &updates);
        check(&known, "four spaces for indentation from now on, no tabs", &updates);
        check(&known, "ask before installing dependencies", &Standing::New);
        known.add_manifest("package.json", "{\"dependencies\": {\n\"vitest\": \"^2\",\n\"react\": \"^19\"}}");
        let check = |text: &str, why: Option<&str>, expected: &Standing| {
            let memory = said(MemoryType::Project, text, why);
            assert_eq!(known.standing(&memory), *expected, "{text}");
        };
        let said = Standing::Said { whence: "package.json".to_owned() };
        check("We use React and Vitest in this project.", None, &said);
        check("We use React and Vitest in this project.", Some("The client asked for it."), &Standing::New);
        check("We never use React in this project.", None, &Standing::New);
        check("We use React 18 in this project.", None, &Standing::New);
        check("We use React and Jest in this project.", None, &Standing::New);
    }
}
