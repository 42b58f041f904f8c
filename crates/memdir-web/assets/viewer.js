// The viewer's script. Pages work without it; it adds search as you type, rows as you scroll, keys and live updates.

const page = document.documentElement.dataset;
const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

/** Fetches a page of the viewer and returns it as a document; throws if the viewer has ended. */
async function load(address, options) {
  const response = await fetch(address, options);
  const text = await response.text();
  return new DOMParser().parseFromString(text, 'text/html');
}

function withPart(address, part) {
  const url = new URL(address, location.href);
  url.searchParams.set('part', part);
  return url;
}

// --- Search as you type --------------------------------------------------------------------------------------------

let searching; // aborts the request before

async function search(form) {
  const region = document.getElementById(form.dataset.search);
  const url = new URL(form.action);
  for (const [name, value] of new FormData(form)) if (value) url.searchParams.set(name, value);
  history.replaceState(null, '', url);
  searching?.abort();
  searching = new AbortController();
  try {
    const found = await load(url, { signal: searching.signal });
    const fresh = found.getElementById(region.id);
    region.replaceChildren(...fresh.childNodes);
    prepare(region);
  } catch (error) {
    if (error.name !== 'AbortError') offline();
  }
}

document.addEventListener('input', (event) => {
  const form = event.target.closest('form[data-search]');
  if (form) search(form);
});
document.addEventListener('submit', (event) => {
  if (event.target.matches('form[data-search]')) {
    event.preventDefault();
    search(event.target);
    $('a.row, a.row-link', document.getElementById(event.target.dataset.search))?.focus();
  }
});
document.addEventListener('change', (event) => {
  event.target.closest('form[data-submit-on-change]')?.requestSubmit();
});

// --- Rows as you scroll --------------------------------------------------------------------------------------------

const whenNear = new IntersectionObserver(async (seen) => {
  for (const { isIntersecting, target } of seen) {
    if (!isIntersecting) continue;
    whenNear.unobserve(target);
    const url = withPart(location.href, 'rows');
    url.searchParams.set('from', target.dataset.from);
    const rows = await load(url).catch(offline);
    const chunk = rows && $('.chunk', rows.body);
    if (chunk) target.replaceWith(chunk);
  }
}, { rootMargin: '800px' });

/** Keeps room for the rows that are not there yet, so that the scroll bar is right from the beginning. */
function reserveRows(list) {
  const total = Number(list.dataset.total);
  const size = Number(list.dataset.chunk);
  const height = $('li', list)?.getBoundingClientRect().height ?? 0;
  for (let from = size; from < total; from += size) {
    const room = document.createElement('div');
    room.dataset.from = from;
    room.style.height = `${height * Math.min(size, total - from)}px`;
    list.append(room);
    whenNear.observe(room);
  }
}

// --- One memory beside the list ------------------------------------------------------------------------------------

async function openInPane(link) {
  const detail = document.getElementById('detail');
  const loaded = await load(withPart(link.href, 'detail')).catch(offline);
  if (!loaded) return;
  detail.replaceChildren(...loaded.body.childNodes);
  detail.scrollTop = 0;
  $('.panes')?.classList.add('has-open');
  history.pushState(null, '', link.href);
  markOpen();
}

function markOpen() {
  const path = new URL(location.href).searchParams.get('path');
  for (const row of $$('a.row[data-pane]')) {
    const isOpen = new URL(row.href).searchParams.get('path') === path;
    if (isOpen) row.setAttribute('aria-current', 'true');
    else row.removeAttribute('aria-current');
  }
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('a[data-pane]');
  const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0;
  if (link && isPlain && document.getElementById('detail')) {
    event.preventDefault();
    openInPane(link);
  }
  // A menu closes when the page beside it is clicked.
  for (const menu of $$('details.menu[open]')) if (!menu.contains(event.target)) menu.open = false;
});
addEventListener('popstate', () => location.reload());

// --- The preview of an edit ----------------------------------------------------------------------------------------

let drafting;
function preview(form) {
  clearTimeout(drafting);
  drafting = setTimeout(async () => {
    const body = new URLSearchParams({ token: page.token, text: form.elements.text.value });
    const shown = await load(form.dataset.preview, { method: 'POST', body }).catch(offline);
    if (shown) document.getElementById('preview').replaceChildren(...shown.body.childNodes);
  }, 150);
}
document.addEventListener('input', (event) => {
  const form = event.target.closest('form[data-preview]');
  if (form) {
    form.dataset.dirty = 'yes';
    preview(form);
  }
});
addEventListener('beforeunload', (event) => {
  if ($('form[data-dirty]')) event.preventDefault();
});
document.addEventListener('submit', (event) => delete event.target.dataset.dirty);

// --- Live ----------------------------------------------------------------------------------------------------------

/** Replaces what changed on disk. What a person is typing or has opened stays. */
async function refresh() {
  if ($('form[data-preview]') || $('details.menu[open]') || $('dialog[open]') || getSelection()?.type === 'Range') return;
  const fresh = await load(location.href).catch(offline);
  if (!fresh) return;
  for (const part of $$('[data-live]')) {
    // A part within another is replaced with it, unless the outer one holds a form in use.
    if (part.dataset.live === 'main' && $('[data-live]', part)) continue;
    const other = $(`[data-live="${part.dataset.live}"]`, fresh);
    if (!other || other.innerHTML === part.dataset.html) continue;
    if (part.contains(document.activeElement) && document.activeElement.matches('input, textarea, select')) continue;
    const focused = part.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
    const opened = new Set($$('details[open]', part).map((details) => $('summary', details)?.textContent));
    part.dataset.html = other.innerHTML;
    part.replaceChildren(...other.childNodes);
    for (const details of $$('details', part)) if (opened.has($('summary', details)?.textContent)) details.open = true;
    if (focused) $$('a', part).find((link) => link.getAttribute('href') === focused)?.focus();
    prepare(part);
  }
  const waiting = (document_) => $('[data-go="r"]', document_);
  if (waiting(fresh)) waiting(document)?.replaceChildren(...waiting(fresh).childNodes);
  document.dispatchEvent(new Event('memdir:changed'));
}

function offline(error) {
  if (error?.name === 'AbortError') return;
  const state = document.getElementById('live');
  state.textContent = 'ended: run memdir ui again';
  state.classList.add('ended');
}

let refreshing;
function listen() {
  const events = new EventSource(`${page.prefix}/events`);
  const state = document.getElementById('live');
  events.addEventListener('open', () => {
    state.textContent = 'live';
    state.classList.remove('ended');
  });
  events.addEventListener('change', (event) => {
    if (event.data && event.data !== page.slug) return;
    clearTimeout(refreshing);
    refreshing = setTimeout(refresh, 120);
  });
  events.addEventListener('error', () => offline());
  // Browsers keep six connections to one host; a page that is left must not hold one.
  addEventListener('pagehide', () => events.close());
}

// --- Keys ----------------------------------------------------------------------------------------------------------

const items = () => $$('#main a.row, #main a.row-link, #main [data-item]');

function move(step) {
  const all = items();
  const current = document.activeElement.closest?.('a.row, a.row-link, [data-item]') ?? $('a.row[aria-current]');
  const next = all[all.indexOf(current) + step] ?? (current ? null : all[0]);
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** The control with this key: in what is focused, else the first on the page. */
function press(key) {
  const within = document.activeElement.closest?.('[data-item]') ?? document;
  const control = $(`[data-key="${key}"]`, within);
  control?.click();
  return control;
}

let goes = false;
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.matches('input, textarea, select');
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) return void event.target.form?.requestSubmit();
  if (event.key === 'Escape' && isTyping) return void event.target.blur();
  if (isTyping && event.key === 'ArrowDown' && event.target.matches('[type=search]')) return void move(1);
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  if (goes) {
    goes = false;
    $(`[data-go="${CSS.escape(event.key)}"]`)?.click();
    return;
  }
  const actions = {
    '/': () => $('input[type=search]')?.focus(),
    '?': () => document.getElementById('keys').showModal(),
    j: () => move(1),
    k: () => move(-1),
    g: () => (goes = true),
    u: () => page.slug && $('[data-go="t"]') && location.assign(`${page.prefix}/p/${page.slug}/undo-last`),
    e: () => press('e'),
    a: () => press('a'),
    x: () => press('x'),
  };
  const action = actions[event.key];
  if (action) {
    event.preventDefault();
    action();
  }
});

// --- Begin ---------------------------------------------------------------------------------------------------------

function prepare(within) {
  for (const list of $$('.rows[data-total]', within)) reserveRows(list);
}
prepare(document);
// On a narrow screen the pages are one line that scrolls.
$('.side')?.scrollTo({ left: ($('.side [aria-current]')?.offsetLeft ?? 0) - 60 });
listen();
if (document.getElementById('graph')) import('./graph.js').then(({ draw }) => draw(document.getElementById('graph')));
