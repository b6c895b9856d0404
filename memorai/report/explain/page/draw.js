"use strict";
// Draws a subgraph with Cytoscape.js: the horizontal axis is time, entities above the turns, snippets below.

const ROWS = ["entity", "word", "turn", "snippet"];
const GAP = 40, LANE = 34, LANES = 24, MOST_TICKS = 8, LABELLED = 14;
// Lines beyond these hide what they should show, and are most of the time that a page takes to open.
const MOST_LINES = 1500;

// Where nodes stand. Turns stand in the order in which they were said, other nodes amid the turns they come from.
// The width follows the number of nodes, so that the drawing keeps the proportions of the window.
function placesOf(panel) {
  const slots = new Map(), shown = new Set(panel.shown), places = new Map();
  let slot = 0, count = 0;
  panel.nodes.forEach((node, i) => {
    if (node.kind === "turn") slots.set(node.id, (slot += shown.has(i) ? 1 : 0.1));
  });
  const unit = Math.max(600, 75 * Math.sqrt(panel.shown.length)) / Math.max(1, slot);
  const turnLanes = Math.ceil(GAP / unit);
  panel.nodes.forEach((node, i) => {
    if (node.kind !== "turn") return;
    places.set(i, { x: unit * slots.get(node.id), y: (count % turnLanes) * LANE });
    if (shown.has(i)) count++;
  });
  const bottom = turnLanes * LANE;
  const lanes = { above: new Array(LANES).fill(-Infinity), below: new Array(LANES).fill(-Infinity) };
  const others = [];
  panel.nodes.forEach((node, i) => {
    if (node.kind === "turn") return;
    const at = node.turns.filter((id) => slots.has(id)).map((id) => slots.get(id));
    others.push([at.length ? (unit * at.reduce((a, b) => a + b, 0)) / at.length : 0, i]);
  });
  others.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  for (const [x, i] of others) {
    const below = panel.nodes[i].kind === "snippet", ends = below ? lanes.below : lanes.above;
    let lane = shown.has(i) ? ends.findIndex((end) => x - end >= GAP) : 0;
    if (lane < 0) lane = ends.indexOf(Math.min(...ends));
    if (shown.has(i)) ends[lane] = Math.max(ends[lane] + GAP / 3, x);
    places.set(i, { x, y: below ? bottom + 70 + LANE * lane : -60 - LANE * lane });
  }
  places.bottom = bottom;
  return places;
}

// One line for each pair of nodes, whichever way and however often it is linked.
function pairsOf(walk) {
  const pairs = new Map();
  for (let e = 0; e < walk.source.length; e++) {
    const a = Math.min(walk.source[e], walk.target[e]), b = Math.max(walk.source[e], walk.target[e]);
    const key = `${a}-${b}`;
    if (!pairs.has(key)) pairs.set(key, { a, b, edges: [] });
    pairs.get(key).edges.push(e);
  }
  return pairs;
}

// What a line weighs: the larger of its two directions.
function pairWeight(walk, pair, scheme) {
  let there = 0, back = 0;
  for (const e of pair.edges) {
    if (walk.source[e] === pair.a) there += walk.weights[scheme][e];
    else back += walk.weights[scheme][e];
  }
  return Math.max(there, back);
}

class Drawing {
  constructor(element, panel, walk, on) {
    Object.assign(this, { element, panel, walk, on });
    this.places = placesOf(panel);
    this.pairs = walk ? pairsOf(walk) : new Map();
    this.drawn = new Set();
    this.cursor = null;
    this.cy = cytoscape({
      container: element, style: this.style(), layout: { name: "preset" }, boxSelectionEnabled: false,
      autoungrabify: true, minZoom: 0.02, maxZoom: 4, hideEdgesOnViewport: panel.shown.length > 200,
    });
    this.cy.batch(() => this.add(panel.shown, true));
    this.addTicks();
    this.cy.fit(undefined, 20);
    this.cy.on("mouseover tap", "node.node", (event) => this.point(Number(event.target.id())));
    this.cy.on("mouseover", "edge", (event) => this.on.edge(event.target.data("pair")));
    this.cy.on("tap", "node.node", (event) => this.on.select(Number(event.target.id())));
    element.addEventListener("keydown", (event) => this.key(event));
  }

  // Adds nodes, and the strongest lines between what is drawn then; a node that comes later brings all of its lines.
  add(nodes, first = false) {
    const fresh = nodes.filter((i) => !this.drawn.has(i));
    if (!fresh.length) return false;
    const made = fresh.map((i) => {
      const node = this.panel.nodes[i];
      const gold = this.panel.gold.some((g) => g.node === i);
      this.drawn.add(i);
      return {
        group: "nodes", classes: `node ${node.kind} ${gold ? "gold" : ""}`, position: { ...this.places.get(i) },
        data: { id: String(i), label: "", size: 10 },
      };
    });
    const isFresh = new Set(fresh);
    let lines = [...this.pairs].filter(([, { a, b }]) => a !== b && this.drawn.has(a) && this.drawn.has(b)
      && (isFresh.has(a) || isFresh.has(b)));
    if (first) {
      this.possible = lines.length;
      if (lines.length > MOST_LINES) {
        const weight = new Map(lines.map(([key, pair]) => [key, pairWeight(this.walk, pair, this.walk.scheme)]));
        lines.sort((one, other) => weight.get(other[0]) - weight.get(one[0])); // stable: equal ones keep their order
        lines = lines.slice(0, MOST_LINES);
      }
    }
    this.cy.add([...made, ...lines.map(([key, pair]) => this.line(key, pair))]);
    return true;
  }

  line(key, pair) {
    return { group: "edges", data: { id: key, source: String(pair.a), target: String(pair.b), pair, width: 1 } };
  }

  // The lines of a path, whether they are among the strongest or not.
  addLines(nodes) {
    const missing = [];
    nodes.slice(1).forEach((i, place) => {
      const key = `${Math.min(i, nodes[place])}-${Math.max(i, nodes[place])}`, pair = this.pairs.get(key);
      if (pair && pair.a !== pair.b && !this.cy.getElementById(key).length) missing.push(this.line(key, pair));
    });
    this.cy.add(missing);
    return missing.length > 0;
  }

  addTicks() {
    const first = new Map();
    for (const i of this.panel.shown) {
      const node = this.panel.nodes[i];
      if (node.kind === "turn" && !first.has(node.session)) first.set(node.session, i);
    }
    const step = Math.ceil(first.size / MOST_TICKS);
    const ticks = [...first].filter((_, place) => place % step === 0).map(([session, i]) => {
      const time = this.panel.nodes[i].time;
      const label = time ? time.slice(0, 10) : session;
      return {
        group: "nodes", classes: "tick", selectable: false,
        data: { id: `tick-${i}`, label }, position: { x: this.places.get(i).x, y: this.places.bottom + 12 },
      };
    });
    this.cy.add(ticks);
  }

  // Sizes by PageRank, widths by the weights of the scheme.
  update(solved) {
    if (!solved) return;
    this.solved = solved;
    let most = 0, widest = 0;
    for (const i of this.drawn) most = Math.max(most, solved.scores[i]);
    const lines = this.cy.edges().map((edge) => [edge, pairWeight(this.walk, edge.data("pair"), solved.scheme)]);
    for (const [, weight] of lines) widest = Math.max(widest, weight);
    const best = [...this.drawn].sort((a, b) => solved.scores[b] - solved.scores[a] || a - b).slice(0, LABELLED);
    const named = new Set([...best, ...this.panel.gold.map((g) => g.node)]);
    this.cy.batch(() => {
      for (const i of this.drawn) {
        const size = 6 + 44 * Math.sqrt(most > 0 ? solved.scores[i] / most : 0);
        this.cy.getElementById(String(i)).data({ size, label: named.has(i) ? this.panel.nodes[i].label : "" });
      }
      for (const [edge, weight] of lines) edge.data("width", widest > 0 ? 0.3 + 6 * (weight / widest) : 0.3);
    });
  }

  highlight(node, path) {
    const nodesCame = this.add([node, ...(path ? path.nodes : [])]), linesCame = this.addLines(path ? path.nodes : []);
    if (nodesCame || linesCame) this.update(this.solved);
    this.cy.batch(() => {
      this.cy.elements().removeClass("path chosen").addClass("dim");
      this.cy.nodes(".tick").removeClass("dim");
      const nodes = path ? path.nodes : [node];
      nodes.forEach((i, place) => {
        this.cy.getElementById(String(i)).removeClass("dim").addClass("path").data("label", this.panel.nodes[i].label);
        if (!place) return;
        const a = Math.min(i, nodes[place - 1]), b = Math.max(i, nodes[place - 1]);
        this.cy.getElementById(`${a}-${b}`).removeClass("dim").addClass("path");
      });
      this.cy.getElementById(String(node)).addClass("chosen");
    });
  }

  clear() {
    this.cy.batch(() => this.cy.elements().removeClass("path chosen dim"));
    this.update(this.solved);
  }

  point(node) {
    this.cy.nodes(".cursor").removeClass("cursor");
    this.cy.getElementById(String(node)).addClass("cursor");
    this.cursor = node;
    this.on.focus(node);
  }

  key(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (step) this.move(...step);
    else if ((event.key === "Enter" || event.key === " ") && this.cursor !== null) this.on.select(this.cursor);
    else if (event.key === "Escape") this.on.clear();
    else if (event.key === "+" || event.key === "=") this.zoom(1.3);
    else if (event.key === "-") this.zoom(1 / 1.3);
    else if (event.key === "0") this.cy.fit(undefined, 20);
    else return;
    event.preventDefault();
  }

  zoom(factor) {
    const at = { x: this.cy.width() / 2, y: this.cy.height() / 2 };
    this.cy.zoom({ level: this.cy.zoom() * factor, renderedPosition: at });
  }

  // Left and right follow time inside a row, up and down go to the nearest node of the next row.
  move(along, across) {
    const all = [...this.drawn], row = (i) => ROWS.indexOf(this.panel.nodes[i].kind), x = (i) => this.places.get(i).x;
    if (!all.length) return;
    if (this.cursor === null) {
      const first = this.panel.ranked.length ? this.panel.ranked[0].node : all[0];
      return this.point(first);
    }
    const here = this.cursor;
    let next;
    if (along) {
      const same = all.filter((i) => row(i) === row(here)).sort((a, b) => x(a) - x(b) || a - b);
      next = same[same.indexOf(here) + along];
    } else {
      const rows = [...new Set(all.map(row))].sort((a, b) => a - b);
      const wanted = rows[rows.indexOf(row(here)) + across];
      const there = all.filter((i) => row(i) === wanted);
      next = there.sort((a, b) => Math.abs(x(a) - x(here)) - Math.abs(x(b) - x(here)) || a - b)[0];
    }
    if (next === undefined) return;
    this.point(next);
    const at = this.cy.getElementById(String(next)).renderedPosition();
    if (at.x < 0 || at.y < 0 || at.x > this.cy.width() || at.y > this.cy.height()) {
      this.cy.center(this.cy.getElementById(String(next)));
    }
  }

  style() {
    const css = getComputedStyle(document.documentElement), colour = (name) => css.getPropertyValue(`--${name}`).trim();
    const kinds = ["entity", "word", "turn", "snippet"].map((kind) => ({
      selector: `.${kind}`, style: { "background-color": colour(kind === "word" ? "entity" : kind) },
    }));
    return [
      {
        selector: "node.node",
        style: {
          width: "data(size)", height: "data(size)", label: "data(label)", color: colour("text"), "font-size": 13,
          "text-background-color": colour("back"), "text-background-opacity": 0.75, "text-wrap": "ellipsis",
          "text-max-width": 150, "min-zoomed-font-size": 5, "font-family": colour("font"),
        },
      },
      ...kinds,
      { selector: ".snippet", style: { shape: "round-rectangle" } },
      { selector: ".turn", style: { shape: "ellipse" } },
      { selector: ".entity, .word", style: { shape: "diamond" } },
      { selector: ".gold", style: { "border-width": 4, "border-color": colour("gold") } },
      {
        selector: "edge",
        style: { width: "data(width)", "line-color": colour("line"), "curve-style": "haystack", "line-opacity": 0.55 },
      },
      {
        selector: ".tick",
        style: {
          width: 1, height: 1, label: "data(label)", color: colour("muted"), "font-size": 26,
          "background-opacity": 0, events: "no", "font-family": colour("font"),
        },
      },
      { selector: ".dim", style: { opacity: 0.15 } },
      { selector: "node.path", style: { "border-width": 3, "border-color": colour("path"), "z-index": 10 } },
      { selector: "edge.path", style: { "line-color": colour("path"), "line-opacity": 1, "z-index": 9 } },
      { selector: ".chosen", style: { "border-width": 6 } },
      { selector: ".cursor", style: { "outline-width": 4, "outline-color": colour("focus"), "outline-offset": 2 } },
    ];
  }
}
