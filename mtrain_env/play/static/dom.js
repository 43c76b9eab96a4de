// Small helpers to make elements. Text from the server goes in as text only, never as HTML.

const SVG = "http://www.w3.org/2000/svg";

function make(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

export const el = (tag, attributes = {}, ...children) => make(document.createElement(tag), attributes, children);

export const svg = (tag, attributes = {}, ...children) => make(document.createElementNS(SVG, tag), attributes, children);

export const $ = (id) => document.getElementById(id);

export const show = (node, visible) => { node.hidden = !visible; };

export const button = (label, onclick, attributes = {}) => el("button", { type: "button", ...attributes, onclick }, label);
