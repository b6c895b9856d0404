"use strict";
// What every page of ours builds its elements and writes its numbers with.

// Text goes in as text only: nothing that a conversation holds becomes markup.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

function shorten(value) {
  if (value === null || value === undefined) return "–";
  return value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential(3) : String(Number(value.toPrecision(4)));
}
