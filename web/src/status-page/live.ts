import type { OverallEvent, StateEvent } from "@sonde/proto/http/status/status";
import { announceChanges, forgetLatestStates, showOverall, takeState } from "./states.ts";
import { scriptWords } from "./page.ts";
import { ageMs, refresh } from "./refresh.ts";
import { updateAges } from "./times.ts";

/** Beside the page's feed, on the host that the page came from. */
function eventsPath(): string {
  const feed = document.querySelector('link[type="application/atom+xml"]')?.getAttribute("href");
  return new URL("events", new URL(feed ?? "/api/status/", location.href)).pathname;
}

const tickMs = 10_000;
/** As the server counts: it reports at least each minute that all is current. */
const silentAfterMs = 180_000;
const staleAfterMs = 60_000;
/** Days and response times come by no event. */
const oldAfterMs = 300_000;
const [firstWaitMs, maxWaitMs] = [1000, 60_000];

let heardAtMs = 0;

/** Keeps the page live: states by events, everything else by fetching it again. Answers what ends it. */
export function live(): () => void {
  const ending = new AbortController();
  heardAtMs = Date.now();
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

/** `wasLost`: there was a stream before, and what it would have sent in between is not known. */
function follow(waitMs: number, wasLost: boolean, signal: AbortSignal): void {
  if (signal.aborted) return;
  const source = new EventSource(eventsPath());
  signal.addEventListener("abort", () => source.close());
  const on = <Event>(name: string, act: (event: Event) => void) =>
    source.addEventListener(name, ({ data }: MessageEvent<string>) => {
      heardAtMs = Date.now();
      act(JSON.parse(data) as Event);
    });
  on<StateEvent>("monitor", ({ id, status }) => change(() => takeState(`m${id}`, status)));
  on<StateEvent>("agent", ({ id, status }) => change(() => takeState(`a${id}`, status)));
  on<OverallEvent>("status", (event) => change(() => takeOverall(event)));
  // Not all at once: a crowd of readers receives this in the same instant.
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
    // While it only waits, the browser itself tries again.
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

/** Whether what the page shows may be true no more. */
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

/** A page that cannot be fetched stays as it is; the stream, or the next event, tries again. */
const renew = (): Promise<void> => refresh().catch(() => undefined);

function tick(): void {
  updateAges();
  if (Date.now() - heardAtMs > silentAfterMs) showOutdated(true);
}

/** Whether the stream is there, beside how old the data is. */
function showConnection(state: "live" | "lost"): void {
  document.body.dataset["live"] = state;
  const element = document.querySelector<HTMLElement>("#live");
  if (element === null) return;
  element.hidden = false;
  element.dataset["live"] = state;
  element.textContent = scriptWords()[state];
}
