//! Any git repository as a remote: no server to run, one readable commit a sync, history never rewritten.
//!
//! Nothing is ever checked out: trees are listed, blobs are read by their ids after their size was asked, and a new
//! commit is streamed in. So a hostile repository can name any path and any link it likes; nothing of it becomes a file.
//! What lies here is a bare repository in our own state, which can be deleted at any time.

use std::collections::{BTreeMap, HashMap};

use camino::{Utf8Path, Utf8PathBuf};
use memdir_wire::entry::MAX_ENTRY_BYTES;

use super::{Listed, MAX_PAST, Prepared, Published, Put, Remote, RemoteError, Version};

mod fetch_answer;
mod process;
mod push_answer;
mod url;

pub(crate) use fetch_answer::says_full;
use process::{Finished, Git, Unfinished};
pub use url::{UrlRefused, is_local, without_credentials};

/// A git repository, reached through the `git` program.
#[derive(Debug)]
pub struct GitRemote {
    git: Git,
    url: String,
    branch: String,
    /// Who the commits are by: a name.
    committer: String,
    requests: u32,
    /// How much one fetch may bring.
    most_bytes: u64,
    /// What was listed last, because a sync asks more than once.
    viewed: Option<(Version, Vec<Listed>)>,
}

/// One commit of a remote, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its id.
    pub id: String,
    /// Seconds since 1970, by the committer's clock.
    pub seconds: i64,
    /// Who made it.
    pub author: String,
    /// Its first line.
    pub subject: String,
}

/// The branch that is used unless the user names another: it can live beside a project's own code.
pub const DEFAULT_BRANCH: &str = "memdir";

/// More than this in one fetch is not a team's memory.
const MOST_BYTES: u64 = 1 << 30;

/// The part of it behind which a fetch begins anew, and asks the host to leave out what is larger than any entry.
const SUSPICIOUS: u64 = 4;

/// What is left out then: files of more bytes than any that is read.
const LEFT_OUT_FROM: usize = MAX_ENTRY_BYTES + 1;

const NEXT: &str = "refs/memdir/next";
const SEEN: &str = "refs/memdir/seen";

impl GitRemote {
    /// A remote at a URL. `directory` is where its objects are kept here.
    ///
    /// # Errors
    /// The URL could run a program or be taken for an option, or the branch has no name that git takes.
    pub fn new(
        directory: Utf8PathBuf,
        home: Option<Utf8PathBuf>,
        url: &str,
        branch: &str,
        committer: &str,
    ) -> Result<Self, UrlRefused> {
        url::check(url)?;
        url::check_branch(branch)?;
        let committer: String =
            committer.chars().filter(|letter| !matches!(letter, '<' | '>' | '\n')).collect();
        Ok(Self {
            git: Git::new(directory, home),
            url: url.to_owned(),
            branch: branch.to_owned(),
            committer,
            requests: 0,
            most_bytes: MOST_BYTES,
            viewed: None,
        })
    }

    /// The same, with no call taking longer than this.
    #[must_use]
    pub fn within(mut self, limit: std::time::Duration) -> Self {
        self.git.limit_to(limit);
        self
    }

    /// The same, with no fetch bringing more than this.
    #[must_use]
    pub fn within_bytes(mut self, most_bytes: u64) -> Self {
        self.most_bytes = most_bytes;
        self
    }

    /// How many requests went out so far.
    #[must_use]
    pub fn requests(&self) -> u32 {
        self.requests
    }

    /// The newest commits up to a version.
    ///
    /// # Errors
    /// Git fails, or the version is not here.
    pub fn log(&mut self, version: &Version, count: usize) -> Result<Vec<Commit>, RemoteError> {
        let count = format!("--max-count={count}");
        let found =
            self.git.run(&["log", &count, "--format=%H%x09%ct%x09%an%x09%s", "-z", &version.0], None)?;
        let output = String::from_utf8_lossy(&found.succeeded()?.output).into_owned();
        let commit = |line: &str| {
            let mut fields = line.splitn(4, '\t');
            Some(Commit {
                id: fields.next()?.to_owned(),
                seconds: fields.next()?.parse().ok()?,
                author: fields.next()?.to_owned(),
                subject: fields.next()?.to_owned(),
            })
        };
        Ok(output.split('\0').filter_map(commit).collect())
    }

    /// The same error without credentials: git repeats addresses.
    fn discreet(&self, error: RemoteError) -> RemoteError {
        let shown = |message: String| message.replace(&self.url, &without_credentials(&self.url));
        match error {
            RemoteError::Unreachable { message } => RemoteError::Unreachable { message: shown(message) },
            RemoteError::Refused { message, cause } => {
                RemoteError::Refused { message: shown(message), cause }
            }
            RemoteError::Malformed { message } => RemoteError::Malformed { message: shown(message) },
            RemoteError::Here { message } => RemoteError::Here { message: shown(message) },
            other @ RemoteError::RefusedFiles { .. } => other,
        }
    }

    fn is_here(&mut self, version: &Version) -> Result<bool, RemoteError> {
        if !self.git.is_initialised() {
            return Ok(false);
        }
        Ok(self.git.run(&["cat-file", "-e", &format!("{}^{{commit}}", version.0)], None)?.is_success())
    }

    fn fetch(&mut self) -> Result<(), RemoteError> {
        self.git.initialise()?;
        self.requests += 1;
        let refspec = format!("+refs/heads/{}:{SEEN}", self.branch);
        let url = self.url.clone();
        let plain = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", &url, &refspec];
        let fetched = match self.git.fetch(&plain, self.most_bytes / SUSPICIOUS) {
            Err(Unfinished::TooMuch) => self.fetch_small(&refspec)?,
            fetched => fetched?,
        };
        if fetched.is_success() { Ok(()) } else { Err(self.discreet(fetch_answer::read(&fetched.said()))) }
    }

    /// Fetches without what is larger than any entry, if the host knows how to leave something out: many do. What is left
    /// out is missing here for good, and counts as too large. It takes a remote with a name, which only this call has.
    fn fetch_small(&mut self, refspec: &str) -> Result<Finished, RemoteError> {
        self.requests += 1;
        let (url, filter) =
            (format!("remote.memdir-team.url={}", self.url), format!("--filter=blob:limit={LEFT_OUT_FROM}"));
        let mut arguments =
            vec!["-c", &url, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", &filter];
        if is_local(&self.url) {
            // What sends is then a program of this machine, which does as it is told.
            arguments.push("--upload-pack=git -c uploadpack.allowFilter=true upload-pack");
        }
        arguments.extend(["memdir-team", refspec]);
        Ok(self.git.fetch(&arguments, self.most_bytes)?)
    }

    /// The ids of the files that a commit changed.
    fn ids_of(
        &mut self,
        onto: Option<&Version>,
        next: &str,
    ) -> Result<BTreeMap<String, String>, RemoteError> {
        let root = ["diff-tree", "-r", "-z", "--no-renames", "--no-commit-id", "--root", next];
        let against = ["diff-tree", "-r", "-z", "--no-renames", onto.map_or("", |onto| &onto.0), next];
        let changed =
            self.git.run(if onto.is_some() { &against[..] } else { &root[..] }, None)?.succeeded()?;
        let text = String::from_utf8_lossy(&changed.output);
        let mut fields = text.split('\0');
        let mut ids = BTreeMap::new();
        // `:old mode, new mode, old id, new id, status`, then the name.
        while let (Some(about), Some(path)) = (fields.next(), fields.next()) {
            if let Some(id) = about.split(' ').nth(3) {
                ids.insert(path.to_owned(), id.to_owned());
            }
        }
        Ok(ids)
    }

    /// Who the user is to git, else who the user is to the team.
    fn identity(&mut self) -> Result<String, RemoteError> {
        let name = self.git.run(&["config", "user.name"], None)?.line();
        let email = self.git.run(&["config", "user.email"], None)?.line();
        Ok(match (name, email) {
            (Some(name), Some(email)) if !format!("{name}{email}").contains(['<', '>']) => {
                format!("{name} <{email}>")
            }
            _ => format!("{} <memdir@localhost>", self.committer),
        })
    }
}

impl Remote for GitRemote {
    fn head(&mut self) -> Result<Option<Version>, RemoteError> {
        self.requests += 1;
        let reference = format!("refs/heads/{}", self.branch);
        let asked = self.git.anywhere(&["ls-remote", "--quiet", "--", &self.url, &reference])?;
        if !asked.is_success() {
            return Err(self.discreet(asked.unreachable()));
        }
        let output = String::from_utf8_lossy(&asked.output);
        let line = output.lines().find_map(|line| line.strip_suffix(&reference)?.strip_suffix('\t'));
        match line {
            None => Ok(None),
            Some(id) if is_id(id) => Ok(Some(Version(id.to_owned()))),
            Some(_) => Err(malformed("it did not answer with a commit")),
        }
    }

    fn view(&mut self, version: &Version) -> Result<Vec<Listed>, RemoteError> {
        if let Some((_, listed)) = self.viewed.as_ref().filter(|(viewed, _)| viewed == version) {
            return Ok(listed.clone());
        }
        if !self.is_here(version)? {
            self.fetch()?;
        }
        let listing = self.git.run(&["ls-tree", "-r", "-z", "--full-tree", &version.0], None)?;
        if !listing.is_success() {
            return Err(malformed("its newest version cannot be listed"));
        }
        let mut listed = Vec::new();
        for line in listing.output.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
            let tab = line
                .iter()
                .position(|byte| *byte == b'\t')
                .ok_or_else(|| malformed("a line without a name"))?;
            let (about, path) = line.split_at(tab);
            let about = String::from_utf8_lossy(about);
            let mut fields = about.split(' ');
            let (mode, _, id) = (fields.next(), fields.next(), fields.next().unwrap_or_default());
            listed.push(Listed {
                // A name that is not valid text is not a key either, however it is shown.
                path: String::from_utf8_lossy(path.get(1..).unwrap_or_default()).into_owned(),
                id: id.to_owned(),
                is_file: mode == Some("100644"),
            });
        }
        self.viewed = Some((version.clone(), listed.clone()));
        Ok(listed)
    }

    fn read(&mut self, ids: &[&str], limit: usize) -> Result<Vec<Option<Vec<u8>>>, RemoteError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let asked: Vec<&str> = ids.iter().copied().filter(|id| is_id(id)).collect();
        let sizes = self.git.run(&["cat-file", "--batch-check"], Some(lines(&asked)))?.succeeded()?;
        let mut wanted = Vec::new();
        for line in String::from_utf8_lossy(&sizes.output).lines() {
            let mut fields = line.split(' ');
            if let (Some(id), Some("blob"), Some(Ok(size))) =
                (fields.next(), fields.next(), fields.next().map(str::parse::<usize>))
                && size <= limit
            {
                wanted.push(id.to_owned());
            }
        }
        let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
        let mut contents = BTreeMap::new();
        if !wanted.is_empty() {
            let found = self.git.run(&["cat-file", "--batch"], Some(lines(&wanted)))?.succeeded()?;
            let mut rest = found.output.as_slice();
            while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                let (head, behind) = rest.split_at(end);
                let head = String::from_utf8_lossy(head).into_owned();
                let mut fields = head.split(' ');
                let (id, size) =
                    (fields.next().unwrap_or_default(), fields.nth(1).and_then(|size| size.parse().ok()));
                let size: usize = size.ok_or_else(|| malformed("git gave half an answer"))?;
                let content = behind.get(1..=size).ok_or_else(|| malformed("git gave half an answer"))?;
                contents.insert(id.to_owned(), content.to_vec());
                rest = behind.get(size + 2..).unwrap_or_default();
            }
        }
        Ok(ids.iter().map(|id| contents.get(*id).cloned()).collect())
    }

    fn prepare(
        &mut self,
        onto: Option<&Version>,
        puts: &[Put],
        message: &str,
    ) -> Result<Prepared, RemoteError> {
        self.git.initialise()?;
        let identity = self.identity()?;
        let mut stream =
            Vec::with_capacity(puts.iter().map(|put| put.content.as_ref().map_or(0, Vec::len) + 200).sum());
        let mut say = |line: &str| {
            stream.extend_from_slice(line.as_bytes());
            stream.push(b'\n');
        };
        say(&format!("commit {NEXT}"));
        // The date is the one of the newest entry; nothing is decided by it.
        say(&format!("committer {identity} now"));
        say(&format!("data {}", message.len()));
        say(message);
        if let Some(onto) = onto {
            say(&format!("from {}", onto.0));
        }
        for put in puts {
            match &put.content {
                Some(content) => {
                    let head = format!("M 100644 inline {}\ndata {}\n", put.path, content.len());
                    stream.extend_from_slice(head.as_bytes());
                    stream.extend_from_slice(content);
                    stream.push(b'\n');
                }
                None => stream.extend_from_slice(format!("D {}\n", put.path).as_bytes()),
            }
        }
        if onto.is_none() {
            // Without a parent the stream would go on where the last try ended.
            let _ = self.git.run(&["update-ref", "-d", NEXT], None)?;
        }
        let arguments = ["fast-import", "--quiet", "--force", "--date-format=now"];
        self.git.run(&arguments, Some(stream))?.succeeded()?;
        let next = self.git.run(&["rev-parse", "--verify", NEXT], None)?.succeeded()?.line();
        let next = next.filter(|id| is_id(id)).ok_or_else(|| malformed("git made no commit"))?;
        let ids = self.ids_of(onto, &next)?;
        Ok(Prepared { version: Version(next), ids })
    }

    fn publish(&mut self, _: Option<&Version>, next: &Version) -> Result<Published, RemoteError> {
        self.requests += 1;
        let refspec = format!("{}:refs/heads/{}", next.0, self.branch);
        let mut arguments = vec!["push", "--porcelain", "--no-verify", "--no-signed"];
        if is_local(&self.url) {
            // What receives is then a program of this machine, and the hooks of the folder would run as its user.
            arguments.push("--receive-pack=git -c core.hooksPath=/dev/null receive-pack");
        }
        arguments.extend(["--", &self.url, &refspec]);
        let pushed = self.git.network(&arguments)?;
        push_answer::read(&pushed).map_err(|error| self.discreet(error))
    }

    fn descends(&mut self, newer: &Version, older: &Version) -> Result<bool, RemoteError> {
        if newer == older {
            return Ok(true);
        }
        if !is_id(&older.0) || !is_id(&newer.0) {
            return Ok(false);
        }
        Ok(self.git.run(&["merge-base", "--is-ancestor", &older.0, &newer.0], None)?.is_success())
    }

    fn ever_held(&mut self, version: &Version, path: &str, id: &str) -> Result<bool, RemoteError> {
        if !is_id(&version.0) || !is_id(id) {
            return Ok(false);
        }
        let (object, path) = (format!("--find-object={id}"), format!(":(top,literal){path}"));
        let found =
            self.git.run(&["log", "--max-count=1", "--format=%H", &object, &version.0, "--", &path], None)?;
        Ok(found.line().is_some())
    }

    fn past_of(&mut self, version: &Version, path: &str) -> Result<Vec<String>, RemoteError> {
        Ok(self.pasts_of(version, &[path.to_owned()])?.pop().unwrap_or_default())
    }

    fn pasts_of(&mut self, version: &Version, paths: &[String]) -> Result<Vec<Vec<String>>, RemoteError> {
        let mut pasts: HashMap<&str, Vec<String>> = HashMap::new();
        if !is_id(&version.0) || paths.is_empty() {
            return Ok(vec![Vec::new(); paths.len()]);
        }
        let count = format!("--max-count={}", MAX_PAST.saturating_mul(paths.len()));
        let arguments = ["log", &count, "--format=", "--raw", "--no-abbrev", "--no-renames", "-m", "-z"];
        let literal: Vec<String> = paths.iter().map(|path| format!(":(top,literal){path}")).collect();
        let literal: Vec<&str> = literal.iter().map(String::as_str).collect();
        let found = self.git.run(&[&arguments[..], &[&version.0, "--"], &literal].concat(), None)?;
        let output = found.succeeded()?.output;
        let text = String::from_utf8_lossy(&output);
        // `:old mode, new mode, old id, new id, status`, then the path; what is removed has an id of zeros.
        let mut fields = text.split(['\0', '\n']);
        while let Some(field) = fields.next() {
            let Some(change) = field.strip_prefix(':') else { continue };
            let (Some(id), Some(path)) = (change.split(' ').nth(3), fields.next()) else { break };
            let past = pasts.entry(path).or_default();
            if is_id(id) && id.bytes().any(|byte| byte != b'0') && past.len() < MAX_PAST {
                past.push(id.to_owned());
            }
        }
        Ok(paths.iter().map(|path| pasts.remove(path.as_str()).unwrap_or_default()).collect())
    }
}

/// Makes an empty repository in a folder of this machine, for a remote to lie in.
///
/// # Errors
/// There is no git, or it fails.
pub fn make_repository(directory: &Utf8Path) -> Result<(), RemoteError> {
    Git::new(directory.to_owned(), None).initialise()
}

fn lines(ids: &[&str]) -> Vec<u8> {
    let mut text = ids.join("\n");
    text.push('\n');
    text.into_bytes()
}

fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn malformed(message: &str) -> RemoteError {
    RemoteError::Malformed { message: message.to_owned() }
}

impl Finished {
    fn succeeded(self) -> Result<Self, RemoteError> {
        if self.is_success() {
            Ok(self)
        } else {
            Err(RemoteError::Here { message: format!("git failed: {}", self.said()) })
        }
    }

    fn line(&self) -> Option<String> {
        let text = String::from_utf8_lossy(&self.output);
        let line = text.lines().next()?.trim().to_owned();
        (self.is_success() && !line.is_empty()).then_some(line)
    }

    fn unreachable(&self) -> RemoteError {
        RemoteError::Unreachable { message: self.said() }
    }
}
