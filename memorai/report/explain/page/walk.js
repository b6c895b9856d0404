"use strict";
// PageRank, its terms and its strongest paths over the embedded subgraph: what memorai/report/explain/walk.py does in Python.

const TOLERANCE = 1e-13;
const TIE = 1e-9;

function unpack(text, Type) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Type(bytes.buffer);
}

function readWalk(data) {
  const weights = {};
  for (const name of Object.keys(data.weights)) weights[name] = unpack(data.weights[name], Float64Array);
  return {
    damping: data.damping, scheme: data.scheme, kinds: data.kinds, texts: data.texts, weights,
    source: unpack(data.source, Int32Array), target: unpack(data.target, Int32Array),
    kind: unpack(data.kind, Int32Array),
    restart: unpack(data.restart, Float64Array), factor: unpack(data.factor, Float64Array),
  };
}

// p = (1 - d) s + d (P^T p + (dangling mass of p) s)
function solveWalk(walk, damping, scheme) {
  const { source, target, restart } = walk;
  const weight = walk.weights[scheme], n = restart.length, edges = source.length;
  const out = new Float64Array(n);
  for (let e = 0; e < edges; e++) out[source[e]] += weight[e];
  const probability = new Float64Array(edges);
  for (let e = 0; e < edges; e++) probability[e] = out[source[e]] > 0 ? weight[e] / out[source[e]] : 0;
  const lost = (p) => {
    let mass = 0;
    for (let i = 0; i < n; i++) if (out[i] <= 0) mass += p[i];
    return mass;
  };
  let p = Float64Array.from(restart), steps = 0;
  const most = damping > 0 ? 2 + Math.trunc(Math.log(TOLERANCE / 2) / Math.log(damping)) : 1;
  while (steps < most) {
    const back = damping * lost(p), next = new Float64Array(n);
    for (let e = 0; e < edges; e++) next[target[e]] += probability[e] * p[source[e]];
    let change = 0;
    for (let i = 0; i < n; i++) {
      next[i] = (1 - damping) * restart[i] + damping * next[i] + back * restart[i];
      change += Math.abs(next[i] - p[i]);
    }
    p = next;
    steps++;
    if (change <= TOLERANCE) break;
  }
  return { walk, damping, scheme, scores: p, probability, dangling: lost(p), steps };
}

// The terms whose sum is a node's score.
function termsOf(solved, node) {
  const { walk, damping } = solved, inflow = new Map();
  for (let e = 0; e < walk.source.length; e++) {
    if (walk.target[e] !== node || !(solved.probability[e] > 0)) continue;
    const from = walk.source[e], flow = damping * solved.probability[e] * solved.scores[from];
    inflow.set(from, (inflow.get(from) || 0) + flow);
  }
  const sorted = [...inflow].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const seed = walk.restart[node];
  return { restart: (1 - damping) * seed, dangling: damping * solved.dangling * seed, inflow: sorted };
}

// Dijkstra from all seeds at once: cost[v] = -log of the largest (1 - d) s(u0) * product of d P along a path to v.
function strongest(solved) {
  const { walk, damping } = solved, n = walk.restart.length;
  const steps = Array.from({ length: n }, () => new Map()), into = Array.from({ length: n }, () => new Map());
  for (let e = 0; e < walk.source.length; e++) {
    if (!(damping * solved.probability[e] > 0)) continue;
    const from = steps[walk.source[e]], to = walk.target[e];
    from.set(to, (from.get(to) || 0) + solved.probability[e]);
  }
  const start = new Float64Array(n).fill(Infinity), cost = new Float64Array(n).fill(Infinity), heap = new Heap();
  for (let u = 0; u < n; u++) {
    for (const [v, probability] of steps[u]) {
      const length = -Math.log(damping * probability);
      steps[u].set(v, length);
      into[v].set(u, length);
    }
    const seed = (1 - damping) * walk.restart[u];
    if (seed > 0) {
      start[u] = cost[u] = -Math.log(seed);
      heap.push(cost[u], u);
    }
  }
  while (heap.size) {
    const [reached, u] = heap.pop();
    if (reached > cost[u]) continue;
    for (const [v, length] of steps[u]) {
      if (reached + length < cost[v]) {
        cost[v] = reached + length;
        heap.push(cost[v], v);
      }
    }
  }
  return { start, cost, into };
}

// Of paths that are equally strong one that starts here comes first, then the one by the smaller number.
function pathTo(tree, node) {
  const { start, cost, into } = tree;
  if (!Number.isFinite(cost[node])) return null;
  const nodes = [node], mass = Math.exp(-cost[node]);
  let at = node;
  while (start[at] > cost[at] + TIE * (1 + Math.abs(cost[at]))) {
    const limit = cost[at] + TIE * (1 + Math.abs(cost[at]));
    let best = Infinity;
    for (const [u, length] of into[at]) if (cost[u] + length <= limit && u < best) best = u;
    at = best;
    nodes.unshift(at);
  }
  return { nodes, mass };
}

class Heap {
  constructor() { this.items = []; }
  get size() { return this.items.length; }
  push(key, value) {
    const items = this.items;
    let i = items.push([key, value]) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (items[parent][0] <= items[i][0]) break;
      [items[parent], items[i]] = [items[i], items[parent]];
      i = parent;
    }
  }
  pop() {
    const items = this.items, top = items[0], last = items.pop();
    if (items.length) {
      items[0] = last;
      let i = 0;
      for (;;) {
        let least = i;
        for (const child of [2 * i + 1, 2 * i + 2]) {
          if (child < items.length && items[child][0] < items[least][0]) least = child;
        }
        if (least === i) break;
        [items[least], items[i]] = [items[i], items[least]];
        i = least;
      }
    }
    return top;
  }
}
