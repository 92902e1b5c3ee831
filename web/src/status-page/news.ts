import { fill } from "@sonde/proto/http/status/text";
import { nameOf, services, stateOf, words } from "./page.ts";

const mostNames = 5;
/** States that change together are announced together. */
const settleMs = 300;

export type ShownStates = { headline: string; states: Map<string, string> };

export function knownNow(): ShownStates {
  return {
    headline: document.querySelector("#headline")?.textContent ?? "",
    states: new Map(services().map((service) => [service.id, stateOf(service)])),
  };
}

let before: ShownStates | null = null;

/** To be called before something changes: what is different a moment later is announced in the live region, and nothing else. */
export function announceChanges(): void {
  if (before !== null) return;
  before = knownNow();
  setTimeout(() => {
    const known = before!;
    before = null;
    const text = newsSince(known);
    const region = document.querySelector("#news");
    if (text !== "" && region !== null) region.textContent = text;
  }, settleMs);
}

/** The changes of all together and of each service, in words; empty where nothing changed. */
export function newsSince(known: ShownStates): string {
  const { headline } = knownNow();
  const changed = services().filter((service) => {
    const state = known.states.get(service.id);
    return state !== undefined && state !== stateOf(service);
  });
  const named = changed
    .slice(0, mostNames)
    .map((service) => fill(words().changed, { name: nameOf(service), state: words().states[stateOf(service)] }));
  const rest = changed.length - named.length;
  const parts = [headline === known.headline ? "" : headline, ...named];
  if (rest > 0) parts.push(fill(words().andMore, { count: rest }));
  return parts.filter((part) => part !== "").join(words().comma);
}
