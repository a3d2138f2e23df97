/* The palette of search: brought and made when a reader first opens it. Results are links, grouped by kind of page. */
import { Index, words } from "./search-index.js";

const SITE = new URL("..", import.meta.url);
const FEW = 5;
const MORE = 20;
const PAUSE = 60;
const EXAMPLES = ["RMSNorm", "q_proj", "GQA", "512", "\\gamma"];

const index = new Index(async (path) => {
  /* The root is asked for anew, as a new site has another; the files that it names never change. */
  const answer = await fetch(new URL(path, SITE), { cache: path === "search/index.json" ? "no-cache" : "default" });
  if (!answer.ok) throw new Error(`${answer.status}: ${path}`);
  return answer.json();
});

let palette = null;

/** Open the palette; `all` is the address of the page that lists everything, `query` what is looked for at once. */
export async function open(all, query = "") {
  palette ??= make(all);
  const { dialog, input, list } = await palette;
  if (!dialog.open) dialog.showModal();
  if (query) {
    input.value = query;
    list.show(query);
  }
  input.select();
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

async function style() {
  const link = element("link", { rel: "stylesheet", href: new URL("css/search.css", SITE).href });
  const loaded = new Promise((resolve, reject) => {
    link.addEventListener("load", resolve);
    link.addEventListener("error", reject);
  });
  document.head.append(link);
  await loaded;
}

async function make(all) {
  await style();
  const input = element("input", {
    type: "text", role: "combobox", "aria-label": "Search the atlas", "aria-autocomplete": "list",
    "aria-controls": "search-results", "aria-expanded": "false", autocomplete: "off", autocapitalize: "off",
    spellcheck: "false", enterkeyhint: "go", placeholder: "A name, a symbol, a number",
  });
  const results = element("div", { id: "search-results", role: "listbox", "aria-label": "Results", hidden: "" });
  const status = element("p", { role: "status", class: "search-status" });
  const close = element("button", { type: "button", class: "search-close" }, "Close");
  const keys = element("span", { class: "search-keys" }, element("kbd", {}, "↑"), element("kbd", {}, "↓"), " choose · ",
    element("kbd", {}, "Enter"), " open · ", element("kbd", {}, "Esc"), " close · ");
  const help = element("p", { class: "search-help" }, keys, element("a", { href: all }, "A–Z index"));
  const examples = element("p", { class: "search-examples" }, "For instance ",
    ...EXAMPLES.map((word) => element("button", { type: "button" }, word)));
  const dialog = element("dialog", { class: "search", "aria-label": "Search" },
    element("div", { class: "search-field" }, input, close), status, examples, results, help);
  document.body.append(dialog);
  const list = new Results(input, results, status, dialog, examples);
  examples.addEventListener("click", (event) => {
    if (event.target.localName !== "button") return;
    input.value = event.target.textContent;
    input.focus();
    list.show(input.value);
  });

  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  let timer = 0;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => list.show(input.value), PAUSE);
  });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps) list.move(steps[event.key]);
    else if (event.key === "Enter") list.follow(event.ctrlKey || event.metaKey);
    else return;
    event.preventDefault();
  });
  list.say("");
  return { dialog, input, list };
}

class Results {
  #run = 0;
  #active = -1;

  constructor(input, box, status, dialog, examples) {
    Object.assign(this, { input, box, status, dialog, examples });
  }

  say(text, isFailure = false) {
    this.status.textContent = text;
    this.status.classList.toggle("failed", isFailure);
  }

  /** Show what a query finds, unless another was typed while its files came. */
  async show(query) {
    const run = ++this.#run;
    if (!words(query).length) {
      this.#fill([]);
      this.say("");
      return;
    }
    try {
      const { groups, isPart } = await index.find(query);
      const shown = await Promise.all(groups.map((group) => this.#group(group, FEW)));
      if (run !== this.#run) return;
      const count = groups.reduce((sum, group) => sum + group.hits.length, 0);
      this.#fill(shown);
      this.say(count === 0 ? `Nothing is found for “${query.trim()}”. Fewer letters of it, or its name in code, may find it.`
        : `${isPart ? "more than " : ""}${count} ${count === 1 ? "result" : "results"}`);
    } catch (error) {
      if (run !== this.#run) return;
      this.#fill([]);
      this.say("The search index could not be loaded; the page may be older than the site. Reload it, or use the A–Z index.", true);
      console.error(error);
    }
  }

  #fill(groups) {
    this.box.replaceChildren(...groups);
    this.box.hidden = !groups.length;
    this.examples.hidden = groups.length > 0;
    this.box.scrollTop = 0;
    this.input.setAttribute("aria-expanded", String(groups.length > 0));
    this.#number();
    this.#activate(groups.length ? 0 : -1);
  }

  async #group(group, count) {
    const records = await Promise.all(group.hits.slice(0, count).map(async (hit) => [hit, await index.record(hit.record)]));
    const made = element("div", { role: "group", "aria-label": group.title, class: "search-group" },
      element("div", { class: "search-kind", "aria-hidden": "true" }, group.title),
      ...records.map(([hit, record]) => this.#option(hit, record)));
    const left = group.hits.length - records.length;
    if (left > 0) {
      const more = element("div", { role: "option", class: "search-more" }, `${left} more in ${group.title}`);
      more.addEventListener("click", async () => {
        const place = this.#options.indexOf(more);
        made.replaceWith(await this.#group(group, count + MORE));
        this.#number();
        this.#activate(place);
        this.input.focus();
      });
      made.append(more);
    }
    return made;
  }

  #option(hit, record) {
    const link = element("a", { role: "option", href: new URL(record.url, SITE).href, tabindex: "-1" },
      element("span", { class: "search-title" }, record.title), element("span", { class: "search-where" }, record.where));
    /* Words that are found where the result does not show them are named, so that nothing seems to come by chance. */
    const visible = ` ${words([record.title, record.where, record.summary].join(" ")).join(" ")}`;
    const unseen = [...new Set(hit.terms)].filter((term) => !visible.replaceAll("-", "").includes(term));
    if (record.summary) link.append(element("span", { class: "search-summary" }, record.summary));
    if (unseen.length) {
      const terms = unseen.flatMap((term) => [" ", element("code", {}, term)]);
      link.append(element("span", { class: "search-terms" }, "has", ...terms));
    }
    link.addEventListener("click", (event) => {
      if (!event.ctrlKey && !event.metaKey && !event.shiftKey) this.dialog.close();
    });
    return link;
  }

  get #options() {
    return [...this.box.querySelectorAll('[role="option"]')];
  }

  #number() {
    this.#options.forEach((option, number) => { option.id = `search-result-${number}`; });
  }

  move(step) {
    const count = this.#options.length;
    if (count) this.#activate((this.#active + step + count) % count);
  }

  #activate(place) {
    this.#active = place;
    this.input.removeAttribute("aria-activedescendant");
    this.#options.forEach((option, number) => {
      option.setAttribute("aria-selected", String(number === place));
      if (number !== place) return;
      this.input.setAttribute("aria-activedescendant", option.id);
      (number === 0 ? this.box.firstElementChild : option).scrollIntoView({ block: "nearest" });
    });
  }

  follow(elsewhere) {
    const option = this.#options[this.#active];
    if (elsewhere && option?.href) window.open(option.href, "_blank", "noopener");
    else option?.click();
  }
}
