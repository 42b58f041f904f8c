#!/usr/bin/env python3
"""Makes the transcripts of the tests from what the real agents wrote in a run: `KEEP=1 scripts/test-agents`, then this.

usage: fixtures.py CASES FOLDER    (CASES is the folder that the run kept; one file an agent is written to FOLDER)

Paths of the run are replaced, and long texts are left out unless they are ours: prompts of an agent's maker are not copied."""
import glob, json, os, sys

CASES, FOLDER = sys.argv[1:]
PLACES = {
    "codex": ".codex/sessions/*/*/*/*.jsonl",
    "copilot": ".copilot/session-state/*/events.jsonl",
    "gemini": ".gemini/tmp/*/chats/*.jsonl",
    "opencode": ".local/share/memdir/sessions/opencode/*/*.jsonl",
    "pi": ".pi/agent/sessions/*/*.jsonl",
    "qwen": ".qwen/projects/*/chats/*.jsonl",
}
LONGEST = 160


def short(value):
    if isinstance(value, str):
        is_ours = value.startswith(("{", "<hook_context>", "&lt;memory-quote", "The memory of this project"))
        if "tabs.md" in value and not is_ours:
            return "added tabs.md"
        if value.startswith("<environment_context>"):
            return "<environment_context>(left out)</environment_context>"
        return value if len(value) <= LONGEST or is_ours else "(left out)"
    if isinstance(value, list):
        return [short(item) for item in value]
    if isinstance(value, dict):
        return {key: short(item) for key, item in value.items()}
    return value


for agent, pattern in PLACES.items():
    files = glob.glob(f"{CASES}/{agent}/home/{pattern}")
    if not files:
        print(f"{agent}: no session was kept", file=sys.stderr)
        continue
    # The session of several turns has most lines.
    longest = max(files, key=lambda path: sum(1 for _ in open(path)))
    with open(longest) as source, open(f"{FOLDER}/{agent}.jsonl", "w") as target:
        for line in source:
            line = line.replace(f"{CASES}/{agent}/", "/home/dev/").replace(f"{CASES}/{agent}".replace("/", "-"), "-home-dev")
            target.write(json.dumps(short(json.loads(line)), separators=(",", ":"), ensure_ascii=False) + "\n")
