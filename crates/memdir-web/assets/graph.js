// Memories and their links on a canvas: d3-force places them, this draws them and lets a person move about.

import { forceLink, forceManyBody, forceSimulation, forceX, forceY } from './d3-force.js';

const RADIUS = 4;
/** Names are drawn when a node is at least this large on the screen. */
const NAMES_FROM = 1.6;

export async function draw(canvas) {
  const data = await (await fetch(canvas.dataset.source)).json();
  const nodes = data.nodes.map((node, index) => ({ ...node, index, degree: 0 }));
  const links = data.edges.map(([source, target]) => ({ source, target }));
  const near = data.near.map(([source, target]) => ({ source, target }));
  document.getElementById('graph-near').hidden = near.length === 0;
  for (const { source, target } of links) {
    nodes[source].degree += 1;
    nodes[target].degree += 1;
  }
  const left = data.total - nodes.length;
  document.getElementById('graph-count').textContent =
    `${nodes.length} memories, ${links.length} links${left > 0 ? `; the ${left} oldest are not drawn` : ''}`;

  const isSmall = nodes.length <= 60;
  const byType = Map.groupBy(nodes, (node) => node.type);
  const view = { x: 0, y: 0, scale: 1 };
  const colours = readColours();
  let hovered = null;
  let wanted = false;

  const simulation = forceSimulation(nodes)
    .force('link', forceLink(links).distance(isSmall ? 90 : 40))
    .force('near', forceLink(near).distance(70).strength(0.08))
    .force('apart', forceManyBody().strength(isSmall ? -220 : -40).distanceMax(isSmall ? 600 : 300))
    .force('x', forceX().strength(0.05))
    .force('y', forceY().strength(0.05))
    .alphaDecay(nodes.length > 500 ? 0.05 : 0.03)
    .on('tick', redraw);
  // A first picture without a jump: the layout is half done before it is shown.
  simulation.tick(nodes.length > 500 ? 20 : 80);
  fit();
  new ResizeObserver(redraw).observe(canvas);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    Object.assign(colours, readColours());
    redraw();
  });

  /** Shows everything. */
  function fit() {
    const xs = nodes.map((node) => node.x);
    const ys = nodes.map((node) => node.y);
    const [left_, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const room = Math.min(canvas.clientWidth / (right - left_ + 120), canvas.clientHeight / (bottom - top + 120));
    view.scale = Math.min(2, Math.max(0.05, room));
    view.x = -((left_ + right) / 2) * view.scale;
    view.y = -((top + bottom) / 2) * view.scale;
    redraw();
  }

  function redraw() {
    if (wanted) return;
    wanted = true;
    requestAnimationFrame(paint);
  }

  function paint() {
    wanted = false;
    const ratio = devicePixelRatio;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== width * ratio || canvas.height !== height * ratio) {
      canvas.width = width * ratio;
      canvas.height = height * ratio;
    }
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.translate(width / 2 + view.x, height / 2 + view.y);
    context.scale(view.scale, view.scale);
    context.lineWidth = 1.2 / view.scale;
    context.strokeStyle = colours.quiet;
    context.globalAlpha = nodes.length > 500 ? 0.3 : 0.55;
    lines(links);
    context.setLineDash([4 / view.scale, 4 / view.scale]);
    context.globalAlpha *= 0.6;
    lines(near);
    context.setLineDash([]);
    context.globalAlpha = 1;
    // One path for each colour: two thousand nodes stay smooth.
    for (const [type, of] of byType) {
      context.fillStyle = colours[type] ?? colours.untyped;
      context.beginPath();
      for (const node of of) {
        context.moveTo(node.x + radius(node), node.y);
        context.arc(node.x, node.y, radius(node), 0, 2 * Math.PI);
      }
      context.fill();
    }
    const names = view.scale >= NAMES_FROM || isSmall ? nodes.filter(isOnScreen) : [];
    if (hovered && !names.includes(hovered)) names.push(hovered);
    context.font = `${12 / view.scale}px Inter, system-ui, sans-serif`;
    context.fillStyle = colours.text;
    context.strokeStyle = colours.ground;
    context.lineWidth = 3 / view.scale;
    context.lineJoin = 'round';
    for (const node of names) {
      const [x, y] = [node.x + radius(node) + 4 / view.scale, node.y + 4 / view.scale];
      context.strokeText(node.title, x, y);
      context.fillText(node.title, x, y);
    }

    function lines(of) {
      context.beginPath();
      for (const { source, target } of of) {
        context.moveTo(source.x, source.y);
        context.lineTo(target.x, target.y);
      }
      context.stroke();
    }
    function isOnScreen(node) {
      const [x, y] = [node.x * view.scale + view.x, node.y * view.scale + view.y];
      return Math.abs(x) < width / 2 + 200 && Math.abs(y) < height / 2 + 20;
    }
  }

  function radius(node) {
    return RADIUS + Math.min(8, Math.sqrt(node.degree) * 1.5);
  }

  /** The node at a place of the screen. */
  function at(event) {
    const box = canvas.getBoundingClientRect();
    const x = (event.clientX - box.left - box.width / 2 - view.x) / view.scale;
    const y = (event.clientY - box.top - box.height / 2 - view.y) / view.scale;
    return simulation.find(x, y, 12 / view.scale + RADIUS) ?? null;
  }

  function zoom(factor, x = 0, y = 0) {
    const scale = Math.min(8, Math.max(0.05, view.scale * factor));
    view.x = x - ((x - view.x) * scale) / view.scale;
    view.y = y - ((y - view.y) * scale) / view.scale;
    view.scale = scale;
    redraw();
  }

  let dragged = null; // where the pointer was, and how far it went
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    dragged = { x: event.clientX, y: event.clientY, far: 0 };
  });
  canvas.addEventListener('pointermove', (event) => {
    if (dragged) {
      const [x, y] = [event.clientX - dragged.x, event.clientY - dragged.y];
      view.x += x;
      view.y += y;
      dragged = { x: event.clientX, y: event.clientY, far: dragged.far + Math.abs(x) + Math.abs(y) };
      return redraw();
    }
    const node = at(event);
    if (node !== hovered) {
      hovered = node;
      document.getElementById('graph-name').textContent = node?.title ?? '';
      canvas.style.cursor = node ? 'pointer' : 'grab';
      redraw();
    }
  });
  canvas.addEventListener('pointerup', (event) => {
    const isClick = dragged && dragged.far < 4;
    dragged = null;
    const node = isClick && at(event);
    if (node) location.assign(`${canvas.dataset.open}?path=${encodeURIComponent(node.path)}`);
  });
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY / 400), event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2);
  }, { passive: false });
  canvas.addEventListener('keydown', (event) => {
    const moves = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };
    if (event.key in moves) {
      view.x += moves[event.key][0];
      view.y += moves[event.key][1];
      redraw();
    } else if (event.key === '+') zoom(1.25);
    else if (event.key === '-') zoom(0.8);
    else if (event.key === '0') fit();
    else return;
    event.preventDefault();
  });

  function readColours() {
    const probe = document.createElement('span');
    document.body.append(probe);
    const of = (name) => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    };
    const found = {
      text: of('--text'), quiet: of('--quiet'), ground: of('--raised'), user: of('--good'), feedback: of('--violet'), project: of('--accent'),
      reference: of('--teal'), untyped: of('--quiet'),
    };
    probe.remove();
    return found;
  }
}
