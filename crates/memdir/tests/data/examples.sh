# The home in which the examples of the help texts run: a project with memories, a journal, a team, sessions and files
# by the names that the examples use. Runs with HOME set and `memdir` on the PATH, in the project's directory.
set -e
git config --global user.name Ada
git config --global user.email ada@example.com
git config --global init.defaultBranch main
# What the examples call git@example.com lies on this machine.
git config --global url."$HOME/remotes/".insteadOf git@example.com:
git config --global --add url."$HOME/remotes/".insteadOf https://example.com/
for repository in us/memory us/app me/memory; do
    git init -q --bare "$HOME/remotes/$repository.git"
done
git init -q
printf 'fn main() {}\n' > main.rs
mkdir -p src/services notes
cp main.rs src/main.rs
cp main.rs src/db.rs
printf 'export {}\n' > src/services/AuthService.ts
git add . && git commit -qm 'Begin the shop'

for file in notes findings task steps about tabs; do
    printf '# The %s\n\n- [ ] Look at the first thing\n- [ ] Look at the second thing\n' "$file" > "$file.md"
done
printf 'release the hotfix today\n' > prompt.txt
printf -- '- [tabs](tabs.md) — wants tabs\n' > notes/MEMORY.md
mkdir -p "$HOME/notes/memory" "$HOME/app" "$HOME/work/app" "$HOME/work/prices" "$HOME/new"
printf '# Backup\n\nThe backup runs at night.\n' > "$HOME/notes/backup.md"
printf '{"id": "1", "text": "Use tabs."}\n' > texts.jsonl
printf '{"id": "1", "qid": "1", "query": "tabs", "tool": "Read", "path": "notes.md", "surface": "local", "input": "tabs.md"}\n' > questions.jsonl
mkdir -p "$HOME/.local/share/bash-completion/completions" "$HOME/.zfunc" "$HOME/.config/fish/completions"
mkdir -p .claude/agents .cursor/rules "$HOME/.gemini" "$HOME/.codex"
printf -- '---\nname: reviewer\ndescription: Reviews changes\nmemory: user\n---\n\nReview.\n' > .claude/agents/reviewer.md
printf -- '---\ndescription: style\nalwaysApply: true\n---\nUse tabs.\n' > .cursor/rules/style.mdc
printf '## Gemini Added Memories\n- Prefers short answers.\n' > "$HOME/.gemini/GEMINI.md"

memdir --now 2026-10-01T10:00:00Z add --type feedback --name tabs --description 'wants tabs' --text 'Use tabs, never spaces.'
memdir add --type feedback --name quotes --path topics/quotes.md --description 'wants single quotes' --text 'Use single quotes.'
memdir add --type reference --name editor-settings --description 'where the settings are' --text 'In .editorconfig.'
memdir add --type project --name deploy-rules --description 'when we deploy' --text 'Deploy on Tuesdays; the release of a hotfix needs two people.'
memdir add --type project --name prices --description 'price lists' --text 'Prices are in src/db.rs.'
memdir set tabs priority high
memdir today add 'project: the kiosk needs Node 18'
memdir dream
memdir set tabs description 'wants tabs everywhere'

memdir journal start
memdir --now 2026-01-19T10:00:00Z journal decide --title 'Use cookies' --category architecture --decision 'Scripts cannot read them.'
memdir journal task 'Move sessions to cookies'
memdir journal progress --add 'write the migration' --add 'test it'
memdir journal block 'Waiting for access to staging'
for task in security-scan load-test; do
    memdir journal subagent write --task "$task" --file findings.md
done
mkdir -p .claude/memory "$HOME/old/app/.claude/memory"

memdir user update preferences --text 'Use tabs'
memdir user update observations --text 'Works late on Fridays'
memdir user update profile --text 'The old employer was Acme'
memdir user export me.json
mkdir -p "$HOME/old/place"
for directory in "$HOME/old/place" "$HOME/work/prices" "$HOME/work/app" "$HOME/app"; do
    memdir --cwd "$directory" add --type project --name note --description 'a note' --text 'A note.'
done
rmdir "$HOME/old/place"
memdir workspace add --description 'the web shop'
memdir workspace add "$HOME/work/prices" --description 'price lists'

sessions="$(memdir path --json | jq -r .project_dir)"
mkdir -p "$sessions" "$HOME/.claude/projects/-home-me-app"
line='{"type":"user","uuid":"8d1f03a2-6b7c-4c55-9f0e-2a9d3a1b7c10","parentUuid":null,"sessionId":"5c0523b1-0000-4000-8000-000000000000","cwd":"'"$PWD"'","version":"2.1.325","gitBranch":"main","isSidechain":false,"userType":"external","timestamp":"2026-11-01T10:00:00.000Z","message":{"role":"user","content":"Please never mock the database in tests, because it hides real errors."}}'
printf '%s\n' "$line" > "$sessions/5c0523b1-0000-4000-8000-000000000000.jsonl"
mkdir -p "$sessions/5c0523b1-0000-4000-8000-000000000000/subagents"
printf '%s\n' "$line" > "$sessions/5c0523b1-0000-4000-8000-000000000000/subagents/agent-a1b2c3.jsonl"
printf '%s\n' "$line" > session.jsonl
cp session.jsonl "$HOME/.claude/projects/-home-me-app/SESSION.jsonl"
mkdir -p "$HOME/.claude/agent-memory/reviewer"
printf 'Look at the tests first.\n' > "$HOME/.claude/agent-memory/reviewer/MEMORY.md"
memdir agent snapshot create reviewer

# Two changes wait for review.
mkdir -p "$HOME/.config/memdir"
printf 'writes = "review"\n' > "$HOME/.config/memdir/config.toml"
for name in one two; do
    CLAUDECODE=1 memdir add --type project --name "$name" --description "$name" --text "The $name."
done
