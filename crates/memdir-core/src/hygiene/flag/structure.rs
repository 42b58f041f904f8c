//! Attacks that show in the form of a text and not in its words.

use super::super::Reason;
use super::address::is_known_host;

/// The most that one line's commands and links are looked at.
const LONGEST_LINE: usize = 4_096;

type Check = (&'static [&'static str], fn(&str) -> bool, Reason);

/// What every line that could be one of these holds, the rule for such a line, and what it finds.
const CHECKS: &[Check] = &[
    (&FETCHERS, runs_what_it_fetches, Reason::RemoteCode),
    (&SHELL_FORMS, opens_shell, Reason::RemoteCode),
    (&["chmod"], opens_file_modes, Reason::WeakensSecurity),
    (&["]("], links_outside, Reason::OutsideReference),
    (&["@"], includes_outside, Reason::OutsideReference),
    (&["rm -"], wipes, Reason::Destructive),
    (&["bash"], allows_everything, Reason::PermissionChange),
    (&["style="], hides_by_style, Reason::HiddenText),
];
const FETCHERS: [&str; 7] =
    ["curl ", "wget ", "iwr ", "invoke-webrequest", "fetch ", "base64 -d", "base64 --decode"];
const SHELL_FORMS: [&str; 6] = ["/dev/tcp/", "nc -e ", "ncat -e ", "bash -i >&", "sh -i >&", "mkfifo /tmp"];

/// Reasons that the folded text's lines give.
pub(super) fn reasons_of(folded: &str) -> Vec<Reason> {
    let holds = |signs: &&[&str]| {
        signs.iter().any(|sign| memchr::memmem::find(folded.as_bytes(), sign.as_bytes()).is_some())
    };
    let checks = CHECKS.iter().filter(|(signs, _, _)| holds(signs));
    checks
        .filter(|(_, applies, _)| folded.lines().any(|line| applies(beginning(line))))
        .map(|(_, _, reason)| *reason)
        .collect()
}

fn beginning(line: &str) -> &str {
    let end = (0..=LONGEST_LINE.min(line.len())).rev().find(|&end| line.is_char_boundary(end)).unwrap_or(0);
    line.get(..end).unwrap_or_default()
}

/// `curl … | sh`, `bash <(curl …)`, `eval "$(curl …)"`, `iwr … | iex`, `base64 -d | sh`.
fn runs_what_it_fetches(line: &str) -> bool {
    const SHELLS: [&str; 14] = [
        "sh", "bash", "zsh", "dash", "python", "python3", "node", "perl", "ruby", "iex", "sudo", "source",
        "eval", "pwsh",
    ];
    if !FETCHERS.iter().any(|fetcher| line.contains(fetcher))
        || fetches_from_known_host(line)
        || negates(line)
    {
        return false;
    }
    let pipes = line.split('|').skip(1).any(|stage| {
        let command =
            stage.trim_start().split(|c: char| !(c.is_alphanumeric() || c == '/')).next().unwrap_or_default();
        SHELLS.contains(&command.rsplit('/').next().unwrap_or_default())
    });
    let substitutes = ["<(curl", "<(wget", "$(curl", "$(wget", "`curl", "`wget"].iter().any(|form| {
        line.find(form).is_some_and(|at| {
            line.get(..at).is_some_and(|before| {
                let word =
                    before.trim_end_matches(['"', '\'', ' ']).rsplit(|c: char| !c.is_alphanumeric()).next();
                // A code span that begins with `curl` is not a substitution.
                word.is_some_and(|word| SHELLS.contains(&word)) && !form.starts_with('`')
            })
        })
    });
    pipes || substitutes
}

/// A shell handed to another machine.
fn opens_shell(line: &str) -> bool {
    SHELL_FORMS.iter().any(|form| line.contains(form)) && !negates(line)
}

fn opens_file_modes(line: &str) -> bool {
    line.contains("chmod") && line.contains("777") && !negates(line)
}

fn fetches_from_known_host(line: &str) -> bool {
    let mut addresses = line.split("://").skip(1).peekable();
    addresses.peek().is_some() && addresses.all(is_known_host)
}

/// A Markdown link whose target leaves the memory: another scheme, an absolute path, `..`.
fn links_outside(line: &str) -> bool {
    const SCHEMES: [&str; 7] = ["file:", "javascript:", "data:", "vbscript:", "smb:", "ftp:", "blob:"];
    line.split("](").skip(1).any(|target| {
        let target = target.trim_start_matches(['<', ' ']);
        SCHEMES.iter().any(|scheme| target.starts_with(scheme))
            || ["/etc/", "/root", "/home/", "/proc/", "/users/", "~/", "\\\\", "c:\\", "/var/", "//"]
                .iter()
                .any(|start| target.starts_with(start))
            || target
                .split(')')
                .next()
                .is_some_and(|path| path.starts_with("../../") || path.contains("/../../"))
    })
}

/// `@/etc/passwd`, `@~/.ssh/id_rsa`, `@../../x`: an include of a file outside the memory.
fn includes_outside(line: &str) -> bool {
    line.split('@').skip(1).zip(line.split('@')).any(|(path, before)| {
        before.chars().next_back().is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '*' | '>'))
            && [
                "~/",
                "../",
                "/etc/",
                "/home/",
                "/root/",
                "/users/",
                "/proc/",
                "/var/",
                "/run/",
                "/opt/",
                "/mnt/",
                "/private/",
                "$home",
            ]
            .iter()
            .any(|start| path.starts_with(start))
    })
}

/// `rm -rf` of a root, the home, everything here or the history.
fn wipes(line: &str) -> bool {
    if negates(line) {
        return false;
    }
    ["rm -rf ", "rm -fr ", "rm -r -f ", "rm -rf -- ", "sudo rm -rf "].iter().any(|command| {
        line.split(command).skip(1).any(|rest| {
            let target = rest.split([' ', '`', '"', '\'', ';', ',', ')', '&']).next().unwrap_or_default();
            matches!(
                target,
                "/" | "~"
                    | "~/"
                    | "*"
                    | "."
                    | "/*"
                    | "$home"
                    | "$home/"
                    | ".git"
                    | ".git/"
                    | "~/*"
                    | "${home}"
                    | "--no-preserve-root"
            ) || target.starts_with("~/.claude")
        })
    })
}

fn allows_everything(line: &str) -> bool {
    ["bash(*", "\"bash\"", "bash(curl", "bash(rm", "bash(sudo", "bash(wget"]
        .iter()
        .any(|rule| line.contains(rule))
        && line.contains("allow")
        && !negates(line)
}

/// Whether the line says that this is not to be done.
fn negates(line: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric() && c != '\'').any(|word| {
        matches!(
            word,
            "never"
                | "not"
                | "don't"
                | "dont"
                | "avoid"
                | "no"
                | "without"
                | "instead"
                | "block"
                | "blocked"
                | "blocks"
                | "reject"
        )
    })
}

/// Text that a style makes invisible.
fn hides_by_style(line: &str) -> bool {
    line.contains("style=")
        && [
            "display:none",
            "display: none",
            "font-size:0",
            "font-size: 0",
            "opacity:0",
            "opacity: 0",
            "visibility:hidden",
            "visibility: hidden",
            "color:white",
            "color: white",
            "color:#fff",
            "color: #fff",
        ]
        .iter()
        .any(|style| line.contains(style))
}
