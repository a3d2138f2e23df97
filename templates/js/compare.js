/* The comparison: loads the data of the two models that are chosen, and shows them side by side.
   Everything is made as text; only formulas, which the build typeset from the atlas's own files, are HTML. What is alike
   on both sides has a class of its own, so that the reader can have it left out. */
import { binary } from "./units.js";

/* Keys of configurations that mean the same, as families of models have named them. */
const ALIKE = [
  ["hidden_act", "activation_function"],
  ["layer_norm_eps", "layer_norm_epsilon"],
  ["attention_dropout", "attn_pdrop"],
  ["num_experts_per_tok", "num_experts_per_token"],
];
const form = document.querySelector("[data-compare]");
const loaded = new Map();

const load = (url) => {
  if (!loaded.has(url)) {
    loaded.set(url, fetch(url).then((answer) => {
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      return answer.json();
    }));
    loaded.get(url).catch(() => loaded.delete(url));
  }
  return loaded.get(url);
};

/* An element with attributes and children: texts, elements, or lists of them. */
const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(key, value);
  element.append(...children.flat(2).filter((child) => child !== null && child !== ""));
  return element;
};
const maths = (html) => {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
};
const link = (title, url) => make("a", { href: url }, title);
const shown = (text) => BigInt(text).toLocaleString("en");

/* A row is alike where its first two values are the same text, or where its last says so. */
const table = (label, head, rows, more = "") => make("div", { class: "table", tabindex: "0", role: "group", "aria-label": label },
  make("table", { class: `accounting differing ${more}` },
    make("thead", {}, make("tr", {}, head.map((title, at) => (title ? make("th", { scope: "col", class: at ? "count" : null }, title) : make("td"))))),
    make("tbody", {}, rows.map(([name, ...values]) => {
      const told = typeof values.at(-1) === "boolean" ? values.pop() : values[0] === values[1];
      return make("tr", { class: told ? "alike" : "differs" }, make("th", { scope: "row" }, name),
        values.map((value) => make("td", { class: "count" }, value)));
    }))));

const section = (id, title, ...content) => [make("h2", { id }, title), ...content];

/* The longest common subsequence of two lists: pairs of positions, with null where one side has nothing. */
const aligned = (a, b, same) => {
  const longest = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i][j] = same(a[i], b[j]) ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const pairs = [];
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && same(a[i], b[j])) pairs.push([a[i++], b[j++]]);
    else if (j === b.length || (i < a.length && longest[i + 1][j] >= longest[i][j + 1])) pairs.push([a[i++], null]);
    else pairs.push([null, b[j++]]);
  }
  return together(pairs);
};

/* What stands on one side alone, and as much on the other in the same place, stands in for each other. */
const together = (pairs) => {
  const found = [];
  for (let at = 0; at < pairs.length;) {
    let end = at;
    while (end < pairs.length && !(pairs[end][0] && pairs[end][1])) end += 1;
    const [here, there] = [0, 1].map((side) => pairs.slice(at, end).map((pair) => pair[side]).filter(Boolean));
    if (here.length === there.length) here.forEach((one, place) => found.push([one, there[place]]));
    else found.push(...pairs.slice(at, end));
    if (end < pairs.length) found.push(pairs[end]);
    at = end + 1;
  }
  return found;
};

const times = (text, other) => {
  const [here, there] = [Number(text), Number(other)];
  if (!here || !there || here === there) return "";
  const ratio = here > there ? here / there : there / here;
  return `${here > there ? "÷" : "×"} ${ratio >= 100 ? Math.round(ratio).toLocaleString("en") : ratio.toPrecision(3)}`;
};

const figureRows = (rows) => rows.filter(([, a, b]) => a !== "0" || b !== "0")
  .map(([name, a, b]) => [name, shown(a), shown(b), times(a, b)]);

const configuration = (a, b, names) => {
  const bySide = (side) => new Map(side.data.sizes.map((size) => [size.name, size]));
  const [here, there] = [bySide(a), bySide(b)];
  /* Sizes are the same by their symbol and, where only the symbols differ, by what they mean. */
  const partner = (size) => there.get(size.name)
    ?? [...there.values()].find((other) => other.meaning === size.meaning && !here.has(other.name)) ?? null;
  const taken = new Set();
  const value = (side, size) => (size && side.variant.sizes[size.name]) ?? "–";
  const label = (size, other) => {
    const found = [maths(size.html)];
    if (other && other.name !== size.name) found.push(" / ", maths(other.html));
    const meaning = other && other.meaning !== size.meaning ? `${size.meaning} / ${other.meaning}` : size.meaning;
    return make("span", {}, found, make("span", { class: "after" }, meaning));
  };
  const rows = a.data.facts.map(([name, text], at) => [name, text, b.data.facts[at][1]]);
  for (const size of here.values()) {
    const other = partner(size);
    if (other) taken.add(other.name);
    rows.push([label(size, other), value(a, size), value(b, other)]);
  }
  for (const size of there.values()) if (!taken.has(size.name)) rows.push([label(size, null), "–", value(b, size)]);
  const [ours, theirs] = [a, b].map((side) => new Map(Object.entries(side.data.settings)));
  const setting = (name, other) => (name === other ? make("code", {}, name) : make("span", {}, make("code", {}, name), " / ", make("code", {}, other)));
  for (const [name, chosen] of ours) {
    const other = theirs.has(name) ? name : ALIKE.find((one) => one.includes(name))?.find((one) => theirs.has(one) && !ours.has(one)) ?? name;
    rows.push([setting(name, other), chosen, theirs.get(other) ?? "–"]);
    theirs.delete(other);
  }
  for (const [name, chosen] of theirs) rows.push([make("code", {}, name), "–", chosen]);
  return table("Configuration", ["", ...names], rows);
};

const structure = (a, b, names) => {
  const grid = make("div", { class: "sides" }, names.map((name) => make("div", { class: "side" }, name)));
  let differing = 0;
  const stack = (side, block) => make("div", { class: "stack" }, block ? [block.title,
    block.layers ? [" × ", maths(block.layers), ` = ${side.variant.stacks[block.path][0]}`] : ""] : "");
  const part = (one, other) => {
    if (!one) return make("div", { class: "nothing" });
    const isAlike = other?.operator === one.operator;
    const said = isAlike ? "the same operator" : one.name === one.title ? "" : one.name;
    const side = other ? "" : "only";
    return make("div", { class: `part kind-${one.kind} ${side} ${isAlike ? "alike" : "differs"}`, "data-kind": one.kind },
      link(one.title, one.url), make("span", { class: "after" }, said));
  };
  const kind = (one, other) => one.operator === other.operator || one.kind === other.kind;
  const level = (one, other) => one.path === other.path || (!!one.layers && !!other.layers && one.depth === other.depth);
  for (const [here, there] of aligned(a.data.structure, b.data.structure, level)) {
    grid.append(stack(a, here), stack(b, there));
    for (const [one, other] of aligned(here?.parts ?? [], there?.parts ?? [], kind)) {
      differing += one?.operator !== other?.operator;
      grid.append(part(one, other), part(other, one));
    }
  }
  if (differing) return [grid];
  return [make("p", {}, "Both have the same components in the same places; what differs are sizes and how often a stack is gone through."),
    make("details", { class: "unfold" }, make("summary", {}, "The components of both"), grid)];
};

/* The operators of each kind, in the order of the data flow: what one asks first of two models. */
const operators = (a, b) => {
  const used = (side, kind) => [...new Map(side.data.structure.flatMap((block) => block.parts)
    .filter((one) => one.kind === kind).map((one) => [one.operator, one])).values()];
  const rows = [];
  for (const [kind, name] of Object.entries(a.data.kinds)) {
    const sides = [used(a, kind), used(b, kind)];
    if (!sides.flat().length) continue;
    const cells = sides.map((side) => (side.length ? make("span", {}, side.map((one, at) => [at ? ", " : "", one.name])) : "–"));
    const [here, there] = sides.map((side) => side.map((one) => one.operator).sort().join(" "));
    rows.push([make("span", { class: `of-kind kind-${kind}` }, name), cells[0], here === there ? cells[0].cloneNode(true) : cells[1], here === there]);
  }
  return rows;
};

const glance = (a, b, names) => {
  const figure = (side, wanted) => side.variant.figures.find(([, name]) => name === wanted)[2];
  const counted = (name, title = name) => [title, ...[a, b].map((side) => shown(figure(side, name)))];
  const [width] = a.data.bytes.filter(([name]) => name === "bfloat16").map(([, bytes]) => BigInt(bytes));
  const kept = [a, b].map((side) => BigInt(figure(side, "Cached numbers per token")) * width);
  const rows = [
    ...a.data.facts.map(([name, text], at) => [name, text, b.data.facts[at][1]]),
    counted("Parameters"),
    counted("Active parameters of one token"),
    ["Cache per token in bfloat16", ...kept.map(memory)],
    ...operators(a, b),
  ];
  return table("At a glance", ["", ...names], rows.filter(([, here, there]) => here !== "–" || there !== "–"), "glance");
};

/* Bytes exactly, and in the unit in which one speaks of them. */
const memory = (bytes) => {
  if (!bytes) return "–";
  const exactly = `${bytes.toLocaleString("en")} bytes`, unit = binary(bytes);
  return unit ? `${exactly} (${unit})` : exactly;
};

const formulas = (a, b, names) => {
  const grid = make("div", { class: "sides formulas" }, names.map((name) => make("div", { class: "side" }, name)));
  const all = [...a.data.formulas, ...b.data.formulas];
  const show = (one, name) => (one ? make("div", { class: `part kind-${one.kind}`, "data-kind": one.kind }, make("span", { class: "of-side" }, name), link(one.title, one.url),
    one.family === one.title ? "" : make("span", { class: "after" }, one.family),
    make("div", { class: "formula math-display", tabindex: "0", role: "group", "aria-label": `Formula of ${one.title}` }, maths(one.html))) : make("div", { class: "lacking" }, "–"));
  for (const kind of Object.keys(a.data.kinds)) {
    const [here, there] = [a, b].map((side) => side.data.formulas.filter((one) => one.kind === kind));
    if (!here.length && !there.length) continue;
    const title = make("h3", { class: "both" }, all.find((one) => one.kind === kind).name);
    grid.append(title);
    /* Equal operators stand together first, then others of a family, then what is left in order. */
    const pairs = [], rest = [...there];
    const take = (test) => (one) => {
      const at = rest.findIndex((other) => test(one, other));
      if (at < 0) return true;
      pairs.push([one, ...rest.splice(at, 1)]);
      return false;
    };
    const left = here.filter(take((one, other) => one.tex === other.tex)).filter(take((one, other) => one.operator === other.operator))
      .filter(take((one, other) => one.family === other.family));
    for (let at = 0; at < Math.max(left.length, rest.length); at += 1) pairs.push([left[at], rest[at]]);
    if (pairs.every(([one, other]) => one && other && one.tex === other.tex)) title.classList.add("alike");
    for (const [one, other] of pairs) {
      if (one && other && one.tex === other.tex) {
        grid.append(make("details", { class: "both unfold alike" }, make("summary", {}, `The same formula: ${one.title} and ${other.title}`),
          make("p", {}, link(one.title, one.url), " and ", link(other.title, other.url)),
          make("div", { class: "formula math-display", tabindex: "0", role: "group", "aria-label": `Formula of ${one.title}` }, maths(one.html))));
      } else {
        grid.append(show(one, names[0]), show(other, names[1]));
      }
    }
  }
  const isSame = a.data.formulas.length === b.data.formulas.length && !grid.querySelector(".part");
  return isSame ? [make("p", {}, "All formulas are the same."), grid] : [grid];
};

const parameters = (a, b, names) => {
  const rows = a.variant.figures.map(([part, name, value], at) => [part, name, value, b.variant.figures[at][2]]);
  const kinds = Object.entries(a.data.kinds).map(([kind, name]) => [name, a.variant.kinds[kind] ?? "0", b.variant.kinds[kind] ?? "0"]);
  const partial = [a, b].filter((side) => !side.data.complete).map((side) => side.data.title);
  return [
    partial.length ? make("p", { class: "warning" }, `Documented in part: ${[...new Set(partial)].join(", ")}. The figures are those of the documented components.`) : "",
    table("Parameters", ["", ...names, "Right / left"], figureRows(rows.filter(([part]) => part === "parameters").map((row) => row.slice(1)))),
    make("h3", {}, "By kind of component"),
    make("p", { class: "hint" }, "The kind is that of a component’s operator: where a model has the projections of its attention as components of their own, they count as projections."),
    table("Parameters by kind of component", ["", ...names, "Right / left"], figureRows(kinds)),
  ];
};

const cache = (a, b, names) => {
  const rows = a.variant.figures.map(([part, name, value], at) => [part, name, value, b.variant.figures[at][2]])
    .filter(([part]) => part === "cache").map((row) => row.slice(1));
  const [token] = rows;
  const bytes = token.slice(1).every((value) => value === "0") ? [] : a.data.bytes.map(([name, width]) => {
    const kept = token.slice(1).map((value) => BigInt(value) * BigInt(width));
    return [`Bytes per token in ${name}`, ...kept.map(memory), times(...kept.map(String))];
  });
  const found = [...figureRows(rows), ...bytes];
  return found.length ? table("Cache", ["", ...names, "Right / left"], found) : make("p", {}, "Neither keeps anything from one token to the next.");
};

const costs = (a, b, names) => make("div", { class: "sides formulas" }, [a, b].map((side, at) => make("div", {},
  make("p", { class: "side" }, names[at]),
  side.variant.macs ? make("div", { class: "formula math-display", tabindex: "0", role: "group", "aria-label": `Multiply–accumulates of ${names[at]}` }, maths(side.variant.macs)) : "–")));

const begin = (form) => {
  const selects = [...form.querySelectorAll("[data-side]")];
  const result = document.querySelector("[data-sides]"), failed = document.querySelector("[data-error]");
  const said = document.querySelector("[data-compared]");
  const only = form.querySelector("[data-only]");
  const leaveOut = () => result.classList.toggle("only-differences", only.checked);
  let latest = 0;

  const show = async () => {
    const turn = (latest += 1);
    result.setAttribute("aria-busy", "true");
    failed.textContent = "";
    try {
      const sides = await Promise.all(selects.map(async (select) => {
        const data = await load(select.selectedOptions[0].dataset.url);
        return { data, variant: data.variants[select.value.slice(select.value.lastIndexOf(":") + 1)] };
      }));
      if (turn !== latest) return;
      const names = sides.map(({ data, variant }) => `${data.title} ${variant.title}`);
      const [a, b] = sides;
      const parts = [
        ["at-a-glance", "At a glance", glance(a, b, names)],
        ["structure", "Structure", ...structure(a, b, names)],
        ["configuration", "Configuration", configuration(a, b, names)],
        ["parameters", "Parameters", ...parameters(a, b, names).filter(Boolean)],
        ["cache", "Cache", cache(a, b, names)],
        ["formulas", "Formulas", ...formulas(a, b, names)],
        ["multiply-accumulates", "Multiply–accumulates", make("p", {}, "Of the matrix products and convolutions of one forward pass, in the sizes of its inputs."), costs(a, b, names)],
      ];
      const jump = make("nav", { class: "jump", "aria-label": "This comparison" }, make("ul", {}, parts.map(([id, title]) => make("li", {}, link(title, `#${id}`)))));
      const isOne = selects[0].value === selects[1].value;
      result.replaceChildren(...(isOne ? [make("p", { class: "warning" }, `${names[0]} is on both sides: nothing differs until another is chosen.`)] : []),
        jump, ...parts.flatMap((part) => section(...part)));
      said.textContent = `${names.join(" and ")} are compared below.`;
      document.title = `${names.join(" and ")} · ${document.title.split(" · ").at(-1)}`;
    } catch (error) {
      if (turn === latest) failed.textContent = `The two could not be compared: ${error.message}.`;
    }
    result.setAttribute("aria-busy", "false");
  };

  const address = () => {
    /* Colons and slashes may stand in a query as they are; so the address stays readable. */
    const query = selects.map((select) => `${select.dataset.side}=${encodeURIComponent(select.value).replaceAll("%3A", ":").replaceAll("%2F", "/")}`);
    if (only.checked) query.push("only=differences");
    history.replaceState(null, "", `?${query.join("&")}${location.hash}`);
  };

  const query = new URLSearchParams(location.search);
  const unknown = [];
  for (const [at, select] of selects.entries()) {
    const wanted = query.get(select.dataset.side), values = [...select.options].map((option) => option.value);
    select.selectedIndex = Math.min(at, values.length - 1);
    if (wanted === null) {
      /* Beside one model that is given, the other side begins with another model where there is one. */
      const other = values.find((value) => value.split(":")[0] !== selects[0].value.split(":")[0]);
      if (at) select.value = other ?? select.value;
      continue;
    }
    const found = values.includes(wanted) ? wanted : values.find((value) => value.startsWith(`${wanted}:`));
    if (found === undefined) unknown.push(wanted);
    else select.value = found;
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  only.checked = query.get("only") === "differences";
  leaveOut();
  form.addEventListener("change", (event) => {
    address();
    if (event.target === only) leaveOut();
    else void show();
  });
  form.querySelector("[data-swap]").addEventListener("click", () => {
    [selects[0].value, selects[1].value] = [selects[1].value, selects[0].value];
    address();
    void show();
  });
  void show().then(() => {
    if (unknown.length) failed.textContent = `The atlas has no ${unknown.join(" and no ")}; something else is shown.`;
  });
};

if (form) begin(form);
