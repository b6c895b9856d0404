"use strict";
// The page: what the reader chooses, and the sections that follow it.

const SECTIONS = [
  ["systems", "Systems", systemsTable], ["plots", "Plots", plots], ["categories", "Categories", categoriesTable],
  ["costs", "Costs", (view) => records("costs-table", "language model costs", ["run", "system", "stage", "calls", "prompt tokens",
    "completion tokens", "cached", "seconds", "failed"], view.data.costs, view)],
  ["timings", "Timings", (view) => records("timings-table", "timings", ["run", "system", "stage", "p50 ms", "p95 ms", "n"], view.data.timings, view)],
  ["failures", "Failures", failures], ["missed", "Missed questions", missed], ["config", "Configuration", configDiff],
  ["provenance", "Provenance", provenance],
];
// Sections that a choice changes; the others are made once, or when the filter changes
const CHOSEN = new Set(["systems", "plots", "categories", "missed"]);
const FILTERED = new Set([...CHOSEN, "costs", "timings", "failures"]);

function count(n, name) {
  return `${n} ${name}${n === 1 ? "" : "s"}`;
}

class Page {
  constructor(data) {
    this.data = data;
    this.kept = {};
    this.status = make("p", { class: "hidden", role: "status", "aria-live": "polite" });
    document.getElementById("about").append(make("h1", {}, data.title),
      make("p", { class: "about" }, `${count(data.runs.length, "run")}, ${count(data.lines.length, "line")}, data: ${data.datasets.join(", ")}`),
      make("nav", { "aria-label": "sections" }, ...SECTIONS.map(([id, name]) => make("a", { href: `#${id}` }, name))), this.status);
    this.selects = {};
    const form = document.getElementById("choices");
    form.addEventListener("submit", (event) => event.preventDefault());
    for (const [id, name] of [["dataset", "data"], ["unit", "unit"], ["metric", "metric"], ["k", "k"], ["category", "category"],
      ["x", "parameter"], ["y", "and"]]) {
      this.selects[id] = make("select", { id: `choose-${id}`, change: () => this.choose() });
      form.append(make("label", { for: `choose-${id}` }, name, " ", this.selects[id]));
    }
    this.filter = make("input", { type: "search", id: "filter", placeholder: "system, variant or run", input: () => this.fill(FILTERED) });
    form.append(make("label", { for: "filter" }, "only ", this.filter));
    this.bodies = {};
    for (const [id, name] of SECTIONS) {
      this.bodies[id] = make("div", { class: "body" });
      document.getElementById("sections").append(
        make("section", { id, "aria-labelledby": `${id}-name` }, make("h2", { id: `${id}-name` }, name), this.bodies[id]));
    }
    this.offer();
    this.fill();
  }

  choose() {
    this.offer();
    this.fill(CHOSEN);
    this.say(this.view.name);
  }

  say(text) {
    this.status.textContent = text;
  }

  // Fill the choices from the left to the right, each by what the ones before leave, and keep what was chosen if it is there.
  offer() {
    const { data, selects } = this;
    const set = (id, values, shown = (v) => v) => {
      const before = selects[id].value, texts = values.map(String);
      selects[id].replaceChildren(...values.map((v) => make("option", { value: String(v) }, shown(v))));
      selects[id].value = texts.includes(before) ? before : texts[0] ?? "";
      selects[id].parentElement.hidden = values.length < 2;
      return selects[id].value;
    };
    const unique = (values) => [...new Set(values)];
    const dataset = set("dataset", data.datasets), lines = data.lines.filter((line) => line.dataset === dataset);
    const used = new Set(lines.flatMap((line) => line.cells.map((cell) => cell[0])));
    const measures = data.measures.map((m, i) => ({ ...m, i })).filter((m) => used.has(m.i));
    const unit = set("unit", unique(measures.map((m) => m.unit)));
    const metric = set("metric", unique(measures.filter((m) => m.unit === unit).map((m) => m.metric)));
    const found = measures.filter((m) => m.unit === unit && m.metric === metric), cuts = found.map((m) => m.k ?? "");
    if (!selects.k.value && cuts.includes(10)) selects.k.append(make("option", { value: "10", selected: true }, "10"));
    const k = set("k", cuts), measure = found.find((m) => String(m.k ?? "") === k);
    const held = new Set(lines.flatMap((line) => line.cells.filter((c) => c[0] === measure.i).map((c) => c[1])));
    const category = set("category", data.categories.map((_, i) => i).filter((i) => held.has(i)), (i) => data.categories[i]);
    const values = new Map();
    for (const line of lines) for (const [name, v] of Object.entries(line.swept)) values.set(name, (values.get(name) ?? new Set()).add(v));
    const numeric = (name) => [...values.get(name)].every((v) => v !== "" && Number.isFinite(Number(v)));
    const varying = [...values.keys()].filter((name) => values.get(name).size > 1)
      .sort((a, b) => numeric(b) - numeric(a) || values.get(b).size - values.get(a).size || compare(a, b));
    const x = set("x", varying), y = set("y", varying.filter((name) => name !== x));
    this.view = {
      data, dataset, measure: measure.i, name: measure.name + (measure.scale === 1 ? "" : ", x100"), scale: measure.scale,
      category: Number(category), x, y, kept: this.kept, say: (text) => this.say(text), all: lines,
    };
  }

  fill(which = null) {
    const wanted = this.filter.value.trim().toLowerCase();
    this.view.matches = (...texts) => !wanted || texts.some((text) => String(text).toLowerCase().includes(wanted));
    this.view.lines = this.view.all.filter((l) => this.view.matches(nameOf(l), runsOf(l, this.data)));
    for (const [id, , content] of SECTIONS) {
      if (!which || which.has(id)) this.bodies[id].replaceChildren(...content(this.view));
    }
  }
}

window.memorai = { page: new Page(JSON.parse(document.getElementById("data").textContent)), ready: performance.now() };
