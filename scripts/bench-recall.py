#!/usr/bin/env python3
"""Recall against grep and SQLite FTS5, and the fit of its coefficients. Standard library only.

usage: bench-recall.py [--fit] [--second] MEMDIR

Prints, for memories without and with cues: recalled (needed memories that were quoted), silent (prompts that need
nothing and got nothing), useless (of all that was quoted), quoted or named. The development set is split by
project: the coefficients are fitted on two projects and the older sets, and scored on the third, all three ways.
--second also scores the second set with the coefficients in the program: look at it once, at the end.
--fit writes crates/memdir-search/src/recall/coefficients.rs.
"""
import json, math, os, re, sqlite3, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "../crates/memdir-testkit/data/recall")
SEARCH = os.path.join(HERE, "../crates/memdir-search/src/recall")
FITTED = ["words", "title", "cues", "coverage", "second_word", "margin", "best_cue", "length", "has_cues"]
# No data set has these: they were set by hand, in the order of FEATURE_NAMES.
BY_HAND = [("cosine", 0.0), ("names_file", 1.0), ("pinned", 0.5), ("superseded", -4.0), ("other_branch", -4.0), ("age", 0.0)]
THRESHOLD = 0.35
MOST = 3
RIDGE = 5.0


def load(name):
    with open(os.path.join(DATA, name), encoding="utf8") as file:
        return json.load(file)


def older(name):
    with open(os.path.join(SEARCH, "testdata", name), encoding="utf8") as file:
        old = json.load(file)
    memories = [dict(name=f[:-3], type=t, description=d, body=b) for f, t, d, b in old["memories"]]
    prompts = [dict(id=f"{name}{i}", text=t, relevant=[w[:-3]], project=name) for i, (t, w) in enumerate(old["needs"])]
    prompts += [dict(id=f"{name}-{i}", text=t, relevant=[], project=name) for i, t in enumerate(old["nothing"])]
    return dict(memories=memories, prompts=prompts)


def text_of(memory, cues):
    lines = ["---", f"name: {memory['name']}", "description: " + json.dumps(memory["description"], ensure_ascii=False)]
    lines += ["metadata:", "  node_type: memory", f"  type: {memory['type']}"]
    if cues:
        lines += ["  cues:"] + ["    - " + json.dumps(cue, ensure_ascii=False) for cue in cues]
    return "\n".join(lines + ["---", "", memory["body"], ""])


def ask(memdir, data, cues):
    """What the program considers for each prompt: [(prompt, [memory with features])], and what it quotes and names."""
    with tempfile.TemporaryDirectory() as home:
        project = os.path.join(home, "project")
        os.mkdir(project)
        env = {"HOME": home, "PATH": os.environ["PATH"]}
        where = subprocess.run([memdir, "path", "--json", "--cwd", project], env=env, capture_output=True, check=True)
        folder = json.loads(where.stdout)["memory_dir"]
        os.makedirs(folder)
        for memory in data["memories"]:
            with open(os.path.join(folder, memory["name"] + ".md"), "w", encoding="utf8") as file:
                file.write(text_of(memory, cues.get(memory["name"], [])))
        lines = "".join(json.dumps(dict(id=p["id"], prompt=p["text"])) + "\n" for p in data["prompts"])
        run = subprocess.run([memdir, "recall", "--jsonl", "--explain", "--cwd", project], env=env, input=lines.encode(), capture_output=True, check=True)
        answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert [a["id"] for a in answers] == [p["id"] for p in data["prompts"]]
    return list(zip(data["prompts"], answers))


def fit(asked):
    rows = []
    for prompt, answer in asked:
        for memory in answer["considered"]:
            if memory["name"] not in prompt.get("also_ok", []):
                values = [memory["features"][name] for name in FITTED]
                rows.append((values, 1.0 if memory["name"] in prompt["relevant"] else 0.0))
    count = len(FITTED)
    mean = [sum(v[i] for v, _ in rows) / len(rows) for i in range(count)]
    spread = [math.sqrt(sum((v[i] - mean[i]) ** 2 for v, _ in rows) / len(rows)) or 1.0 for i in range(count)]
    table = [([(v[i] - mean[i]) / spread[i] for i in range(count)] + [1.0], y) for v, y in rows]
    weights = [0.0] * (count + 1)
    for _ in range(30):
        gradient = [RIDGE * w if i < count else 0.0 for i, w in enumerate(weights)]
        hessian = [[RIDGE if i == j and i < count else 0.0 for j in range(count + 1)] for i in range(count + 1)]
        for v, y in table:
            p = 1 / (1 + math.exp(-max(-30, min(30, sum(a * b for a, b in zip(v, weights))))))
            for i in range(count + 1):
                gradient[i] += (p - y) * v[i]
                share = p * (1 - p) * v[i]
                for j in range(count + 1):
                    hessian[i][j] += share * v[j]
        step = solve(hessian, gradient)
        weights = [w - s for w, s in zip(weights, step)]
        if max(map(abs, step)) < 1e-8:
            break
    plain = [w / s for w, s in zip(weights, spread)]
    return plain, weights[-1] - sum(p * m for p, m in zip(plain, mean))


def solve(matrix, right):
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    for i in range(len(rows)):
        pivot = max(range(i, len(rows)), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(len(rows)):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def chosen_by(model):
    weights, intercept = model

    def choose(prompt, answer):
        def probability(memory):
            total = intercept + sum(w * memory["features"][n] for w, n in zip(weights, FITTED))
            return 1 / (1 + math.exp(-max(-30, min(30, total))))

        ranked = sorted(((probability(m), m["name"]) for m in answer["considered"]), reverse=True)
        quoted = [name for p, name in ranked if p >= THRESHOLD][:MOST]
        return quoted, [name for _, name in ranked if name not in quoted][:3]

    return choose


def as_shown(prompt, answer):
    return [m["name"] for m in answer["memories"]], [m["name"] for m in answer["named"]]


class Score:
    def __init__(self):
        self.needed = self.recalled = self.named = self.none = self.silent = self.shown = self.useless = 0

    def add(self, prompt, quoted, named):
        fine = set(prompt["relevant"]) | set(prompt.get("also_ok", []))
        if prompt["relevant"]:
            self.needed += len(prompt["relevant"])
            self.recalled += sum(name in quoted for name in prompt["relevant"])
            self.named += sum(name in quoted or name in named for name in prompt["relevant"])
        else:
            self.none += 1
            self.silent += all(name in fine for name in quoted)
        self.shown += len(quoted)
        self.useless += sum(name not in fine for name in quoted)

    def row(self, title):
        part = lambda a, b: f"{a / max(1, b):.2f} ({a}/{b})"
        return f"| {title} | {part(self.recalled, self.needed)} | {part(self.silent, self.none)} | {part(self.useless, self.shown)} | {part(self.named, self.needed)} |"


def score(asked, choose, title):
    total = Score()
    for prompt, answer in asked:
        total.add(prompt, *choose(prompt, answer))
    print(total.row(title))


STOP = set("a an and are as at be by can do for from has have how i in is it its me my of on or our so that the this to up was we what when which why will with you your".split())


def grep(data):
    """Every memory that holds any word of the prompt of four letters or more, the most such words first."""

    def choose(prompt, _):
        words = {w for w in re.findall(r"\w{4,}", prompt["text"].lower()) if w not in STOP}
        hits = [(sum(w in (m["name"] + m["description"] + m["body"]).lower() for w in words), m["name"]) for m in data["memories"]]
        ranked = [name for count, name in sorted(hits, key=lambda h: -h[0]) if count]
        return ranked[:MOST], ranked[MOST : MOST + 3]

    return choose


def fts5(data, cues):
    database = sqlite3.connect(":memory:")
    database.execute("create virtual table m using fts5(name unindexed, text, tokenize='porter unicode61')")
    for m in data["memories"]:
        text = " ".join([m["name"].replace("_", " "), m["description"], m["body"]] + cues.get(m["name"], []))
        database.execute("insert into m values (?, ?)", (m["name"], text))

    def choose(prompt, _):
        words = [w for w in re.findall(r"\w+", prompt["text"].lower()) if w not in STOP]
        if not words:
            return [], []
        query = " OR ".join(f'"{w}"' for w in words)
        ranked = [row[0] for row in database.execute("select name from m where m match ? order by bm25(m)", (query,))]
        return ranked[:MOST], ranked[MOST : MOST + 3]

    return choose


def table(title):
    print(f"\n{title}\n\n| | recalled | silent | useless of shown | quoted or named |\n|---|---|---|---|---|")


def main():
    options = [a for a in sys.argv[1:] if a.startswith("--")]
    memdir = os.path.abspath([a for a in sys.argv[1:] if not a.startswith("--")][0])
    dev, cues = load("dev.json"), load("dev_cues.json")
    asked = {False: ask(memdir, dev, {}), True: ask(memdir, dev, cues)}
    others = [pair for name in ("prompts.json", "foreign.json") for pair in ask(memdir, older(name), {})]
    projects = sorted({p["project"] for p in dev["prompts"]})
    table("Development set: fitted on two projects, scored on the third")
    score(asked[False], grep(dev), "grep")
    score(asked[False], fts5(dev, {}), "SQLite FTS5")
    score(asked[False], fts5(dev, cues), "SQLite FTS5, with cues")
    for with_cues in (False, True):
        total = Score()
        for held_out in projects:
            known = [pair for kind in asked.values() for pair in kind if pair[0]["project"] != held_out]
            choose = chosen_by(fit(known + others))
            for prompt, answer in asked[with_cues]:
                if prompt["project"] == held_out:
                    total.add(prompt, *choose(prompt, answer))
        print(total.row("memdir, with cues" if with_cues else "memdir"))
    if "--fit" in options:
        weights, intercept = fit(asked[False] + asked[True] + others)
        numbers = [f"{w:.3f}" for w in weights] + [f"{w:.1f}" for _, w in BY_HAND]
        write(numbers, intercept)
    table("Development set, with the coefficients in the program (fitted on all of it: an upper bound)")
    score(asked[False], as_shown, "memdir")
    score(asked[True], as_shown, "memdir, with cues")
    if "--second" in options:
        second, cues = load("second.json"), load("second_cues.json")
        plain = ask(memdir, second, {})
        table("Second set: nothing was tuned on it")
        score(plain, grep(second), "grep")
        score(plain, fts5(second, {}), "SQLite FTS5")
        score(plain, fts5(second, cues), "SQLite FTS5, with cues")
        score(plain, as_shown, "memdir")
        score(ask(memdir, second, cues), as_shown, "memdir, with cues")


def write(numbers, intercept):
    path = os.path.join(SEARCH, "coefficients.rs")
    with open(path, "w", encoding="utf8") as file:
        file.write(
            "//! The coefficients of recall's one decision. Written by `scripts/bench-recall.py --fit`; do not edit what it fitted.\n\n"
            "use super::features::COUNT;\n\n"
            f"/// In the order of `FEATURE_NAMES`. The last {len(BY_HAND)} could not be fitted for lack of data and were set by hand.\n"
            f"pub(super) static COEFFICIENTS: [f32; COUNT] =\n    [{', '.join(numbers)}];\n\n"
            "/// What speaks against a memory before anything is known.\n"
            f"pub(super) static INTERCEPT: f32 = {intercept:.3f};\n"
        )
    print(f"wrote {path}")


main()
