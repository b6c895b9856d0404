"use strict";
// Plots of one measure, as SVG: bars of lines, a swept parameter, a grid of two. What they show stands in the tables too.

// In the order of their use: Okabe and Ito's colours, told apart with every common colour blindness, and a shape each.
const SHAPES = [
  "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0", "M-4,-4h8v8h-8z", "M0,-5l5,5l-5,5l-5,-5z", "M0,-5l5,9h-10z", "M0,5l5,-9h-10z",
  "M-4,-2h8v4h-8z", "M-2,-5h4v10h-4z",
];
const MOST = { bars: 60, series: 14, panels: 12 };

function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function picture(width, height, label, ...children) {
  return draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label }, ...children);
}

// Chinese characters are as wide as two Latin ones.
function cut(text, most) {
  let width = 0, kept = "";
  for (const char of text) {
    width += char.codePointAt(0) > 0x2e80 ? 2 : 1;
    if (width > most) return { text: `${kept}…`, width: most + 1 };
    kept += char;
  }
  return { text, width };
}

function ticks(low, high, count = 5) {
  const span = high - low || 1, raw = span / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw), found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step / 1e6; at += step) found.push(Number(at.toPrecision(12)));
  return found;
}

// points: [{label, value, lo, hi, n, ceiling}], values as printed
function bars(points, name) {
  const shown = ordered(points, (p) => p.value, true).slice(0, MOST.bars);
  const labels = shown.map((p) => cut(p.label, 60)), left = 12 + 7 * Math.max(...labels.map((l) => l.width));
  const width = 240, height = 20 * shown.length + 34, most = Math.max(0, ...shown.map((p) => p.hi ?? p.value)) || 1;
  const least = Math.min(0, ...shown.map((p) => p.lo ?? p.value)), at = (value) => left + width * (value - least) / (most - least);
  const bottom = 20 * shown.length + 4, parts = [];
  for (const tick of ticks(least, most)) {
    parts.push(draw("line", { class: "grid", x1: at(tick), x2: at(tick), y1: 0, y2: bottom }),
      draw("text", { x: at(tick), y: bottom + 16, "text-anchor": "middle" }, shorten(tick)));
  }
  shown.forEach((p, i) => {
    const y = 20 * i + 12, end = at(p.value), from = Math.min(at(0), end);
    const group = draw("g", { class: p.ceiling ? "bar ceiling" : "bar", "data-value": p.value },
      draw("title", {}, `${p.label}: ${p.text}`), draw("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, labels[i].text),
      draw("rect", { x: from, y: y - 7, width: Math.abs(end - at(0)), height: 14 }));
    if (p.lo !== null && p.hi !== null) {
      group.append(draw("path", { class: "whisker", d: `M${at(p.lo)},${y}H${at(p.hi)}M${at(p.lo)},${y - 4}v8M${at(p.hi)},${y - 4}v8` }));
    }
    group.append(draw("text", { class: "value", x: at(Math.max(p.hi ?? p.value, p.value)) + 6, y: y + 4 }, shorten(p.value)));
    parts.push(group);
  });
  const left_out = points.length - shown.length;
  return figure(picture(left + width + 60, height, `bars: ${name}, ${shown.length} lines`, ...parts),
    `${name}, with 95 % intervals${left_out ? `; the best ${shown.length} of ${points.length}` : ""}`);
}

// points: as above, each with x, the parameter's value as text (null: it has none), and series, what else it says
function sweep(points, parameter, name) {
  const swept = points.filter((p) => p.x !== null), values = [...new Set(swept.map((p) => p.x))].sort(compare);
  const numeric = values.every((v) => v.trim() !== "" && Number.isFinite(Number(v)));
  if (numeric) values.sort((a, b) => a - b);
  const place = new Map(values.map((v, i) => [v, numeric ? Number(v) : i])), groups = new Map();
  for (const p of points) groups.set(p.series, [...(groups.get(p.series) ?? []), p]);
  const all = ordered([...groups], ([, own]) => Math.max(...own.map((p) => p.value)), true), shown = all.slice(0, MOST.series);
  const seen = shown.flatMap(([, own]) => own), low = Math.min(...seen.map((p) => p.lo ?? p.value));
  const high = Math.max(...seen.map((p) => p.hi ?? p.value)), pad = (high - low || Math.abs(high) || 1) * .06;
  const [x0, x1] = [Math.min(...place.values()), Math.max(...place.values())];
  const atX = (v) => 60 + 500 * (x1 > x0 ? (v - x0) / (x1 - x0) : .5), atY = (v) => 300 - 285 * (v - low + pad) / (high - low + 2 * pad);
  const parts = [];
  for (const tick of ticks(low - pad, high + pad)) {
    parts.push(draw("line", { class: "grid", x1: 50, x2: 570, y1: atY(tick), y2: atY(tick) }),
      draw("text", { x: 44, y: atY(tick) + 4, "text-anchor": "end" }, shorten(tick)));
  }
  for (const v of values) parts.push(draw("text", { x: atX(place.get(v)), y: 320, "text-anchor": "middle" }, cut(v, 22).text));
  parts.push(draw("text", { x: 310, y: 342, "text-anchor": "middle" }, parameter));
  const legend = shown.map(([series, own], i) => {
    // with the second seven each colour gets another shape
    const colour = `var(--c${i % 7})`, shape = SHAPES[(i + Math.floor(i / 7)) % 7], line = ordered(own.filter((p) => p.x !== null), (p) => place.get(p.x), false);
    const group = draw("g", { class: "series", style: `--own: ${colour}` }, draw("title", {}, series));
    const banded = line.filter((p) => p.lo !== null && p.hi !== null), spot = (p, v) => `${atX(place.get(p.x))},${atY(v)}`;
    if (banded.length > 1) {
      group.append(draw("polygon", { class: "band", points:
        [...banded.map((p) => spot(p, p.hi)), ...banded.reverse().map((p) => spot(p, p.lo))].join(" ") }));
    }
    group.append(draw("polyline", { points: line.map((p) => spot(p, p.value)).join(" ") }));
    for (const p of line) {
      group.append(draw("path", { class: "mark", d: shape, transform: `translate(${spot(p, p.value)})`, "data-value": p.value },
        draw("title", {}, `${series}, ${parameter}=${p.x}: ${p.text}`)));
    }
    for (const p of own.filter((q) => q.x === null)) {  // a system that has no such parameter
      group.append(draw("line", { class: "level", x1: 50, x2: 570, y1: atY(p.value), y2: atY(p.value) }));
    }
    parts.push(group);
    return make("li", { style: `--own: ${colour}` },
      draw("svg", { width: 14, height: 14, viewBox: "-7 -7 14 14", "aria-hidden": "true" }, draw("path", { class: "mark", d: shape })),
      ` ${series}${line.length ? "" : " (level)"}`);
  });
  const left_out = all.length - shown.length;
  return figure(picture(600, 350, `${name} by ${parameter}, ${shown.length} series`, ...parts),
    `${name} by ${parameter}, 95 % bands${left_out ? `; the ${shown.length} series with the highest values, of ${all.length}` : ""}`,
    make("ul", { class: "legend" }, ...legend));
}

// points: as above, each with x and y as texts and panel, what else it says
function heat(points, xName, yName, name) {
  const sorted = (values) => [...new Set(values)].sort(compare);
  const xs = sorted(points.map((p) => p.x)), ys = sorted(points.map((p) => p.y)), panels = new Map();
  for (const p of points) panels.set(p.panel, [...(panels.get(p.panel) ?? []), p]);
  const all = points.map((p) => p.value), low = Math.min(...all), span = Math.max(...all) - low || 1;
  const ends = [Math.max(...ys.map((v) => cut(v, 22).width)), Math.max(...xs.map((v) => cut(v, 14).width))];
  const left = 20 + 7 * ends[0], wide = Math.max(56, 10 + 7 * ends[1]), shown = [...panels].slice(0, MOST.panels);
  const pictures = shown.map(([title, own]) => {
    const parts = [];
    ys.forEach((v, i) => parts.push(draw("text", { x: left - 6, y: 28 * i + 18, "text-anchor": "end" }, cut(v, 22).text)));
    xs.forEach((v, i) => parts.push(draw("text", { x: left + wide * (i + .5), y: 28 * ys.length + 16, "text-anchor": "middle" }, cut(v, 14).text)));
    for (const p of own) {
      const x = left + wide * xs.indexOf(p.x), y = 28 * ys.indexOf(p.y), share = (p.value - low) / span;
      parts.push(draw("g", { class: "cell", "data-value": p.value },
        draw("title", {}, `${title}, ${xName}=${p.x}, ${yName}=${p.y}: ${p.text}`),
        draw("rect", { x, y, width: wide, height: 28, fill: shade(share) }),
        draw("text", { x: x + wide / 2, y: y + 18, "text-anchor": "middle", class: share < .55 ? "pale" : "dark" }, shorten(Number(p.value.toFixed(1))))));
    }
    return figure(picture(left + wide * xs.length + 4, 28 * ys.length + 22, `${name}: ${title}, ${yName} by ${xName}`, ...parts), title);
  });
  const left_out = panels.size - shown.length;
  return make("div", {}, make("p", { class: "note" }, `${name}; rows: ${yName}, columns: ${xName}; one scale for all`
    + (left_out ? `; the first ${shown.length} panels of ${panels.size}` : "")), make("div", { class: "panels" }, ...pictures));
}

// from dark blue over grey to yellow, even in lightness
function shade(share) {
  const stops = [[0, 34, 78], [124, 123, 120], [254, 232, 56]], at = Math.min(1, Math.floor(share * 2)), t = share * 2 - at;
  return `rgb(${stops[at].map((from, i) => Math.round(from + t * (stops[at + 1][i] - from))).join(",")})`;
}

function figure(image, caption, ...more) {
  return make("figure", {}, make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, image), ...more,
    make("figcaption", {}, caption));
}
