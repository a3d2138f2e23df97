/* A long list that the reader narrows down and sorts: the models of the home page, the claims of the verification page.
   A form names the items and the noun for them; each choice is a `data-` property of the items, and the address keeps it. */
const begin = (form) => {
  const items = [...document.querySelectorAll(form.dataset.narrow)];
  const filters = [...form.querySelectorAll("[data-filter]")];
  const sort = form.querySelector("[data-sort]"), shown = form.querySelector("[data-shown]");
  const groups = [...new Set(items.map((item) => item.closest("[data-group]")).filter(Boolean))];
  const parts = [...new Set(items.map((item) => item.closest("tbody")).filter(Boolean))];
  const name = (item) => item.querySelector("h3").textContent.trim();
  const count = (item) => Number(item.dataset.count);
  const orders = {
    name: (one, other) => name(one).localeCompare(name(other), "en"),
    most: (one, other) => count(other) - count(one),
    fewest: (one, other) => count(one) - count(other),
  };
  const noun = (number) => `${number.toLocaleString("en")} ${form.dataset.noun}${number === 1 ? "" : "s"}`;

  /* Where an item may have several values, they stand in its property with spaces between them. */
  const has = (item, { dataset: { filter, several }, value }) => !value || (several === undefined
    ? item.dataset[filter] === value : item.dataset[filter].split(" ").includes(value));
  const isNarrow = () => filters.some((filter) => filter.value);

  const show = () => {
    let left = 0;
    for (const item of items) {
      item.hidden = !filters.every((filter) => has(item, filter));
      left += !item.hidden;
    }
    for (const part of parts) part.hidden = !part.querySelector("[data-item]:not([hidden])");
    for (const group of groups) {
      group.hidden = !group.querySelector("[data-item]:not([hidden])");
      const fold = group.querySelector("details");
      if (fold) fold.open = isNarrow() && !group.hidden;
    }
    if (sort) items[0].parentElement.append(...(orders[sort.value] ? [...items].sort(orders[sort.value]) : items));
    const text = left === items.length ? noun(left) : left ? `${left.toLocaleString("en")} of ${noun(items.length)}`
      : `No ${form.dataset.noun} is like this`;
    if (shown.textContent !== text) shown.textContent = text;
  };

  const address = () => {
    const query = new URLSearchParams();
    for (const filter of filters) if (filter.value) query.set(filter.dataset.filter, filter.value);
    if (sort?.value) query.set("sort", sort.value);
    history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}${location.hash}`);
  };

  const query = new URLSearchParams(location.search);
  const choose = (select, value) => {
    select.value = [...select.options].some((one) => one.value === value) ? value : "";
  };
  for (const filter of filters) choose(filter, query.get(filter.dataset.filter) ?? "");
  if (sort) choose(sort, query.get("sort") ?? "");
  if (isNarrow() || sort?.value) show();

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", () => { show(); address(); });
  form.addEventListener("reset", (event) => {
    event.preventDefault(); /* or the browser would undo what the address chose, and that only after this */
    for (const select of [...filters, ...(sort ? [sort] : [])]) select.value = "";
    show();
    address();
  });
};

const form = document.querySelector("[data-narrow]");
if (form) begin(form);
