// The half of a formula that is heard: KaTeX's MathML, with less of it where less sounds and is copied the same.
// It is written from the trees at once, as making three times the text and then leaving two thirds out takes longer.

import { Half, LARGE, classOf, escaped, flat } from "./trees.mjs";

/** Writes the MathML of one formula, whose TeX is what KaTeX's annotation says. */
export class Heard extends Half {
  constructor(tex) {
    super();
    this.tex = tex;
  }

  /** A tree whose class is `katex-mathml`, or `katex` where there is no other half. */
  write(node) {
    return `<span class="katex-mathml">${node.children.map((one) => this.element(one).written).join("")}</span>`;
  }

  /** An element of MathML: as it is written, and whether it is a token with nothing but text in it. */
  element(node) {
    this.nodes += 1;
    if (node.type === undefined) {
      if (node.children !== undefined) return { written: node.children.map((one) => this.element(one).written).join("") };
      if (node.width !== undefined) {
        if (Math.abs(node.width) > LARGE) this.isDoubtful = true;
        return { written: node.toMarkup(), isToken: Boolean(node.character) };
      }
      this.noteText(node.text);
      return { written: escaped(node.text), isText: true };
    }
    const { type } = node;
    const given = this.given(node);
    const children = flat(node.children);
    if (type === "annotation") {
      this.characters += this.tex.length;
      return { written: `<annotation${given}>${escaped(this.tex)}</annotation>` };
    }
    if (type === "mrow" && given === "" && children.length > 1) {
      const word = children.map(upright).join("");
      if (word.length === children.length) {
        this.nodes += children.length;
        return { written: `<mi>${word}</mi>`, isToken: true };
      }
    }
    const inside = children.map((one) => this.element(one));
    if (type === "semantics") return { written: this.semantics(children, inside) };
    const content = inside.map((one) => one.written).join("");
    if (type === "mrow" && given === "" && inside.length === 1 && inside[0].isToken) return { written: content };
    if (type === "mo" && ((given === ' separator="true"' && /^[,;]$/.test(content)) || (given === ' fence="true"' && /^[()[\]{}]$/.test(content)))) {
      return { written: `<mo>${content}</mo>` };
    }
    if (type === "mtable") return { written: table(given, content) };
    const isToken = (type === "mi" || type === "mn" || type === "mtext") && inside.every((one) => one.isText);
    return { written: `<${type}${given}>${content}</${type}>`, isToken };
  }

  given(node) {
    let given = "";
    for (const name in node.attributes) {
      if (name === "xmlns") continue; // in HTML it needs none
      const value = String(node.attributes[name]);
      this.characters += value.length;
      if (value.includes("em") && Math.abs(parseFloat(value)) > LARGE) this.isDoubtful = true;
      given += ` ${name}="${escaped(value)}"`;
    }
    return node.classes.length > 0 ? `${given} class ="${escaped(classOf(node).name)}"` : given;
  }

  /** A formula and its TeX; a letter with scripts needs no group, and a letter is what its TeX is. */
  semantics(children, inside) {
    const [formula, annotation] = inside.map((one) => one.written);
    const letter = /^<m[in]>([A-Za-z]|\d+)<\/m[in]>$/.exec(formula);
    if (letter !== null && letter[1] === this.tex) return formula;
    const whole = /^<mrow>(<(msub|msup|msubsup)>.*<\/\2>)<\/mrow>$/s.exec(formula);
    const asIs = `<semantics>${formula}${annotation}</semantics>`;
    if (whole === null || flat(children[0].children).length !== 1) return asIs;
    const [, scripted, name] = whole;
    const isPlainWhole = !/<\/?mrow\b/.test(scripted) && scripted.lastIndexOf(`<${name}>`) === 0;
    return isPlainWhole ? `<semantics>${scripted}${annotation}</semantics>` : asIs;
  }
}

/** The letter of an identifier that is upright by itself in a longer one. */
const upright = (node) => {
  if (node.type !== "mi" || node.classes.length > 0 || node.attributes.mathvariant !== "normal") return "";
  if (Object.keys(node.attributes).length !== 1) return "";
  const text = node.children.map((one) => one.text ?? "  ").join("");
  return /^[A-Za-z]$/.test(text) ? text : "";
};

const CELL = '<mstyle scriptlevel="0" displaystyle="true">';
const END_OF_CELL = "</mstyle></mtd>";

/** A table that says itself that its cells are displays, where each of them does; what is not drawn has no gaps. */
const table = (given, rows) => {
  const asIs = `<mtable${given}>${rows}</mtable>`;
  const [before, ...cells] = rows.split("<mtd>");
  if (cells.length === 0 || rows.includes("<mtable") || given.includes("displaystyle")) return asIs;
  let leaner = before;
  for (const cell of cells) {
    const end = cell.indexOf(END_OF_CELL);
    const inside = cell.slice(CELL.length, end);
    if (!cell.startsWith(CELL) || end < 0 || /<\/?(?:mstyle|mtd)\b/.test(inside)) return asIs;
    leaner += `<mtd>${inside}</mtd>${cell.slice(end + END_OF_CELL.length)}`;
  }
  return `<mtable displaystyle="true"${given.replace(/ (?:row|column)(?:spacing|align)="[^"]*"/g, "")}>${leaner}</mtable>`;
};

/** What MathML says, without its structure. */
export const told = (node) => {
  if (node.type === "annotation") return "";
  if (node.children === undefined) return node.text ?? node.character ?? " ";
  let text = "";
  for (const one of node.children) text += told(one);
  return text;
};
