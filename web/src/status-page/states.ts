import {
  headlineOf,
  type Impact,
  impacts,
  type OverallState,
  overallState,
  type PublicState,
  verdictOf,
} from "@sonde/proto/http/status/states";
import { countStates, fill, lookOfAll, countsText, headlineText, shapeOf } from "@sonde/proto/http/status/text";
import { language, serviceElements, stateOf, scriptWords, serviceName } from "./page.ts";

/** A document may be older than recent events, because rendering takes time. */
const documentLagMs = 15_000;
const latest = new Map<string, { state: PublicState; atMs: number }>();

/** Shows a state from an event. */
export function applyState(id: string, state: PublicState): void {
  latest.set(id, { state, atMs: Date.now() });
  showState(id, state);
}

/** Applies recent events again to a refetched document, which may have been rendered before them. */
export function showLatestStates(): void {
  for (const [id, { state, atMs }] of latest) {
    if (Date.now() - atMs > documentLagMs) latest.delete(id);
    else showState(id, state);
  }
}

/** After a gap in the stream, earlier events may be outdated. */
export const forgetLatestStates = (): void => latest.clear();

function showState(id: string, state: PublicState): void {
  const service = serviceElements().find((one) => one.id === id);
  if (service === undefined || scriptWords().states[state] === undefined) return;
  service.dataset["state"] = state;
  point(service.querySelector(".state use"), shapeOf[state]);
  write(service.querySelector(".word"), scriptWords().states[state]);
  countGroups();
  showOverall(overallState(serviceElements().map(stateOf), openImpacts()));
}

export function showOverall(state: OverallState): void {
  const band = document.querySelector<HTMLElement>("#overall");
  if (band === null) return;
  const states = serviceElements().map(stateOf);
  const headline = headlineOf(state, states);
  const counts = countStates(states);
  const text = headlineText(scriptWords(), headline, counts, language());
  const { look, shape } = lookOfAll(state, headline);
  band.dataset["look"] = look;
  point(band.querySelector(".state use"), shape);
  write(band.querySelector("#headline"), text);
  write(band.querySelector("#counts"), counts.total === 0 ? "" : countsText(scriptWords(), counts));
  const title = document.querySelector<HTMLMetaElement>('meta[property="og:site_name"]')?.content ?? "";
  document.title = state === "operational" ? title : `${text} · ${title}`;
}

function countGroups(): void {
  for (const group of document.querySelectorAll(".group")) {
    const states = serviceElements(group).map(stateOf);
    const count = states.filter((state) => verdictOf(state) === "well").length;
    write(group.querySelector(".count"), fill(scriptWords().counts.well, { count, total: states.length }));
  }
}

function openImpacts(): Impact[] {
  const marks = [...document.querySelectorAll<HTMLElement>(".open .mark")];
  return marks.flatMap(({ dataset }) => impacts.find((impact) => impact === dataset["impact"]) ?? []);
}

const point = (use: Element | null, shape: string) => use?.setAttribute("href", `#i-${shape}`);

function write(element: Element | null, text: string): void {
  if (element !== null && element.textContent !== text) element.textContent = text;
}

const maxNames = 5;
/** Combines changes within this time into one announcement. */
const settleMs = 300;

const headlineNow = () => document.querySelector("#headline")?.textContent ?? "";
let isWaiting = false;

/** Call before a change. Shortly afterwards, announces the differences in the live region. */
export function announceChanges(): void {
  if (isWaiting) return;
  isWaiting = true;
  const headline = headlineNow();
  const states = new Map(serviceElements().map((service) => [service.id, stateOf(service)]));
  setTimeout(() => {
    isWaiting = false;
    const text = newsSince(headline, states);
    const region = document.querySelector("#news");
    if (text !== "" && region !== null) region.textContent = text;
  }, settleMs);
}

/** Describes changes of the headline and of each service. Empty if nothing changed. */
function newsSince(headline: string, states: ReadonlyMap<string, PublicState>): string {
  const changed = serviceElements().filter((service) => {
    const state = states.get(service.id);
    return state !== undefined && state !== stateOf(service);
  });
  const named = changed
    .slice(0, maxNames)
    .map((service) =>
      fill(scriptWords().changed, { name: serviceName(service), state: scriptWords().states[stateOf(service)] }),
    );
  const rest = changed.length - named.length;
  const parts = [headlineNow() === headline ? "" : headlineNow(), ...named];
  if (rest > 0) parts.push(fill(scriptWords().andMore, { count: rest }));
  return parts.filter((part) => part !== "").join(scriptWords().comma);
}
