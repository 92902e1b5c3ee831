import { createPath, type Location, NavigationType, type Navigator, parsePath, type To } from "react-router-dom";

export type Snapshot = { location: Location; action: NavigationType };
/** A navigation that was held back: let it go on, or forget it. */
export type Held = { to: Location; proceed: () => void };
type Blocker = (held: Held) => void;

/** What a session's history entry keeps: its own state, and its index, by which a step back is told from a step forward. */
type Entry = { usr: unknown; key: string; idx: number };

/**
 * The browser's history for react-router's declarative `Router`, with what that lacks: `block`, so that unsaved work can
 * hold a navigation back. The data router would bring 17 KB for it.
 */
export type AppHistory = Navigator & {
  snapshot: () => Snapshot;
  listen: (listener: () => void) => () => void;
  /**
   * While there is a blocker it gets every navigation to another page, or to another query (a tab). A query that replaces
   * the present one is what the page notes of itself, and no leaving. Answers the function that takes the blocker away.
   */
  block: (blocker: Blocker) => () => void;
};

export function createAppHistory(window: Window): AppHistory {
  const listeners = new Set<() => void>();
  let blocker: Blocker | null = null;
  // A step that we took back ourselves, or let pass: its popstate asks nobody.
  let passNextPop: "ignore" | "follow" | null = null;

  const entry = () => (window.history.state ?? {}) as Partial<Entry>;
  if (entry().idx === undefined) {
    window.history.replaceState({ ...entry(), key: "default", idx: 0 }, "");
  }
  let index = entry().idx ?? 0;
  let now: Snapshot = { location: read(), action: NavigationType.Pop };

  function read(): Location {
    const { pathname, search, hash } = window.location;
    const { usr = null, key = "default" } = entry();
    return { pathname, search, hash, state: usr as Location["state"], key };
  }
  function resolve(to: To, state: unknown): Location {
    const path = typeof to === "string" ? parsePath(to) : to;
    const key = Math.random().toString(36).slice(2, 10);
    return { pathname: now.location.pathname, search: "", hash: "", ...path, state: state ?? null, key };
  }
  function show(location: Location, action: NavigationType) {
    now = { location, action };
    for (const listener of listeners) listener();
  }
  /** Hands a navigation to the blocker, if there is one and it leads away. */
  function holds(to: Location, again: () => void, isReplaced = false): boolean {
    const { pathname, search } = now.location;
    if (blocker === null || (to.pathname === pathname && (isReplaced || to.search === search))) return false;
    const asked = blocker;
    asked({
      to,
      proceed: () => {
        if (blocker === asked) blocker = null;
        again();
      },
    });
    return true;
  }
  function write(to: To, state: unknown, action: NavigationType.Push | NavigationType.Replace) {
    const location = resolve(to, state);
    const isPush = action === NavigationType.Push;
    if (holds(location, () => write(to, state, action), !isPush)) return;
    if (isPush) index += 1;
    const kept: Entry = { usr: location.state, key: location.key, idx: index };
    window.history[isPush ? "pushState" : "replaceState"](kept, "", createPath(location));
    show(location, action);
  }
  function onPop() {
    const pass = passNextPop;
    passNextPop = null;
    if (pass === "ignore") return;
    const to = read();
    const delta = (entry().idx ?? 0) - index;
    const retry = () => {
      passNextPop = "follow";
      window.history.go(delta);
    };
    if (pass !== "follow" && delta !== 0 && holds(to, retry)) {
      passNextPop = "ignore";
      window.history.go(-delta);
      return;
    }
    index += delta;
    show(to, NavigationType.Pop);
  }
  window.addEventListener("popstate", onPop);

  return {
    createHref: (to) => (typeof to === "string" ? to : createPath(to)),
    go: (delta) => window.history.go(delta),
    push: (to, state: unknown) => write(to, state, NavigationType.Push),
    replace: (to, state: unknown) => write(to, state, NavigationType.Replace),
    snapshot: () => now,
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    block: (next) => {
      blocker = next;
      return () => {
        if (blocker === next) blocker = null;
      };
    },
  };
}
