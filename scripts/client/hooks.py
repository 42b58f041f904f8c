#!/usr/bin/env python3
"""What memdir does inside the real client, set up as a user does it: judged by what the client sent and what is on disk.

usage: isolated.sh python3 hooks.py WORK    (WORK holds node_modules with the client, and the program as `memdir`)"""
import json, os, shutil, subprocess, sys, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fake_api import run, msg_texts, sys_text

WORK = os.path.abspath(sys.argv[1])
MEMDIR = WORK + "/memdir"
CLAUDE = [WORK + "/node_modules/.bin/claude"]
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
EVENTS = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop", "SubagentStart", "SubagentStop", "PreCompact",
          "PostCompact", "SessionEnd"]
SETTINGS = '{\n  "cleanupPeriodDays": 30\n}\n'
PLUGIN = "/.local/share/memdir/claude-plugin"
failures = []


def case(name):
    """A new home and project, set up."""
    root = f"{WORK}/cases/{name}"
    shutil.rmtree(root, ignore_errors=True)
    home, project = root + "/home", root + "/project"
    os.makedirs(home + "/.claude"), os.makedirs(project)
    open(home + "/.claude/settings.json", "w").write(SETTINGS)
    done = memdir(home, project, "setup")
    assert done.returncode == 0, done.stderr
    return home, project


def memdir(home, project, *arguments, **more):
    env = {"PATH": "/usr/bin:/bin", "HOME": home}
    return subprocess.run([MEMDIR, *arguments], cwd=project, env=env, capture_output=True, text=True, **more)


def everything(result):
    """All text that reached the model, a request each."""
    bodies = [request["body"] for request in result["requests"]]
    bodies = [body for body in bodies if isinstance(body, dict) and "messages" in body]
    return [sys_text(body) + "\n" + "\n".join(text for _, _, text in msg_texts(body)) for body in bodies]


def check(name, holds, what):
    print(("ok      " if holds else "FAILED  ") + name)
    if not holds:
        failures.append(name)
        print("        " + str(what)[:1500])


def tool(name, **arguments):
    """A responder that asks for one tool call, then ends."""
    def responder(body, ctx):
        if not body.get("tools") or ctx.get("asked"):
            return None
        ctx["asked"] = True
        return [{"type": "tool_use", "name": name, "input": arguments}]
    return responder


def add(home, project, name, text):
    added = memdir(home, project, "add", "--type=project", "--name", name, "--description", "about " + name, "--text", text)
    assert added.returncode == 0, added.stderr


def directory(home, project):
    return memdir(home, project, "path").stdout.strip()


def recall_reaches_the_model():
    home, project = case("recall")
    add(home, project, "release", "Release only from the main branch, after the nightly run.")
    memdir(home, project, "search", "release")
    result = run(CLAUDE, project, home, "please release from the main branch after the nightly run")
    seen = [text for text in everything(result) if "Release only from the main branch" in text]
    check("UserPromptSubmit: the memory is in the request", bool(seen), result["stderr"] + str(everything(result))[-800:])


def start_reaches_the_model():
    home, project = case("start")
    add(home, project, "a", "text")
    other = os.path.dirname(project) + "/moved"
    os.rename(project, other)
    result = run(CLAUDE, other, home, "hi")
    check("SessionStart: a moved project is said", any("moved: this project was at" in text for text in everything(result)), everything(result))


def a_write_is_recorded():
    home, project = case("write")
    add(home, project, "a", "text")
    path = directory(home, project) + "/tabs.md"
    text = "---\nname: tabs\ndescription: wants tabs\nmetadata:\n  type: feedback\n---\n\nUse tabs.\n"
    result = run(CLAUDE, project, home, "hi", responder=tool("Write", file_path=path, content=text))
    check("Write: the client wrote the file", os.path.exists(path), result["stdout"] + result["stderr"])
    items = json.loads(memdir(home, project, "log", "--json").stdout)["items"]
    by_agent = [item for item in items if item["author"]["kind"] == "agent" and item["author"].get("session")]
    check("PostToolUse: recorded with its session", len(by_agent) == 1, items)
    if by_agent:
        undone = memdir(home, project, "undo", by_agent[0]["id"])
        check("undo takes it back", undone.returncode == 0 and not os.path.exists(path), undone.stderr)


def a_secret_is_stopped():
    home, project = case("secret")
    add(home, project, "a", "text")
    path = directory(home, project) + "/token.md"
    result = run(CLAUDE, project, home, "hi", responder=tool("Write", file_path=path, content=f"token {SECRET}\n"))
    said = [text for text in everything(result) if "this looks like a secret" in text]
    check("PreToolUse: a secret is not written", not os.path.exists(path), result["stdout"])
    check("PreToolUse: and the model is told", bool(said), everything(result)[-1][-1500:])


def review_keeps_the_change():
    home, project = case("review")
    add(home, project, "a", "text")
    os.makedirs(home + "/.config/memdir")
    open(home + "/.config/memdir/config.toml", "w").write('[writes]\nmemory = "review"\n')
    path = directory(home, project) + "/new.md"
    result = run(CLAUDE, project, home, "hi", responder=tool("Write", file_path=path, content="New words.\n"))
    waiting = memdir(home, project, "review").stdout
    check("review: nothing is written, the change waits", not os.path.exists(path) and "new.md" in waiting, waiting)
    check("review: the model is told", any("waits for the user's review" in text for text in everything(result)), "")


def the_journal_survives_a_compaction():
    home, project = case("compaction")
    for arguments in [["journal", "start"], ["journal", "task", "Port the parser to streaming"]]:
        done = memdir(home, project, *arguments)
        assert done.returncode == 0, done.stderr
    session = "11111111-2222-4333-8444-555555555555"
    first = run(CLAUDE, project, home, "hello", args=["--session-id", session])
    check("SessionStart: the journal's state is in the request", any("Port the parser to streaming" in text for text in everything(first)), everything(first))
    compact = run(CLAUDE, project, home, "/compact", args=["--resume", session])
    after = run(CLAUDE, project, home, "go on", args=["--resume", session])
    texts = everything(after)
    last = [text for text in texts if "go on" in text]
    check("after /compact the next request holds the recovery", any("Port the parser to streaming" in text and "compact" in text.lower() for text in last),
          compact["stdout"] + compact["stderr"] + after["stderr"] + str(last)[-3000:])


def a_subagent_is_told_and_heard():
    home, project = case("subagent")
    memdir(home, project, "journal", "start")
    def responder(body, ctx):
        if not body.get("tools"):
            return None
        ctx["turn"] = ctx.get("turn", 0) + 1
        if ctx["turn"] == 1:
            return [{"type": "tool_use", "name": "Agent", "input": {"description": "look", "prompt": "LOOK-AROUND", "subagent_type": "general-purpose"}}]
        if "LOOK-AROUND" in json.dumps(body["messages"][0]):
            return [{"type": "text", "text": "Found three callers of the parser."}]
        return None
    result = run(CLAUDE, project, home, "hi", responder=responder)
    told = [text for text in everything(result) if "LOOK-AROUND" in text and "/subagent/" in text]
    check("SubagentStart: the sub-agent is told where its findings go", bool(told), everything(result)[-1][-1500:])
    status = json.loads(memdir(home, project, "journal", "status", "--json").stdout)
    check("SubagentStop: what it said is kept", status["counts"]["subagent"] == 1, status)


def outputs_are_consolidated():
    home, project = case("consolidate")
    memdir(home, project, "journal", "start")
    journal = json.loads(memdir(home, project, "journal", "status", "--json").stdout)["directory"]
    session = "11111111-2222-4333-8444-666666666666"
    own = journal + "/subagent/2026-11-15_120000_own.md"
    def responder(body, ctx):
        if not body.get("tools"):
            return None
        first = json.dumps(body["messages"][0])
        if "FIND-CALLERS" in first:
            # A model takes seconds. The client writes the transcript in the meantime, a moment after the request.
            time.sleep(1)
            return [{"type": "text", "text": "## Findings\n\nThree callers ignore the error. One logs it."}]
        if "WRITE-YOURSELF" in first:
            ctx["own"] = ctx.get("own", 0) + 1
            if ctx["own"] == 1:
                return [{"type": "tool_use", "name": "Write", "input": {"file_path": own, "content": "# Own\n\n## Summary\nMine.\n\n## Details\nAll.\n"}}]
            if ctx["own"] == 2:
                return [{"type": "tool_use", "name": "Write", "input": {"file_path": journal + "/_index.md", "content": "forged"}}]
            return [{"type": "text", "text": "I have written my result down."}]
        ctx["turn"] = ctx.get("turn", 0) + 1
        if ctx["turn"] <= 2:
            prompt = ["FIND-CALLERS of parse() in src. Say which ignore its error.", "WRITE-YOURSELF what you think."][ctx["turn"] - 1]
            return [{"type": "tool_use", "name": "Agent", "input": {"description": "look", "prompt": prompt, "subagent_type": "general-purpose"}}]
        return None
    allowed = ["--session-id", session, "--permission-mode", "bypassPermissions"] if os.getuid() else ["--session-id", session, "--allowedTools", "Write", "--add-dir", journal]
    result = run(CLAUDE, project, home, "hi", responder=responder, args=allowed)
    names = sorted(os.listdir(journal + "/subagent"))
    check("SubagentStop: one output for each sub-agent, also if it wrote its own", len(names) == 2, names)
    kept = [name for name in names if "find-callers" in name]
    text = open(journal + "/subagent/" + kept[0]).read() if kept else ""
    check("SubagentStop: title, task and summary come from what was asked and found",
          text.startswith("# FIND-CALLERS of parse() in src\n") and "**Task**: FIND-CALLERS of parse()" in text and "## Summary\nThree callers ignore the error." in text, text)
    check("PreToolUse: a sub-agent's write to the index is refused with a reason",
          "forged" not in open(journal + "/_index.md").read() and any("only below `subagent/`" in text for text in everything(result)), everything(result)[-1][-1500:])
    for prompt in ["go on", "and on"]:
        later = run(CLAUDE, project, home, prompt, args=["--resume", session])
    last = everything(later)[-1]
    # The agents run in the background and end one after the other: one line for each end, none for later prompts.
    check("the parent is told once after each sub-agent what waits and how to take it over", 1 <= last.count("memdir journal consolidate` takes them over") <= 2, last[-3000:])
    recovered = memdir(home, project, "journal", "recover").stdout
    check("recover lists the outputs that wait", "Outputs of sub-agents that wait" in recovered and all(name in recovered for name in names), recovered)
    memdir(home, project, "journal", "consolidate")
    index = open(journal + "/_index.md").read()
    check("consolidate: the index has their rows", all("subagent/" + name in index for name in names), index)


def a_record_of_the_write_tool_has_its_row():
    home, project = case("row")
    memdir(home, project, "journal", "start")
    journal = json.loads(memdir(home, project, "journal", "status", "--json").stdout)["directory"]
    name = "decisions/2026-11-15_001_use-cookies.md"
    text = "# Use cookies\n\n**Date**: 2026-11-15T12:00:00Z\n**Category**: architecture\n**Status**: decided\n\n## Decision\nCookies.\n"
    run(CLAUDE, project, home, "hi", responder=tool("Write", file_path=journal + "/" + name, content=text), args=["--allowedTools", "Write", "--add-dir", journal])
    check("PostToolUse: a record of the Write tool has its row in the index", name in open(journal + "/_index.md").read(), open(journal + "/_index.md").read())


def recovery_names_every_record():
    home, project = case("recovery")
    memdir(home, project, "user", "update", "preferences", "--text", "Use tabs, never spaces.")
    for arguments in [["start"], ["task", "Port the parser to streaming"], ["progress", "--add", "write the reader"], ["block", "No test data"]]:
        done = memdir(home, project, "journal", *arguments)
        assert done.returncode == 0, done.stderr
    for number in range(20):
        memdir(home, project, "journal", "decide", "--category=process", f"--title=Rule {number}", f"--decision=Rule number {number} holds.")
    session = "11111111-2222-4333-8444-777777777777"
    first = run(CLAUDE, project, home, "hello", args=["--session-id", session])
    check("SessionStart: preferences are in the request", any("Use tabs, never spaces." in text for text in everything(first)), everything(first))
    run(CLAUDE, project, home, "/compact", args=["--resume", session])
    last = everything(run(CLAUDE, project, home, "go on", args=["--resume", session]))[-1]
    recovery = last[last.rfind("Your context was compacted"):]
    missing = [number for number in range(20) if f"_{number + 1:03}_rule-{number}.md)" not in recovery]
    check("after /compact every one of the last 20 records is named", not missing, str(missing) + recovery[:3000])
    wanted = ["Task: Port the parser to streaming", "Next: write the reader", "Blocker: No test data", "Use tabs, never spaces."]
    check("with task, next step, blocker and preferences", all(text in recovery for text in wanted), recovery[:3000])


def calls(*blocks):
    """A responder that asks for these tool calls, one a turn."""
    def responder(body, ctx):
        if not body.get("tools"):
            return None
        ctx["turn"] = ctx.get("turn", 0) + 1
        return [dict(blocks[ctx["turn"] - 1])] if ctx["turn"] <= len(blocks) else None
    return responder


def results(result):
    """What tools answered, in their order."""
    found = {}
    for request in result["requests"]:
        messages = request["body"].get("messages", []) if isinstance(request["body"], dict) else []
        for message in messages:
            for block in message["content"] if isinstance(message["content"], list) else []:
                if block["type"] == "tool_result":
                    found[block["tool_use_id"]] = block
    return list(found.values())


def files(folder):
    """Every file below a folder with its content."""
    return {os.path.join(where, name): open(os.path.join(where, name), "rb").read()
            for where, _, names in os.walk(folder) for name in names if os.path.isfile(os.path.join(where, name))}


def off_is_off():
    def local(project):
        os.makedirs(project + "/.claude", exist_ok=True)
        open(project + "/.claude/settings.local.json", "w").write('{"autoMemoryEnabled": false}')
    def config(home):
        os.makedirs(home + "/.config/memdir")
        open(home + "/.config/memdir/config.toml", "w").write("[features]\nauto_memory = false\nextract = true\n")
    switches = {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}, "CLAUDE_CODE_SIMPLE": {"CLAUDE_CODE_SIMPLE": "1"},
                "CLAUDE_CODE_REMOTE": {"CLAUDE_CODE_REMOTE": "1"}, "autoMemoryEnabled": {}, "features.auto_memory": {}}
    for name, env in switches.items():
        home, project = case("off")
        add(home, project, "release", "Release only from the main branch, after the nightly run.")
        memdir(home, project, "search", "release")
        for arguments in [["start"], ["task", "Port the parser to streaming"]]:
            memdir(home, project, "journal", *arguments)
        if name == "autoMemoryEnabled":
            local(project)
        if name == "features.auto_memory":
            config(home)
        before = files(home + "/.local/share/memdir"), files(directory(home, project)), files(home + "/.claude/projects/project")
        target = directory(home, project) + "/new.md"
        responder = calls({"type": "tool_use", "name": "Write", "input": {"file_path": target, "content": "The user said so.\n"}})
        result = run(CLAUDE, project, home, "please release from the main branch after the nightly run", env=env, responder=responder)
        if os.path.exists(target):
            os.remove(target)
        after = files(home + "/.local/share/memdir"), files(directory(home, project)), files(home + "/.claude/projects/project")
        said = "\n".join(everything(result))
        check(f"off ({name}): memdir says nothing", "hook additional context" not in said and "Port the parser" not in said, said[-1500:])
        check(f"off ({name}): memdir writes nothing", before == after, [set(one) ^ set(other) for one, other in zip(before, after)])


def no_question_is_asked():
    home, project = case("permissions")
    memdir(home, project, "journal", "start")
    note = home + "/.claude/projects/project/context/notes.md"
    bash = lambda command: {"type": "tool_use", "name": "Bash", "input": {"command": command, "description": "journal"}}
    file = lambda name, path, **more: {"type": "tool_use", "name": name, "input": {"file_path": path, **more}}
    wanted = [
        bash("memdir journal status"), bash("memdir journal task 'Port the parser'"), bash("memdir journal progress --add 'write it'"),
        bash("memdir journal decide --title 'Use cookies' --category architecture --decision 'Scripts cannot read them.'"),
        bash("memdir journal recover"), bash("memdir journal done"), bash("memdir search parser"), bash("memdir workspace add"),
        bash("memdir user update preferences --text 'Use tabs'"), file("Read", home + "/.claude/workspace.md"),
        file("Read", home + "/.claude/user/preferences.md"), file("Read", home + "/.claude/projects/project/_index.md"),
        file("Write", note, content="The staging database is reset at midnight.\n"),
        file("Edit", home + "/.claude/workspace.md", old_string="active", new_string="paused"), bash("memdir journal stop"),
    ]
    result = run(CLAUDE, project, home, "hi", responder=calls(*wanted), timeout=120)
    answered = results(result)
    for call, answer in zip(wanted, answered):
        what = call["input"].get("command") or call["name"] + " " + call["input"]["file_path"].replace(home, "~")
        check(f"no question: {what[:70]}", not answer.get("is_error"), answer)
    check("no question: every call was answered", len(answered) == len(wanted), len(answered))
    home, project = case("asked")
    assert memdir(home, project, "uninstall").returncode == 0 and memdir(home, project, "setup", "claude", "--no-permissions").returncode == 0
    memdir(home, project, "journal", "start")
    result = run(CLAUDE, project, home, "hi", responder=calls(bash("memdir workspace add")))
    check("with --no-permissions the client asks", all(answer.get("is_error") for answer in results(result)) and results(result), results(result))


def a_snapshot_is_taken_over():
    home, project = case("snapshot")
    os.makedirs(project + "/.claude/agents"), os.makedirs(home + "/.claude/agent-memory/reviewer")
    open(project + "/.claude/agents/reviewer.md", "w").write("---\nname: reviewer\ndescription: reviews\nmemory: user\n---\nReview.\n")
    index = home + "/.claude/agent-memory/reviewer/MEMORY.md"
    open(index, "w").write("Look at the tests first.\n")
    assert memdir(home, project, "agent", "snapshot", "create", "reviewer").returncode == 0
    shutil.rmtree(home + "/.claude/agent-memory"), shutil.rmtree(home + "/.local/share/memdir/registry")
    result = run(CLAUDE, project, home, "hi")
    check("snapshot: an agent without memory begins with it", os.path.exists(index) and open(index).read() == "Look at the tests first.\n", result["stderr"])
    check("snapshot: the session is told", any("begins with the memory that this project hands on" in text for text in everything(result)), everything(result)[-1][-1500:])


def start_line(result):
    """What the client says about itself at the start of a session that prints JSON."""
    lines = [json.loads(line) for line in result["stdout"].splitlines() if line.startswith("{")]
    return next((line for line in lines if line.get("subtype") == "init"), {})


def client(home, *arguments):
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    return subprocess.run(CLAUDE + list(arguments), env=env, capture_output=True, text=True)


def the_plugin_loads():
    home, project = case("plugin")
    result = run(CLAUDE, project, home, "hi", args=["--output-format", "stream-json", "--verbose"])
    start = start_line(result)
    check("the plugin is loaded", [plugin["path"] for plugin in start.get("plugins", []) if plugin["name"] == "memdir"] == [home + PLUGIN], start)
    check("without an error or a warning", not start.get("plugin_errors") and not result["stderr"], str(start.get("plugin_errors")) + result["stderr"])
    commands = [f"memdir:{name}" for name in ["start", "stop", "status", "rebuild", "workspace", "user", "review", "dream", "memory"]]
    check("its commands and its skill are there", set(commands) <= set(start.get("slash_commands", [])), start.get("slash_commands"))
    valid = client(home, "plugin", "validate", "--strict", home + PLUGIN)
    check("the client's own validation of what was installed", valid.returncode == 0, valid.stdout + valid.stderr)


def the_repository_is_a_marketplace():
    home, project = case("marketplace")
    assert memdir(home, project, "uninstall").returncode == 0
    for folder in [WORK + "/repository", WORK + "/repository/plugin"]:
        valid = client(home, "plugin", "validate", "--strict", folder)
        check(f"the client's own validation of {os.path.basename(folder)}", valid.returncode == 0, valid.stdout + valid.stderr)
    added = client(home, "plugin", "marketplace", "add", WORK + "/repository")
    added = client(home, "plugin", "install", "memdir@memdir")
    check("the plugin can be installed from it", added.returncode == 0, added.stdout + added.stderr)
    result = run(CLAUDE, project, home, "hi", args=["--output-format", "stream-json", "--verbose"])
    check("where memdir is missing the user hears how to get it, and the client works", "cargo install" in result["stdout"] and result["rc"] == 0, result)
    memdir(home, project, "journal", "start"), memdir(home, project, "journal", "task", "Port the parser")
    result = run(CLAUDE, project, home, "hi", env={"PATH": WORK + ":/usr/bin:/bin"})
    check("where it is on the PATH its hooks run", any("Port the parser" in text for text in everything(result)), everything(result)[-1][-800:])


def the_commands_run():
    home, project = case("commands")
    add(home, project, "release", "Release on Fridays.")
    wanted = {"start": "# Journal of project", "status": directory(home, project), "rebuild": "ebuilt", "review": "Nothing waits", "dream": "memdir dream", "user": "memdir user", "workspace": "memdir workspace", "stop": "topped"}
    for name, answer in wanted.items():
        result = run(CLAUDE, project, home, f"/memdir:{name}")
        texts = everything(result)
        check(f"/memdir:{name}: what memdir answers is in the request", any(answer in text for text in texts), result["stdout"] + str(texts)[-1500:])


def the_server_answers():
    home, project = case("server")
    add(home, project, "release", "Release only from the main branch.")
    prefix = "mcp__plugin_memdir_memdir__"
    def responder(body, ctx):
        if not body.get("tools"):
            return None
        ctx["turn"] = ctx.get("turn", 0) + 1
        if ctx["turn"] == 1:
            return [{"type": "tool_use", "name": "ToolSearch", "input": {"query": f"select:{prefix}search"}}]
        if ctx["turn"] == 2:
            return [{"type": "tool_use", "name": prefix + "search", "input": {"query": "main branch"}}]
        return None
    arguments = ["--output-format", "stream-json", "--verbose", "--allowedTools", prefix.removesuffix("__")]
    result = run(CLAUDE, project, home, "hi", responder=responder, args=arguments)
    start = start_line(result)
    tools = sorted(name.removeprefix(prefix) for name in start.get("tools", []) if name.startswith(prefix))
    check("MCP: the server is connected", [server["status"] for server in start.get("mcp_servers", [])] == ["connected"], start.get("mcp_servers"))
    check("MCP: its tools are listed", {"search", "read", "save", "edit", "forget", "journal", "sessions"} <= set(tools), tools)
    answers = [json.dumps(block) for request in result["requests"] if isinstance(request["body"], dict) for message in request["body"].get("messages", [])
               if isinstance(message["content"], list) for block in message["content"] if block["type"] == "tool_result"]
    check("MCP: a search is answered", any("Release only from the main branch" in answer and "is_error\": true" not in answer for answer in answers), answers[-2:])


def the_way_out():
    home, project = case("out")
    run(CLAUDE, project, home, "hi")
    out = memdir(home, project, "uninstall")
    left = memdir(home, project, "uninstall", "--check")
    check("uninstall: settings as before, to the byte", open(home + "/.claude/settings.json").read() == SETTINGS, out.stdout)
    check("uninstall --check: nothing is left", out.returncode == 0 and left.returncode == 0, left.stdout)
    result = run(CLAUDE, project, home, "hi", args=["--output-format", "stream-json", "--verbose"])
    names = [plugin["name"] for plugin in start_line(result).get("plugins", [])]
    check("the client works on without it", result["rc"] == 0 and "memdir" not in names and not result["stderr"], names)


def a_killed_hook_does_not_stop_the_client():
    for killed in EVENTS:
        home, project = case("killed")
        path = home + PLUGIN + "/hooks/hooks.json"
        hooks = json.load(open(path))
        hooks["hooks"][killed][0]["hooks"][0]["command"] = "kill -9 $$"
        json.dump(hooks, open(path, "w"))
        memdir(home, project, "journal", "start")
        target = directory(home, project) + "/new.md"
        def responder(body, ctx):
            if not body.get("tools"):
                return None
            ctx["turn"] = ctx.get("turn", 0) + 1
            if "LOOK-AROUND" in json.dumps(body["messages"][0]):
                return [{"type": "text", "text": "Looked."}]
            if ctx["turn"] == 1:
                return [{"type": "tool_use", "name": "Write", "input": {"file_path": target, "content": "Words.\n"}}]
            if ctx["turn"] == 2:
                return [{"type": "tool_use", "name": "Agent", "input": {"description": "look", "prompt": "LOOK-AROUND", "subagent_type": "general-purpose"}}]
            return None
        session = "11111111-2222-4333-8444-555555555555"
        result = run(CLAUDE, project, home, "hi", responder=responder, args=["--session-id", session])
        works = result["rc"] == 0 and "ok" in result["stdout"] and os.path.exists(target)
        if killed.endswith("Compact"):
            compact = run(CLAUDE, project, home, "/compact", args=["--resume", session])
            after = run(CLAUDE, project, home, "go on", args=["--resume", session])
            works = works and compact["rc"] == 0 and after["rc"] == 0 and "ok" in after["stdout"]
        check(f"kill -9 of {killed} leaves the client working", works, result["stdout"] + result["stderr"])


def what_we_wrote_is_left_alone():
    home, project = case("topic")
    add(home, project, "freeze", "Code freeze.")
    path = directory(home, project) + "/freeze.md"
    before = open(path).read()
    edit = tool("Edit", file_path=path, old_string="Code freeze.", new_string="Code thaw.")
    def responder(body, ctx):
        if not body.get("tools"):
            return None
        ctx["turn"] = ctx.get("turn", 0) + 1
        if ctx["turn"] == 1:
            return [{"type": "tool_use", "name": "Read", "input": {"file_path": path}}]
        return edit(body, ctx)
    run(CLAUDE, project, home, "hi", responder=responder)
    changed = [line for line in open(path).read().splitlines() if line not in before.splitlines()]
    ours = all(line.strip().startswith(("modified:", "originSessionId:", "Code thaw.")) for line in changed)
    check("a topic file of ours: the client adds only its session and the time", bool(changed) and ours, changed)


def an_explorer_gets_the_index():
    home, project = case("explorer")
    add(home, project, "release", "Release on Fridays.")
    def responder(body, ctx):
        if not body.get("tools"):
            return None
        ctx["turn"] = ctx.get("turn", 0) + 1
        if ctx["turn"] == 1:
            return [{"type": "tool_use", "name": "Agent", "input": {"description": "look", "prompt": "LOOK-AROUND", "subagent_type": "Explore"}}]
        return None
    result = run(CLAUDE, project, home, "hi", responder=responder)
    told = [text for text in everything(result) if "LOOK-AROUND" in text and "about release" in text and "SubagentStart" in text]
    check("SubagentStart: a sub-agent without memory gets the index", bool(told), everything(result)[-1][-1500:])


def without_marks(part):
    """A part of a request without the marks that say where the cache ends: the client moves them at every turn."""
    if isinstance(part, dict):
        return {key: without_marks(value) for key, value in part.items() if key != "cache_control"}
    return [without_marks(one) for one in part] if isinstance(part, list) else part


def as_blocks(body):
    """Everything that a request sends before its answer, in order, a text each."""
    blocks = [json.dumps(without_marks(part)) for part in [body.get("tools"), body.get("system")]]
    for message in body["messages"]:
        content = message["content"]
        content = [{"type": "text", "text": content}] if isinstance(content, str) else content
        blocks += [message["role"] + json.dumps(without_marks(block)) for block in content]
    return blocks


def the_prefix_stays_over_ten_turns():
    home, project = case("prefix")
    subjects = ["kestrel", "osprey", "heron", "falcon", "plover", "curlew", "dunlin", "avocet", "whimbrel", "godwit"]
    for subject in subjects[:5]:
        add(home, project, subject, f"The {subject} server is restarted by hand every Sunday before the backup.")
    memdir(home, project, "search", "backup")
    def responder(body, ctx):
        if not body.get("tools"):
            return None
        turn = ctx["turn"] = ctx.get("turn", 0) + 1
        # Memory changes while the session runs: a new one, another text, one that is gone.
        add(home, project, f"late-{turn}", f"The {subjects[turn % 10]} server was moved to rack {turn} on a Monday.")
        memdir(home, project, "set", subjects[turn % 5], "description", f"changed at turn {turn}")
        memdir(home, project, "rm", f"late-{turn - 2}")
        memdir(home, project, "search", "server")
        open(f"{home}/turn-{turn}", "w").close()
        return None
    turns = [f"when is the {subject} server restarted before the backup" for subject in subjects]
    lines = [json.dumps({"type": "user", "message": {"role": "user", "content": turn}}) for turn in turns]
    open(home + "/turns", "w").write("\n".join(lines) + "\n")
    # The client joins prompts that come while it is busy, so each one waits for the answer to the one before.
    feed = 'n=0; while read -r line; do echo "$line"; n=$((n+1)); while [ ! -e "$HOME/turn-$n" ]; do sleep 0.1; done; sleep 1; done < "$HOME/turns" | "$@"'
    arguments = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
    result = run(["sh", "-c", feed, "sh", *CLAUDE], project, home, None, args=arguments, responder=responder, timeout=180)
    bodies = [request["body"] for request in result["requests"]]
    bodies = [as_blocks(body) for body in bodies if isinstance(body, dict) and body.get("tools") and "messages" in body]
    said = sum("restarted by hand" in text for text in bodies[-1]) if bodies else 0
    check("prompt cache: ten turns, and memories were brought to them", len(bodies) == 10 and said > 0, (len(bodies), said, result["stderr"], result["stdout"][-600:]))
    differs = [(turn, old, new) for turn, (one, other) in enumerate(zip(bodies, bodies[1:])) for old, new in zip(one, other) if old != new]
    check("prompt cache: what was sent stays the same to the byte at every later turn", not differs and bodies == sorted(bodies, key=len), differs[:1])


def scopes_reach_the_model_in_order():
    home, project = case("scopes")
    add(home, project, "release", "Release on Tuesdays.")
    for scope, name in [("user", "english"), ("machine", "proxy")]:
        added = memdir(home, project, "add", "--scope", scope, "-t", "user", "-n", name, "-d", "about " + name, "--text", name)
        assert added.returncode == 0, added.stderr
    text = "\n".join(everything(run(CLAUDE, project, home, "hi")))
    places = [text.find("about " + name) for name in ["english", "proxy"]]
    check("scopes: the user's and the machine's index are in the request, in order", -1 < places[0] < places[1], places)
    check("scopes: the client's own index is there as before", "about release" in text, "")


def a_warning_comes_before_the_tool_call():
    home, project = case("warning")
    add(home, project, "lockfile", "Use pnpm here, npm breaks the lockfile.")
    memdir(home, project, "set", "lockfile", "when", "Bash(npm install *)")
    memdir(home, project, "config", "set", "features.warnings", "true")
    result = run(CLAUDE, project, home, "hi", args=["--dangerously-skip-permissions"], env={"IS_SANDBOX": "1"},
                 responder=tool("Bash", command="npm install left-pad --dry-run --offline", description="install"))
    told = [text for text in everything(result) if "npm breaks the lockfile" in text]
    check("PreToolUse: a memory with `when` reaches the model", bool(told), result["stderr"] + everything(result)[-1][-1500:])


def our_fields_stay():
    home, project = case("fields")
    for name in ["old", "new"]:
        add(home, project, name, "Deploys happen on a day.")
    for field, value in [("supersedes", "old"), ("cues", "roll out; hotfix"), ("expires", "2099-12-01"), ("pinned", "true"), ("when", "Bash(make deploy *)")]:
        assert memdir(home, project, "set", "new", field, value).returncode == 0, field
    path = directory(home, project) + "/new.md"
    result = run(CLAUDE, project, home, "hi", responder=calls(
        {"type": "tool_use", "name": "Read", "input": {"file_path": path}},
        {"type": "tool_use", "name": "Edit", "input": {"file_path": path, "old_string": "a day", "new_string": "Thursdays"}}))
    after = open(path).read()
    ours = ["supersedes:", "- old", "cues:", "- roll out", "- hotfix", "expires: 2099-12-01", "pinned: true", "when:", "- Bash(make deploy *)"]
    check("fields: the client's Edit keeps every field of ours", "Thursdays" in after and all(one in after for one in ours), (after, results(result)))
    top = directory(home, project) + "/top.md"
    text = "---\nname: top\ndescription: by hand\ntype: project\nsupersedes:\n  - old\ncues:\n  - roll out\nexpires: 2099-12-01\npinned: true\nbranch: main\n---\n\nWritten by hand.\n"
    run(CLAUDE, project, home, "hi", responder=tool("Write", file_path=top, content=text))
    after = open(top).read()
    kept = all(wanted in after for wanted in ["supersedes:", "- old", "cues:", "- roll out", "expires: 2099-12-01", "pinned: true", "branch: main"])
    shown = memdir(home, project, "show", "top", "--json").stdout
    due = memdir(home, project, "ls").stdout
    check("fields: what was written at the top level is kept, and memdir still reads it", kept and "only in main" in due, (after, shown, due))


def use_is_counted():
    home, project = case("usage")
    add(home, project, "release", "Release only from the main branch, after the nightly run.")
    add(home, project, "tabs", "Use tabs.")
    memdir(home, project, "search", "release")
    path = directory(home, project) + "/tabs.md"
    def responder(body, ctx):
        if not body.get("tools"):
            return None
        ctx["turn"] = ctx.get("turn", 0) + 1
        if ctx["turn"] == 1:
            return [{"type": "tool_use", "name": "Read", "input": {"file_path": path}}]
        return [{"type": "text", "text": 'As you said, <cc-memory filenames="release.md">from the main branch</cc-memory>.'}]
    run(CLAUDE, project, home, "from which branch do we release, and after what run", responder=responder)
    items = {item["name"]: item for item in json.loads(memdir(home, project, "usage", "--json").stdout)["items"]}
    counts = {name: [item[key] for key in ("shown", "read", "cited")] for name, item in items.items()}
    check("usage: what was shown, read by the client's tool and marked by it is counted", counts == {"release": [1, 0, 1], "tabs": [0, 1, 0]}, counts)
    why = memdir(home, project, "why", "release")
    check("usage: why says which session was given it", why.returncode == 0 and "shown to session" in why.stdout, why.stdout + why.stderr)


PROOFS = [the_plugin_loads, recall_reaches_the_model, start_reaches_the_model, a_write_is_recorded, a_secret_is_stopped, review_keeps_the_change,
          off_is_off, no_question_is_asked, a_snapshot_is_taken_over, the_journal_survives_a_compaction, recovery_names_every_record, a_subagent_is_told_and_heard,
          outputs_are_consolidated, a_record_of_the_write_tool_has_its_row, an_explorer_gets_the_index, what_we_wrote_is_left_alone,
          the_commands_run, the_server_answers, the_repository_is_a_marketplace, the_way_out, a_killed_hook_does_not_stop_the_client,
          the_prefix_stays_over_ten_turns, scopes_reach_the_model_in_order, a_warning_comes_before_the_tool_call,
          our_fields_stay, use_is_counted]
for proof in PROOFS:
    if not sys.argv[2:] or proof.__name__ in sys.argv[2:]:
        proof()
print(f"{len(failures)} failed" if failures else "all hold")
sys.exit(1 if failures else 0)
