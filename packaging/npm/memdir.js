#!/usr/bin/env node
// Starts the program that npm installed for this system. Nothing is downloaded, and nothing runs at install.
// `memdir setup` connects agents to the program itself, so hooks do not pay for Node.
"use strict";
const { spawnSync } = require("node:child_process");
const os = require("node:os");

const name = `@memdir/${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "memdir.exe" : "memdir";
let program;
try {
  program = require.resolve(`${name}/${file}`);
} catch {
  console.error(`memdir: the package ${name} is missing.`);
  console.error("hint: npm installs it unless optional packages are switched off: npm install -g memdir --include=optional");
  process.exit(1);
}
// Both processes get Ctrl-C; the program decides what it means.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
const ended = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (ended.error) {
  console.error(`memdir: cannot start ${program}: ${ended.error.message}`);
  process.exit(1);
}
process.exit(ended.signal ? 128 + os.constants.signals[ended.signal] : ended.status);
