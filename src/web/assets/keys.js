// Keys as in miniflux; the page /keys lists them, and `?` shows it. The item that a key is about is the one that has the
// focus. Keys press the buttons of the page and follow its links: there is nothing that only a key can do.
"use strict";
(() => {
  const OFF = "topicwatch-keys";
  const GO = { t: "/", i: "/items", b: "/items?starred=true", n: "/items?noted=true", a: "/alerts", r: "/runs", f: "/files", h: "/health" };
  // How long after g another key is waited for, milliseconds.
  const PATIENCE = 2000;
  let begun = null;
  const off = () => { try { return localStorage.getItem(OFF) !== null; } catch { return false; } };
  const items = () => [...document.querySelectorAll("main li[data-item]")];
  const here = () => document.activeElement?.closest("main [data-item]") ?? document.querySelector("main div[data-item]");
  // The list that an item was opened from, so that j and k go on there on the page of an item.
  const LIST = "topicwatch-list";
  const page = (li) => li.querySelector('p > a[href^="/item?"]')?.getAttribute("href");
  const listed = () => { try { return JSON.parse(sessionStorage.getItem(LIST)) ?? []; } catch { return []; } };
  const beside = (by) => {
    const all = listed();
    const at = all.indexOf(location.pathname + location.search);
    if (at >= 0 && all[at + by] !== undefined) location.assign(all[at + by]);
  };
  if (items().length > 0) { try { sessionStorage.setItem(LIST, JSON.stringify(items().map(page).filter(Boolean))); } catch { /* then not */ } }
  // The way back leads to the item that had the focus: its number goes into the address.
  document.addEventListener("focusin", (event) => {
    const li = event.target.closest?.("main li[data-item][id]");
    if (li) history.replaceState(history.state, "", `#${li.id}`);
  });
  // The page before each page of a list, as it was left: the browser's way back leads through presses of buttons, too.
  const EARLIER = "topicwatch-earlier";
  const earlier = () => { try { return JSON.parse(sessionStorage.getItem(EARLIER)) ?? {}; } catch { return {}; } };
  addEventListener("pagehide", () => {
    const left = location.pathname + location.search + location.hash;
    const all = earlier();
    for (const link of document.querySelectorAll('main a[rel="next"]')) all[link.getAttribute("href").split("#")[0]] = left;
    try { sessionStorage.setItem(EARLIER, JSON.stringify(all)); } catch { /* then not */ }
  });
  const move = (by) => {
    const all = items();
    const at = all.indexOf(document.activeElement?.closest("main li[data-item]"));
    const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by];
    if (all.length === 0) return beside(by);
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  };
  // Where there are several, as of an item that several topics know, a person chooses.
  const press = (...selectors) => {
    for (const selector of selectors) {
      const [first, second] = here()?.querySelectorAll(selector) ?? [];
      if (first === undefined) continue;
      if (second === undefined) first.click(); else first.focus();
      return;
    }
  };
  const original = () => {
    const link = here()?.querySelector('a[rel~="nofollow"]');
    if (link) window.open(link.href, "_blank", "noopener,noreferrer");
  };
  const note = () => {
    const part = here()?.querySelector("details.kept");
    if (!part) return;
    part.open = true;
    part.querySelector("textarea").focus();
  };
  const list = async () => {
    const answer = await fetch("/keys", { redirect: "error" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const keys = page.querySelector("#keys");
    if (!answer.ok || keys === null) return location.assign("/keys");
    const dialog = document.createElement("dialog");
    const title = document.createElement("h2");
    title.id = "keys-title";
    title.textContent = "Keys";
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "Close";
    close.addEventListener("click", () => dialog.close());
    dialog.setAttribute("aria-labelledby", title.id);
    dialog.append(title, document.adoptNode(keys), close);
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  };
  const KEYS = {
    j: () => move(1), n: () => move(1), k: () => move(-1), p: () => move(-1),
    o: () => press('li[data-item] > p > a[href^="/item?"]'), v: original,
    s: () => press('button[name="starred"]'), f: () => press('button[name="starred"]'),
    m: () => press('button[value="good"]', 'button[value="none"]'), x: () => press('button[value="noise"]', 'button[value="none"]'),
    h: () => { const to = earlier()[location.pathname + location.search]; if (to !== undefined) location.assign(to); },
    e: note, l: () => document.querySelector('main a[rel="next"]')?.click(),
    "/": () => document.querySelector('main input[type="search"]')?.focus(),
    "?": () => list().catch(() => location.assign("/keys")),
  };
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (off() || event.target.closest?.("input, textarea, select, dialog, [contenteditable]")) return;
    const went = begun !== null && event.timeStamp - begun < PATIENCE;
    begun = null;
    if (went && Object.hasOwn(GO, event.key)) {
      event.preventDefault();
      return location.assign(GO[event.key]);
    }
    if (event.key === "g") { begun = event.timeStamp; return; }
    // On a link or a button, Enter is theirs.
    const key = event.key === "Enter" && document.activeElement?.matches("li[data-item]") ? "o" : event.key;
    if (!Object.hasOwn(KEYS, key)) return;
    event.preventDefault();
    KEYS[key]();
  });
  // A press leads back to the item that it was about.
  const last = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
  if (last?.matches("li[data-item]")) last.focus();
  // Whoever speaks to a computer may not want single keys.
  const own = location.pathname === "/keys" ? document.querySelector("main") : null;
  if (own !== null) {
    const turn = document.createElement("button");
    turn.type = "button";
    const told = () => { turn.textContent = off() ? "Turn keys on in this browser" : "Turn keys off in this browser"; };
    turn.addEventListener("click", () => {
      try { if (off()) localStorage.removeItem(OFF); else localStorage.setItem(OFF, "off"); } catch { turn.disabled = true; }
      told();
    });
    told();
    own.append(turn);
  }
})();
