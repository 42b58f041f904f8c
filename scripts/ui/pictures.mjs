// Pictures of every page, light and dark, at three widths. usage: node pictures.mjs DIRECTORY

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { enter, launch, makeHome, makeTeam, recall, startViewer } from './viewer.mjs';

const [out = 'pictures'] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const { home, end } = makeHome();
const session = '5c0523b1-1111-4222-8333-444455556666';
recall(home, join(home, 'shop'), session, 'the refund is off by one cent, is money a float?');
makeTeam(home, join(home, 'shop'), 'on-call');
const viewer = await startViewer(home, join(home, 'shop'));
const browser = await launch();
try {
  const { page, base } = await enter(browser, viewer);
  await page.click('a.row-link >> text=shop');
  const project = page.url().replace(/\/overview$/, '');
  const operation = await page.locator('.timeline a.what').first().getAttribute('href');
  const pages = {
    home: `${base}/home`,
    overview: `${project}/overview`,
    memories: `${project}/memories`,
    memory: `${project}/memories?path=integer-cents.md`,
    search: `${project}/memories?q=refund`,
    edit: `${project}/edit?path=integer-cents.md`,
    new: `${project}/new`,
    timeline: `${project}/timeline`,
    operation: new URL(operation, base).href,
    review: `${project}/review`,
    sessions: `${project}/sessions`,
    session: `${project}/session?id=${session}`,
    context: `${project}/context?prompt=${encodeURIComponent('the refund test is off by one cent')}`,
    journal: `${project}/journal`,
    graph: `${project}/graph`,
    team: `${project}/team`,
  };
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    for (const width of [360, 900, 1400]) {
      await page.setViewportSize({ width, height: width === 360 ? 740 : 900 });
      for (const [name, address] of Object.entries(pages)) {
        await page.goto(address);
        await page.waitForTimeout(name === 'graph' ? 1500 : 60);
        await page.screenshot({ path: join(out, `${name}-${colorScheme}-${width}.png`) });
      }
    }
  }
  // Those of the README and docs/VIEWER.md, as small files.
  await page.setViewportSize({ width: 1200, height: 720 });
  const tools = await page.context().newCDPSession(page);
  for (const [name, colorScheme] of [['memory', 'light'], ['review', 'dark'], ['graph', 'light']]) {
    await page.emulateMedia({ colorScheme });
    await page.goto(pages[name]);
    await page.waitForTimeout(1500);
    const { data } = await tools.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
    writeFileSync(join(out, `viewer-${name}.webp`), Buffer.from(data, 'base64'));
  }
} finally {
  await browser.close();
  await viewer.end();
  end();
}
