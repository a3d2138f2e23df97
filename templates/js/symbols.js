/* Formulas answer: a symbol shows its axes and meaning and marks its other uses, and its operator is copied as NumPy. */
const answer = () => {
  "use strict";
  const main = document.querySelector("main");
  const cards = new Map([...document.querySelectorAll("[data-card]")].map((row) => [row.dataset.card, row]));

  /* One card for all symbols. What it says is in the table of symbols already, so it is a copy of that row. */
  const card = document.createElement("div");
  card.className = "symbol-card";
  card.id = "symbol-card";
  card.setAttribute("role", "tooltip");
  card.hidden = true;
  let shown = null, leaving = 0;

  const hide = () => {
    clearTimeout(leaving);
    if (!shown) return;
    for (const one of document.querySelectorAll(".symbol-lit")) one.classList.remove("symbol-lit");
    shown.removeAttribute("aria-describedby");
    card.hidden = true;
    shown = null;
  };

  const show = (element) => {
    clearTimeout(leaving);
    if (shown === element) return;
    hide();
    const row = cards.get(element.dataset.symbol);
    if (!row) return;
    shown = element;
    const [symbol, axes, meaning] = row.cells;
    card.replaceChildren(...[symbol, axes, meaning].filter((cell) => cell.textContent.trim()).map((cell) => {
      const line = document.createElement("div");
      line.append(...[...cell.childNodes].map((node) => node.cloneNode(true)));
      return line;
    }));
    for (const one of card.querySelectorAll("[data-symbol], [tabindex]")) {
      one.removeAttribute("data-symbol");
      one.removeAttribute("tabindex");
    }
    for (const one of main.querySelectorAll(`[data-symbol="${element.dataset.symbol}"]`)) one.classList.add("symbol-lit");
    if (element.tabIndex >= 0) element.setAttribute("aria-describedby", card.id);
    card.hidden = false;
    const at = element.getBoundingClientRect(), own = card.getBoundingClientRect();
    const left = Math.max(8, Math.min(at.left, document.documentElement.clientWidth - own.width - 8));
    const below = at.bottom + 6 + own.height <= innerHeight || at.top < own.height + 6;
    card.style.left = `${left + scrollX}px`;
    card.style.top = `${(below ? at.bottom + 6 : at.top - own.height - 6) + scrollY}px`;
  };

  const symbolAt = (target) => (target instanceof Element && target.closest("main") ? target.closest("[data-symbol]") : null);

  if (main && cards.size) {
    document.body.append(card);
    /* In a formula symbols cannot take the focus, as what is seen there is hidden from screen readers; elsewhere they can. */
    for (const one of main.querySelectorAll("[data-symbol]")) {
      if (cards.has(one.dataset.symbol) && !one.closest(".katex")) one.tabIndex = 0;
    }
    const leave = () => { clearTimeout(leaving); leaving = setTimeout(hide, 200); };
    main.addEventListener("pointerover", (event) => {
      const symbol = symbolAt(event.target);
      if (symbol) show(symbol);
      else if (shown && document.activeElement !== shown) leave();
    });
    main.addEventListener("pointerleave", leave);
    card.addEventListener("pointerenter", () => clearTimeout(leaving));
    card.addEventListener("pointerleave", leave);
    main.addEventListener("focusin", (event) => {
      const symbol = symbolAt(event.target);
      if (symbol && symbol === event.target) show(symbol);
    });
    main.addEventListener("focusout", hide);
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  }

  /* Without a script, or where copying is not allowed, the link brings the file. */
  for (const link of document.querySelectorAll("[data-numpy]")) {
    if (!navigator.clipboard) break;
    const name = link.textContent;
    link.addEventListener("click", async (event) => {
      event.preventDefault();
      try {
        const answer = await fetch(link.href);
        if (!answer.ok) throw new Error(`status ${answer.status}`);
        const text = await answer.text();
        await navigator.clipboard.writeText(link.dataset.numpy ? `# ${link.dataset.numpy}\n${text}` : text);
        link.textContent = "Copied";
      } catch {
        location.assign(link.href);
      }
      setTimeout(() => { link.textContent = name; }, 2000);
    });
  }
};

/* It travels in one file with the script that every page has, and is wanted where a page has formulas. */
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", answer);
else answer();
