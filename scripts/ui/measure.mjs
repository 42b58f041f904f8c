// The viewer's numbers with 10,000 memories. usage: node measure.mjs PROGRAM

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

process.env.MEMDIR = process.argv[2];
const { enter, launch, makeHome, memoryOf, run, startViewer } = await import('./viewer.mjs');

const { home, end } = makeHome();
const words = 'billing refund gateway retry invoice tax cent deploy canary rollback schema index queue worker webhook token session cache latency budget'.split(' ');
const pick = (number) => words[number % words.length];

/** A project with so many memories, each linked to two others. */
function makeProject(name, number) {
  const cwd = join(home, name);
  mkdirSync(cwd);
  run(home, cwd, 'add', '--type', 'project', '--name', 'first', '--description', 'x', '--text', 'x');
  const folder = memoryOf(home, name);
  for (let n = 0; n < number; n += 1) {
    const text = Array.from({ length: 60 }, (_, word) => pick(n * 7 + word * (n % 13 + 1))).join(' ');
    const head = `name: note-${n}\ndescription: ${pick(n)} and ${pick(n * 3 + 1)} in part ${n}\ntype: ${['user', 'feedback', 'project', 'reference'][n % 4]}`;
    writeFileSync(join(folder, `note-${n}.md`), `---\n${head}\n---\n${text}\n\n[[note-${(n * 31 + 7) % number}]] [[note-${(n * 17 + 3) % number}]]\n`);
  }
  return cwd;
}
const cwd = makeProject('large', 10_000);
makeProject('graph', 2_000);
run(home, cwd, 'search', 'refund', '--json'); // the index is there, as it is for whoever works with memdir
run(home, cwd, 'show', 'first'); // and so is the table of files

/** CPU time of a process in milliseconds, and its resident memory in megabytes. */
function costs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  const ticks = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1];
  return { cpu: (1_000 * (Number(fields[11]) + Number(fields[12]))) / ticks, resident: Number(resident) / 1_024 };
}
const say = (what, value, limit) => console.log(`${what.padEnd(62)} ${String(value).padStart(9)}   (${limit})`);
const median = (values) => values.sort((one, other) => one - other)[Math.floor(values.length / 2)];

const starts = [];
for (let round = 0; round < 5; round += 1) {
  const began = performance.now();
  const viewer = await startViewer(home, cwd);
  await new Promise((resolve, reject) => request(`${viewer.origin}/open/none`, (response) => response.once('data', resolve).once('end', resolve)).on('error', reject).end());
  starts.push(performance.now() - began);
  await viewer.end();
}
say('start to first byte, median of 5', `${median(starts).toFixed(0)} ms`, '100 ms');

const viewer = await startViewer(home, cwd);
const browser = await launch();
try {
  const { page, base } = await enter(browser, viewer);
  await page.click('a.row-link >> text=large');
  const project = page.url().replace(/\/overview$/, '');
  const firstRows = [];
  for (let round = 0; round < 6; round += 1) {
    await page.goto(`${base}/home`);
    await page.goto(`${project}/memories`);
    await page.locator('a.row').first().waitFor();
    firstRows.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime));
  }
  say('list of 10,000: navigation to the first rows painted, first time', `${firstRows[0].toFixed(0)} ms`, '150 ms');
  say('the same, median of 5 later ones', `${median(firstRows.slice(1)).toFixed(0)} ms`, '150 ms');

  await page.keyboard.press('/');
  await page.keyboard.type('refund');
  await page.locator('.rows mark').first().waitFor();
  const each = [];
  for (const letter of ' gateway retry invoi') {
    const before = costs(viewer.pid).cpu;
    const answered = page.waitForResponse((response) => response.url().includes('q='));
    await page.keyboard.type(letter);
    await answered;
    await page.waitForTimeout(60);
    each.push(costs(viewer.pid).cpu - before);
  }
  const mean = each.reduce((sum, value) => sum + value, 0) / each.length;
  say('search as you type: CPU of the viewer for a letter, mean of 21', `${mean.toFixed(0)} ms`, '50 ms');
  say('the same, the most expensive letter', `${Math.max(...each).toFixed(0)} ms`, '50 ms');

  await page.fill('input[type=search]', '');
  await page.waitForTimeout(500);
  const scrolled = await page.evaluate(async () => {
    const list = document.getElementById('list');
    const times = [];
    let last = performance.now();
    for (let step = 0; step < 60; step += 1) {
      list.scrollTop += list.scrollHeight / 60;
      await new Promise(requestAnimationFrame);
      times.push(performance.now() - last);
      last = performance.now();
    }
    return times.sort((one, other) => one - other);
  });
  say('scrolling through 10,000: frame time, median and worst of 60', `${scrolled[30].toFixed(0)}/${scrolled[59].toFixed(0)} ms`, 'smooth');
  say('resident memory after all this', `${costs(viewer.pid).resident.toFixed(0)} MB`, '60 MB');

  const weights = {};
  for (const name of ['memories', 'graph']) {
    const fresh = await enter(browser, viewer);
    let weight = 0;
    const bodies = [];
    fresh.page.on('response', (response) => { if (!response.url().endsWith('/events')) bodies.push(response.body().catch(() => Buffer.alloc(0))); });
    await fresh.page.goto(`${project}/${name}`);
    await fresh.page.waitForTimeout(1_500);
    for (const body of await Promise.all(bodies)) weight += gzipSync(body).length;
    weights[name] = weight;
    await fresh.context.close();
  }
  say('weight of the list of 10,000 with script and style, gzipped', `${(weights.memories / 1e3).toFixed(0)} kB`, '150 kB');

  await page.goto(`${project.replace(/large$/, 'graph')}/graph`);
  await page.getByText(/^2000 memories|^2001 memories/).waitFor();
  await page.waitForTimeout(4_000);
  const box = await page.locator('#graph').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const frames = page.evaluate(async () => {
    const times = [];
    let last = performance.now();
    while (times.length < 90) {
      await new Promise(requestAnimationFrame);
      times.push(performance.now() - last);
      last = performance.now();
    }
    return times.sort((one, other) => one - other);
  });
  for (let turn = 0; turn < 25; turn += 1) await page.mouse.wheel(0, turn < 12 ? -60 : 60);
  const drawn = await frames;
  say('graph of 2,000 while zooming: frame time, median and worst of 90', `${drawn[45].toFixed(0)}/${drawn[89].toFixed(0)} ms`, 'smooth');
} finally {
  await browser.close();
  await viewer.end();
  end();
}
