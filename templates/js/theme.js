/* Sets the chosen colours before the page is painted; without a choice the system's are used. */
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
