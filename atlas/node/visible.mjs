// The half of a formula that is seen: KaTeX's HTML, with less of it where less looks the same, and with marks of symbols.
// It is written from the trees at once, as making three times the text and then leaving two thirds out takes longer.

import { Half, LARGE, classOf, escaped, flat, isFragment, remembered } from "./trees.mjs";

const COLOUR = "#a71a"; // what the colours of marks begin with; the number of the symbol follows as two digits of base 16
const NONE = 255; // the number of what shows no symbol

// TeX's three spaces, and the classes that our style sheet gives them.
const SPACES = { "0.1667em": "thin", "0.2222em": "medium", "0.2778em": "thick" };
const SCRIPT_SIZE = 0.7; // KaTeX's `size3` within `size6`
const NODES_OF_TABLE = 14; // how many nodes the table of two scripts has besides what is in them
const SCRIPT_CLASS = "katex-sizing reset-size6 size3 mtight";
// How far up and down, in em, a line of KaTeX's height reaches by itself, so that it needs no strut.
const LINE = { height: 0.85, depth: 0.26 };

/** Three decimals at most, of two that are as near the even one. */
const short = (length) => {
  let text = length.toFixed(3);
  if (length * 16 % 2 === 1 || length * 16 % 2 === -1) { // as near to the one below
    const below = (Math.trunc(Math.abs(length) * 1000) / 1000).toFixed(3);
    if ("02468".includes(below.at(-1))) text = length < 0 ? `-${below}` : below;
  }
  return text.replace(/\.?0+$/, "");
};

// A value of a style: as it is written, and its length in em.
const styled = remembered((value) => ({
  written: escaped(value).replace(/\d*\.\d{4,}(?=em)/g, (one) => short(Number(one))),
  length: parseFloat(value) || 0,
}));
const property = remembered((name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));

const isPlain = (object) => {
  for (const _ in object) return false;
  return true;
};
const hasOnly = (object, wanted) => {
  for (const name in object) if (name !== wanted) return false;
  return wanted in object;
};

const isSymbol = (node) => node.skew !== undefined;
const isSpan = (node) => node.classes !== undefined && node.children !== undefined; // or a fragment
const symbolHasSpan = (node) => node.classes.length > 0 || node.italic > 0 || Object.values(node.style).some((one) => one !== undefined);

/** Writes the HTML of one formula. */
export class Seen extends Half {
  constructor(hasMarks) {
    super();
    this.hasMarks = hasMarks;
    this.isUnmarked = false; // a colour of a mark is where no mark can be
    this.visible = "";
    this.back = 0; // how far negative margins move what follows, in em
    this.inRow = false; // whether what comes next is the first thing in a row, or what follows its strut
    this.afterStrut = false;
  }

  /** A tree whose class is `katex-html`. */
  write(node) {
    this.span(node, -1);
    if (this.back > LARGE) this.isDoubtful = true;
    if (this.visible.includes(COLOUR)) this.isUnmarked = true;
    return this.visible;
  }

  text(text) {
    this.noteText(text);
    const written = escaped(text);
    if (written !== "") {
      this.visible += written;
      this.inRow = this.afterStrut = false;
    }
  }

  length(name, value) {
    const { length } = styled(value);
    if (length > LARGE || length < -LARGE) this.isDoubtful = true;
    if (length < 0 && (name === "marginLeft" || name === "marginRight")) this.back -= length;
  }

  /** The style and the mark of a node that stands within another mark, and the mark that its children stand within. */
  look(node, within) {
    let style = node.italic > 0 && isSymbol(node) ? `margin-right:${styled(`${+node.italic.toFixed(4)}em`).written}` : "";
    let mark = "";
    let inside = within;
    for (const name in node.style) {
      const value = node.style[name];
      if (value === undefined) continue;
      if (this.hasMarks && name === "color" && value.length === 7 && value.startsWith(COLOUR)) {
        const number = parseInt(value.slice(5), 16);
        if (number === NONE) continue;
        if (number !== within) mark = ` data-symbol="${number}"`;
        inside = number;
        continue;
      }
      this.length(name, value);
      style += `${style && ";"}${property(name)}:${styled(value).written}`;
    }
    let rest = style && ` style="${style}"`;
    rest += mark;
    if (node.attributes !== undefined) {
      for (const name in node.attributes) {
        const value = String(node.attributes[name]);
        if (value.includes("em")) this.isDoubtful = true;
        this.characters += value.length;
        rest += ` ${name}="${escaped(value)}"`;
      }
    }
    return { rest, inside };
  }

  node(node, within) {
    if (isSymbol(node)) this.symbol(node, within);
    else if (isFragment(node)) for (const one of node.children) this.node(one, within);
    else if (isSpan(node)) this.span(node, within);
    else this.drawing(node);
  }

  drawing(node) {
    this.nodes += 1;
    if (parseFloat(node.attributes?.height) > LARGE) this.isDoubtful = true;
    const written = node.toMarkup();
    this.characters += written.length;
    if (written.includes(COLOUR)) this.isUnmarked = true;
    // In HTML an SVG needs no namespace.
    this.visible += written.replace(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"(?= width="400em")/, "<svg");
    this.inRow = this.afterStrut = false;
  }

  symbol(node, within) {
    this.nodes += 1;
    if (!symbolHasSpan(node)) {
      this.text(node.text);
      return;
    }
    const { rest } = this.look(node, within);
    const names = classOf(node);
    const isKept = names.written !== "" || rest !== "" || this.inRow || node.text === "";
    this.open(isKept ? `<span${names.written}${rest}>` : "", names);
    this.text(node.text);
    this.close(isKept);
  }

  span(node, within) {
    this.nodes += 1;
    const names = classOf(node);
    if (names.name === "msupsub" && this.scripts(node, within)) return;
    if (this.isIdleStrut(node, names)) return;
    const { rest, inside } = this.look(node, within);
    const space = names.name === "mspace" && rest !== "" && node.children.length === 0 && this.space(node, rest);
    const isKept = names.written !== "" || rest !== "" || this.inRow || this.isEmpty(node);
    this.open(space ? `<span class="${space}">` : isKept ? `<span${names.written}${rest}>` : "", names);
    const { children } = node;
    for (let at = 0; at < children.length; at += 1) {
      const one = children[at];
      if (at === children.length - 1 && this.isLetter(one)) for (const each of one.children) this.node(each, inside);
      else this.node(one, inside);
    }
    this.close(isKept);
  }

  open(tag, names) {
    this.visible += tag;
    this.inRow = names.isRows;
    this.afterStrut = names.isStrut;
  }

  close(isKept) {
    if (isKept) this.visible += "</span>";
    this.inRow = this.afterStrut;
    this.afterStrut = false;
  }

  /** The class of one of TeX's three spaces. */
  space(node, rest) {
    const wanted = SPACES[node.style.marginRight];
    return wanted !== undefined && rest === ` style="margin-right:${styled(node.style.marginRight).written}"` ? wanted : "";
  }

  /** Whether it is a strut that holds open no more than a line does by itself. */
  isIdleStrut(node, names) {
    if (names.name !== "katex-strut" || node.children.length > 0) return false;
    const { height, verticalAlign, ...others } = node.style;
    if (!isPlain(others) || !isPlain(node.attributes) || !/^[\d.]+em$/.test(height)) return false;
    if (verticalAlign !== undefined && !/^-[\d.]+em$/.test(verticalAlign)) return false;
    const depth = verticalAlign === undefined ? 0 : -parseFloat(verticalAlign);
    return parseFloat(height) - depth <= LINE.height && depth <= LINE.depth;
  }

  /** Whether nothing stands between the tags of a span. */
  isEmpty(node) {
    return node.children.every((one) => {
      if (isSymbol(one)) return one.text === "" && !symbolHasSpan(one);
      if (isFragment(one)) return this.isEmpty(one);
      return isSpan(one) && this.isIdleStrut(one, classOf(one));
    });
  }

  /** Whether it is the frame that keeps a formula from being broken, around one letter or number. */
  isLetter(node) {
    if (!isSpan(node) || isFragment(node) || classOf(node).name !== "katex-base") return false;
    if (!isPlain(node.style) || !isPlain(node.attributes)) return false;
    const inside = flat(node.children).filter((one) => !(isSpan(one) && this.isIdleStrut(one, classOf(one))));
    if (inside.length !== 1) return false;
    const [one] = inside;
    if (isSymbol(one)) return symbolHasSpan(one) && classOf(one).isWord;
    return isSpan(one) && classOf(one).isWord && flat(one.children).every((each) => isSymbol(each) && !symbolHasSpan(each));
  }

  /** One or two plain scripts, which their style moves up and down without a table; false where it is no such table. */
  scripts(node, within) {
    const found = isPlain(node.style) && isPlain(node.attributes) ? scriptsOf(node) : null;
    if (found === null) return false;
    const places = found.rows.map(({ script }) => this.look(script, within));
    if (places.some(({ rest }) => rest.startsWith(" style"))) return false; // it has one of its own
    for (const height of found.heights) this.length("height", height);
    if (found.rows.length > 1) this.visible += '<span class="scripts">';
    found.rows.forEach(({ row, strut, script }, at) => {
      for (const name in row.style) this.length(name, row.style[name]);
      this.length("height", strut.style.height);
      const top = short((parseFloat(row.style.top) + parseFloat(strut.style.height)) / SCRIPT_SIZE);
      const left = parseFloat(row.style.marginLeft ?? "0");
      const moved = left ? `;margin-left:${short(left / SCRIPT_SIZE)}em` : "";
      this.open(`<span class="script" style="top:${top}em${moved}"${places[at].rest}>`, NO_NAMES);
      for (const one of script.children) this.node(one, places[at].inside);
      this.close(true);
    });
    if (found.rows.length > 1) this.visible += "</span>";
    this.nodes += NODES_OF_TABLE;
    this.inRow = this.afterStrut = false;
    return true;
  }
}

const NO_NAMES = { isRows: false, isStrut: false };
const only = (children) => (children.length === 1 ? children[0] : undefined);
/** The classes of a span that has nothing else. */
const bare = (node) => (
  isSpan(node) && !isFragment(node) && isPlain(node.style) && isPlain(node.attributes) ? classOf(node).name : null
);

/** The plain scripts of a letter and the heights of what holds them; null where there is more to them. */
const scriptsOf = (node) => {
  const all = only(node.children);
  const isTwo = all !== undefined && bare(all) === "vlist-t vlist-t2";
  if (all === undefined || !(isTwo || bare(all) === "vlist-t") || all.children.length !== (isTwo ? 2 : 1)) return null;
  const list = listOf(all.children[0], isTwo ? 2 : 1);
  if (list === null || list.children.length < 1 || list.children.length > 2) return null;
  const rows = list.children.map(scriptOf);
  if (rows.includes(null)) return null;
  if (!isTwo) return { rows, heights: [list.style.height] };
  const below = listOf(all.children[1], 1);
  if (below === null || below.children.length !== 1 || bare(below.children[0]) !== "" || below.children[0].children.length > 0) return null;
  return { rows, heights: [list.style.height, below.style.height] };
};
/** What one line of a table holds; of the first of two lines, what keeps them apart stands beside it. */
const listOf = (line, most) => {
  if (bare(line) !== "vlist-r" || line.children.length !== most) return null;
  const [list, apart] = line.children;
  if (apart !== undefined && bare(apart) !== "vlist-s") return null;
  if (!isSpan(list) || isFragment(list) || classOf(list).name !== "vlist" || !isPlain(list.attributes)) return null;
  return hasOnly(list.style, "height") && /^[\d.]+em$/.test(list.style.height) ? list : null;
};
const scriptOf = (row) => {
  if (!isSpan(row) || isFragment(row) || row.classes.length > 0 || !isPlain(row.attributes) || row.children.length !== 2) return null;
  const [strut, script] = row.children;
  const { top, marginLeft, marginRight, ...others } = row.style;
  if (!/^-[\d.]+em$/.test(top) || marginRight !== "0.05em" || !isPlain(others)) return null;
  if (marginLeft !== undefined && !/^-?[\d.]+em$/.test(marginLeft)) return null;
  if (!isSpan(strut) || !isSpan(script) || isFragment(script) || strut.children.length > 0) return null;
  if (classOf(strut).name !== "pstrut" || !hasOnly(strut.style, "height")) return null;
  return classOf(script).name === SCRIPT_CLASS && !hasTable(script) ? { row, strut, script } : null;
};
const hasTable = (node) => node.children !== undefined
  && node.children.some((one) => (one.classes?.some((name) => name.includes("vlist")) ?? false) || hasTable(one));
