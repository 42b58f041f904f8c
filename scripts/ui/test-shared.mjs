// What lies beyond one project, in a real browser: what needs attention, memory of all projects, the team, and why a memory
// was given to an agent. usage: scripts/test-ui

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { enter, launch, makeHome, makeTeam, memoryOf, recall, run, startViewer } from './viewer.mjs';

const SESSION = '5c0523b1-1111-4222-8333-444455556666';
let place, browser, viewer, page, complaints, project, base, shop, memory;

before(async () => {
  place = makeHome();
  shop = join(place.home, 'shop');
  memory = memoryOf(place.home, 'shop');
  mkdirSync(join(place.home, 'full'));
  run(place.home, join(place.home, 'full'), 'add', '--type', 'project', '--name', 'one', '--description', 'x', '--text', 'x');
  const full = memoryOf(place.home, 'full');
  writeFileSync(join(full, 'MEMORY.md'), Array.from({ length: 250 }, (_, line) => `- line ${line}`).join('\n'));
  writeFileSync(join(full, 'keys.md'), `---\nname: keys\ndescription: x\n---\nThe token is ghp_${'x9Kq2LmN7pRt4VwYz1BcD6fGh3JkS8aQeU5i'}.\n`);
  recall(place.home, shop, SESSION, 'the refund is off by one cent, is money a float?');
  [viewer, browser] = await Promise.all([startViewer(place.home, shop), launch()]);
  ({ page, complaints, base } = await enter(browser, viewer));
  page.setDefaultTimeout(8_000);
  await page.click('a.row-link >> text=shop');
  project = page.url().replace(/\/overview$/, '');
});
afterEach(() => assert.deepEqual(complaints.splice(0), [], 'the console is silent and nothing leaves the machine'));
after(async () => {
  await browser?.close();
  await viewer?.end();
  place?.end();
});

const go = (path) => page.goto(`${project}/${path}`);
const seen = (words) => page.getByText(words).first().waitFor();

test('home says which project is over the limit and where secrets lie, and how well this one is', async () => {
  await page.goto(`${base}/home`);
  const full = page.locator('tr', { hasText: '/full' });
  await full.getByText('over the limit').waitFor();
  // What a page has no time to read is told by the next one.
  for (let view = 0; view < 5 && !(await full.getByText('1 secret').isVisible()); view += 1) await page.reload();
  await full.getByText('1 secret').waitFor();
  await full.getByRole('img', { name: /^250 of 200 lines/ }).waitFor();
  const here = page.getByRole('region', { name: 'This project' });
  await here.getByText(/\d warnings?/).waitFor();
  await here.getByRole('img', { name: /of 200 lines of MEMORY.md/ }).waitFor();
});

test('a memory and a session say what was recalled and why', async () => {
  await go('memories?path=integer-cents.md');
  await page.locator('.facts', { hasText: /recalled \d time/ }).waitFor();
  const given = page.locator('section', { hasText: 'Given to agents' }).last();
  await given.getByText(/it shares words with the prompt, \d+ % likely/).first().waitFor();
  await given.getByRole('link', { name: SESSION.slice(0, 8) }).first().click();
  await page.getByRole('heading', { level: 1, name: /The refund test fails/ }).waitFor();
  await page.locator('.relations li', { hasText: 'integer-cents.md' }).getByText('quoted').waitFor();
});

test('a memory moves to all projects, is seen there, and comes back', async () => {
  const before_ = readFileSync(join(memory, 'likes-tables.md'), 'utf8');
  await go('memories?path=likes-tables.md');
  await page.locator('summary', { hasText: 'More' }).click();
  await page.getByRole('button', { name: 'Move to: all your projects' }).click();
  await seen('It is now in the memory of All your projects.');
  assert.ok(!existsSync(join(memory, 'likes-tables.md')));
  await page.goto(`${base}/home`);
  await page.locator('a.row-link', { hasText: 'All your projects' }).click();
  await page.locator('a.row', { hasText: 'likes-tables' }).click();
  await page.getByRole('heading', { level: 1, name: 'likes-tables' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Journal' }).count(), 0);
  await page.locator('summary', { hasText: 'More' }).click();
  await page.getByLabel('Move to project').fill('shop');
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await seen('It is now in the memory of shop.');
  assert.equal(readFileSync(join(memory, 'likes-tables.md'), 'utf8'), before_);
});

test('a project without anything says what to do', async () => {
  mkdirSync(join(place.home, 'empty'));
  run(place.home, join(place.home, 'empty'), 'add', '--type', 'project', '--name', 'one', '--description', 'x', '--text', 'x');
  run(place.home, join(place.home, 'empty'), 'rm', 'one');
  const empty = project.replace(/shop$/, 'empty');
  for (const [name, words] of Object.entries({
    memories: 'No memories yet', sessions: 'No sessions yet', journal: 'No journal', graph: 'No memories yet', team: 'No team', review: 'Nothing waits',
  })) {
    await page.goto(`${empty}/${name}`);
    await page.locator('.empty', { hasText: words }).waitFor();
  }
});

test('a memory is shared with the team, and a conflict is resolved side by side', async () => {
  makeTeam(place.home, shop, 'on-call');
  await go('memories?path=dashboards.md');
  await page.locator('summary', { hasText: 'More' }).click();
  await page.getByRole('button', { name: 'Share with the team' }).click();
  await seen('The next team sync sends it.');
  assert.ok(readdirSync(join(memory, 'team')).includes('dashboards.md'));
  await go('team');
  await page.locator('td.name', { hasText: 'Ada' }).getByText('you').waitFor();
  await seen(/\d changes to send/);
  await page.locator('li', { hasText: 'dashboards.md' }).waitFor();
  const card = page.locator('article', { hasText: 'on-call' });
  await card.getByRole('region', { name: 'theirs' }).locator('.removed', { hasText: 'odd weeks' }).waitFor();
  await card.getByRole('region', { name: 'mine' }).locator('.added', { hasText: 'December' }).waitFor();
  await card.getByRole('button', { name: 'Keep mine' }).click();
  await seen('The next sync settles it for the team.');
  assert.match(readFileSync(join(memory, 'team/on-call.md'), 'utf8'), /name: on-call\n[^]*December/);
  assert.ok(!existsSync(join(memory, 'team/on-call.conflict-0a1b2c3d.md')));
});
