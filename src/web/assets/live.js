// Tells next slots in the visitor's own zone, too; and renews what the page shows every half minute while somebody looks at
// it, unless they are in the middle of something; sooner where something is about to come, and at once where a run tells how
// far it is. Says when it cannot, and asks before typed text is left behind. Pages work without it.
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
      // If the name of the slot's time zone follows, it comes first.
      const zone = slot.nextElementSibling;
      (zone?.matches(".sub") ? zone : slot).after(told);
    }
  };
  // A page that looks current and is not would be believed. A page that is renewed no longer has the note.
  const stale = (part) => {
    if (part.querySelector("[data-stale]") !== null) return;
    const note = document.createElement("p");
    note.className = "note";
    note.dataset.stale = "";
    note.setAttribute("role", "status");
    note.textContent = "This page is no longer renewed: topicwatch does not answer, or you are logged out. Reload it.";
    part.prepend(note);
  };
  const renew = async () => {
    const main = document.querySelector("main[data-live]");
    if (main === null || document.hidden || busy(main)) return;
    const answer = await fetch(location.href, { redirect: "error" }).catch(() => null);
    if (!answer?.ok) return stale(main);
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
    // A browser connects again by itself, except after an answer that is no stream.
    events.addEventListener("error", () => { if (events.readyState === EventSource.CLOSED) stale(part); });
  };
  // Browsers forget what was typed on these pages, because nothing of them is cached: they ask before it is left behind.
  // A form that was sent and not saved holds its text as if it had come with the page.
  const typed = new Set();
  document.addEventListener("input", ({ target: field }) => {
    if (field.matches("textarea, input:not([type=password])") && field.form?.method === "post") typed.add(field);
  });
  let sent = null;
  document.addEventListener("submit", (event) => { sent = event.target; });
  const isLost = (field) => field.form !== sent && field.isConnected && (field.value !== field.defaultValue || field.checked !== field.defaultChecked);
  addEventListener("beforeunload", (event) => {
    const unsaved = [...document.querySelectorAll("[data-unsaved]")].filter((kept) => kept !== sent);
    if (unsaved.length > 0 || [...typed].some(isLost)) event.preventDefault();
  });
  // What is about to come is another page at this address.
  const soon = () => {
    if (document.querySelector("[data-soon]") !== null) location.reload();
  };
  own(document);
  for (const part of document.querySelectorAll("[data-events]")) watch(part);
  setTimeout(soon, SOON);
  setInterval(() => renew().catch(() => undefined), EVERY);
})();
