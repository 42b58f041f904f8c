use jiff::civil::Date;

use super::time::{self, Days};
use crate::collection::Scope;
use crate::transcript::Role;

/// What every hit must be. Several values of one kind are alternatives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Filters {
    pub(crate) types: Vec<String>,
    pub(crate) projects: Vec<String>,
    pub(crate) scopes: Vec<Scope>,
    pub(crate) branches: Vec<String>,
    pub(crate) paths: Vec<String>,
    pub(crate) role: Option<Role>,
    /// The first day, counted from 1970.
    pub(crate) since: Option<i64>,
    /// The last day.
    pub(crate) until: Option<i64>,
}

impl Filters {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds what `key:value` says; `false` if the value means nothing for this key.
    pub(super) fn add(&mut self, key: &str, value: &str, today: Date) -> bool {
        let days = || time::single(value, today);
        match key {
            "type" => self.types.push(value.to_lowercase()),
            "project" => self.projects.push(value.to_lowercase()),
            "branch" => self.branches.push(value.to_owned()),
            "path" | "file" => self.paths.push(value.to_lowercase()),
            "in" => match Scope::named(value) {
                Some(scope) => self.scopes.push(scope),
                None if value == "all" => self.scopes.extend(Scope::ALL.into_iter().chain([Scope::Folder])),
                None => return false,
            },
            "role" => match value {
                "user" | "me" => self.role = Some(Role::User),
                "assistant" | "agent" => self.role = Some(Role::Assistant),
                _ => return false,
            },
            "since" | "after" => match days() {
                Some(Days { from, .. }) => self.since = Some(from),
                None => return false,
            },
            "until" => match days() {
                Some(Days { to, .. }) => self.until = Some(to),
                None => return false,
            },
            "before" => match days() {
                Some(Days { from, .. }) => self.until = Some(from - 1),
                None => return false,
            },
            "on" => match days() {
                Some(Days { from, to }) => (self.since, self.until) = (Some(from), Some(to)),
                None => return false,
            },
            _ => return false,
        }
        true
    }

    /// Whether a day is in between; an unknown one, 0, does only if no day is asked for.
    pub(crate) fn holds_day(&self, day: i64) -> bool {
        (self.since.is_none() && self.until.is_none())
            || (day != 0
                && self.since.is_none_or(|since| day >= since)
                && self.until.is_none_or(|until| day <= until))
    }
}
