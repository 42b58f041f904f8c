//! docs/COMMANDS.md: the help of every command as one page. The suite checks that the file is what this makes.

use super::{COMMANDS, Group, parse};

pub(super) fn command_reference() -> String {
    let groups = [
        Group::Write,
        Group::Find,
        Group::History,
        Group::Care,
        Group::Projects,
        Group::Program,
        Group::More,
        Group::Agents,
    ];
    let mut page =
        "# All commands\n\nMade by `memdir help markdown > docs/COMMANDS.md`; do not edit.\n".to_owned();
    for group in groups {
        page.push_str(&format!("\n**{}**\n\n| command | what it does |\n|---|---|\n", group.heading()));
        for entry in COMMANDS.iter().filter(|entry| entry.group == group) {
            page.push_str(&format!("| [`{0}`](#memdir-{0}) | {1} |\n", entry.name, entry.about));
        }
    }
    page.push_str(
        "\nExit codes: 0 done, or yes; 1 a question answered with no; 2 an error or a refused change. `--json` prints one \
         object with `\"v\": 1`.\n",
    );
    for entry in
        groups.into_iter().flat_map(|group| COMMANDS.iter().filter(move |entry| entry.group == group))
    {
        let mut command = parse::in_our_name((entry.parser)());
        command.build();
        let help = command.render_long_help().to_string();
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        page.push_str(&format!(
            "\n## memdir {}\n\n```text\n{}\n```\n",
            entry.name,
            help.join("\n").trim_end()
        ));
    }
    page
}
