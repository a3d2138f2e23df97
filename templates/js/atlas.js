/* What a page gains by JavaScript: a switch for the colours and buttons that copy code. */
(() => {
  "use strict";
  const root = document.documentElement;

  const themes = ["system", "light", "dark"];
  const button = document.querySelector("[data-theme-switch]");
  const name = document.querySelector("[data-theme-name]");
  const current = () => root.dataset.theme ?? "system";
  if (button && name) {
    button.hidden = false;
    name.textContent = current();
    button.addEventListener("click", () => {
      const next = themes[(themes.indexOf(current()) + 1) % themes.length];
      if (next === "system") delete root.dataset.theme;
      else root.dataset.theme = next;
      name.textContent = next;
      try {
        if (next === "system") localStorage.removeItem("atlas-theme");
        else localStorage.setItem("atlas-theme", next);
      } catch {
        /* The choice then lasts as long as the page. */
      }
    });
  }

  /* On a wide screen a fold of contents is always open and has no handle; on a narrow one the reader's choice is kept. */
  for (const fold of document.querySelectorAll("[data-fold-below]")) {
    const wide = window.matchMedia(`(min-width: ${fold.dataset.foldBelow})`);
    let chosen = false;
    const apply = () => { fold.open = wide.matches || chosen; };
    fold.addEventListener("toggle", () => { if (!wide.matches) chosen = fold.open; });
    wide.addEventListener("change", apply);
    apply();
  }

  for (const block of document.querySelectorAll("[data-copy]")) {
    if (!navigator.clipboard) break;
    const copy = document.createElement("button");
    copy.type = "button";
    copy.className = "copy";
    copy.textContent = "Copy";
    copy.setAttribute("aria-label", `Copy ${block.dataset.copy}`);
    copy.addEventListener("click", async () => {
      const lines = [...block.querySelectorAll("[data-line]")].map((line) => line.textContent);
      const text = lines.length ? lines.join("\n") + "\n" : block.querySelector("pre, code").textContent;
      try {
        await navigator.clipboard.writeText(text);
        copy.textContent = "Copied";
      } catch {
        copy.textContent = "Not allowed";
      }
      setTimeout(() => { copy.textContent = "Copy"; }, 2000);
    });
    block.prepend(copy);
  }

  /* A link to something inside a fold opens the fold. */
  const unfold = () => {
    let target = null;
    try {
      target = location.hash ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    } catch {
      /* A damaged address names nothing. */
    }
    for (let fold = target?.closest("details"); fold; fold = fold.parentElement?.closest("details")) fold.open = true;
    if (target) target.scrollIntoView();
  };
  window.addEventListener("hashchange", unfold);
  if (location.hash) unfold();
})();
