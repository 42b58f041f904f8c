// What the viewer's tests and pictures share: a home with memories, a running viewer, and browsers that open its links.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const memdir = process.env.MEMDIR ?? 'memdir';
const stage = process.env.STAGE ?? join(dirname(fileURLToPath(import.meta.url)), 'stage');

/** A staged home directory; `end` removes it. */
export function makeHome() {
  const home = mkdtempSync(join(tmpdir(), 'memdir-ui-'));
  execFileSync(stage, [memdir, home], { stdio: ['ignore', 'ignore', 'inherit'] });
  return { home, end: () => rmSync(home, { recursive: true, force: true }) };
}

/** The memory directory of a project in this home. */
export function memoryOf(home, name) {
  const projects = join(home, '.claude/projects');
  return join(projects, readdirSync(projects).find((slug) => slug.endsWith(`-${name}`)), 'memory');
}

/** The environment of a person in this home. */
export function envOf(home) {
  const { PATH, LANG = 'C.UTF-8' } = process.env;
  return { PATH, LANG, HOME: home, NO_COLOR: '1', TZ: 'UTC' };
}

/** Runs memdir as a person would. */
export function run(home, cwd, ...args) {
  return execFileSync(memdir, args, { cwd, env: envOf(home), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Has the hook of the client recall memories into a session. */
export function recall(home, cwd, session, prompt) {
  const input = JSON.stringify({ session_id: session, cwd, hook_event_name: 'UserPromptSubmit', prompt });
  execFileSync(memdir, ['hook', 'UserPromptSubmit'], { cwd, env: envOf(home), input, stdio: ['pipe', 'ignore', 'inherit'] });
}

/** Makes a team, shares a memory, and keeps it twice as a sync does that cannot merge. */
export function makeTeam(home, cwd, name) {
  const remote = join(home, 'team.git');
  execFileSync('git', ['init', '-q', '--bare', remote]);
  run(home, cwd, 'team', 'init', remote, '--name', 'Ada');
  run(home, cwd, 'team', 'share', name);
  const folder = join(memoryOf(home, 'shop'), 'team');
  const text = readFileSync(join(folder, `${name}.md`), 'utf8');
  const mine = text.replace(`name: ${name}`, `name: ${name}.conflict-0a1b2c3d`).replace(/$/, 'Grace is on call in December.\n');
  writeFileSync(join(folder, `${name}.conflict-0a1b2c3d.md`), mine);
  writeFileSync(join(folder, `${name}.md`), text.replace(/even weeks/, 'odd weeks'));
}

/** Starts the viewer; `nextLink` gives each link once. */
export async function startViewer(home, cwd) {
  const started = performance.now();
  const child = spawn(memdir, ['ui', '--no-open'], { cwd, env: envOf(home), stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  async function nextLink() {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error('the viewer ended');
      const found = /http:\/\/127\.0\.0\.1:\d+\/open\/\w+/.exec(value);
      if (found) return found[0];
    }
  }
  const first = await nextLink();
  let kept = first;
  return {
    pid: child.pid,
    startedAfter: performance.now() - started,
    origin: new URL(first).origin,
    async link() {
      const link = kept ?? await nextLink();
      kept = null;
      return link;
    },
    end: () => new Promise((ended) => child.once('exit', ended) && child.kill('SIGINT')),
  };
}

export const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-background-networking', '--disable-gpu'],
});

/** A browser profile of its own that has opened a link. Collects what the console says and what leaves the machine. */
export async function enter(browser, viewer, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(viewer.origin)) complaints.push(`left the machine: ${request.url()}`);
  });
  await page.goto(await viewer.link());
  const base = page.url().replace(/\/home$/, '');
  return { page, context, complaints, base };
}
