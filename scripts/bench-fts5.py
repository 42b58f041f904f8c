#!/usr/bin/env python3
"""What raw SQLite FTS5 needs for the same corpus, as a reference for `scripts/bench search`.

usage: bench-fts5.py FOLDER QUERY…
Prints CPU milliseconds: first indexing a file, one query on an open database.
"""
import os, sqlite3, sys, tempfile, time

folder, queries = sys.argv[1], sys.argv[2:]
with tempfile.TemporaryDirectory() as scratch:
    start = time.process_time()
    database = sqlite3.connect(os.path.join(scratch, "index.db"))
    database.execute("create virtual table files using fts5(path unindexed, text, tokenize='porter unicode61')")
    count = 0
    for directory, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".md"):
                path = os.path.join(directory, name)
                with open(path, encoding="utf8") as file:
                    database.execute("insert into files values (?, ?)", (path, file.read()))
                count += 1
    database.commit()
    indexing = (time.process_time() - start) * 1e3 / max(1, count)
    ask = "select path, snippet(files, 1, '', '', '…', 16) from files where files match ? order by bm25(files) limit 10"
    runs = 20
    start = time.process_time()
    for _ in range(runs):
        for query in queries:
            database.execute(ask, (" OR ".join(query.split()),)).fetchall()
    print(f"{indexing:.4f} {(time.process_time() - start) * 1e3 / (runs * len(queries)):.4f}")
