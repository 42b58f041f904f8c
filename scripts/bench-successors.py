#!/usr/bin/env python3
"""How often a text that replaces another comes first: data in crates/memdir-testkit/data/successors.

usage: bench-successors.py [-v] MEMDIR

The old text is dated in February 2026, the new one in June. The files are written in an order that gives nothing away.
"""
import datetime, json, os, subprocess, sys, tempfile, uuid

HERE = os.path.dirname(os.path.abspath(__file__))
SETS = os.path.join(HERE, "../crates/memdir-testkit/data/successors")
DATA = os.path.join(SETS, "pairs.json")
OLD, NEW = "2026-02-10T09:00:00.000Z", "2026-06-15T09:00:00.000Z"
NOW = "2026-09-01T12:00:00Z"


def memory(folder, pair, which):
    name = f"{pair['id']}-{'a' if which == 'old' else 'b'}"
    text = pair[which]
    mark = ""
    if pair["marked"]:
        mark = f"  supersedes:\n    - {pair['id']}-a\n" if which == "new" else f"  superseded_by: {pair['id']}-b\n"
    time = OLD if which == "old" else NEW
    body = f"---\nname: {name}\ndescription: {text.split('.')[0][:90]}\nmetadata:\n  type: project\n{mark}  modified: {time}\n---\n\n{text}\n"
    path = os.path.join(folder, name + ".md")
    with open(path, "w", encoding="utf8") as file:
        file.write(body)
    return path


def session(folder, pair, which):
    identity = str(uuid.uuid5(uuid.NAMESPACE_URL, pair["id"] + which))
    time = OLD if which == "old" else NEW
    turn = {"type": "user", "uuid": identity, "sessionId": identity, "timestamp": time, "cwd": "/p", "gitBranch": "main",
            "message": {"role": "user", "content": pair[which]}}
    answer = {"type": "assistant", "uuid": identity[::-1], "parentUuid": identity, "sessionId": identity, "timestamp": time, "cwd": "/p",
              "message": {"role": "assistant", "content": [{"type": "text", "text": "Done, I have changed it."}]}}
    with open(os.path.join(folder, identity + ".jsonl"), "w", encoding="utf8") as file:
        file.write(json.dumps(turn) + "\n" + json.dumps(answer) + "\n")
    return identity


def ask(memdir, home, arguments, pairs):
    lines = "".join(json.dumps({"qid": pair["id"], "query": pair["query"]}) + "\n" for pair in pairs)
    env = dict(os.environ, HOME=home, MEMDIR_HOME=os.path.join(home, "state"))
    done = subprocess.run([memdir, "search", "--jsonl", "-n", "10", "--now", NOW, *arguments], input=lines, text=True,
                          env=env, cwd=home, stdout=subprocess.PIPE, check=True)
    return {answer["qid"]: answer["ranked"] for answer in map(json.loads, done.stdout.splitlines())}


def together(memdir, home):
    """One memory directory in which some facts changed, others did not, and most texts have a neighbour of the same subject."""
    with open(os.path.join(SETS, "memories.json"), encoding="utf8") as file:
        cases = json.load(file)
    folder = os.path.join(home, "together")
    os.mkdir(folder)

    def write(name, text, day):
        date = datetime.date(2025, 6, 1) + datetime.timedelta(days=day)
        description = json.dumps(text[:100], ensure_ascii=False)
        head = f"---\nname: {name}\ndescription: {description}\nmetadata:\n  type: project\n  modified: {date}T10:00:00.000Z\n---\n"
        path = os.path.join(folder, name + ".md")
        with open(path, "w", encoding="utf8") as file:
            file.write(f"{head}\n{text}\n")
        return path

    asked, score = [], {}
    for number, case in enumerate(cases):
        newer = write(f"b{number}", case["newer"], 300 + number)
        older = write(f"a{number}", case["older"], number)
        others = [write(f"c{number}-{at}", text, 100 + 7 * at + number) for at, text in enumerate(case.get("others", []))]
        if case.get("both_hold"):
            asked.append((case["query"], "a parallel fact stays first", older, None))
        else:
            asked.append((case["query"], "newer before older", newer, older))
        asked += [(stay["query"], "a neighbour stays first", others[stay["other"]], None) for stay in case.get("stay", [])]
    ranked = ask(memdir, home, ["--dir", folder], [{"id": str(at), "query": query} for at, (query, *_) in enumerate(asked)])
    for at, (_, what, wanted, other) in enumerate(asked):
        order = ranked[str(at)]
        place = order.index(wanted) if wanted in order else 99
        right = place < (order.index(other) if other in order else 98) if other else place == 0
        score[what] = (score.get(what, (0, 0))[0] + right, score.get(what, (0, 0))[1] + 1)
    for what, (right, of) in score.items():
        print(f"{what:30}{right:>4} of {of}")


def main():
    arguments = sys.argv[1:]
    verbose = "-v" in arguments
    memdir = os.path.abspath([argument for argument in arguments if argument != "-v"][0])
    with open(DATA, encoding="utf8") as file:
        pairs = json.load(file)
    with tempfile.TemporaryDirectory() as home:
        folders = {where: os.path.join(home, where) for where in ("memory", "session")}
        for folder in folders.values():
            os.mkdir(folder)
        write = {"memory": memory, "session": session}
        known = {(pair["id"], which): write[pair["where"]](folders[pair["where"]], pair, which)
                 for which in ("new", "old") for pair in pairs}
        of = lambda where: [pair for pair in pairs if pair["where"] == where]
        ranked = ask(memdir, home, ["--dir", folders["memory"]], of("memory"))
        ranked |= ask(memdir, home, ["--transcripts", folders["session"]], of("session"))
        print(f"{'':24}{'pairs':>6}{'new before old':>16}{'new first':>11}")
        groups = [(where, marked) for where in ("memory", "session") for marked in (True, False)]
        total = [0, 0, 0]
        for where, marked in groups:
            counts = [0, 0, 0]
            for pair in of(where):
                if pair["marked"] != marked:
                    continue
                order = ranked[pair["id"]]
                place = lambda which: order.index(known[pair["id"], which]) if known[pair["id"], which] in order else 99
                before, first = place("new") < place("old"), place("new") == 0
                counts = [counts[0] + 1, counts[1] + before, counts[2] + first]
                if verbose and not (before and first):
                    print(pair["id"], "new", place("new"), "old", place("old"))
            total = [one + other for one, other in zip(total, counts)]
            print(f"{where + (', marked' if marked else ', by date'):24}{counts[0]:6}{counts[1]:16}{counts[2]:11}")
        print(f"{'all':24}{total[0]:6}{total[1]:16}{total[2]:11}")
        together(memdir, home)


main()
