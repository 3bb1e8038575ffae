// Tells next slots in the visitor's own zone, too; and renews what the page shows every half minute while somebody looks at
// it, unless they are in the middle of something; sooner where something is about to come, and at once where a run tells how
// far it is. Pages work without it.
"use strict";
(() => {
  const EVERY = 30000;
  const SOON = 2000;
  const busy = (main) =>
    main.querySelector("details[open]:not([data-served]), details[data-served]:not([open])") !== null ||
    (document.activeElement !== null && main.contains(document.activeElement)) ||
    String(getSelection()) !== "";
  // As the page writes times: year to minute, 24 hours.
  const here = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short" });
  const own = (part) => {
    // What the page opened itself is no sign that somebody reads it.
    for (const opened of part.querySelectorAll("details[open]")) opened.dataset.served = "";
    for (const slot of part.querySelectorAll("time[data-slot]")) {
      const at = here.format(new Date(slot.dateTime));
      if (slot.textContent.startsWith(at)) continue;
      const told = document.createElement("span");
      told.className = "sub";
      told.textContent = `${at} where you are`;
      slot.after(told);
    }
  };
  const renew = async () => {
    const main = document.querySelector("main[data-live]");
    if (main === null || document.hidden || busy(main)) return;
    const answer = await fetch(location.href, { redirect: "error" });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = page.querySelector("main[data-live]");
    if (next === null || busy(main)) return;
    own(next);
    main.replaceWith(document.adoptNode(next));
  };
  // A run tells each change, as the part of the page that shows it.
  const watch = (part) => {
    const events = new EventSource(part.dataset.events);
    const show = (event) => {
      const told = new DOMParser().parseFromString(event.data, "text/html");
      part.replaceChildren(...[...told.body.childNodes].map((node) => document.adoptNode(node)));
    };
    events.addEventListener("progress", show);
    events.addEventListener("over", (event) => {
      show(event);
      events.close();
    });
  };
  // What is about to come is another page at this address.
  const soon = () => {
    if (document.querySelector("[data-soon]") !== null) location.reload();
  };
  own(document);
  for (const part of document.querySelectorAll("[data-events]")) watch(part);
  setTimeout(soon, SOON);
  setInterval(() => renew().catch(() => undefined), EVERY);
})();
