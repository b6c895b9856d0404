"use strict";
// Tables whose rows a click on a header puts in order; headers are buttons, so that a keyboard does the same.

const BY_TEXT = new Intl.Collator();
const ORDERS = new Map();  // id of a table -> how its reader has sorted it, kept when it is filled again

// Numbers inside a text by their size: damping=0.15 comes before damping=0.3, job 9 before job 10.
function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [as, bs] = [a, b].map((text) => String(text).split(/(\d+(?:\.\d+)?(?:e-?\d+)?)/));
  for (let i = 0; i < Math.min(as.length, bs.length); i++) {
    const found = i % 2 ? Number(as[i]) - Number(bs[i]) : BY_TEXT.compare(as[i], bs[i]);
    if (found) return found;
  }
  return as.length - bs.length;
}

// Rows in the order of a value; those without one come last in either direction, and equals stay as they were.
function ordered(rows, value, descending) {
  const known = [], unknown = [];
  for (const row of rows) {
    const key = value(row);
    (key === null || key === undefined || key === "" ? unknown : known).push([key, row]);
  }
  known.sort((a, b) => (descending ? -1 : 1) * compare(a[0], b[0]));
  return [...known, ...unknown].map(([, row]) => row);
}

class SortedTable {
  // A column is {name, value(row), show(row), more(row), number, title}: a table sorts by `value` and prints `show` and,
  // smaller, `more`; the first column heads its row. At most `most` rows are made before somebody asks for all.
  constructor(id, caption, columns, rows, { most = 300, say = () => {} } = {}) {
    Object.assign(this, { id, caption, columns, rows, most, say });
    this.head = make("tr");
    this.body = make("tbody");
    this.title = make("caption", {});
    this.rest = make("button", { type: "button", class: "rest", hidden: true, click: () => this.showAll() });
    for (const column of columns) {
      const button = make("button", { type: "button", click: () => this.sort(column) }, column.name,
        make("span", { class: "arrow", "aria-hidden": "true" }));
      this.head.append(make("th", { scope: "col", class: column.number && "number", "aria-sort": "none",
        title: column.title ?? null }, button));
    }
    this.element = make("div", { class: "table", id },
      make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
        make("table", {}, this.title, make("thead", {}, this.head), this.body)), this.rest);
    const kept = ORDERS.get(id), column = kept && columns.find((c) => c.name === kept.name);
    if (column) this.order(column, kept.descending);
    else this.fill();
  }

  sort(column) {
    const kept = ORDERS.get(this.id);
    const descending = kept && kept.name === column.name ? !kept.descending : Boolean(column.number);
    ORDERS.set(this.id, { name: column.name, descending });
    this.order(column, descending);
    this.say(`${this.caption}: sorted by ${column.name}, ${descending ? "descending" : "ascending"}`);
  }

  order(column, descending) {
    this.rows = ordered(this.rows, column.value, descending);
    this.columns.forEach((other, i) => {
      const cell = this.head.children[i], own = other === column;
      cell.setAttribute("aria-sort", own ? (descending ? "descending" : "ascending") : "none");
      cell.querySelector(".arrow").textContent = own ? (descending ? " ▼" : " ▲") : "";
    });
    this.fill();
  }

  showAll() {
    this.most = Infinity;
    this.fill();
    this.body.parentElement.parentElement.focus();
  }

  fill() {
    const shown = this.rows.slice(0, this.most);
    this.body.replaceChildren(...shown.map((row) => this.line(row)));
    this.title.textContent = shown.length < this.rows.length
      ? `${this.caption} (${shown.length} of ${this.rows.length} rows)` : this.caption;
    this.rest.hidden = shown.length === this.rows.length;
    this.rest.textContent = `show all ${this.rows.length} rows`;
  }

  line(row) {
    return make("tr", {}, ...this.columns.map((column, i) => {
      const value = column.value(row), more = column.more ? column.more(row) : "";
      return make(i ? "td" : "th", {
        class: [column.number && "number", column.mark && column.mark(row)].filter(Boolean).join(" ") || null,
        scope: i ? null : "row", "data-value": value ?? null,
      }, column.show ? column.show(row) : value === null || value === undefined ? "–" : String(value),
      more ? make("small", {}, ` ${more}`) : null);
    }));
  }
}
