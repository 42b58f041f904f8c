#!/bin/sh
# Hands one event of a session to memdir. Where memdir is missing, the user hears once a session how to get it.
# Whatever happens, the session goes on: this always exits 0.
if command -v memdir >/dev/null 2>&1; then
  memdir hook "$1"
elif [ "$1" = SessionStart ]; then
  printf '%s\n' '{"systemMessage": "The memdir plugin is on, but the program memdir is not on the PATH, so nothing is remembered. To get it: clone the repository of memdir, run cargo install --path crates/memdir, and start a new session."}'
fi
exit 0
