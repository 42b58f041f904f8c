//! The timer that dreams at night: which files make one, by the platform's own means and without a process of ours.

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::shell_word;
use crate::env::{CLAUDE_CONFIG_DIR, Env, MEMDIR_HOME, XDG_CONFIG_HOME, XDG_DATA_HOME};
use crate::host_path::PathStyle;
use crate::look::{Kind, Look};

/// What a timer is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Nightly {
    /// Files that the platform obeys, and what makes it obey them now rather than at the next login.
    Files {
        /// The files and links, in the order in which they are made.
        files: Vec<WholeFile>,
        /// What to type.
        start: &'static str,
    },
    /// There is no such platform here: a line for the user's own crontab.
    Crontab(String),
    /// The platform's timers are made by a command: what to type.
    Command(String),
}

/// A file that is ours as a whole, or a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholeFile {
    /// Where it lies.
    pub path: Utf8PathBuf,
    /// What it holds, or where it leads.
    pub content: WholeContent,
}

/// What a file of ours holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WholeContent {
    /// A text.
    Text(String),
    /// A link, and where it leads.
    Link(Utf8PathBuf),
}

/// A file that set-up wrote as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WholeRecord {
    /// Whose it is: the name of an agent, or the timer's.
    #[serde(default = "timer_name")]
    pub owner: String,
    /// Where it lies.
    pub path: Utf8PathBuf,
    /// What was written there.
    pub content: WholeContent,
    /// The directories that were made for it, outermost first.
    #[serde(default)]
    pub made_dirs: Vec<Utf8PathBuf>,
}

/// The owner of the timer's files.
pub const NIGHTLY: &str = "nightly";

fn timer_name() -> String {
    NIGHTLY.to_owned()
}

/// The name of the timer.
const NAME: &str = "memdir-dream";
const LABEL: &str = "dev.memdir.dream";

/// What makes `program` dream every night for this user.
#[must_use]
pub fn nightly(env: &Env, look: &impl Look, program: &Utf8Path) -> Option<Nightly> {
    let home = env.home.as_ref()?;
    if cfg!(target_os = "macos") {
        let path = home.join("Library/LaunchAgents").join(format!("{LABEL}.plist"));
        let content = WholeContent::Text(launch_agent(env, program));
        let start = "launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/dev.memdir.dream.plist";
        return Some(Nightly::Files { files: vec![WholeFile { path, content }], start });
    }
    if cfg!(windows) {
        return Some(Nightly::Command(scheduled_task(program)));
    }
    let config = env.var(XDG_CONFIG_HOME).filter(|path| PathStyle::HERE.is_absolute(path));
    let units = config.map_or_else(|| home.join(".config"), Utf8PathBuf::from).join("systemd/user");
    let is_dir = |path: &Utf8Path| look.kind(path) == Some(Kind::Dir);
    if !is_dir(&units) && !is_dir(Utf8Path::new("/run/systemd/system")) {
        let program = shell_word(program);
        return Some(Nightly::Crontab(format!(
            "30 3 * * * nice {program} dream --everywhere >/dev/null 2>&1"
        )));
    }
    let file =
        |name: &str, text: String| WholeFile { path: units.join(name), content: WholeContent::Text(text) };
    let link = WholeFile {
        path: units.join("timers.target.wants").join(format!("{NAME}.timer")),
        content: WholeContent::Link(format!("../{NAME}.timer").into()),
    };
    let files = vec![
        file(&format!("{NAME}.service"), service(env, program)),
        file(&format!("{NAME}.timer"), timer()),
        link,
    ];
    let start = "systemctl --user daemon-reload && systemctl --user start memdir-dream.timer";
    Some(Nightly::Files { files, start })
}

/// The variables that say where memory and our state lie, as they are now: a timer has another environment.
fn variables(env: &Env) -> Vec<(&'static str, &str)> {
    let names = [CLAUDE_CONFIG_DIR, MEMDIR_HOME, XDG_CONFIG_HOME, XDG_DATA_HOME];
    names
        .into_iter()
        .filter_map(|name| Some((name, env.var(name)?)))
        .filter(|(_, value)| PathStyle::HERE.is_absolute(value))
        .collect()
}

fn service(env: &Env, program: &Utf8Path) -> String {
    let mut text =
        "[Unit]\nDescription=Tidy up the memory of coding agents\n\n[Service]\nType=oneshot\nNice=10\n"
            .to_owned();
    for (name, value) in variables(env) {
        text.push_str(&format!("Environment={}\n", unit_word(&format!("{name}={value}"))));
    }
    text.push_str(&format!(
        "ExecStart={} dream --everywhere\n",
        unit_word(program.as_str()).replace('$', "$$")
    ));
    text
}

fn timer() -> String {
    "[Unit]\nDescription=Tidy up the memory of coding agents every night\n\n[Timer]\nOnCalendar=*-*-* 03:30:00\n\
     RandomizedDelaySec=30min\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n"
        .to_owned()
}

/// What makes the Task Scheduler start it. Variables need no copy: a task has those of its user.
fn scheduled_task(program: &Utf8Path) -> String {
    format!(
        r#"schtasks /Create /F /TN {NAME} /SC DAILY /ST 03:30 /TR "\"{}\" dream --everywhere""#,
        program.as_str().replace('/', "\\")
    )
}

/// One word of a unit file.
fn unit_word(word: &str) -> String {
    let escaped = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%");
    format!("\"{}\"", escaped.replace(['\n', '\r'], " "))
}

fn launch_agent(env: &Env, program: &Utf8Path) -> String {
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut variables_text = String::new();
    for (name, value) in variables(env) {
        variables_text.push_str(&format!("    <key>{name}</key>\n    <string>{}</string>\n", escape(value)));
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n<dict>\n  <key>Label</key>\n  <string>{LABEL}</string>\n  \
         <key>ProgramArguments</key>\n  <array>\n    <string>{}</string>\n    <string>dream</string>\n    <string>--everywhere</string>\n  \
         </array>\n  <key>EnvironmentVariables</key>\n  <dict>\n{variables_text}  </dict>\n  <key>StartCalendarInterval</key>\n  <dict>\n    \
         <key>Hour</key>\n    <integer>3</integer>\n    <key>Minute</key>\n    <integer>30</integer>\n  </dict>\n  <key>Nice</key>\n  \
         <integer>10</integer>\n</dict>\n</plist>\n",
        escape(program.as_str())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_unit_mean_themselves() {
        assert_eq!(unit_word("/a b/100%\"x\\y"), "\"/a b/100%%\\\"x\\\\y\"");
        let env = Env {
            home: Some("/h".into()),
            cwd: "/h".into(),
            vars: [(MEMDIR_HOME.into(), "/m".into())].into(),
        };
        insta::assert_snapshot!(service(&env, Utf8Path::new("/usr/bin/memdir")), @r#"
        [Unit]
        Description=Tidy up the memory of coding agents

        [Service]
        Type=oneshot
        Nice=10
        Environment="MEMDIR_HOME=/m"
        ExecStart="/usr/bin/memdir" dream --everywhere
        "#);
        assert_eq!(
            scheduled_task(Utf8Path::new("C:/a b/memdir.exe")),
            r#"schtasks /Create /F /TN memdir-dream /SC DAILY /ST 03:30 /TR "\"C:\a b\memdir.exe\" dream --everywhere""#
        );
        insta::assert_snapshot!(launch_agent(&env, Utf8Path::new("/usr/<bin>/memdir")), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0">
        <dict>
          <key>Label</key>
          <string>dev.memdir.dream</string>
          <key>ProgramArguments</key>
          <array>
            <string>/usr/&lt;bin&gt;/memdir</string>
            <string>dream</string>
            <string>--everywhere</string>
          </array>
          <key>EnvironmentVariables</key>
          <dict>
            <key>MEMDIR_HOME</key>
            <string>/m</string>
          </dict>
          <key>StartCalendarInterval</key>
          <dict>
            <key>Hour</key>
            <integer>3</integer>
            <key>Minute</key>
            <integer>30</integer>
          </dict>
          <key>Nice</key>
          <integer>10</integer>
        </dict>
        </plist>
        "#);
    }
}
