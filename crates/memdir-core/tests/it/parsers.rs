//! What must hold for any input of every parser: the bodies of the fuzz targets, run by the suite over their corpora.

use jiff::Timestamp;
use memdir_core::chunked_body::Chunks;
use memdir_core::extract::{Extractor, Outcome, Source};
use memdir_core::hygiene::{Owner, Provenance, clean, escape, read_back, render, unescape};
use memdir_core::journal::archive::Archive;
use memdir_core::journal::breadcrumb::Breadcrumb;
use memdir_core::journal::index::{self as journal_index, MOST_ROWS};
use memdir_core::journal::rebuild::{FoundFile, entry};
use memdir_core::journal::record::{Record, edit_field};
use memdir_core::journal::row::{self as journal_row, Row};
use memdir_core::journal::session::Session as JournalSession;
use memdir_core::journal::state;
use memdir_core::journal::subagent::{Run, accept};
use memdir_core::mcp::http::{Gate, Head};
use memdir_core::mcp::{
    Incoming, MemoryUri, Method, ServerFacts, Session, Step, ToolCall, directory_of_root,
};
use memdir_core::memory::entrypoint::{self, MAX_UNITS, Profile, Usage};
use memdir_core::memory::frontmatter::{self, Frontmatter};
use memdir_core::memory::index::{Index, add_line, balance, examine, merge};
use memdir_core::memory::links::{Renamed, links, rename_links};
use memdir_core::memory::manifest::{ManifestEntry, client_description};
use memdir_core::memory::memory_tool::{self, EntryKind, ToolFiles};
use memdir_core::memory::text_merge::merge_text;
use memdir_core::memory::topic::Topic;
use memdir_core::memory::{js_text, topic};
use memdir_core::user::{self, Category, Export, ProfileFile};
use memdir_core::workspace::{MANIFESTS, NewProject, WorkspaceEdit, WorkspaceMap, read_manifest};

/// The body of a target.
type Body = fn(&[u8]);

/// Every target: its name, which is also the folder of its corpus, and its body.
pub(crate) const TARGETS: [(&str, Body); 16] = [
    ("entrypoint", load_entrypoint),
    ("frontmatter", edit_frontmatter),
    ("topic", read_topic),
    ("links", follow_links),
    ("index", keep_index),
    ("merge", merge_three),
    ("memory_tool", run_tool),
    ("render_memory", quote_memory),
    ("journal_index", keep_journal_index),
    ("journal_record", take_record_apart),
    ("journal_session", read_journal_session),
    ("workspace", keep_workspace),
    ("profile", keep_profile),
    ("mcp_message", take_mcp_message),
    ("http_request", read_http_request),
    ("extract", extract_memories),
];

/// No more than the limits is loaded, whatever the bytes.
pub(crate) fn load_entrypoint(data: &[u8]) {
    for profile in [Profile::Current, Profile::Agent, Profile::Seed] {
        let loaded = entrypoint::load(data, profile);
        let kept = loaded.text.strip_suffix(loaded.warning.as_deref().unwrap_or_default());
        assert!(js_text::units(kept.unwrap_or(&loaded.text)) <= MAX_UNITS);
        assert_eq!(loaded.shown, !loaded.text.is_empty());
    }
}

/// What is set reads back, and removing it leaves a text that still reads.
pub(crate) fn edit_frontmatter(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let (Some(fields), _) = Frontmatter::parse(&text) {
        for key in fields.keys() {
            let _ = fields.value(&key);
        }
    }
    for key in ["name", "metadata.type"] {
        if let Ok(changed) = frontmatter::set(&text, key, &text) {
            let (fields, _) = Frontmatter::parse(&changed);
            let read_back = fields.and_then(|fields| fields.text(key, &mut Vec::new()));
            assert_eq!(read_back.as_deref(), Some(text.as_ref()));
            assert!(frontmatter::remove(&changed, key).is_ok());
        }
    }
}

/// A topic's body is a part of its text, and its header can be read from any beginning of it.
pub(crate) fn read_topic(data: &[u8]) {
    let (text, _) = topic::decode(data);
    let (read, _) = Topic::parse(&text);
    assert!(text.get(read.body).is_some());
    let _ = ManifestEntry::from_head("x.md", data, false, Timestamp::UNIX_EPOCH);
    let _ = client_description(&text);
}

/// A link's range is in the text, and a rename changes nothing where there is no such link.
pub(crate) fn follow_links(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for link in links(&text) {
        assert!(text.get(link.range).is_some());
    }
    let renamed =
        Renamed { old_name: Some("\u{1}"), old_path: "\u{1}.md", new_name: "new", new_path: "new.md" };
    if !text.contains('\u{1}') && !text.contains("%01") {
        assert_eq!(rename_links(&text, "a/b.md", &renamed), text);
    }
}

/// An index keeps every byte; an added line is there; balancing never makes it worse.
pub(crate) fn keep_index(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let index = Index::parse(&text);
    assert_eq!(index.lines.iter().map(|line| line.raw).collect::<String>(), text);
    let _ = examine(&text, &["a.md"]);
    let _ = add_line(&text, "t", "new.md", &text);
    let balanced = balance(&text, None, &std::collections::HashMap::new());
    assert!(Usage::of(&balanced.index).fits() || balanced.index == text);
}

/// Merging does not depend on the order of the sides. The input is parted at its NUL bytes.
pub(crate) fn merge_three(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut parts = text.splitn(3, '\0');
    let (base, mine, theirs) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    assert_eq!(merge(base, mine, theirs), merge(base, theirs, mine));
    assert_eq!(merge_text(base, mine, theirs).ok(), merge_text(base, theirs, mine).ok());
}

/// Every input is answered, and a refused one changes nothing.
pub(crate) fn run_tool(data: &[u8]) {
    let outcome = memory_tool::run(&String::from_utf8_lossy(data), &OneFile);
    assert!(!outcome.answer.is_error || outcome.changes.is_empty());
}

/// A directory that holds `a.md` only.
struct OneFile;

impl ToolFiles for OneFile {
    fn found(&self, path: &str) -> Option<EntryKind> {
        match path {
            "" => Some(EntryKind::Folder),
            "a.md" => Some(EntryKind::File { size: 8 }),
            _ => None,
        }
    }

    fn names(&self, folder: &str) -> Vec<String> {
        if folder.is_empty() { vec!["a.md".to_owned()] } else { Vec::new() }
    }

    fn read(&self, _path: &str) -> Result<Vec<u8>, String> {
        Ok(b"one\ntwo\n".to_vec())
    }
}

/// No memory and no name speaks with any voice but its own. The input is parted at its first NUL byte.
pub(crate) fn quote_memory(data: &[u8]) {
    let input = String::from_utf8_lossy(data);
    let (name, text) = input.split_once('\0').unwrap_or(("x.md", &input));
    let cleaned = clean(text);
    assert_eq!(clean(&cleaned), cleaned, "cleaning twice changes more");
    assert_eq!(unescape(&escape(text)), text, "escaping cannot be taken back");
    let provenance = Provenance {
        file: name,
        owner: Owner::Team(name),
        modified: None,
        changed_by: None,
        now: Timestamp::UNIX_EPOCH,
    };
    let rendered = render(text, &provenance, 200);
    let quoted = read_back(&rendered);
    assert!(quoted.is_some(), "not one quotation: {rendered}");
    let Some(quoted) = quoted else { return };
    assert!(cleaned.starts_with(&quoted.text));
    assert_eq!(quoted.is_cut, quoted.text.len() < cleaned.len());
    assert_eq!(rendered.matches("</").count(), 1);
    for forged in ["<system", "<|im", "[INST]", "Human:", "Assistant:", "\u{1B}"] {
        assert!(!rendered.contains(forged), "{forged} in {rendered}");
    }
}

/// Registering a project keeps every other line, reads back, and changes nothing the second time.
pub(crate) fn keep_workspace(data: &[u8]) {
    let _ = WorkspaceMap::from_bytes(data);
    let text = String::from_utf8_lossy(data);
    for name in MANIFESTS {
        let _ = read_manifest(name, &text);
    }
    let edit = WorkspaceEdit::Register(NewProject { key: "zz|z", path: "/zzz", ..NewProject::default() });
    if let Ok(Some(changed)) = edit.apply(&text) {
        let is_empty = text.trim_start_matches('\u{feff}').trim().is_empty();
        assert!(text.contains("zz") || is_empty || holds_all_lines(&changed, &text));
        let map = WorkspaceMap::parse(&changed);
        assert!(map.projects.iter().any(|project| project.path == "/zzz"));
        assert_eq!(edit.apply(&changed), Ok(None));
    }
}

/// Adding keeps every line and reads back, forgetting takes only what it is about, and no budget is exceeded.
pub(crate) fn keep_profile(data: &[u8]) {
    let _ = ProfileFile::from_bytes(Category::Observations, data);
    let text = String::from_utf8_lossy(data);
    let _ = Export::parse(&text);
    let date = jiff::civil::Date::constant(2026, 1, 2);
    let new = user::NewItem { text: "zzz", heading: Some("Zz"), date, confirmed: Some(false), worked: None };
    if let Ok(Some(changed)) = user::add(Category::Feedback, &text, &new) {
        // A byte-order mark alone counts as an empty file.
        let is_empty = text.trim_start_matches('\u{feff}').trim().is_empty();
        assert!(is_empty || holds_all_lines(&changed, &text), "{text:?} became {changed:?}");
        let items = ProfileFile::parse(Category::Feedback, &changed).items;
        assert!(items.iter().any(|item| item.text == "zzz" && !item.may_be_used()));
        assert_eq!(user::add(Category::Feedback, &changed, &new), Ok(None));
        let without = user::remove(Category::Feedback, &changed, &items).ok().flatten().unwrap_or_default();
        assert!(holds_all_lines(&changed, &without));
        if let Ok(Some(merged)) = user::merge_in(Category::Feedback, "# Mine\n", &changed) {
            assert_eq!(user::merge_in(Category::Feedback, &merged, &changed), Ok(None));
        }
    }
    let told = user::render(
        &[(Category::Observations, &text, None, None), (Category::Profile, &text, None, None)],
        120,
        Timestamp::UNIX_EPOCH,
    );
    assert!(told.tokens <= 120);
}

/// Whether all lines of one text are in another, in their order. A carriage return at the very end becomes part of the
/// line's end if a line is added below it.
fn holds_all_lines(changed: &str, text: &str) -> bool {
    let mut lines = changed.lines().map(|line| line.trim_end_matches('\r'));
    text.lines().map(|line| line.trim_end_matches('\r')).all(|line| lines.any(|kept| kept == line))
}

/// An index and an archive keep every line that an edit is not about, and never hold more rows than they may.
pub(crate) fn keep_journal_index(data: &[u8]) {
    let mut index = journal_index::Index::parse(data);
    let before = index.to_text();
    assert_eq!(journal_index::Index::parse(before.as_bytes()).to_text(), before);
    let (rows, sections) = (index.rows(), index.foreign_sections());
    let row = Row::new(journal_row::Category::Decision, "decisions/\u{1}.md", "9999-01-01T00:00:00Z", "new");
    index.put_row(&row);
    index.refresh_lookups(|_| false);
    let surplus = index.take_surplus();
    if index.is_sound {
        assert!(index.rows().contains(&row) && index.rows().len() <= MOST_ROWS);
        assert!(index.rows().len() + surplus.len() >= rows.len());
        assert_eq!(index.foreign_sections(), sections);
    }
    let mut archive = Archive::parse(data);
    let entries = archive.entries().len();
    archive.add_entries(&surplus, "x");
    if archive.is_sound {
        assert_eq!(archive.entries().len(), entries + surplus.len());
    }
}

/// A record read back says the same; an edited field reads back; a plain text is accepted or refused, never lost.
pub(crate) fn take_record_apart(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let record = Record::parse(&text);
    assert_eq!(Record::parse(&record.to_string()).sections.len(), record.sections.len());
    let edited = edit_field(&text, "Status", "superseded", "Date");
    assert!(edited.contains("**Status**: superseded"));
    let _ = entry(&FoundFile { path: "decisions/x.md", head: data, modified: Timestamp::UNIX_EPOCH });
    let _ = state::current_state(&text, &text, &text, &text);
    let blocked = state::add_blocker(&text, "stuck", "2026-01-19T22:30:00Z");
    assert!(state::open_blockers(&blocked).iter().any(|blocker| blocker == "stuck"), "{blocked}");
    let _ = Breadcrumb::look_for([text.as_ref()], "app");
    let run = Run { task: "t", asked: None, agent: None, parent: None, now: "2026-01-19T22:30:00Z" };
    if let Ok(output) = accept(&text, &run) {
        assert!(output.record.section("Summary").is_some() && !output.record.title.is_empty());
    }
}

/// What a session file says survives being written again.
pub(crate) fn read_journal_session(data: &[u8]) {
    let _ = JournalSession::salvage(data);
    if let Ok(session) = JournalSession::parse(data) {
        let again = JournalSession::parse(session.to_text().as_bytes());
        assert_eq!(again, Ok(session));
    }
}

/// Whatever is said, in whatever order: requests are answered once, nothing else is.
pub(crate) fn take_mcp_message(data: &[u8]) {
    let mut session = Session::new(ServerFacts { version: "0", instructions: "" });
    for line in data.split(|byte| *byte == b'\n') {
        let messages = match Incoming::parse(line) {
            Incoming::Batch(messages) => messages,
            message => vec![message],
        };
        for message in messages {
            let wants_answer =
                matches!(message, Incoming::Request(_) | Incoming::Invalid { .. } | Incoming::Batch(_));
            match session.receive(message) {
                Step::Send(answer) => assert!(wants_answer && answer["jsonrpc"] == "2.0"),
                Step::Call(call) => {
                    assert!(wants_answer);
                    assert_eq!(call.result(Default::default())["id"], call.id.to_value());
                    if let Method::CallTool { name, arguments } = &call.method {
                        let _ = ToolCall::parse(name, arguments.clone()).map(|call| call.is_some());
                    }
                    if let Method::ReadResource { uri } = &call.method
                        && let Some(parsed) = MemoryUri::parse(uri)
                    {
                        assert_eq!(MemoryUri::parse(&parsed.to_string()), Some(parsed));
                    }
                }
                Step::Roots(roots) => roots.iter().for_each(|uri| drop(directory_of_root(uri))),
                Step::Ready if session.wants_roots() => drop(session.ask_roots()),
                Step::Silence | Step::Ready | Step::Cancelled(_) => assert!(!wants_answer),
            }
        }
    }
}

/// A head is read at the same place however much has arrived, and a body in pieces never grows beyond its limit.
pub(crate) fn read_http_request(data: &[u8]) {
    let whole = Head::parse(data);
    if let Ok(Some((head, length))) = &whole {
        assert_eq!(Head::parse(&data[..*length]), whole);
        assert_eq!(Head::parse(&data[..*length - 1]), Ok(None));
        let gate = Gate::new("secret".to_owned());
        let named = head.header("authorization").is_some_and(|value| value.ends_with("secret"));
        assert!(gate.check(head).is_err() || named);
        let _ = (head.accepts("text/event-stream"), head.is_json());
    }
    let body = whole.ok().flatten().map_or(data, |(_, length)| &data[length..]);
    let mut chunks = Chunks::new(64);
    if let Ok(Some(end)) = chunks.push(body) {
        assert!(end <= body.len());
    }
    assert!(chunks.into_body().len() <= 64);
}
/// Whatever is said and run, memories are few, have a safe name, and are described in one line.
pub(crate) fn extract_memories(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut extractor = Extractor::new(jiff::tz::TimeZone::UTC);
    let source = Source { turn: "u".to_owned(), time: Some(Timestamp::UNIX_EPOCH) };
    extractor.said(&text, &source);
    for line in text.lines() {
        extractor.said(line, &Source::default());
        extractor.ran(line, Outcome::Failed(&text), &source);
        extractor.ran(line.get(1..).unwrap_or_default(), Outcome::Worked, &source);
    }
    extractor.edited();
    extractor.agent_remembered();
    for memory in extractor.finish().memories {
        assert!(!memory.name.is_empty() && memory.name.chars().count() <= 40, "{}", memory.name);
        assert!(
            memory.name.chars().all(|letter| letter.is_alphanumeric() || letter == '-'),
            "{}",
            memory.name
        );
        assert!(!memory.description.contains('\n') && memory.description.chars().count() <= 110);
    }
}
