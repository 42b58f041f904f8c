#!/usr/bin/env python3
"""What the client does, a line a fact, so that two versions can be compared: tools, prompts, hooks, transcripts, memory.

usage: isolated.sh python3 behaviour.py WORK    (WORK holds node_modules with the client)"""
import glob, json, os, re, shutil, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fake_api import run, msg_texts, sys_text

WORK = os.path.abspath(sys.argv[1])
CLAUDE = [WORK + "/node_modules/.bin/claude"]
EVENTS = ["SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "PermissionRequest",
          "SubagentStart", "SubagentStop", "Stop", "StopFailure", "PreCompact", "PostCompact", "InstructionsLoaded", "PreModelSwitch", "PostModelSwitch",
          "Notification", "ConfigChange", "CwdChanged", "FileChanged", "TaskCreated", "TaskCompleted"]
# Names that are new in 2.1.325, each alone; what follows says whether it changes anything.
SWITCHES = {"CLAUDE_CODE_POST_TURN_MEMORY": "1", "CLAUDE_BG_AUTO_MEMORY_OFF": "1", "CLAUDE_CODE_MEMORY_CONTEXT_NO_WAIT": "1",
            "CLAUDE_CODE_MEMORY_SUBAGENT_APPEND": "1", "CLAUDE_CODE_DISABLE_MEMORY_RO_UNSAVED_NOTICE": "1"}
INDEX = "- [Tabs](tabs.md) — the user wants tabs\n"


def fact(*words):
    print(" ".join(str(word) for word in words), flush=True)


class Case:
    def __init__(self, name, index=INDEX, hooks=True):
        self.root = f"{WORK}/behaviour/{name}"
        shutil.rmtree(self.root, ignore_errors=True)
        self.home, self.cwd = self.root + "/home", self.root + "/project"
        os.makedirs(self.cwd), os.makedirs(self.home + "/.claude")
        self.memory = self.home + "/.claude/projects/" + re.sub(r"[^A-Za-z0-9]", "-", self.cwd) + "/memory"
        os.makedirs(self.memory)
        if index:
            open(self.memory + "/MEMORY.md", "w").write(index)
        if hooks:
            command = lambda event: f"cat >> {self.root}/events.jsonl; echo >> {self.root}/events.jsonl; env | grep -o '^CLAUDE[A-Z_]*' >> {self.root}/env-{event}; true"
            listed = {event: [{"hooks": [{"type": "command", "command": command(event)}]}] for event in EVENTS}
            json.dump({"hooks": listed}, open(self.home + "/.claude/settings.json", "w"))

    def ask(self, prompt, **more):
        result = run(CLAUDE, self.cwd, self.home, prompt, **more)
        bodies = [request["body"] for request in result["requests"] if isinstance(request["body"], dict) and "messages" in request["body"]]
        return result, bodies

    def events(self):
        path = self.root + "/events.jsonl"
        lines = open(path).read().split("\n") if os.path.exists(path) else []
        return [json.loads(line) for line in lines if line.startswith("{")]


def text(body):
    return sys_text(body) + "\n" + "\n".join(part for _, _, part in msg_texts(body))


def call(name, **arguments):
    def responder(body, ctx):
        if not body.get("tools") or ctx.get("asked"):
            return None
        ctx["asked"] = True
        return [{"type": "tool_use", "name": name, "input": arguments}]
    return responder


def one_turn():
    case = Case("turn")
    result, bodies = case.ask("hello there")
    fact("turn: exit", result["rc"], "conversations", len(bodies), "requests", len(result["requests"]))
    for tool in sorted(tool["name"] for tool in bodies[0].get("tools", [])):
        fact("tool:", tool)
    for heading in re.findall(r"(?m)^#+ .*", sys_text(bodies[0])):
        fact("prompt:", heading)
    fact("the index is sent", text(bodies[0]).count("the user wants tabs"), "times")
    for name in ["cc-memory", "ProposeSkills", "project_memory", "account memory"]:
        fact("named to the model:", name, name in json.dumps(bodies[0]))
    for event in case.events():
        fact("hook:", event["hook_event_name"], ",".join(sorted(event)))
    for path in sorted(glob.glob(case.root + "/env-*")):
        fact("hook environment:", os.path.basename(path)[4:], ",".join(sorted(set(open(path).read().split()))))
    kinds = set()
    for path in glob.glob(case.home + "/.claude/projects/*/*.jsonl"):
        kinds |= {f"{line.get('type')}: {','.join(sorted(line))}" for line in map(json.loads, open(path))}
    for kind in sorted(kinds):
        fact("transcript:", kind)


def writes():
    """What becomes of files that the client's own tool writes into memory."""
    files = {"plain.md": "plain\n", "header.md": "---\nname: A B\ndescription: d\ntype: user\n---\n\ntext\n", "long.md": "word " * 9000 + "\n",
             "in\u200bvisible.md": "text\n", "bell\u0007.md": "text\n", "no.txt": "text\n", "deep/er.md": "text\n",
             "secret.md": "key sk-ant-api03-" + "a1B2" * 20 + "\n"}
    for name, content in files.items():
        case = Case("write", hooks=False)
        path = f"{case.memory}/{name}"
        _, bodies = case.ask("hi", responder=call("Write", file_path=path, content=content))
        said = [part for _, kind, part in msg_texts(bodies[-1]) if kind == "tool_result"]
        said = (said or ["nothing"])[-1].replace(case.root, "")
        kept = open(path).read() if os.path.exists(path) else None
        kept = kept and re.sub(r"[0-9a-f-]{36}|\d{4}-\d\d-\d\dT[\d:.]+Z", "*", kept)
        fact("write:", ascii(name), "is there" if kept is not None else "refused", "as written" if kept == content else ascii(kept)[:200],
             "·", re.sub(r"toolu_\w+|[0-9a-f-]{36}", "*", said)[:400])


def switches():
    base = None
    for name, value in [("none", None), *SWITCHES.items()]:
        case = Case("switch")
        spawn = call("Agent", description="look", prompt="SUBTASK look around", subagent_type="general-purpose")
        result, bodies = case.ask("hi", env={} if value is None else {name: value}, responder=spawn)
        sub = [body for body in bodies if "SUBTASK" in json.dumps(body["messages"][:2]) and "hi" != body["messages"][0]["content"]]
        sub = [body for body in sub if not any(kind == "tool_use" for _, kind, _ in msg_texts(body))]
        # A sub-agent runs beside the conversation: neither the order nor the number of requests is always the same.
        told = sorted({("the user wants tabs" in text(body), case.memory in sys_text(body)) for body in bodies})
        seen = (result["rc"], told, sorted({"the user wants tabs" in text(body) for body in sub}), sorted(os.listdir(case.memory)))
        base = base or seen
        fact("switch:", name, "without effect" if seen == base and value else seen)


def old_events():
    """An event that the client may not know must not cost the others."""
    case = Case("unknown")
    path = case.home + "/.claude/settings.json"
    settings = json.load(open(path))
    settings["hooks"]["NoSuchEvent"] = settings["hooks"]["Stop"]
    json.dump(settings, open(path, "w"))
    case.ask("hi")
    fact("an unknown event in the settings: the others fire", bool(case.events()))


one_turn()
writes()
switches()
old_events()
