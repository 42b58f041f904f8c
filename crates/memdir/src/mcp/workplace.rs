use std::fmt;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use memdir_core::env::{Env, SESSION_ID};
use memdir_core::mcp::{
    Call, Changed, Method, RpcError, ToolCall, directory_of_root, prompts_list, tools_list,
};
use memdir_core::operation::{Author, AuthorKind};
use memdir_core::settings::ClientFlags;
use memdir_core::wiring::Agent;
use memdir_disk::pauses::Pauses;
use memdir_lib::memory::Memory;
use memdir_lib::place::switched_off;
use serde_json::{Map, Value, json};

use super::change_tools::New;
use super::project_watch::ProjectWatch;
use super::search_tool::{Wanted, WarmSearch};
use super::tool_answer::ToolAnswer;
use super::{Server, change_tools, journal_tool, prompts, read_tool, resources, sessions_tool};
use memdir_disk::real_path::real_path;

/// The project in which a client works, with what is kept open for it.
pub(super) struct Workplace {
    pub(super) env: Env,
    pub(super) search: WarmSearch,
    pub(super) watch: ProjectWatch,
    /// The id of the conversation, where it has one.
    session: Option<String>,
    start: Utf8PathBuf,
    /// This program's own file.
    program: Option<Utf8PathBuf>,
}

/// One request, and what is the same throughout it.
pub(super) struct Asked<'a> {
    pub(super) env: &'a Env,
    pub(super) author: &'a Author,
    pub(super) now: Timestamp,
    /// This program's own file.
    pub(super) program: Option<&'a Utf8Path>,
}

/// Why nothing is read or written.
enum Silence {
    /// This rule switched memory off.
    Off(String),
    /// The user has paused it.
    Paused,
}

impl fmt::Display for Silence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off(rule) => write!(formatter, "memory is off here ({rule}): nothing was read or written."),
            Self::Paused => formatter.write_str(
                "memdir is paused here: nothing was read or written. `memdir resume` ends the pause.",
            ),
        }
    }
}

impl Workplace {
    pub(super) fn new(server: &Server, session: Option<String>) -> Self {
        Self {
            env: server.env.clone(),
            program: server.program.clone(),
            search: WarmSearch::default(),
            watch: ProjectWatch::default(),
            session,
            start: server.env.cwd.clone(),
        }
    }

    /// A workplace without a conversation.
    pub(super) fn in_directory(server: &Server, directory: Utf8PathBuf) -> Self {
        let mut workplace = Self::new(server, None);
        workplace.env.cwd = directory;
        workplace
    }

    /// The first root that is a directory here, or else where the server was started.
    pub(super) fn directory(roots: &[String], start: &Utf8Path) -> Utf8PathBuf {
        let is_usable = |path: Utf8PathBuf| real_path(&path).ok().filter(|real| real.is_dir());
        let found = roots.iter().filter_map(|uri| directory_of_root(uri)).find_map(is_usable);
        found.unwrap_or_else(|| start.to_owned())
    }

    /// Moves to where these roots are. Returns whether that is another place.
    pub(super) fn move_to(&mut self, roots: &[String]) -> bool {
        let cwd = Self::directory(roots, &self.start);
        if cwd == self.env.cwd {
            return false;
        }
        self.env.cwd = cwd;
        self.search = WarmSearch::default();
        self.watch = ProjectWatch::default();
        true
    }

    /// What changed in the memory directory since the last time.
    pub(super) fn changes(&mut self) -> Changed {
        if self.silence().is_some() {
            return Changed::default();
        }
        self.watch.look(&self.env)
    }

    /// Answers a request.
    pub(super) fn answer(&mut self, call: &Call, server: &Server) -> Value {
        match self.result(call, server) {
            Ok(result) => call.result(result),
            Err(error) => call.error(&error),
        }
    }

    fn result(&mut self, call: &Call, server: &Server) -> Result<Map<String, Value>, RpcError> {
        let author = self.author(call);
        let now = server.now();
        let listed = |name: &str, items: Vec<Value>| Map::from_iter([(name.to_owned(), Value::Array(items))]);
        let silence = self.silence();
        let is_off = matches!(silence, Some(Silence::Off(_)));
        match &call.method {
            // What would refuse every call costs tokens and is of no use.
            Method::ListTools if is_off => {
                return Ok(listed("tools", Vec::new()));
            }
            Method::ListTools => return Ok(listed("tools", tools_list(server.with_memory_tool))),
            Method::ListTemplates => return Ok(listed("resourceTemplates", resources::templates())),
            Method::ListPrompts => return Ok(listed("prompts", prompts_list())),
            Method::CallTool { name, arguments } => {
                let parsed = ToolCall::parse(name, arguments.clone());
                return match parsed {
                    Ok(Some(ToolCall::Memory(_))) if !server.with_memory_tool => Err(no_tool(name)),
                    Ok(None) => Err(no_tool(name)),
                    Err(problem) => Ok(ToolAnswer::failed(problem).into_result()),
                    Ok(Some(tool)) => Ok(match silence {
                        Some(why) => ToolAnswer::failed(why.to_string()),
                        None => self.call(tool, &author, now),
                    }
                    .into_result()),
                };
            }
            _ => {}
        }
        if let Some(why) = silence {
            return match &call.method {
                Method::ListResources { .. } if is_off => Ok(listed("resources", Vec::new())),
                _ => Err(RpcError::new(RpcError::INTERNAL, why.to_string())),
            };
        }
        let asked = Asked { env: &self.env, author: &author, now, program: self.program.as_deref() };
        match &call.method {
            Method::ListResources { cursor } => resources::list(&asked, cursor.as_deref()),
            Method::ReadResource { uri } => resources::read(&asked, uri),
            Method::GetPrompt { name, .. } => prompts::get(&asked, name),
            Method::Complete(completion) => resources::complete(&asked, completion),
            _ => Err(RpcError::new(RpcError::INTERNAL, "this cannot be asked here")),
        }
    }

    fn call(&mut self, tool: ToolCall, author: &Author, now: Timestamp) -> ToolAnswer {
        let asked = Asked { env: &self.env, author, now, program: self.program.as_deref() };
        let answered = match &tool {
            ToolCall::Search { query, limit, within } => {
                let wanted = Wanted { query, limit: *limit, within: within.as_deref() };
                self.search.answer(&wanted, &asked, &mut self.watch)
            }
            ToolCall::Read { what, from } => read_tool::read(&asked, what, *from),
            ToolCall::Save { name, description, memory_type, text, cues, supersedes } => {
                change_tools::save(&asked, &New { name, description, memory_type, text, cues, supersedes })
            }
            ToolCall::Edit { name, change } => change_tools::edit(&asked, name, change),
            ToolCall::Forget { name } => change_tools::forget(&asked, name),
            ToolCall::Journal(action) => journal_tool::act(&asked, action),
            ToolCall::ListSessions { limit } => sessions_tool::list(&asked, *limit),
            ToolCall::ShowSession { id, around, limit } => {
                sessions_tool::show(&asked, id, around.as_deref(), *limit)
            }
            ToolCall::Memory(command) => change_tools::memory_tool(&asked, command),
        };
        answered.unwrap_or_else(|error| ToolAnswer::of_error(&error))
    }

    /// Who asks, for the history.
    fn author(&self, call: &Call) -> Author {
        let session = self.env.var(SESSION_ID).filter(|id| !id.is_empty()).map(str::to_owned);
        Author {
            kind: AuthorKind::Agent,
            id: Some(recorded(&call.client.name)),
            session: session.or_else(|| self.session.clone()),
        }
    }

    /// Why nothing is read or written here, for every request alike. What keeps the answer from being found, the
    /// tool itself reports.
    fn silence(&self) -> Option<Silence> {
        match switched_off(&self.env, &ClientFlags::default()) {
            Ok(Some(rule)) => Some(Silence::Off(rule)),
            _ => self.is_paused().then_some(Silence::Paused),
        }
    }

    /// Whether the user has paused this session or this project.
    fn is_paused(&self) -> bool {
        let Some(state_dir) = self.env.state_dir() else { return false };
        let pauses = Pauses::of(&state_dir);
        if !pauses.any() {
            return false;
        }
        let memory = || Memory::open(&self.env, &ClientFlags::default()).ok();
        self.env.var(SESSION_ID).is_some_and(|session| pauses.is_paused(session))
            || memory().is_some_and(|memory| memory.known_id().is_some_and(|id| pauses.is_paused(&id.0)))
    }
}

impl Asked<'_> {
    /// The memory directory, after whatever a killed process left half done was finished.
    pub(super) fn memory(&self) -> Result<(Memory, Vec<String>)> {
        let flags = ClientFlags::default();
        let mut warnings = Vec::new();
        let mut memory = Memory::open(self.env, &flags)?;
        match memory.projects().finish_moves(self.now) {
            Ok(finished) if finished.is_empty() => {}
            Ok(_) => memory = Memory::open(self.env, &flags)?,
            Err(error) => warnings.push(format!("a move of a project is not finished: {error}")),
        }
        match memory.settle() {
            Ok(recovery) => warnings.extend(recovery.warnings),
            Err(error) => warnings.push(error.to_string()),
        }
        Ok((memory, warnings))
    }
}

fn no_tool(name: &str) -> RpcError {
    let shown: String = name.chars().take(80).collect();
    RpcError { data: Some(json!({"name": shown})), ..RpcError::invalid_params("there is no such tool") }
}

/// The name under which what a client does is recorded: the agent's, as its hooks say it, or what the client says.
fn recorded(client: &str) -> String {
    Agent::of_client(client).map_or_else(|| client.to_owned(), |agent| agent.recorded().to_owned())
}
