// Renews what the page shows every half minute while somebody looks at it, unless they are in the middle of something.
// Pages work without it.
"use strict";
(() => {
  const EVERY = 30000;
  const busy = (main) =>
    main.querySelector("details[open]") !== null ||
    (document.activeElement !== null && main.contains(document.activeElement)) ||
    String(getSelection()) !== "";
  const renew = async () => {
    const main = document.querySelector("main[data-live]");
    if (main === null || document.hidden || busy(main)) return;
    const answer = await fetch(location.href, { redirect: "error" });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = page.querySelector("main[data-live]");
    if (next !== null && !busy(main)) main.replaceWith(document.adoptNode(next));
  };
  setInterval(() => renew().catch(() => undefined), EVERY);
})();
