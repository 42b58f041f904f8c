//! Different words for one thing, in the talk of programmers: a prompt seldom uses the words of the memory.

/// Words that stand for nearly the same as a word, itself left out.
pub(super) fn related(word: &str) -> impl Iterator<Item = &'static str> {
    let group = GROUPS.iter().find(|group| group.split(' ').any(|member| member == word));
    let own = word.to_owned();
    group.into_iter().flat_map(|group| group.split(' ')).filter(move |member| *member != own)
}

/// Every word stands in one group only.
static GROUPS: &[&str] = &[
    "deploy deployment release ship rollout publish",
    "production prod live",
    "database postgres sql mysql sqlite schema",
    "table column migration",
    "price money amount cost currency cents",
    "invoice billing",
    "payment checkout stripe",
    "indent indentation tabs whitespace",
    "format formatter style lint linter prettier",
    "login signin authentication auth logged",
    "session cookie",
    "secret credential password token",
    "cache redis memcached",
    "queue kafka rabbitmq job worker",
    "retry retries backoff",
    "webhook callback",
    "endpoint api rest route interface",
    "package dependency library npm pnpm yarn crate",
    "licence license gpl legal",
    "timezone utc timestamp clock",
    "accessibility a11y aria contrast",
    "mock stub fake",
    "flaky intermittent unstable",
    "pipeline ci workflow runner",
    "commit message subject",
    "branch merge rebase",
    "editor neovim vim vscode emacs",
    "container docker image kubernetes",
    "font glyph",
    "export pdf print",
    "translate translation locale language i18n",
    "metric dashboard grafana monitoring",
    "log logging tracing",
    "slow performance latency speed",
    "memory leak oom",
    "button form page frontend ui",
    "reindex index elasticsearch",
    "toolchain compiler edition",
    "owner oncall responsible",
    "flag toggle",
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    #[test]
    fn every_word_stands_in_one_group() {
        let mut seen = HashSet::new();
        for word in super::GROUPS.iter().flat_map(|group| group.split(' ')) {
            assert!(seen.insert(word), "{word}");
        }
    }
}
