use std::io::Read;
use std::ops::ControlFlow;

use memdir_core::look::MapLook;
use proptest::prelude::*;

use super::*;

/// What a transcript says, one short line an entry.
fn told(source: impl Read) -> (Vec<String>, Reader<impl Read>) {
    let mut reader = Reader::new(source);
    let mut lines = Vec::new();
    reader
        .read(|entry| {
            lines.push(match entry {
                Entry::Compaction(boundary) => format!("compaction {}", boundary.trigger),
                Entry::Turn(turn) => {
                    let mut line = format!("{} {}", turn.role.as_str(), turn.text);
                    turn.files().for_each(|file| line.push_str(&format!(" file:{file}")));
                    turn.commands().for_each(|command| line.push_str(&format!(" $ {command}")));
                    turn.errors().for_each(|error| line.push_str(&format!(" !{error}")));
                    turn.commits()
                        .for_each(|commit| line.push_str(&format!(" @{} {}", commit.hash, commit.subject)));
                    line.trim_end().to_owned()
                }
            });
            ControlFlow::Continue(())
        })
        .unwrap();
    (lines, reader)
}

fn check(transcript: &str, expected: &[&str]) {
    assert_eq!(told(transcript.as_bytes()).0, expected);
}

#[test]
fn every_type_of_line_that_the_client_writes_is_read_or_passed_over() {
    let (lines, reader) = told(include_bytes!("testdata/every_type.jsonl").as_slice());
    assert_eq!(reader.problems(), Problems::default());
    assert_eq!(reader.position().line, 126);
    let of_kind = |start: &str| lines.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!((of_kind("user GOMAIN"), of_kind("user"), of_kind("compaction manual")), (7, 12, 1));
    assert_eq!(of_kind("assistant  file:/home/dev/proj/src/a.ts"), of_kind("assistant"));
}

/// What the real agents wrote in the runs of scripts/test-agents.
const OF_OTHERS: [(&str, &[u8]); 6] = [
    ("codex", include_bytes!("testdata/codex.jsonl")),
    ("copilot", include_bytes!("testdata/copilot.jsonl")),
    ("gemini", include_bytes!("testdata/gemini.jsonl")),
    ("opencode", include_bytes!("testdata/opencode.jsonl")),
    ("pi", include_bytes!("testdata/pi.jsonl")),
    ("qwen", include_bytes!("testdata/qwen.jsonl")),
];

#[test]
fn a_session_of_every_agent_is_read_as_the_agent_wrote_it() {
    for (client, transcript) in OF_OTHERS {
        let (mut prompts, mut answers, mut calls, mut results) = (Vec::new(), 0, Vec::new(), String::new());
        let mut reader = Reader::new(transcript);
        reader
            .read(|entry| {
                let Entry::Turn(turn) = entry else { panic!("{client}: no session was compacted") };
                assert_eq!(turn.client, client);
                assert!(turn.time.is_some() && !turn.uuid.is_empty(), "{client}: {turn:?}");
                if turn.is_prompt() {
                    // Qwen Code writes what a hook added behind the prompt.
                    let said = turn.text.trim_end_matches("\n\n(left out)");
                    prompts.push(said.trim_matches('"').to_owned());
                }
                answers += usize::from(turn.role == Role::Assistant && turn.text == "All right.");
                calls.extend(turn.calls.iter().map(|call| call.name.to_string()));
                turn.results.iter().for_each(|result| results.push_str(&result.text));
                ControlFlow::Continue(())
            })
            .unwrap();
        assert_eq!(reader.problems(), Problems::default(), "{client}");
        assert_eq!(
            prompts,
            [
                "please release from the main branch after the nightly run",
                "remember that I want tabs, never spaces",
                "please release from the main branch after the nightly run, once more",
            ],
            "{client}"
        );
        assert_eq!(answers, 3, "{client}");
        let saves = calls.iter().filter(|name| name.ends_with("save") || *name == "tool_call").count();
        assert_eq!((saves, results.contains("tabs.md")), (1, true), "{client}: {calls:?} {results}");
    }
}

#[test]
fn a_turn_is_read_alone_as_it_is_read_in_its_session() {
    for (client, transcript) in OF_OTHERS {
        let mut places = Vec::new();
        let each = |entry: Entry<'_>| {
            if let Entry::Turn(turn) = entry {
                places.push((usize::try_from(turn.position.offset).unwrap(), turn.text.into_owned()));
            }
            ControlFlow::Continue(())
        };
        Reader::new(transcript).read(each).unwrap();
        for (offset, text) in places {
            let mut alone = None;
            let first = |entry: Entry<'_>| {
                if let Entry::Turn(turn) = entry {
                    alone = Some((turn.client.into_owned(), turn.text.into_owned()));
                }
                ControlFlow::Break(())
            };
            Reader::new(&transcript[offset..]).read(first).unwrap();
            assert_eq!(alone, Some((client.to_owned(), text)));
        }
    }
}

#[test]
fn text_calls_and_results_of_a_turn() {
    check(
        concat!(
            r#"{"type":"user","uuid":"1","message":{"role":"user","content":"fix it"}}"#,
            "\n",
            r#"{"type": "assistant", "message": {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "I will."}, {"type": "text", "text": "Now."}, {"type": "tool_use", "name": "Bash", "input": {"command": "git commit -am x"}}]}}"#,
            "\r\n\n",
            r#"{"parentUuid":null,"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"[main 1a2b3c4] Fix it\n 1 file changed"}]},{"type":"tool_result","is_error":true,"content":"exit 1"}]}}"#,
        ),
        &["user fix it", "assistant I will.\n\nNow. $ git commit -am x", "user  !exit 1 @1a2b3c4 Fix it"],
    );
}

#[test]
fn odd_lines_cost_only_themselves() {
    check(
        concat!(
            "{\"type\":\"user\",\"message\":{\"content\":\"a\"}\n",
            "\"user\"\n[\"user\"]\nnull \"user\"\n\0\0\"user\"\n",
            "{\"type\":\"user\",\"message\":\"text\"}\n",
            "{\"type\":\"user\",\"uuid\":7,\"isMeta\":\"yes\",\"timestamp\":[],\"cwd\":{},\"message\":{\"content\":\"b\"}}\n",
            "{\"type\":\"assistant\",\"message\":{\"content\":[1,null,{\"type\":\"text\",\"text\":5},{\"type\":\"novel\"},{\"type\":\"text\",\"text\":\"c\"}]}}\n",
            "{\"type\":\"user\",\"message\":{\"content\":\"\\ud83d\\ude00 d\"}}\n",
        ),
        &["user b", "assistant c", "user 😀 d"],
    );
}

#[test]
fn bytes_that_are_not_utf8_are_replaced() {
    let (lines, _) = told(b"{\"type\":\"user\",\"message\":{\"content\":\"a\xffb\"}}\n".as_slice());
    assert_eq!(lines, ["user a\u{fffd}b"]);
}

#[test]
fn half_a_line_is_left_and_read_when_it_is_whole() {
    let whole = "{\"type\":\"user\",\"message\":{\"content\":\"a\"}}\n{\"type\":\"user\",\"message\":{\"content\":\"b\"}}";
    for cut in 43..whole.len() {
        let (first, reader) = told(&whole.as_bytes()[..cut]);
        assert_eq!(
            (first.as_slice(), reader.position().line),
            (["user a".to_owned()].as_slice(), 1),
            "{cut}"
        );
        let rest = &whole[usize::try_from(reader.position().offset).unwrap()..];
        assert_eq!(told(rest.as_bytes()).0, ["user b"]);
    }
    assert_eq!(told(whole.as_bytes()).1.position().offset, whole.len() as u64);
}

#[test]
fn a_line_of_any_length_takes_bounded_memory() {
    let huge = std::io::repeat(b'x').take(200 << 20);
    let turn = "\n{\"type\":\"user\",\"message\":{\"content\":\"after\"}}\n";
    let (lines, reader) = told(huge.chain(turn.as_bytes()));
    assert_eq!(lines, ["user after"]);
    assert_eq!(reader.problems(), Problems { broken: 0, too_long: 1 });
    assert_eq!(reader.position().offset, (200 << 20) + turn.len() as u64);
}

#[test]
fn what_the_client_wove_into_a_prompt_is_cut_out() {
    let check = |text: &str, expected: &str| assert_eq!(without_reminders(text), expected);
    check("a < b", "a < b");
    check("a <system-reminder>x</system-reminder> b", "a  b");
    check("a <system-reminder>x <b> </system-reminder><c>", "a <c>");
    check("a <local-command-stdout>x", "a ");
}

#[test]
fn sub_agents_files_belong_to_their_session() {
    let look = MapLook::new()
        .file("/p/b.jsonl", "")
        .file("/p/b/subagents/agent-x1.jsonl", "")
        .file("/p/b/subagents/agent-x1.meta.json", "")
        .file("/p/memory/subagents/no.jsonl", "")
        .file("/p/notes.txt", "");
    let files = session_files(&look, camino::Utf8Path::new("/p"));
    let short: Vec<_> = files.iter().map(|file| (file.session.as_str(), file.agent.as_deref())).collect();
    assert_eq!(short, [("b", None), ("b", Some("x1"))]);
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        told(bytes.as_slice());
    }

    #[test]
    fn no_mangled_line_makes_it_panic(cut in 0usize..200, noise in "\\PC{0,20}") {
        let line = r#"{"type":"assistant","uuid":"u","timestamp":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":[{"type":"text","text":"hello"},{"type":"tool_use","name":"Read","input":{"file_path":"/a"}}]}}"#;
        let cut = line.floor_char_boundary(cut);
        told(format!("{}{noise}{}", &line[..cut], &line[cut..]).as_bytes());
    }
}

#[test]
fn half_a_character_costs_itself_and_not_the_line() {
    check(
        r#"{"type":"user","message":{"role":"user","content":"cut \ud83d here, \ude00 there, \\ud83d told, \ud83d\ude00 whole"}}"#,
        &[r"user cut � here, � there, \ud83d told, 😀 whole"],
    );
}

#[test]
fn of_a_long_result_the_beginning_is_read() {
    for unit in ["plain text ", r"\n", r"\u0041", r"\ud83d\ude00", r"\\", "é"] {
        let long = unit.repeat(200_000 / unit.len());
        let line = format!(
            r#"{{"type":"user","message":{{"role":"user","content":[{{"type":"tool_result","is_error":true,"content":"{long}"}},{{"type":"tool_result","content":[{{"type":"text","text":"{long}"}}]}}]}}}}"#
        );
        let whole: String = serde_json::from_str(&format!("\"{long}\"")).unwrap();
        let expected = &whole[..whole.floor_char_boundary(4_096)];
        Reader::new(line.as_bytes())
            .read(|entry| {
                let Entry::Turn(turn) = entry else { panic!("a turn") };
                let texts: Vec<&str> = turn.results.iter().map(|result| result.text.as_ref()).collect();
                assert_eq!(texts, [expected, expected], "{unit}");
                ControlFlow::Continue(())
            })
            .unwrap();
    }
}
