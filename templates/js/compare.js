/* The comparison: loads the data of the two models that are chosen, and shows them side by side.
   Everything is made as text; only formulas, which the build typeset from the atlas's own files, are HTML. */

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

const table = (label, head, rows) => make("div", { class: "table", tabindex: "0", role: "group", "aria-label": label },
  make("table", { class: "accounting" },
    make("thead", {}, make("tr", {}, head.map((title, at) => make("th", { scope: "col", class: at ? "count" : null }, title)))),
    make("tbody", {}, rows.map(([name, ...values]) => make("tr", { class: values[0] === values[1] ? "alike" : null },
      make("th", { scope: "row" }, name),
      values.map((value) => make("td", { class: "count" }, value)))))));

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
  const settings = [...new Set([...Object.keys(a.data.settings), ...Object.keys(b.data.settings)])];
  rows.push(...settings.map((name) => [make("code", {}, name), a.data.settings[name] ?? "–", b.data.settings[name] ?? "–"]));
  return table("Configuration", ["", ...names], rows);
};

const structure = (a, b, names) => {
  const grid = make("div", { class: "sides" }, names.map((name) => make("div", { class: "side" }, name)));
  const stack = (side, block) => make("div", { class: "stack" }, block ? [block.title,
    block.layers ? [" × ", maths(block.layers), ` = ${side.variant.stacks[block.path][0]}`] : ""] : "");
  const part = (one, other) => (one ? make("div", { class: other ? "part" : "part only", "data-kind": one.kind },
    link(one.title, one.url), make("span", { class: "after" }, other && other.operator === one.operator ? "the same operator" : one.name === one.title ? "" : one.name)) : make("div", {}));
  const kind = (one, other) => one.operator === other.operator || one.kind === other.kind;
  const level = (one, other) => one.path === other.path || (!!one.layers && !!other.layers && one.depth === other.depth);
  for (const [here, there] of aligned(a.data.structure, b.data.structure, level)) {
    grid.append(stack(a, here), stack(b, there));
    for (const [one, other] of aligned(here?.parts ?? [], there?.parts ?? [], kind)) grid.append(part(one, other), part(other, one));
  }
  return grid;
};

const formulas = (a, b, names) => {
  const grid = make("div", { class: "sides formulas" }, names.map((name) => make("div", { class: "side" }, name)));
  const all = [...a.data.formulas, ...b.data.formulas];
  const show = (one) => (one ? make("div", { class: "part", "data-kind": one.kind }, link(one.title, one.url),
    one.family === one.title ? "" : make("span", { class: "after" }, one.family),
    make("div", { class: "formula math-display", tabindex: "0", role: "group", "aria-label": `Formula of ${one.title}` }, maths(one.html))) : make("div", {}, "–"));
  for (const kind of Object.keys(a.data.kinds)) {
    const [here, there] = [a, b].map((side) => side.data.formulas.filter((one) => one.kind === kind));
    if (!here.length && !there.length) continue;
    grid.append(make("h3", { class: "both" }, all.find((one) => one.kind === kind).name));
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
    for (const [one, other] of pairs) {
      if (one && other && one.tex === other.tex) {
        grid.append(make("p", { class: "both" }, "The same formula: ", link(one.title, one.url), " and ", link(other.title, other.url)),
          make("div", { class: "both formula math-display", tabindex: "0", role: "group", "aria-label": `Formula of ${one.title}` }, maths(one.html)));
      } else {
        grid.append(show(one), show(other));
      }
    }
  }
  return grid;
};

const parameters = (a, b, names) => {
  const rows = a.variant.figures.map(([part, name, value], at) => [part, name, value, b.variant.figures[at][2]]);
  const kinds = Object.entries(a.data.kinds).map(([kind, name]) => [name, a.variant.kinds[kind] ?? "0", b.variant.kinds[kind] ?? "0"]);
  const partial = [a, b].filter((side) => !side.data.complete).map((side) => side.data.title);
  return [
    partial.length ? make("p", { class: "warning" }, `Documented in part: ${[...new Set(partial)].join(", ")}. The figures are those of the documented components.`) : "",
    table("Parameters", ["", ...names, "Right / left"], figureRows(rows.filter(([part]) => part === "parameters").map((row) => row.slice(1)))),
    make("h3", {}, "By kind of component"),
    table("Parameters by kind of component", ["", ...names, "Right / left"], figureRows(kinds)),
  ];
};

const cache = (a, b, names) => {
  const rows = a.variant.figures.map(([part, name, value], at) => [part, name, value, b.variant.figures[at][2]])
    .filter(([part]) => part === "cache").map((row) => row.slice(1));
  const [token] = rows;
  const bytes = a.data.bytes.map(([name, width]) => [`Bytes per token in ${name}`, ...token.slice(1).map((value) => String(BigInt(value) * BigInt(width)))]);
  const found = figureRows([...rows, ...bytes]);
  return found.length ? table("Cache", ["", ...names, "Right / left"], found) : make("p", {}, "Neither keeps anything from one token to the next.");
};

const costs = (a, b, names) => make("div", { class: "sides formulas" }, [a, b].map((side, at) => make("div", {},
  make("p", { class: "side" }, names[at]),
  side.variant.macs ? make("div", { class: "formula math-display", tabindex: "0", role: "group", "aria-label": `Multiply–accumulates of ${names[at]}` }, maths(side.variant.macs)) : "–")));

const begin = (form) => {
  const selects = [...form.querySelectorAll("[data-side]")];
  const result = document.querySelector("[data-comparison]"), failed = document.querySelector("[data-error]");
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
      result.replaceChildren(
        ...section("configuration", "Configuration", configuration(a, b, names)),
        ...section("structure", "Structure", structure(a, b, names)),
        ...section("formulas", "Formulas", formulas(a, b, names)),
        ...section("parameters", "Parameters", ...parameters(a, b, names).filter(Boolean)),
        ...section("cache", "Cache", cache(a, b, names)),
        ...section("multiply-accumulates", "Multiply–accumulates of a forward pass", costs(a, b, names)),
      );
      document.title = `${names.join(" and ")} · ${document.title.split(" · ").at(-1)}`;
    } catch (error) {
      if (turn === latest) failed.textContent = `The two could not be compared: ${error.message}.`;
    }
    result.setAttribute("aria-busy", "false");
  };

  const address = () => {
    /* Colons and slashes may stand in a query as they are; so the address stays readable. */
    const query = selects.map((select) => `${select.dataset.side}=${encodeURIComponent(select.value).replaceAll("%3A", ":").replaceAll("%2F", "/")}`);
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
  form.addEventListener("change", () => { address(); void show(); });
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
