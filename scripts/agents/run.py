#!/usr/bin/env python3
"""What memdir does inside one real agent, set up as a user does it: judged by what reached the model and by what is on disk.

usage: isolated.sh python3 run.py WORK NAME    (WORK holds the program as `memdir`, the agent below NAME/, and node below node/)"""
import json, os, shutil, subprocess, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from agents import AGENTS
from server import Call, serve

WORK, NAME = os.path.abspath(sys.argv[1]), sys.argv[2]
AGENT = next(agent for agent in AGENTS if agent.name == NAME)
ROOT = f"{WORK}/cases/{NAME}"
HOME, PROJECT = ROOT + "/home", ROOT + "/project"
MEMDIR = WORK + "/memdir"
TABS = "Use tabs in this project, never spaces."
REMEMBER = "remember that I want tabs, never spaces"
KNOWN = "Release only from the main branch, after the nightly run."
INDEX = "- [release](release.md)"
failures = []


def check(name, holds, what=""):
    print(("ok      " if holds else "FAILED  ") + f"{NAME}: {name}", flush=True)
    if not holds:
        failures.append(name)
        print("        " + str(what)[:1500].replace("\n", "\n        "))


def memdir(*arguments, **more):
    env = {"PATH": "/usr/bin:/bin", "HOME": HOME}
    return subprocess.run([MEMDIR, *arguments], cwd=PROJECT, env=env, capture_output=True, text=True, **more)


def lines(*arguments):
    done = memdir(*arguments)
    return json.loads(done.stdout)["items"] if done.stdout.startswith("{") else []


def tree(folder):
    """Every file below a folder with its bytes, and every directory."""
    found = {}
    for path, folders, files in os.walk(folder):
        for name in folders:
            found[os.path.relpath(os.path.join(path, name), folder)] = None
        for name in files:
            with open(os.path.join(path, name), "rb") as file:
                found[os.path.relpath(os.path.join(path, name), folder)] = file.read()
    return found


def outside_memdir(found):
    """Without our own state."""
    return {path: content for path, content in found.items() if not path.startswith((".local", ".config/memdir"))}


def script(request):
    """The model of this conversation: it saves when it is asked to, and says little else."""
    tool = AGENT.deferred and AGENT.deferred.format("save") or request.tool("save")
    if REMEMBER in request.prompt and not request.results and tool:
        text = f"{TABS}\n\n**Why:** the user said so."
        arguments = {"name": "tabs", "description": "tabs, never spaces", "type": "feedback", "text": text}
        if AGENT.deferred:
            # A tool whose schema the model has not asked for is called through another one.
            return Call("tool_call", {"name": tool, "arguments": arguments}) if "tool_call" in request.tools else "All right."
        return Call(tool, arguments)
    return "All right."


def ask(server, arguments, prompt):
    """One turn: the requests with a conversation that it made, and what was printed."""
    fill = lambda text: text.replace("{url}", server.url).replace("{prompt}", prompt)
    path = f"{WORK}/node/node_modules/node/bin:/usr/local/bin:/usr/bin:/bin"
    env = {"PATH": path, "HOME": HOME, "TERM": "dumb", "LANG": "C.UTF-8", "PWD": PROJECT, "NO_COLOR": "1"}
    env.update({name: fill(value) for name, value in AGENT.env.items()})
    program = f"{WORK}/{NAME}/node_modules/.bin/{AGENT.program}"
    before = len(server.requests)
    try:
        done = subprocess.run([program, *map(fill, arguments)], cwd=PROJECT, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=400)
        said = f"exit {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}"
    except subprocess.TimeoutExpired as error:
        said = f"timeout\n{(error.stdout or b'').decode()[-1000:]}\n{(error.stderr or b'').decode()[-1000:]}"
    made = server.requests[before:]
    talks = [request for request in made if prompt in request.text and len(request.tools) > 3]
    return talks, said + f"\n{len(made)} requests; others {server.others[-5:]}"


def prepare(url):
    shutil.rmtree(ROOT, ignore_errors=True)
    os.makedirs(PROJECT)
    os.makedirs(HOME)
    for path, text in AGENT.files.items():
        path = f"{HOME}/{path}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text.replace("{url}", url))
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": HOME}
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=PROJECT, env=env, check=True)


def there_and_back():
    """Set-up and the way back, with nothing in between."""
    before = tree(HOME)
    done = memdir("setup", NAME, "--yes")
    wired = outside_memdir(tree(HOME))
    check("setup", done.returncode == 0 and wired != outside_memdir(before), done.stdout + done.stderr)
    memdir("uninstall")
    after = outside_memdir(tree(HOME))
    differing = [path for path in sorted({*before, *after}) if before.get(path, 0) != after.get(path, 0)]
    check("uninstall restores every byte", not differing, differing)
    return [path for path, content in wired.items() if content is not None and before.get(path) != content]


def converse(server):
    """Four turns, and what each of them brought to the model."""
    added = memdir("add", "--type=project", "--name", "release", "--description", "how a release is made", "--text", KNOWN)
    assert added.returncode == 0, added.stderr
    memdir("search", "release")
    memdir("setup", NAME, "--yes")
    talks, said = ask(server, AGENT.first, "please release from the main branch after the nightly run")
    check("the model was asked", bool(talks), said)
    if not talks:
        return
    named = lambda name: AGENT.deferred.format(name) in talks[0].text if AGENT.deferred else talks[0].tool(name)
    tools = [name for name in ("search", "read", "save", "edit", "forget", "journal", "sessions") if named(name)]
    check("every tool of memdir is offered to the model", len(tools) == 7, (tools, list(talks[0].tools)))
    if AGENT.injects:
        check("the index reaches the model once", talks[0].text.count(INDEX) == 1, talks[0].text[-3000:])
        check("the memory that fits the prompt reaches the model once", talks[0].text.count(KNOWN) == 1, talks[0].text[-3000:])
    else:
        check("the model is told how to use memdir", "memdir keeps what the user told you" in talks[0].text, talks[0].text[-3000:])
    talks, said = ask(server, AGENT.later, REMEMBER)
    if AGENT.resumes:
        check("a second turn of the same session", bool(talks) and "nightly run" in talks[0].text, said)
    saved = [request.results[-1] for request in talks if request.results]
    check("save: the tool was called", bool(saved), said)
    check("save: the memory is on disk", TABS in memdir("show", "tabs").stdout, saved or said)
    by = [item["author"] for item in lines("log", "--json") if any("tabs" in change["path"] for change in item["changes"])]
    check("save: recorded under the agent's name", bool(by) and by[0].get("id") == AGENT.author, by)
    talks, said = ask(server, AGENT.later, "please release from the main branch after the nightly run, once more")
    if AGENT.injects and talks:
        check("the third turn: still once", talks[-1].text.count(INDEX) == 1 and talks[-1].text.count(KNOWN) == 1,
              (talks[-1].text.count(INDEX), talks[-1].text.count(KNOWN), said))
    # Before a new session begins: Gemini CLI 0.61.0 deletes one then that went on in a later minute than it began.
    look_back()
    talks, said = ask(server, AGENT.first, "are there tabs or spaces in this project?")
    if AGENT.injects and talks:
        check("a new session recalls what was saved", TABS in talks[0].text, talks[0].text[-2000:])
    hooks = [line for line in memdir("doctor", "--json").stdout.splitlines() if "hook" in line and "fail" in line]
    check("no hook failed", not hooks, hooks)


def look_back():
    """What memdir knows of the sessions."""
    if not AGENT.sessions:
        return
    known = lines("sessions", "--json")
    check("sessions: listed under the agent's name", bool(known) and all(item.get("agent") == AGENT.author for item in known), known)
    hits = memdir("search", "--in", "sessions", "--json", "remember tabs spaces").stdout
    check("search --in sessions finds a turn", f'"agent":"{AGENT.author}"' in hits.replace(" ", "") and "tabs, never spaces" in hits, hits)


def leave(before, touched):
    """After all of it: what set-up touched is as it was."""
    done = memdir("uninstall")
    check("uninstall after use", done.returncode == 0, done.stdout + done.stderr)
    after = tree(HOME)
    for path in touched:
        check(f"{path} is as before", after.get(path) == before.get(path), (after.get(path) or b"gone").decode())


def main():
    server = serve(script)
    prepare(server.url)
    touched = there_and_back()
    before = tree(HOME)
    converse(server)
    if os.environ.get("KEEP"):
        with open(f"{ROOT}/requests.json", "w") as file:
            json.dump([request.body for request in server.requests], file, indent=1)
    leave(before, touched)
    print(f"{NAME} {AGENT.version}: " + (f"{len(failures)} failed" if failures else "all hold"))
    sys.exit(bool(failures))


main()
