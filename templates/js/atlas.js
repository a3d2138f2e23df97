/* Sets the chosen colours as early as nothing has to wait for it; without a choice the system's are used. */
(() => {
  "use strict";
  let choice = null;
  try {
    choice = localStorage.getItem("atlas-theme");
  } catch {
    /* Storage may be forbidden; the system's colours do. */
  }
  if (choice === "light" || choice === "dark") document.documentElement.dataset.theme = choice;
})();

/* Where the script lies is known only while it runs, not any more when the page is whole. */
const here = document.currentScript.src;

/* What a page gains by JavaScript: a switch for the colours and buttons that copy code. */
const enhance = () => {
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

  /* The drawer of a narrow screen closes behind the reader who chose a place on the same page. */
  const drawer = document.querySelector(".drawer");
  drawer?.addEventListener("click", (event) => {
    if (event.target.closest("a[href^='#']")) drawer.open = false;
  });

  /* Search is brought when it is first asked for; where that fails, its button leads to the page that lists everything. */
  const openers = document.querySelectorAll("[data-search]");
  if (openers.length && window.HTMLDialogElement) {
    const palette = new URL("search.js", here).href;
    const all = new URL(openers[0].dataset.search, document.baseURI).href;
    const open = async (query = "") => {
      try {
        await (await import(palette)).open(all, query);
      } catch {
        location.href = all;
      }
    };
    for (const opener of openers) {
      opener.hidden = false;
      opener.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        open();
      });
      if (!opener.href) continue;
      /* The home page's field leads to the page that lists everything; from here on it is a button. */
      opener.setAttribute("role", "button");
      opener.setAttribute("aria-haspopup", "dialog");
      opener.addEventListener("keydown", (event) => {
        if (event.key !== " ") return;
        event.preventDefault();
        open();
      });
    }
    if (document.querySelector("[data-search-now]")) open(new URLSearchParams(location.search).get("q") ?? "");
    document.addEventListener("keydown", (event) => {
      const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (!(event.key === "/" && isPlain && !isTyping) && !(event.key.toLowerCase() === "k" && isCommand)) return;
      event.preventDefault();
      open();
    });
  }

  const addCopy = (block) => {
    if (!navigator.clipboard) return;
    const copy = document.createElement("button");
    copy.type = "button";
    copy.className = "copy";
    copy.textContent = "Copy";
    const label = block.dataset.copy || block.firstElementChild.getAttribute("aria-label");
    copy.setAttribute("aria-label", `Copy ${label}`);
    copy.addEventListener("click", async () => {
      const lines = [...block.querySelectorAll("[data-line], li")].map((line) => line.textContent);
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
  };
  document.querySelectorAll("[data-copy]").forEach(addCopy);

  /* Code for which the page has no room is brought when the reader comes near; its link stays where that fails. */
  const bring = async (place) => {
    try {
      const answer = await fetch(place.firstElementChild.dataset.passage);
      if (!answer.ok) throw new Error(answer.statusText);
      const code = new DOMParser().parseFromString(await answer.json(), "text/html").querySelector(".code");
      const begun = place.previousElementSibling?.matches(".code") ? place.previousElementSibling : null;
      const kept = document.createElement("div"); /* as high as what was there, so that nothing moves */
      const top = (begun ?? place).getBoundingClientRect().top;
      kept.className = place.className;
      kept.style.minHeight = `${place.getBoundingClientRect().bottom - top}px`;
      const focused = document.activeElement; /* is not lost with what is replaced or moved */
      const had = place.contains(focused) || begun?.contains(focused);
      if (begun) begun.querySelector("ol").append(...code.querySelectorAll("li"));
      place.replaceWith(kept);
      kept.append(begun ?? code);
      if (had) (kept.contains(focused) ? focused : kept.querySelector("[tabindex]")).focus({ preventScroll: true });
      if (!begun) addCopy(code);
    } catch {
      place.removeAttribute("style"); /* the link leads to the same lines */
    }
  };
  const passages = document.querySelectorAll("[data-passage]");
  if (passages.length && window.IntersectionObserver) {
    const observer = new IntersectionObserver((seen) => {
      for (const { isIntersecting, target } of seen) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        bring(target);
      }
    }, { rootMargin: "400px" });
    for (const link of passages) {
      link.parentElement.style.minHeight = `calc(${link.dataset.lines} * var(--code-line) + 4.2rem)`; /* so that nothing moves */
      observer.observe(link.parentElement);
    }
  }

  /* Copied maths is TeX, also where a selection begins or ends within a formula. */
  const formulaAt = (node) => (node instanceof Element ? node : node.parentElement)?.closest(".katex");
  const texOf = (formula) => (formula.querySelector("annotation") ?? formula.querySelector("math")).textContent.trim(); /* a letter's TeX is the letter */
  document.addEventListener("copy", (event) => {
    const selection = getSelection();
    if (selection.isCollapsed || !event.clipboardData || event.target.closest?.("input, textarea")) return;
    const range = selection.getRangeAt(0).cloneRange();
    const [first, last] = [formulaAt(range.startContainer), formulaAt(range.endContainer)];
    if (first) range.setStartBefore(first);
    if (last) range.setEndAfter(last);
    const around = range.commonAncestorContainer;
    const within = around instanceof Element ? around : around.parentElement;
    const copied = range.cloneContents();
    const formulas = copied.querySelectorAll(".katex");
    if (!formulas.length) return;
    for (const formula of formulas) {
      const mark = formula.closest(".katex-display") || within?.closest(".katex-display") ? "$$" : "$";
      formula.replaceWith(mark + texOf(formula) + mark);
    }
    const holder = document.createElement("div");
    holder.className = "visually-hidden";
    holder.append(copied);
    document.body.append(holder); /* innerText knows where lines break only in the page */
    event.clipboardData.setData("text/plain", holder.innerText);
    holder.remove();
    event.preventDefault();
  });

  /* A button shows the TeX of a formula that stands on its own. */
  for (const box of document.querySelectorAll(".formula")) {
    if (!box.querySelector("math")) continue;
    const show = document.createElement("button");
    show.type = "button";
    show.className = "copy";
    show.textContent = "TeX";
    show.setAttribute("aria-expanded", "false");
    const tex = document.createElement("pre");
    tex.className = "tex";
    tex.textContent = texOf(box);
    tex.hidden = true;
    show.addEventListener("click", () => {
      tex.hidden = !tex.hidden;
      show.setAttribute("aria-expanded", String(!tex.hidden));
    });
    box.prepend(show);
    box.append(tex);
  }

  /* n and p lead along the data flow. */
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, [contenteditable]")) return;
    const rel = { n: "next", p: "prev" }[event.key];
    if (rel) document.querySelector(`main a[rel="${rel}"]`)?.click();
  });

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
};

/* The script is asked for without being waited for, so it may come before the page is whole or after. */
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", enhance);
else enhance();
