// What both halves of a shown formula need of KaTeX's trees, and what they note of them.
// The halves are apart, as the seen one is made of spans and the heard one of MathML, but they are judged together.

const REMEMBERED = 10_000; // how many different lengths and sets of classes are remembered
// What is larger than this, in em, is judged by the whole HTML.
export const LARGE = 40;
const LARGEST_NODE = 1000; // characters that a node takes at most in KaTeX's own HTML, besides its texts

// Classes for which neither KaTeX's style sheet nor ours has a rule.
const IDLE = new Set(["mord", "mbin", "mrel", "mopen", "mclose", "mpunct", "minner", "mtight"]);

const SPECIAL = /[&<>"']/;
const NAMES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" };
export const escaped = (text) => (SPECIAL.test(text) ? String(text).replace(/[&<>"']/g, (one) => NAMES[one]) : text);

/** A function that keeps what it has made of each key. */
export const remembered = (make) => {
  const known = new Map();
  return (key) => {
    let found = known.get(key);
    if (found === undefined) {
      if (known.size >= REMEMBERED) known.clear();
      known.set(key, (found = make(key)));
    }
    return found;
  };
};

const classed = remembered((all) => {
  const names = all.split(" ").filter((one) => one);
  const name = names.join(" ");
  const active = names.filter((one) => !IDLE.has(one)).join(" ");
  return {
    name,
    written: active === "" ? "" : ` class="${escaped(active)}"`,
    isRows: name === "vlist",
    isStrut: name.includes("pstrut"),
    isWord: /^mord\b/.test(name),
  };
});
export const classOf = (node) => (node.classes.length === 1 ? classed(node.classes[0]) : classed(node.classes.join(" ")));

/** Children without the fragments that hold some of them. */
export const flat = (children) => (children.some(isFragment)
  ? children.flatMap((one) => (isFragment(one) ? flat(one.children) : [one]))
  : children);
export const isFragment = (node) => node.children !== undefined && node.attributes === undefined;

/** What is noted of the trees of a half while it is written. */
export class Half {
  constructor() {
    this.isDoubtful = false; // something is large, or reads like a length
    this.nodes = 0;
    this.characters = 0;
  }

  /** How many characters KaTeX's own HTML has at most. */
  get most() {
    return this.nodes * LARGEST_NODE + 6 * this.characters;
  }

  /** Take note of a text that is shown. */
  noteText(text) {
    if (text.length > 2 && /[\d.]em/.test(text)) this.isDoubtful = true;
    this.characters += text.length;
  }
}
