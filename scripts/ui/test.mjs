// The viewer in a real browser, by clicks and keys. usage: scripts/test-ui [--all]

import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { writeHostile } from './hostile.mjs';
import { enter, launch, makeHome, memoryOf, run, startViewer } from './viewer.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
const isAll = process.env.ALL === '1';
let place, browser, viewer, page, complaints, project, base, shop, memory;

before(async () => {
  place = makeHome();
  shop = join(place.home, 'shop');
  memory = memoryOf(place.home, 'shop');
  writeHostile(place.home, isAll);
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

const text = (file) => readFileSync(join(memory, file), 'utf8');
const go = (path) => page.goto(`${project}/${path}`);
const seen = (words) => page.getByText(words).first().waitFor();

// --- Looking -------------------------------------------------------------------------------------------------------

test('home lists projects with what needs attention', async () => {
  await page.goto(`${base}/home`);
  await seen('you are here');
  await seen('2 to review');
  assert.deepEqual(await page.locator('td.name strong').allTextContents(), ['shop', 'hostile', 'notes']);
});

test('the overview shows health and how full the index is', async () => {
  await go('overview');
  await page.getByRole('img', { name: /of 200 lines/ }).waitFor();
  await page.getByRole('img', { name: /of 25000 characters/ }).waitFor();
  await page.locator('.health .tag').first().waitFor();
});

test('search as you type ranks as the command does, and filters narrow the list', async () => {
  await go('memories');
  await page.keyboard.press('/');
  await page.keyboard.type('cent refund');
  await page.locator('.rows mark').first().waitFor();
  const shown = await page.locator('.rows strong').allTextContents();
  const found = JSON.parse(run(place.home, shop, 'search', 'cent refund', '--in', 'memories', '--json'));
  const expected = found.hits.map((hit) => hit.title).filter((title) => title !== 'MEMORY.md');
  assert.deepEqual(shown.slice(0, expected.length), expected);
  await page.fill('input[type=search]', '');
  await page.selectOption('select[name=type]', 'reference');
  await seen(/^2 of 10 memories$/);
  await page.selectOption('select[name=type]', '');
  await page.selectOption('select[name=author]', 'foreign');
  await seen(/^1 of 10 memories$/);
  await page.selectOption('select[name=author]', '');
  await page.selectOption('select[name=state]', 'stale');
  await seen(/^\d of 10 memories$/);
  await page.selectOption('select[name=state]', '');
  await page.selectOption('select[name=age]', 'old');
  await seen('Nothing found');
});

test('keys move through the list and open a memory with links, citations and history', async () => {
  await go('memories');
  await page.locator('a.row').first().waitFor();
  for (const key of ['j', 'j', 'k']) await page.keyboard.press(key);
  const title = await page.locator('a.row:focus strong').textContent();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  await go('memories?path=retry-policy.md');
  await page.locator('.rendered table').waitFor();
  await page.locator('.relations').getByText('on-call.md').waitFor();
  await page.locator('.relations li', { hasText: 'src/retry.rs' }).getByText('gone').waitFor();
  await page.locator('.rendered').getByRole('link', { name: 'integer-cents' }).click();
  await page.getByRole('heading', { level: 1, name: 'integer-cents' }).waitFor();
  assert.equal(await page.locator('.history li').count(), 2);
  await page.locator('.history a.what').first().click();
  await page.locator('.diff .added', { hasText: 'floats lost a cent' }).first().waitFor();
});

test('the dialog of keys opens and closes, and g goes to pages', async () => {
  await go('memories');
  await page.keyboard.press('?');
  await page.locator('dialog#keys[open]').waitFor();
  await page.keyboard.press('Escape');
  for (const [key, heading] of [['t', 'Timeline'], ['s', 'Sessions'], ['j', 'Journal'], ['e', 'Team']]) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  }
});

test('sessions are searched, and show what was written from them', async () => {
  await go('sessions');
  await page.keyboard.press('/');
  await page.keyboard.type('webhook');
  await page.locator('.sessions mark').first().waitFor();
  await page.locator('.sessions a.row').first().click();
  await page.locator('.turn.meant').waitFor();
  await seen('Recalled into it');
  await seen('Written from it');
});

test('what the agent sees names each part, and says why a memory is recalled', async () => {
  await go('context');
  await page.locator('.part summary', { hasText: 'CLAUDE.md' }).waitFor();
  await page.locator('.part summary', { hasText: 'MEMORY.md' }).click();
  await page.locator('.part[open] pre', { hasText: 'retry-policy' }).waitFor();
  await page.getByRole('searchbox', { name: 'Prompt' }).fill('how do we store money, as float or cents?');
  await page.keyboard.press('Enter');
  await page.locator('td.name', { hasText: 'integer-cents' }).waitFor();
});

test('the journal shows task, steps, blockers and records', async () => {
  await go('journal');
  await seen('Move refunds to the new gateway');
  await seen('write the adapter');
  await seen('waiting for the sandbox key');
  await page.getByRole('link', { name: 'decisions' }).click();
  await page.locator('a.row', { hasText: 'Keep our own error codes' }).click();
  await seen('The adapter keeps our error codes');
});

test('the graph draws memories, zooms, moves and opens one by a click', async () => {
  await go('graph');
  await seen(/^10 memories, \d+ links$/);
  const canvas = page.locator('#graph');
  const drawn = () => canvas.evaluate((it) => it.toDataURL());
  await page.waitForTimeout(300);
  await canvas.focus();
  const before_ = await drawn();
  await page.keyboard.press('+');
  await page.waitForTimeout(100);
  assert.notEqual(await drawn(), before_);
  await page.keyboard.press('0');
  // Nodes are where the script says; a person finds them by looking.
  const box = await canvas.boundingBox();
  let opened = false;
  for (let y = box.y + 20; y < box.y + box.height && !opened; y += 14) {
    for (let x = box.x + 20; x < box.x + box.width && !opened; x += 14) {
      await page.mouse.move(x, y);
      opened = (await canvas.evaluate((it) => it.style.cursor)) === 'pointer';
    }
  }
  assert.ok(opened, 'the pointer finds a node');
  await page.mouse.down();
  await page.mouse.up();
  await page.waitForURL(/memories\?path=/);
});

// --- Changing ------------------------------------------------------------------------------------------------------

test('a new memory is written, edited with a preview, and undone', async () => {
  await go('memories');
  await page.getByRole('link', { name: 'New', exact: true }).click();
  await page.getByLabel('Name').fill('use-tabs');
  await page.getByLabel('Description').fill('Tabs, not spaces');
  await page.getByLabel('Text').fill('Indent with *tabs*.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.rendered em', { hasText: 'tabs' }).waitFor();
  assert.match(text('use-tabs.md'), /Indent with \*tabs\*\./);
  assert.match(text('MEMORY.md'), /use-tabs\.md/);
  await page.keyboard.press('e');
  const field = page.getByLabel('Text');
  await field.waitFor();
  await field.press('Control+End');
  await field.pressSequentially('\nNever **mix** them.');
  await page.locator('#preview strong', { hasText: 'mix' }).waitFor();
  await field.press('Control+Enter');
  await page.locator('.rendered strong', { hasText: 'mix' }).waitFor();
  assert.match(text('use-tabs.md'), /Never \*\*mix\*\* them\./);
  await page.keyboard.press('u');
  await page.locator('.diff .removed', { hasText: 'mix' }).waitFor();
  await page.getByRole('button', { name: 'Undo this operation' }).click();
  await seen(/^Done: undo/);
  assert.doesNotMatch(text('use-tabs.md'), /mix/);
});

test('an edit that an agent overtook is shown as a three-way difference and nothing is lost', async () => {
  await go('edit?path=deploy-steps.md');
  const field = page.getByLabel('Text');
  await field.press('Control+End');
  await field.pressSequentially('\nMine: tell the support team.');
  writeFileSync(join(memory, 'deploy-steps.md'), text('deploy-steps.md').replace('15 minutes', '30 minutes'));
  await page.getByRole('button', { name: 'Save' }).click();
  await seen('This memory was changed while you edited it.');
  await page.getByRole('heading', { name: 'Their change' }).waitFor();
  await page.locator('.diff .added', { hasText: '30 minutes' }).first().waitFor();
  assert.doesNotMatch(text('deploy-steps.md'), /Mine:/);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.rendered', { hasText: 'Mine: tell the support team.' }).waitFor();
  assert.match(text('deploy-steps.md'), /30 minutes[^]*Mine: tell/);
});

test('a change that was left out of a form is asked about before it is lost', async () => {
  await go('edit?path=small-commits.md');
  await page.getByLabel('Text').fill('no header any more\n');
  await page.getByRole('button', { name: 'Save' }).click();
  await seen(/Nothing is saved yet/);
  assert.match(text('small-commits.md'), /^---/);
  await page.getByRole('link', { name: 'Cancel' }).click();
});

test('a memory is renamed, and links and the index follow', async () => {
  await go('memories?path=on-call.md');
  await page.locator('summary', { hasText: 'Rename' }).click();
  await page.getByLabel('New name').fill('rota');
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { level: 1, name: 'rota' }).waitFor();
  assert.match(text('deploy-steps.md'), /\[\[rota\]\]/);
  assert.match(text('MEMORY.md'), /rota/);
});

test('the type changes with a choice, and a delete can be undone from its banner', async () => {
  await go('memories?path=dashboards.md');
  await page.locator('.memory').getByLabel('Type').selectOption('project');
  await page.locator('.facts .tag.project').waitFor();
  assert.match(text('dashboards.md'), /type: project/);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.locator('.banner').getByRole('button', { name: 'Undo' }).waitFor();
  assert.ok(!readdirSync(memory).includes('dashboards.md'));
  await page.locator('.banner').getByRole('button', { name: 'Undo' }).click();
  await seen(/^Done: undo/);
  assert.ok(readdirSync(memory).includes('dashboards.md'));
});

test('a deleted memory and an earlier version are restored', async () => {
  await go('memories?path=legacy-gateway.md');
  await seen('This memory was removed.');
  await page.getByRole('button', { name: 'Restore' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'legacy-gateway' }).waitFor();
  await go('memories?path=integer-cents.md');
  await page.locator('.history').getByRole('button', { name: 'Restore' }).first().click();
  await page.locator('.lead', { hasText: 'never floats' }).waitFor();
});

test('two memories become one', async () => {
  await go('memories?path=works-at-night.md');
  await page.locator('summary', { hasText: 'More' }).click();
  await page.getByLabel('Merge with').fill('likes-tables');
  await page.getByRole('button', { name: 'Merge…' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await seen(/likes-tables\.md was removed/);
  assert.match(text('works-at-night.md'), /20:00[^]*at most five rows/);
  assert.ok(!readdirSync(memory).includes('likes-tables.md'));
});

test('a memory moves to another project', async () => {
  await go('memories?path=tax-rules.md');
  await page.locator('summary', { hasText: 'More' }).click();
  await page.getByLabel('Move to project').fill('notes');
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await seen(/in the memory of notes/);
  assert.ok(readdirSync(memoryOf(place.home, 'notes')).includes('tax-rules.md'));
  assert.ok(!readdirSync(memory).includes('tax-rules.md'));
});

test('the timeline filters by author and words and shows the diff before an undo', async () => {
  await go('timeline');
  const all = await page.locator('.timeline li').count();
  await page.selectOption('select[name=author]', 'foreign');
  await page.waitForFunction((number) => document.querySelectorAll('.timeline li').length < number, all);
  assert.equal(await page.locator('.timeline .tag.person').count(), 0);
  await page.selectOption('select[name=author]', '');
  await page.fill('input[type=search]', 'legacy-gateway');
  await page.waitForFunction(() => document.querySelectorAll('.timeline li').length < 6);
  await page.locator('.timeline a.what').first().click();
  await seen('What an undo would do');
  await page.locator('.diff').last().waitFor();
});

test('reviews are rejected, edited and accepted, from the keyboard too', async () => {
  await go('review');
  const cards = page.locator('article.staged');
  assert.equal(await cards.count(), 2);
  const fresh = cards.filter({ hasText: 'prefer-explicit-errors' });
  await fresh.locator('summary', { hasText: 'Edit' }).click();
  const field = fresh.getByLabel('Text');
  await field.fill((await field.inputValue()).replace('which file', 'which file and line'));
  await fresh.getByRole('button', { name: 'Save, and let it wait' }).click();
  await seen('Saved. The edited change waits.');
  const other = cards.filter({ hasNotText: 'prefer-explicit-errors' });
  await other.focus();
  await page.keyboard.press('x');
  await seen(/^Rejected/);
  await page.keyboard.press('j');
  await page.keyboard.press('a');
  await page.locator('.empty', { hasText: 'Nothing waits' }).waitFor();
  assert.match(text('prefer-explicit-errors.md'), /which file and line/);
});

// --- Live, and many at once ----------------------------------------------------------------------------------------

test('what an agent writes appears within a second, in two browsers at once', async () => {
  const other = await enter(browser, viewer);
  await other.page.goto(`${project}/memories`);
  await go('memories');
  await page.locator('a.row').first().waitFor();
  const from = performance.now();
  writeFileSync(join(memory, 'by-agent.md'), '---\nname: by-agent\ndescription: An agent wrote this\ntype: project\n---\nHello.\n');
  await Promise.all([page, other.page].map((each) => each.locator('a.row', { hasText: 'by-agent' }).waitFor()));
  assert.ok(performance.now() - from < 1_500, `it took ${Math.round(performance.now() - from)} ms`);
  await other.page.goto(`${project}/memories?path=by-agent.md`);
  await other.page.getByRole('button', { name: 'Delete' }).click();
  await page.locator('a.row', { hasText: 'by-agent' }).waitFor({ state: 'detached' });
  assert.deepEqual(other.complaints, []);
  await other.context.close();
});

test('what a person types stays while an agent writes', async () => {
  await go('edit?path=no-mocks.md');
  await page.getByLabel('Text').pressSequentially('typed');
  appendFileSync(join(memory, 'by-agent-too.md'), '---\nname: by-agent-too\ndescription: x\n---\nx\n');
  await page.waitForTimeout(700);
  assert.match(await page.getByLabel('Text').inputValue(), /typed/);
  await page.evaluate(() => delete document.querySelector('form[data-dirty]').dataset.dirty);
});

// --- Hostile memories and hostile pages ----------------------------------------------------------------------------

test('hostile memories are shown and do nothing', async () => {
  const hostile = project.replace(/shop$/, 'hostile');
  await page.goto(`${hostile}/memories`);
  for (const file of readdirSync(memoryOf(place.home, 'hostile')).filter((name) => name.endsWith('.md'))) {
    await page.goto(`${hostile}/memories?path=${encodeURIComponent(file)}`);
    await page.locator('.rendered').waitFor();
    const bad = await page.evaluate(() => {
      const found = [...document.querySelectorAll('.rendered :is(script, svg, img, iframe, style, form, base, object)')];
      const links = [...document.querySelectorAll('main a')].filter((link) => !/^https?:|^mailto:/.test(link.href));
      const handlers = [...document.querySelectorAll('*')].filter((node) => [...node.attributes].some((a) => a.name.startsWith('on')));
      return [...found, ...links, ...handlers].map((node) => node.outerHTML);
    });
    assert.deepEqual(bad, [], file);
  }
  await page.goto(`${hostile}/memories?path=bidi.md`);
  await page.locator('.rendered', { hasText: '‹U+202E›ecila' }).waitFor();
  for (const name of ['overview', 'timeline', 'graph', 'context', 'memories?q=alert']) {
    await page.goto(`${hostile}/${name}`);
    await page.locator('h1, .rows').first().waitFor();
  }
});

/** A raw request, because browsers set these headers themselves. */
function ask(path, { method = 'GET', headers = {}, body } = {}) {
  const { hostname, port } = new URL(viewer.origin);
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ hostname, port, path, method, headers }, (response) => {
      let answer = '';
      response.on('data', (part) => (answer += part));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, answer }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

test('other sites, other names and requests without cookie or token are refused', async () => {
  const { pathname } = new URL(`${project}/memories`);
  const [{ name, value }] = (await page.context().cookies(`${project}/`)).filter((cookie) => cookie.name === 'memdir');
  const cookie = `${name}=${value}`;
  const status = async (path, options) => (await ask(path, options)).status;
  assert.equal(await status(pathname, { headers: { cookie } }), 200);
  assert.equal(await status(pathname), 401);
  assert.equal(await status(pathname, { headers: { cookie, host: 'evil.example' } }), 403, 'DNS rebinding');
  assert.equal(await status(pathname, { headers: { cookie, host: `localhost:${new URL(viewer.origin).port}` } }), 403);
  assert.equal(await status(pathname, { headers: { cookie, origin: 'https://evil.example' } }), 403);
  assert.equal(await status(pathname, { headers: { cookie, 'sec-fetch-site': 'cross-site' } }), 403);
  const form = { cookie, origin: viewer.origin, 'content-type': 'application/x-www-form-urlencoded' };
  const remove = pathname.replace(/memories$/, 'delete');
  const body = 'path=no-mocks.md';
  assert.equal(await status(remove, { method: 'POST', headers: form, body }), 403, 'no token');
  assert.equal(await status(remove, { method: 'POST', headers: form, body: `${body}&token=0` }), 403, 'wrong token');
  assert.equal(await status(remove, { method: 'POST', headers: { ...form, origin: 'null' }, body }), 403);
  assert.ok(readdirSync(memory).includes('no-mocks.md'));
  const { headers } = await ask(pathname, { headers: { cookie } });
  assert.match(headers['content-security-policy'], /default-src 'none'; script-src 'self'/);
  assert.doesNotMatch(headers['content-security-policy'], /unsafe/);
});

test('a page of another site cannot read or change anything, and a used link is dead', async () => {
  const token = await page.evaluate(() => document.documentElement.dataset.token);
  const attack = `<form id=f method=post action="${project}/delete"><input name=path value=no-mocks.md><input name=token value=${token}></form>
    <img src="${viewer.origin}/x"><script>fetch('${project}/memories', {credentials: 'include'}).then((r) => r.text()).then((t) => document.title = 'read ' + t.length, () => document.title = 'refused')</script>`;
  const site = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(attack)).listen(0, '127.0.0.1');
  const evil = await page.context().newPage();
  try {
    await evil.goto(`http://localhost:${site.address().port}/`);
    await evil.waitForFunction(() => document.title === 'refused');
    await evil.evaluate(() => document.getElementById('f').submit());
    await evil.getByText('requests of other pages are not answered').waitFor();
    assert.ok(readdirSync(memory).includes('no-mocks.md'));
  } finally {
    await evil.close();
    site.close();
  }
  const link = new URL(await viewer.link());
  assert.equal((await ask(link.pathname)).status, 303);
  assert.equal((await ask(link.pathname)).status, 410);
});

// --- Everybody ------------------------------------------------------------------------------------------------------

test('axe finds nothing serious on any page, light and dark, and no page is wider than the screen', async () => {
  const pages = ['overview', 'memories', 'memories?path=retry-policy.md', 'edit?path=retry-policy.md', 'new', 'timeline', 'review',
    'sessions', 'session?id=5c0523b1-1111-4222-8333-444455556666', 'context?prompt=refund', 'journal', 'graph', 'team'];
  for (const colorScheme of isAll ? ['light', 'dark'] : ['dark']) {
    await page.emulateMedia({ colorScheme });
    for (const name of ['../../home', ...pages]) {
      await go(name);
      // `evaluate` is not bound by the page's own policy, so the script needs no exception in it.
      await page.evaluate(axe);
      const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
      const serious = found.violations.filter((each) => ['serious', 'critical'].includes(each.impact));
      assert.deepEqual(serious.map((each) => `${each.id}: ${each.nodes[0].html}`), [], `${name} ${colorScheme}`);
      const shift = await page.evaluate(() => new Promise((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries().reduce((sum, each) => sum + each.value, 0))).observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => resolve(0), 30);
      }));
      assert.ok(shift < 0.02, `${name} shifts by ${shift}`);
    }
  }
  await page.setViewportSize({ width: 360, height: 740 });
  for (const name of ['../../home', ...pages]) {
    await go(name);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${name} is ${wide} px too wide at 360 px`);
  }
  await page.setViewportSize({ width: 1400, height: 900 });
});
