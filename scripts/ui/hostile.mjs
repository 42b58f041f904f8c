// Memories as an attacker would write them.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryOf, run } from './viewer.mjs';

const HOSTILE = {
  'script.md': '<script>alert(1)</script><img src=x onerror=alert(2)>\n\n<svg onload=alert(3)><script>alert(4)</script></svg>',
  'links.md': '[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](data:text/html,<script>alert(1)</script>) <javascript:alert(2)> [d](vbscript:x) [e](//evil.example) ![i](https://evil.example/pixel.png)',
  'bidi.md': 'pay \u202Eecila\u202C now, zero\u200Bwidth',
  'styles.md': '<style>*{display:none}</style><iframe src="https://evil.example"></iframe><form action="https://evil.example"><button>go</button></form><base href="https://evil.example/">',
  'tables.md': '| <b onclick=alert(1)>x | y |\n|---|---|\n| `</code><script>alert(1)</script>` | "><script>alert(1)</script> |',
};

/** Makes a project whose memories try to break out of the page. */
export function writeHostile(home, isAll) {
  mkdirSync(join(home, 'hostile'));
  run(home, join(home, 'hostile'), 'add', '--type', 'project', '--name', 'harmless', '--description', 'x', '--text', 'x');
  const folder = memoryOf(home, 'hostile');
  for (const [file, body] of Object.entries(HOSTILE)) {
    const name = '"<img src=x onerror=alert(1)> \u202E"';
    writeFileSync(join(folder, file), `---\nname: ${name}\ndescription: ${name}\n---\n${body}\n`);
  }
  if (!isAll) return;
  writeFileSync(join(folder, 'one-line.md'), `---\nname: one-line\ndescription: long\n---\n${'word '.repeat(200_000)}\n`);
  const links = Array.from({ length: 10_000 }, (_, index) => `[[target-${index}]]`).join('\n');
  writeFileSync(join(folder, 'many-links.md'), `---\nname: many-links\ndescription: links\n---\n${links}\n`);
}
