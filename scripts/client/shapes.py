#!/usr/bin/env python3
"""What `memdir path`, `load` and `context` say, against what the real client sends: one project shape a run.

usage: isolated.sh python3 shapes.py WORK    (WORK holds node_modules with the client, and the program as `memdir`)"""
import json, os, shutil, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fake_api import run, msg_texts, sys_text

WORK = os.path.abspath(sys.argv[1])
MEMDIR = WORK + "/memdir"
CLAUDE = [WORK + "/node_modules/.bin/claude"]
GIT = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "a",
       "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
SHAPES = {}


class Shape:
    """A home, a project in it, and how the client is started there."""
    def __init__(self, name):
        self.root = f"{WORK}/shapes/{name}"
        shutil.rmtree(self.root, ignore_errors=True)
        self.home, self.cwd = self.root + "/home", self.root + "/project"
        self.env, self.arguments = {}, []
        self.index = "- [Tabs](tabs.md) — the user wants tabs\n"
        os.makedirs(self.home + "/.claude"), os.makedirs(self.cwd)

    def write(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text.encode() if isinstance(text, str) else text)

    def git(self, *arguments, cwd=None):
        subprocess.run(["git", "-c", "protocol.file.allow=always", *arguments], cwd=cwd or self.cwd, env=GIT, check=True, capture_output=True)

    def repository(self, path=None):
        path = path or self.cwd
        os.makedirs(path, exist_ok=True)
        self.git("init", "-q", cwd=path)
        self.git("commit", "-q", "--allow-empty", "-m", "first", cwd=path)

    def go(self, path):
        self.cwd = os.path.join(self.root, path)
        os.makedirs(self.cwd, exist_ok=True)

    def memdir(self, *arguments):
        env = {"PATH": "/usr/bin:/bin", "HOME": self.home, **self.env}
        done = subprocess.run([MEMDIR, *arguments], cwd=self.cwd, env=env, capture_output=True, text=True)
        if done.returncode == 2:
            raise RuntimeError(done.stderr)
        return done.stdout


def shape(function):
    SHAPES[function.__name__] = function
    return function


@shape
def plain_directory(s): pass

@shape
def repository(s): s.repository()

@shape
def subdirectory(s):
    s.repository()
    s.go("project/src/deep")

@shape
def worktree(s):
    s.repository()
    s.git("worktree", "add", "-q", s.root + "/tree")
    s.go("tree")

@shape
def worktree_inside(s):
    s.repository()
    s.write("project/CLAUDE.md", "MAIN\n")
    s.write("project/CLAUDE.local.md", "MAIN LOCAL\n")
    s.git("worktree", "add", "-q", s.cwd + "/trees/one")
    s.write("project/trees/one/CLAUDE.md", "TREE\n")
    s.go("project/trees/one")

@shape
def submodule(s):
    s.repository(s.root + "/part")
    s.repository()
    s.git("submodule", "--quiet", "add", s.root + "/part", "part")
    s.go("project/part")

@shape
def nested_repository(s):
    s.repository()
    s.repository(s.cwd + "/inner")
    s.go("project/inner")

@shape
def bare_with_worktree(s):
    s.repository()
    s.git("clone", "-q", "--bare", s.cwd, s.root + "/bare.git")
    s.git("worktree", "add", "-q", s.root + "/tree", cwd=s.root + "/bare.git")
    s.go("tree")

@shape
def separate_git_dir(s):
    s.git("init", "-q", "--separate-git-dir", s.root + "/elsewhere.git")

@shape
def forged_git_file(s):
    s.repository(s.root + "/victim")
    s.write("project/.git", f"gitdir: {s.root}/victim/.git\n")

@shape
def broken_git_file_above(s):
    s.write("project/.git", "nonsense\n")
    s.go("project/sub")

@shape
def linked_directory(s):
    os.symlink(s.cwd, s.root + "/link")
    s.cwd = s.root + "/link"

@shape
def linked_into_a_repository(s):
    s.repository()
    os.makedirs(s.cwd + "/src")
    os.symlink(s.cwd + "/src", s.root + "/link")
    s.cwd = s.root + "/link"

@shape
def spaces(s): s.go("my project (2)")

@shape
def unicode_name(s): s.go("проект-日本é")

@shape
def unicode_decomposed(s): s.go("cafe\u0301")

@shape
def beyond_the_basic_plane(s): s.go("x😀y")

@shape
def dots_and_underscores(s): s.go("my.app_v1.2")

@shape
def hidden_directory(s): s.go(".hidden/.config")

@shape
def very_long_path(s): s.go("/".join(["a-long-directory-name-" + str(n) for n in range(12)]))

@shape
def config_dir(s):
    s.env["CLAUDE_CONFIG_DIR"] = s.root + "/config"
    s.write("config/CLAUDE.md", "USER ELSEWHERE\n")

@shape
def directory_in_user_settings(s): s.write("home/.claude/settings.json", json.dumps({"autoMemoryDirectory": s.root + "/mine"}))

@shape
def directory_below_home(s): s.write("home/.claude/settings.json", '{"autoMemoryDirectory": "~/notes/memory"}')

@shape
def directory_in_local_settings(s):
    s.repository()
    s.write("project/.claude/settings.local.json", json.dumps({"autoMemoryDirectory": s.root + "/local"}))
    s.go("project/sub")

@shape
def directory_that_is_invalid(s):
    s.write("home/.claude/settings.json", json.dumps({"autoMemoryDirectory": s.root + "/mine"}))
    s.write("project/.claude/settings.local.json", '{"autoMemoryDirectory": "relative/path"}')

@shape
def settings_with_comments(s): s.write("home/.claude/settings.json", '{\n  // mine\n  "autoMemoryDirectory": "/tmp/ab"\n}')

@shape
def switched_off_by_settings(s): s.write("project/.claude/settings.json", '{"autoMemoryEnabled": false}')

@shape
def switched_off_by_the_environment(s): s.env["CLAUDE_CODE_DISABLE_AUTO_MEMORY"] = "1"

@shape
def switched_on_against_settings(s):
    s.write("home/.claude/settings.json", '{"autoMemoryEnabled": false}')
    s.env["CLAUDE_CODE_DISABLE_AUTO_MEMORY"] = "0"

@shape
def path_override(s): s.env["CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"] = s.root + "/a/../override/"

@shape
def settings_flag(s): s.arguments = ["--settings", json.dumps({"autoMemoryDirectory": s.root + "/flag"})]

@shape
def no_setting_sources(s):
    s.write("home/.claude/settings.json", json.dumps({"autoMemoryDirectory": s.root + "/mine"}))
    s.write("project/CLAUDE.md", "PROJECT\n")
    s.arguments = ["--setting-sources", "user"]

@shape
def instructions_of_every_kind(s):
    s.repository()
    s.write("home/.claude/CLAUDE.md", "USER @~/.claude/more.md\n")
    s.write("home/.claude/more.md", "MORE\n")
    s.write("CLAUDE.md", "ABOVE\n")
    s.write("project/CLAUDE.md", "PROJECT @docs/a.md and `@docs/no.md`\n")
    s.write("project/docs/a.md", "A @b.md\n")
    s.write("project/docs/b.md", "B\n")
    s.write("project/.claude/CLAUDE.md", "DOT CLAUDE\n")
    s.write("project/.claude/rules/one.md", "RULE ONE\n")
    s.write("project/.claude/rules/deep/two.md", "RULE TWO\n")
    s.write("project/.claude/rules/paths.md", "---\npaths: src/**\n---\nONLY FOR SRC\n")
    s.write("project/CLAUDE.local.md", "LOCAL\n")

@shape
def instructions_in_a_chain(s):
    s.repository()
    for path in ["", "sub/", "sub/deep/"]:
        s.write(f"project/{path}CLAUDE.md", f"AT {path or 'the root'}\n")
    s.write("project/sub/CLAUDE.local.md", "LOCAL OF SUB\n")
    s.write("project/sub/deep/below/CLAUDE.md", "BELOW\n")
    s.go("project/sub/deep")

@shape
def agents_file_only(s):
    s.write("project/AGENTS.md", "AGENTS\n")

@shape
def agents_file_beside_instructions(s):
    s.write("project/AGENTS.md", "AGENTS\n")
    s.write("project/CLAUDE.md", "CLAUDE\n")

@shape
def comments_and_headers(s):
    s.write("project/CLAUDE.md", "---\ntitle: x\n---\nONE\n\n<!-- hidden -->\n\nTWO <!-- kept -->\n")

@shape
def excluded_instructions(s):
    s.write("CLAUDE.md", "ABOVE\n")
    s.write("project/CLAUDE.md", "PROJECT\n")
    s.write("project/.claude/settings.json", json.dumps({"claudeMdExcludes": [s.root + "/CLAUDE.md"]}))

@shape
def index_of_many_lines(s): s.index = "".join(f"- [Line {n}](l{n}.md) — a memory\n" for n in range(300))

@shape
def index_of_many_units(s): s.index = "".join(f"- [Line {n}](l{n}.md) — {'é' * 300}\n" for n in range(150))

@shape
def index_of_one_long_line(s): s.index = "- " + "word " * 8000 + "\n- second\n"

@shape
def index_with_header_and_comments(s): s.index = "---\nname: x\n---\n<!-- note -->\n- [a](a.md) — one\n\n<!-- two\nlines -->\n- [b](b.md)\n"

@shape
def index_with_controls(s): s.index = "- [a](a.md) — \u200bzero\u202e width\r\n- <system-reminder>do</system-reminder>\u2028- [b](b.md)\n"

@shape
def index_that_is_empty(s): s.index = "   \n\n"


def sent(s):
    """The text of the instructions, and the whole system prompt, as the client sent them."""
    result = run(CLAUDE, s.cwd, s.home, "hi", args=s.arguments, env=s.env)
    bodies = [request["body"] for request in result["requests"]]
    bodies = [body for body in bodies if isinstance(body, dict) and "messages" in body]
    if not bodies:
        raise RuntimeError(result["stdout"] + result["stderr"])
    texts = [text for role, _, text in msg_texts(bodies[0]) if role == "user" and "\nContents of " in text]
    return (texts or [""])[0], sys_text(bodies[0])


def judge(name):
    s = Shape(name)
    SHAPES[name](s)
    place = json.loads(s.memdir("path", "--json", *s.arguments))
    directory = place["memory_dir"]
    if s.index is not None:
        os.makedirs(directory, exist_ok=True)
        with open(place["entrypoint"], "w", newline="") as file:
            file.write(s.index)
    files = json.loads(s.memdir("context", "--json", *s.arguments))["files"]
    loaded = json.loads(s.memdir("load", "--file", place["entrypoint"], "--json"))
    instructions, system = sent(s)
    wrong = []
    if (f"`{directory}/`" in system) != place["enabled"]:
        wrong.append(f"path says {directory} ({'on' if place['enabled'] else 'off'}); the client: {[line for line in system.splitlines() if '/memory' in line][:2]}")
    ours = "\n\n".join(f"Contents of {file['path']} ({file['label']}):\n\n{file['text']}" for file in files)
    theirs = instructions[instructions.find("\nContents of ") + 1:].removesuffix("\n</system-reminder>") if instructions else ""
    if ours != theirs:
        wrong.append(f"context says {ours[-1500:]!r}; the client {theirs[-1500:]!r}")
    shown = [file["text"] for file in files if file["kind"] == "auto_memory"]
    if shown and shown != [loaded["text"]]:
        wrong.append(f"load says {loaded['text'][:300]!r}; context {shown[0][:300]!r}")
    shutil.rmtree(s.root, ignore_errors=True)
    return name, wrong


if __name__ == "__main__":
    names = sys.argv[2:] or list(SHAPES)
    failed = 0
    with ThreadPoolExecutor(2) as pool:
        for name, wrong in pool.map(judge, names):
            print(("FAILED  " if wrong else "ok      ") + name.replace("_", " "))
            for line in wrong:
                print("        " + line)
            failed += bool(wrong)
    print(f"{len(names)} project shapes, {failed} failed" if failed else f"{len(names)} project shapes: all as the client sends them")
    sys.exit(1 if failed else 0)
