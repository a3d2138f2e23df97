/* The calculator on a model's page: counts anew when a size is typed, and keeps the sizes in the address. */
import { count, SizeError } from "./counting.js";
import { binary } from "./units.js";

const LARGEST = 10n ** 12n;
const form = document.querySelector("[data-calculator]");
const shown = (number) => number.toLocaleString("en");

const read = (text, name) => {
  const plain = text.replace(/[\s_'’]/g, "");
  const parsed = /^\d{1,3}(,\d{3})+$/.test(plain) ? plain.replaceAll(",", "") : plain;
  if (!/^\d{1,40}$/.test(parsed)) throw new SizeError("a whole number belongs here", [name]);
  const number = BigInt(parsed);
  if (number < 1n || number > LARGEST) throw new SizeError(`from 1 to ${shown(LARGEST)}`, [name]);
  return number;
};

const begin = (form) => {
  const fields = new Map([...form.querySelectorAll("[data-size]")].map((field) => [field.dataset.size, field]));
  const tokens = form.querySelector("[data-tokens]");
  const variant = form.querySelector("[data-variant]");
  const share = form.querySelector("[data-share]"), said = form.querySelector("[data-said]");
  const inputs = new Map([...fields.values(), tokens].filter(Boolean).map((field) => [field, field.value]));
  let data = null, loading = null, edited = "";

  const written = (value) => (Array.isArray(value) ? value.join(", ") : String(value));
  const starts = (name) => {
    const own = data.variants[variant.value][name];
    return own === undefined ? inputs.get(fields.get(name)) : written(own);
  };
  const sizes = () => Object.fromEntries([...fields].map(([name, field]) => {
    const isList = Array.isArray(Object.values(data.variants)[0][name]);
    return [name, isList ? field.value.split(",").map((one) => read(one, name)) : read(field.value, name)];
  }));

  const address = () => {
    const query = new URLSearchParams();
    if (variant.selectedIndex > 0) query.set("variant", variant.value);
    for (const [name, field] of fields) if (field.value !== starts(name)) query.set(name, field.value);
    if (tokens && tokens.value !== inputs.get(tokens)) query.set("tokens", tokens.value);
    return `${location.pathname}${query.size ? `?${query}` : ""}#calculator`;
  };

  /* Says what is wrong beside the field that was typed in, if it takes part, else beside all that take part. */
  const complain = (error) => {
    const places = error.symbols.filter((name) => fields.has(name) || (name === "tokens" && tokens));
    const at = places.includes(edited) ? [edited] : places;
    for (const name of at) {
      const field = fields.get(name) ?? tokens;
      field.setAttribute("aria-invalid", "true");
      document.getElementById(field.getAttribute("aria-describedby")).textContent = error.message;
    }
    if (!at.length) form.querySelector("[data-error]").textContent = error.message;
  };

  const show = (announce = true) => {
    for (const field of inputs.keys()) field.removeAttribute("aria-invalid");
    for (const place of form.querySelectorAll(".error")) place.textContent = "";
    form.removeAttribute("data-stale");
    try {
      const found = count(data.program, sizes());
      if (tokens) found.tokens = found.token * read(tokens.value, "tokens");
      for (const place of form.querySelectorAll("[data-result]")) {
        const value = found[place.dataset.result];
        const figure = value === null ? null : value * BigInt(place.dataset.bytes);
        place.textContent = figure === null ? "–" : shown(figure);
        const more = place.parentElement.querySelector("[data-binary]");
        if (more) more.textContent = figure === null ? "" : binary(figure);
      }
      for (const [id, stack] of found.stacks) {
        form.querySelector(`[data-stack="${id}"]`).textContent = shown(stack.total);
        const layers = form.querySelector(`[data-layers="${id}"]`);
        if (layers) layers.textContent = shown(stack.layers);
      }
      /* One sentence is heard for all figures that change at once. */
      if (announce) said.textContent = `${shown(found.total)} parameters at these sizes`;
    } catch (error) {
      if (!(error instanceof SizeError)) throw error;
      said.textContent = "";
      form.setAttribute("data-stale", "");
      complain(error);
    }
    share.href = address();
  };

  const load = () => {
    loading ??= fetch(form.dataset.calculator).then((answer) => {
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      return answer.json();
    }).then((found) => { data = found; });
    return loading;
  };
  const update = async () => {
    try {
      await load();
    } catch (error) {
      loading = null;
      form.querySelector("[data-error]").textContent = `The calculator’s data could not be loaded (${error.message}).`;
      return;
    }
    show();
  };

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    if (event.target === variant) return;
    edited = event.target.dataset.size ?? "tokens";
    void update().then(() => { if (data) history.replaceState(null, "", address()); });
  });
  variant.addEventListener("change", async () => {
    edited = "";
    await update();
    if (!data) return;
    for (const [name, field] of fields) field.value = starts(name);
    show();
    history.replaceState(null, "", address());
  });

  form.querySelector("[data-reset]").addEventListener("click", async () => {
    edited = "";
    await update();
    if (!data) return;
    for (const [name, field] of fields) field.value = starts(name);
    if (tokens) tokens.value = inputs.get(tokens);
    show();
    history.replaceState(null, "", address());
  });
  share.addEventListener("click", async (event) => {
    if (!navigator.clipboard || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const name = "Address of this calculation";
    try {
      await navigator.clipboard.writeText(share.href);
      share.textContent = "Address copied";
    } catch {
      location.assign(share.href);
      return;
    }
    setTimeout(() => { share.textContent = name; }, 2000);
  });

  /* An address with sizes is what somebody shared: it is counted at once. Else nothing is loaded before it is needed. */
  const query = new URLSearchParams(location.search);
  const known = [...query.keys()].some((name) => name === "variant" || name === "tokens" || fields.has(name));
  if (known) {
    void load().then(() => {
      if (data.variants[query.get("variant")]) variant.value = query.get("variant");
      for (const [name, field] of fields) field.value = query.get(name) ?? starts(name);
      if (tokens) tokens.value = query.get("tokens") ?? tokens.value;
      show(false);
    }, () => update());
  }
};

if (form) begin(form);
