"use strict";
// What stands in each section for what the reader chose: tables and plots out of the page's data.

// Counts in full, what was measured to four digits.
function plain(value) {
  return Number.isInteger(value) ? String(value) : shorten(value);
}

// One value as people read it, in the scale that is printed.
function number(value, scale) {
  if (value === null || value === undefined) return "–";
  return scale === 1 ? plain(value) : (scale * value).toFixed(2);
}

function interval(cell, scale) {
  return cell && cell.lo !== null && cell.hi !== null ? `[${number(cell.lo, scale)}, ${number(cell.hi, scale)}]` : "";
}

// (line, measure, category) -> {value, lo, hi, n}
function cellsOf(line) {
  if (!line.found) {
    line.found = new Map(line.cells.map(([m, c, value, lo, hi, n]) => [`${m} ${c}`, { value, lo, hi, n }]));
  }
  return line.found;
}

function cellOf(line, measure, category) {
  return cellsOf(line).get(`${measure} ${category}`) ?? null;
}

function runsOf(line, data) {
  return line.runs.map((run) => data.runs[run]).join(", ");
}

// What a plot calls a line; `seedless` without the seed that all of them have.
function nameOf(line, seedless = false) {
  const told = [line.system, line.variant, line.protocol === "untrained" ? "" : `[${line.protocol}]`];
  return [...told, line.seed === null || seedless ? "" : `seed ${line.seed}`].filter(Boolean).join(" ");
}

// Columns that say which line it is, without those that would be empty; what all lines share is said once, in `shared`.
function lineColumns(lines, data) {
  const runs = (line) => data.runs.length > 1 ? runsOf(line, data) : "";
  const all = [
    { name: "system", value: (l) => l.system }, { name: "variant", value: (l) => l.variant, show: (l) => l.variant },
    { name: "protocol", value: (l) => l.protocol }, { name: "seed", value: (l) => l.seed, number: true },
    { name: "parts", value: (l) => l.parts, show: (l) => l.parts },
    { name: "run", value: runs, show: (l) => l.runs.length > 3 ? `${l.runs.length} runs` : runs(l), title: "folder of the run" },
  ];
  const told = all.filter((c, i) => !i || lines.some((l) => ![null, undefined, ""].includes(c.value(l))));
  const same = (c) => lines.length > 1 && lines.every((l) => c.value(l) === c.value(lines[0]));
  const once = told.filter((c) => ["protocol", "seed", "parts"].includes(c.name) && same(c));
  const shared = once.map((c) => `${c.name === "parts" ? "" : `${c.name} `}${c.value(lines[0])}`).join(", ");
  return { told: told.filter((c) => !once.includes(c)), shared: shared && ` (all: ${shared})` };
}

function valueColumns(name, measure, category, scale) {
  const of = (line) => cellOf(line, measure, category);
  return [
    { name, number: true, value: (l) => of(l)?.value, show: (l) => number(of(l)?.value, scale) },
    { name: `${name} 95 %`, number: true, value: (l) => of(l)?.lo, show: (l) => interval(of(l), scale) },
    { name: `${name} n`, number: true, value: (l) => of(l)?.n, show: (l) => String(of(l)?.n ?? "–") },
  ];
}

function systemsTable(view) {
  const { data, lines, measure, scale } = view, names = [view.category, ...["weighted", "macro"].map((n) => data.categories.indexOf(n))];
  const shown = [...new Set(names)].filter((c) => c >= 0 && lines.some((l) => cellOf(l, measure, c)));
  const columns = shown.flatMap((c) => valueColumns(data.categories[c], measure, c, scale));
  const rows = ordered(lines.filter((l) => shown.some((c) => cellOf(l, measure, c))), (l) => cellOf(l, measure, shown[0])?.value, true);
  const { told, shared } = lineColumns(rows, data);
  return [new SortedTable("systems-table", `systems, ${view.name}${shared}`, [...told, ...columns], rows, view).element];
}

function categoriesTable(view) {
  const { data, lines, measure, scale } = view;
  const shown = data.categories.map((_, c) => c).filter((c) => lines.some((l) => cellOf(l, measure, c)));
  const columns = shown.map((c) => ({
    name: data.categories[c], number: true, value: (l) => cellOf(l, measure, c)?.value,
    show: (l) => number(cellOf(l, measure, c)?.value, scale),
    more: (l) => { const cell = cellOf(l, measure, c); return cell ? `${interval(cell, scale)} n=${cell.n}` : ""; },
  }));
  const rows = ordered(lines, (l) => cellOf(l, measure, shown[0])?.value, true), { told, shared } = lineColumns(rows, data);
  return [new SortedTable("categories-table", `categories, ${view.name}${shared}`, [...told.filter((c) => c.name !== "parts"), ...columns], rows, view).element];
}

function plots(view) {
  const { data, lines, measure, category, scale } = view, name = `${view.name}, ${data.categories[category] ?? ""}`, points = [];
  const seedless = new Set(lines.map((line) => line.seed)).size < 2, seed = (line) => line.seed === null || seedless ? "" : `seed ${line.seed}`;
  for (const line of lines) {
    const cell = cellOf(line, measure, category);
    if (!cell) continue;
    const at = (v) => v === null ? null : Number((scale * v).toPrecision(12));
    points.push({ line, label: nameOf(line, seedless), value: at(cell.value), lo: at(cell.lo), hi: at(cell.hi), ceiling: line.ceiling,
      text: `${number(cell.value, scale)} ${interval(cell, scale)} n=${cell.n}` });
  }
  if (!points.length) return [make("p", { class: "note" }, "nothing to draw")];
  const rest = (p, ...names) => [p.line.system, ...Object.entries(p.line.swept).filter(([k]) => !names.includes(k)).map(([k, v]) => `${k}=${v}`),
    p.line.protocol === "untrained" ? "" : `[${p.line.protocol}]`, seed(p.line)]
    .filter(Boolean).join(" ");
  const made = [bars(points, name)], { x, y } = view;
  if (x) made.push(sweep(points.map((p) => ({ ...p, x: p.line.swept[x] ?? null, series: rest(p, x) })), x, name));
  const both = x && y && x !== y ? points.filter((p) => x in p.line.swept && y in p.line.swept) : [];
  if (both.length) made.push(heat(both.map((p) => ({ ...p, x: p.line.swept[x], y: p.line.swept[y], panel: rest(p, x, y) })), x, y, name));
  return made;
}

// Records of the runs: [run, system, stage, numbers...]
function records(id, caption, names, rows, view) {
  const kept = rows.filter((r) => view.matches(view.data.runs[r[0]], r[1]));
  if (!kept.length) return [make("p", { class: "note" }, `no ${caption} recorded`)];
  const columns = names.map((name, i) => i === 0
    ? { name, value: (r) => view.data.runs[r[0]] } : { name, number: i > 2, value: (r) => r[i], show: (r) => i > 2 ? plain(r[i]) : r[i] });
  return [new SortedTable(id, caption, columns, kept, view).element];
}

function failures(view) {
  const { data } = view, made = [];
  if (data.unfinished.length) {
    made.push(make("p", {}, "Jobs that left no results: "), make("ul", { class: "unfinished" }, ...data.unfinished.map((n) => make("li", {}, n))));
  }
  const kept = data.failures.filter((f) => view.matches(f[0], f[1]));
  const columns = ["run", "system", "conversation", "error"].map((name, i) => ({ name, value: (f) => f[i] }));
  if (kept.length) made.push(new SortedTable("failures-table", "systems that raised an error", columns, kept, view).element);
  return made.length ? made : [make("p", { class: "note" }, "no system failed on a conversation")];
}

// Questions missed in one run, or in every run on the chosen data that kept its predictions.
function missedRows(view, run) {
  const { questions, runs, data } = view.data.missed, best = new Map();
  const asked = Object.keys(runs).filter((r) => data[r] === view.dataset && (run === "" || r === run));
  for (const r of asked) {
    for (let i = 0; i < runs[r].length; i += 3) {  // question, best recall in percent, system or -1
      const [q, recall, system] = runs[r].slice(i, i + 3), kept = best.get(q) ?? { question: questions[q], recall: -1, runs: 0 };
      kept.runs += 1;
      if (recall > kept.recall) Object.assign(kept, { recall, system });
      best.set(q, kept);
    }
  }
  return [...best.values()].filter((m) => m.runs === asked.length);
}

function missed(view) {
  const { data } = view, having = Object.keys(data.missed.runs).filter((run) => data.missed.data[run] === view.dataset);
  if (!having.length) return [make("p", { class: "note" }, "no run on this data kept its predictions.jsonl")];
  const place = make("div"), every = having.length > 1 ? [make("option", { value: "" }, `every run (${having.length})`)] : [];
  const choice = make("select", { id: "missed-run", change: () => { view.kept.run = choice.value; fill(); } },
    ...every, ...having.map((run) => make("option", { value: run }, data.runs[run])));
  if (having.includes(view.kept.run)) choice.value = view.kept.run;
  const fill = () => {
    const rows = missedRows(view, choice.value), quoted = rows.some((m) => m.question.text !== undefined);
    const columns = [
      { name: "question", value: (m) => m.question.id }, { name: "category", value: (m) => m.question.category },
      { name: "gold turns", number: true, value: (m) => m.question.gold },
      { name: "best R@10", number: true, value: (m) => m.recall, show: (m) => m.recall.toFixed(1) },
      { name: "by", value: (m) => view.data.missed.systems[m.system] },
      ...(quoted ? [{ name: "asked", value: (m) => m.question.text }, { name: "answer", value: (m) => m.question.answer }] : []),
    ];
    place.replaceChildren(rows.length
      ? new SortedTable("missed-table", `questions of which no system found all evidence in its first 10 turns: ${rows.length}`, columns,
        ordered(rows, (m) => m.recall, false), view).element
      : make("p", { class: "note" }, "some system found all evidence of every question"));
  };
  fill();
  return [make("p", { class: "controls" }, make("label", { for: "missed-run" }, "missed in "), choice), place];
}

function configDiff(view) {
  const { runs, rows } = view.data.config;
  if (runs.length < 2) return [make("p", { class: "note" }, "one run: nothing to compare")];
  if (!rows.length) return [make("p", { class: "note" }, "the configurations recorded are the same")];
  const place = make("div"), turned = make("input", { type: "checkbox", id: "turned", change: () => { view.kept.turned = turned.checked; fill(); } });
  turned.checked = Boolean(view.kept.turned);
  const other = (value, first) => (value !== first ? "other" : null), fill = () => {
    const columns = turned.checked
      ? [{ name: "run", value: (i) => runs[i] }, ...rows.map(([key, values]) => ({ name: key, value: (i) => values[i], mark: (i) => other(values[i], values[0]) }))]
      : [{ name: "key", value: (row) => row[0] }, ...runs.map((name, i) => ({ name, value: (row) => row[1][i], mark: (row) => other(row[1][i], row[1][0]) }))];
    place.replaceChildren(new SortedTable("config-table", "values that differ; – where a run has no such key", columns,
      turned.checked ? runs.map((_, i) => i) : rows, view).element);
  };
  fill();
  return [make("p", { class: "controls" }, turned, make("label", { for: "turned" }, "a row a run")), place];
}

const PROVENANCE = {
  run: "run", command: "command", git_sha: "revision", data_name: "data", data_version: "version", data_sha256: "sha256",
  seed: "seed", started: "started", seconds: "seconds", hardware: "hardware", packages: "packages",
};

function provenance(view) {
  const columns = Object.entries(PROVENANCE).map(([key, name]) => ({ name, value: (p) => p[key], number: key === "seconds" || key === "seed" }));
  const made = [new SortedTable("provenance-table", "how the numbers came about", columns, view.data.provenance, view).element];
  if (view.data.notes.length) made.push(make("ul", { class: "notes" }, ...view.data.notes.map((note) => make("li", {}, note))));
  return made;
}
