"use strict";
// The page around the drawings: question, ranked memories, controls, and what is known of a node.

const SCHEMES = {
  query: "query-conditioned (Eq. 1)", static: "static (stored in the graph)", uniform: "uniform",
  own: "the system's own",
};
const TERMS = 6;

class Panel {
  constructor(data, number, others) {
    Object.assign(this, { data, number, others });
    this.walk = data.walk ? readWalk(data.walk) : null;
    this.turns = [];
    data.nodes.forEach((node, i) => { if (node.kind === "turn") this.turns.push(i); });
    this.gold = new Set(data.gold.map((g) => g.id));
    this.selected = null;
    this.build();
    this.drawing = new Drawing(this.graph, data, this.walk, {
      focus: (node) => this.tell(node), edge: (pair) => this.tellEdge(pair),
      select: (node) => this.select(node, true), clear: () => this.clear(),
    });
    const lines = this.drawing.cy.edges().length, possible = this.drawing.possible;
    if (lines < possible) this.budget.append(`Of ${possible} lines between them the ${lines} strongest are drawn.`);
    this.reset();
  }

  build() {
    const { data } = this, id = `panel-${this.number}`;
    this.status = make("p", { class: "status", role: "status", "aria-live": "polite" });
    this.list = make("ol", { class: "ranked", "aria-label": `memories ranked by ${data.system}` });
    this.missing = make("ul", { class: "missing" });
    this.graph = make("div", {
      class: "graph", tabindex: "0", role: "application", "aria-describedby": `${id}-keys`,
      "aria-label": `subgraph of the question under ${data.system}; arrow keys move between nodes`,
    });
    this.detail = make("div", { class: "detail", role: "region", "aria-live": "polite", "aria-label": "node" });
    const left = Object.entries(data.leftOut).map(([kind, count]) => `${count} ${kind}`).join(", ");
    const drawn = `${data.shown.length} of ${data.nodes.length} nodes of the query's subgraph are drawn`;
    const omitted = left ? `; left out: ${left} nodes, with ${shorten(100 * data.leftMass)} % of the mass` : "";
    this.root = make("section", { class: "panel", "aria-labelledby": `${id}-name`, "data-system": data.system },
      make("h2", { id: `${id}-name` }, data.system),
      ...data.notes.map((note) => make("p", { class: "note" }, note)),
      this.walk ? this.controls(id) : null,
      this.status, this.list, this.missing, this.graph,
      (this.budget = make("p", { class: "budget" }, `${drawn}${omitted}. `,
        omitted && this.walk ? "Scores count all of them. " : "")),
      make("p", { class: "keys", id: `${id}-keys` },
        "Left to right is time. Size: PageRank. Width: weight under the scheme. Keys in the graph: arrows move, ",
        "Enter shows the strongest path, Esc clears, + − 0 zoom."),
      this.detail);
    document.getElementById("panels").append(this.root);
  }

  controls(id) {
    const change = (value) => {
      const damping = Math.min(0.99, Math.max(0, Number(value)));
      if (Number.isFinite(damping)) this.set(damping, this.scheme);
    };
    this.range = make("input", {
      type: "range", min: "0", max: "0.99", step: "0.01", id: `${id}-damping`,
      input: (event) => change(event.target.value),
    });
    this.number_ = make("input", {
      type: "number", min: "0", max: "0.99", step: "any", "aria-label": "damping as a number",
      change: (event) => change(event.target.value),
    });
    this.choice = make("select", { id: `${id}-scheme`, change: (event) => this.set(this.damping, event.target.value) });
    for (const name of Object.keys(this.walk.weights)) {
      const own = name === this.walk.scheme && name !== "own" ? " – the system's own" : "";
      this.choice.append(make("option", { value: name }, SCHEMES[name] + own));
    }
    return make("div", { class: "controls" },
      make("label", { for: `${id}-damping` }, "damping"), this.range, this.number_,
      make("label", { for: `${id}-scheme` }, "weights"), this.choice,
      make("button", { type: "button", class: "reset", click: () => this.reset() }, "system's own"));
  }

  reset() {
    if (!this.walk) return this.show();
    this.set(this.walk.damping, this.walk.scheme);
  }

  set(damping, scheme) {
    this.damping = damping;
    this.scheme = scheme;
    this.range.value = damping;
    this.number_.value = damping;
    this.choice.value = scheme;
    this.solved = solveWalk(this.walk, damping, scheme);
    this.tree = null;
    this.drawing.update(this.solved);
    this.show();
    if (this.selected !== null) this.select(this.selected, false);
    else this.tell(null);
  }

  isOwn() {
    return !this.walk || (this.damping === this.walk.damping && this.scheme === this.walk.scheme);
  }

  // All turns of the walk, best first; ties go to the earlier.
  ranking() {
    const score = (i) => this.solved.scores[i] * this.walk.factor[i];
    return this.turns.map((i) => [i, score(i)]).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  }

  show() {
    const { data } = this, before = new Map(data.ranked.map((r) => [r.node, r.rank]));
    let rows = data.ranked.map((r) => [r.node, r.score]), rank = new Map();
    if (this.isOwn()) {
      for (const g of data.gold) if (g.rank !== null) rank.set(g.id, g.rank);
    } else {
      const all = this.ranking();
      rows = all.slice(0, Math.max(data.ranked.length, Math.min(10, all.length)));
      all.forEach(([i], place) => rank.set(data.nodes[i].id, place + 1));
    }
    this.list.replaceChildren(...rows.map(([node, score], place) => this.row(node, score, place + 1, before.get(node))));
    const listed = new Set(rows.map(([node]) => data.nodes[node].id));
    this.missing.replaceChildren(...data.gold.filter((g) => !listed.has(g.id)).map((g) => {
      const where = rank.has(g.id) ? `rank ${rank.get(g.id)}` : g.missing || "not found";
      const text = g.node === null ? "" : ` ${data.nodes[g.node].text}`;
      const label = `gold ${g.id}: ${where}.${text}`;
      return make("li", { "data-gold": g.id }, g.node === null ? label
        : make("button", { type: "button", click: () => this.select(g.node, true) }, label));
    }));
    if (!this.walk) this.status.textContent = "The system's own ranking.";
    else {
      const what = this.isOwn() ? "The system's own ranking." : "Ranked again by the walk, in this page.";
      this.status.textContent = `${what} ${this.solved.steps} iterations.`;
    }
    this.mark();
  }

  row(node, score, rank, before) {
    const turn = this.data.nodes[node], gold = this.gold.has(turn.id);
    const moved = !this.isOwn() && before !== rank ? make("span", { class: "was" }, before ? `was ${before}` : "new") : null;
    return make("li", { "data-turn": turn.id, "data-node": node, "data-score": score, "data-rank": rank },
      make("button", {
        type: "button", "aria-pressed": "false", click: () => this.select(node, true), focus: () => this.tell(node),
      },
      make("span", { class: "rank" }, `${rank}`), make("span", { class: "score" }, shorten(score)),
      gold ? make("span", { class: "is-gold" }, "★ gold") : null, moved,
      make("span", { class: "said" }, `${turn.speaker}: `, make("span", { class: "words" }, turn.text))));
  }

  mark() {
    for (const item of this.list.children) {
      const chosen = Number(item.dataset.node) === this.selected;
      item.firstChild.setAttribute("aria-pressed", String(chosen));
    }
  }

  path(node) {
    if (!this.walk) return null;
    this.tree = this.tree || strongest(this.solved);
    return pathTo(this.tree, node);
  }

  select(node, spread) {
    this.selected = node;
    this.drawing.highlight(node, this.path(node));
    this.mark();
    this.tell(node);
    if (!spread) return;
    for (const other of this.others) {
      if (other === this) continue;
      const same = other.data.nodes.findIndex((n) => n.kind === this.data.nodes[node].kind && n.id === this.data.nodes[node].id);
      if (same >= 0) other.select(same, false);
      else other.clear();
    }
  }

  clear() {
    this.selected = null;
    this.drawing.clear();
    this.mark();
    this.tell(null);
  }

  tell(node) {
    if (node === null) {
      this.detail.replaceChildren(make("p", { class: "hint" }, "Choose a memory, or point at a node."));
      return;
    }
    const { data } = this, it = data.nodes[node], facts = make("dl");
    const fact = (name, value) => { if (value !== "" && value !== null) facts.append(make("dt", {}, name), make("dd", {}, value)); };
    fact("turns", it.turns.slice(0, 12).join(" ") + (it.turns.length > 12 ? ` and ${it.turns.length - 12} more` : ""));
    fact("session", it.session);
    fact("date", it.time);
    fact("cosine", it.cosine === null ? "" : shorten(it.cosine));
    fact("BM25", it.bm25 === null ? "" : shorten(it.bm25));
    const parts = [make("h3", {}, `${it.kind} ${it.kind === "turn" ? it.id : it.label}`)];
    if (it.kind === "turn") parts.push(make("p", { class: "speaker" }, it.speaker));
    parts.push(make("p", { class: "text" }, it.text), facts);
    if (this.walk) {
      fact("seed mass", shorten(this.walk.restart[node]));
      fact("PageRank", shorten(this.solved.scores[node]));
      if (this.walk.factor[node] !== 1) fact("factor", `${shorten(this.walk.factor[node])} (times PageRank: the score)`);
      parts.push(this.terms(node), ...this.pathParts(node));
    }
    this.detail.replaceChildren(...parts);
    this.detail.dataset.node = node;
  }

  terms(node) {
    const terms = termsOf(this.solved, node), rows = [];
    const row = (name, value, key) => rows.push(make("tr", { "data-term": key, "data-value": value },
      make("th", { scope: "row" }, name), make("td", {}, shorten(value))));
    row("restart, (1 − d) · seed", terms.restart, "restart");
    if (terms.dangling) row("from dead ends", terms.dangling, "dangling");
    for (const [from, amount] of terms.inflow.slice(0, TERMS)) row(`from ${this.data.nodes[from].label}`, amount, String(from));
    const rest = terms.inflow.slice(TERMS);
    if (rest.length) row(`from ${rest.length} others`, rest.reduce((sum, [, amount]) => sum + amount, 0), "others");
    return make("table", { class: "terms" }, make("caption", {}, "terms of the score"), make("tbody", {}, ...rows));
  }

  pathParts(node) {
    const path = this.path(node);
    if (!path) return [make("p", {}, "No walk from the seeds reaches it.")];
    const share = 100 * path.mass / this.solved.scores[node];
    const steps = path.nodes.map((i) => make("li", { "data-node": i }, `${this.data.nodes[i].kind}: ${this.data.nodes[i].label}`));
    return [
      make("h4", {}, `strongest path, ${shorten(share)} % of the score`),
      make("ol", { class: "path", "data-mass": path.mass }, ...steps),
    ];
  }

  tellEdge(pair) {
    if (!this.walk) return;
    const names = [pair.a, pair.b].map((i) => this.data.nodes[i].label), items = [];
    for (const e of pair.edges) {
      const said = this.walk.texts[e] ? ` “${this.walk.texts[e]}”` : "";
      const weights = Object.entries(this.walk.weights).map(([name, w]) => `${name} ${shorten(w[e])}`).join(", ");
      const ends = [this.walk.source[e], this.walk.target[e]].map((i) => this.data.nodes[i].label);
      items.push(make("li", {}, `${ends[0]} → ${ends[1]}, ${this.walk.kinds[this.walk.kind[e]]}${said}: ${weights}`));
    }
    this.detail.replaceChildren(make("h3", {}, `${names[0]} – ${names[1]}`), make("ul", { class: "edge" }, ...items));
  }
}

(function start() {
  const data = JSON.parse(document.getElementById("data").textContent), { asked } = data;
  document.getElementById("question").append(
    make("h1", {}, asked.text),
    make("p", { class: "about" }, [asked.id, asked.category, asked.answer && `gold answer: ${asked.answer}`]
      .filter(Boolean).join(" · ")),
    make("p", { class: "legend" },
      make("span", { class: "key entity" }, "◆ entity or word"), make("span", { class: "key turn" }, "● turn"),
      make("span", { class: "key snippet" }, "■ snippet"), make("span", { class: "key gold" }, "◯ gold"),
      make("span", { class: "key path" }, "━ strongest path")));
  document.getElementById("panels").style.setProperty("--count", data.panels.length);
  const panels = [];
  data.panels.forEach((panel, i) => panels.push(new Panel(panel, i, panels)));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const panel of panels) panel.drawing.cy.style(panel.drawing.style());
  });
  for (const panel of panels) panel.tell(null);
  window.memorai = { panels, ready: performance.now() };
})();
