import type { OverallEvent, StateEvent } from "@sonde/proto/http/status/status";
import { announceChanges, forgetLatestStates, showOverall, applyState } from "./states.ts";
import { scriptWords } from "./page.ts";
import { ageMs, refresh } from "./refresh.ts";
import { updateAges } from "./times.ts";

/** The stream is next to the page's feed, on the page's host. */
function eventsPath(): string {
  const feed = document.querySelector('link[type="application/atom+xml"]')?.getAttribute("href");
  return new URL("events", new URL(feed ?? "/api/status/", location.href)).pathname;
}

const tickMs = 10_000;
/** Same limit as on the server, which sends an event at least once a minute. */
const silentAfterMs = 180_000;
const staleAfterMs = 60_000;
/** Days and response times have no events. */
const oldAfterMs = 300_000;
const [firstWaitMs, maxWaitMs] = [1000, 60_000];

let lastEventAtMs = 0;

/** Keeps the page up to date through events and refetches. Returns a function that stops it. */
export function live(): () => void {
  const ending = new AbortController();
  lastEventAtMs = Date.now();
  follow(firstWaitMs, false, ending.signal);
  const ticking = setInterval(tick, tickMs);
  document.addEventListener(
    "visibilitychange",
    () => {
      if (document.visibilityState === "visible" && ageMs() > staleAfterMs) void renew();
    },
    ending,
  );
  return () => {
    ending.abort();
    clearInterval(ticking);
  };
}

/** `wasLost`: an earlier stream was interrupted, so events may have been missed. */
function follow(waitMs: number, wasLost: boolean, signal: AbortSignal): void {
  if (signal.aborted) return;
  const source = new EventSource(eventsPath());
  signal.addEventListener("abort", () => source.close());
  const on = <Event>(name: string, act: (event: Event) => void) =>
    source.addEventListener(name, ({ data }: MessageEvent<string>) => {
      lastEventAtMs = Date.now();
      act(JSON.parse(data) as Event);
    });
  on<StateEvent>("monitor", ({ id, status }) => change(() => applyState(`m${id}`, status)));
  on<StateEvent>("agent", ({ id, status }) => change(() => applyState(`a${id}`, status)));
  on<OverallEvent>("status", (event) => change(() => takeOverall(event)));
  // Delayed randomly, because many visitors receive this event at once.
  on("changed", () => soon());
  let nextWaitMs = waitMs;
  source.addEventListener("open", () => {
    if (wasLost) soon();
    [wasLost, nextWaitMs] = [false, firstWaitMs];
    showConnection("live");
  });
  source.addEventListener("error", () => {
    wasLost = true;
    forgetLatestStates();
    showConnection("lost");
    // The browser reconnects unless the stream is closed.
    if (source.readyState !== EventSource.CLOSED) return;
    source.close();
    const longer = Math.min(nextWaitMs * 2, maxWaitMs);
    setTimeout(() => follow(longer, true, signal), nextWaitMs * (0.5 + Math.random()));
  });
}

function change(act: () => void): void {
  announceChanges();
  act();
}

function takeOverall({ state, updatedAt, outdated }: OverallEvent): void {
  showOverall(state);
  const times = document.querySelectorAll<HTMLTimeElement>("#updated time, #outdated time");
  for (const time of times) time.dateTime = updatedAt ?? time.dateTime;
  showOutdated(outdated);
  updateAges();
  if (document.visibilityState === "visible" && ageMs() > oldAfterMs) soon(30_000);
}

function showOutdated(outdated: boolean): void {
  document.querySelector("#outdated")?.toggleAttribute("hidden", !outdated);
}

let isSoon = false;
function soon(withinMs = 1000): void {
  if (isSoon) return;
  isSoon = true;
  setTimeout(() => {
    isSoon = false;
    void renew();
  }, Math.random() * withinMs);
}

/** If a refetch fails, the stream or the next event causes another. */
const renew = (): Promise<void> => refresh().catch(() => undefined);

function tick(): void {
  updateAges();
  if (Date.now() - lastEventAtMs > silentAfterMs) showOutdated(true);
}

/** Shows whether the stream is connected. */
function showConnection(state: "live" | "lost"): void {
  document.body.dataset["live"] = state;
  const element = document.querySelector<HTMLElement>("#live");
  if (element === null) return;
  element.hidden = false;
  element.dataset["live"] = state;
  element.textContent = scriptWords()[state];
}
