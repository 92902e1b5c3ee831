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
import { language, services, stateOf, words } from "./page.ts";

/** Shows another state of one service, and what it means for its group and for all. */
export function showState(id: string, state: PublicState): void {
  const service = services().find((one) => one.id === id);
  if (service === undefined || words().states[state] === undefined) return;
  service.dataset["state"] = state;
  point(service.querySelector(".state use"), shapeOf[state]);
  write(service.querySelector(".word"), words().states[state]);
  countGroups();
  showOverall(overallState(services().map(stateOf), openImpacts()));
}

/** Shows the state of all together: band, title, counts. */
export function showOverall(state: OverallState): void {
  const band = document.querySelector<HTMLElement>("#overall");
  if (band === null) return;
  const states = services().map(stateOf);
  const headline = headlineOf(state, states);
  const counts = countStates(states);
  const text = headlineText(words(), headline, counts, language());
  const { look, shape } = lookOfAll(state, headline);
  band.dataset["look"] = look;
  point(band.querySelector(".state use"), shape);
  write(band.querySelector("#headline"), text);
  write(band.querySelector("#counts"), counts.total === 0 ? "" : countsText(words(), counts));
  const title = document.querySelector<HTMLMetaElement>('meta[property="og:site_name"]')?.content ?? "";
  document.title = state === "operational" ? title : `${text} · ${title}`;
}

function countGroups(): void {
  for (const group of document.querySelectorAll(".group")) {
    const states = services(group).map(stateOf);
    const count = states.filter((state) => verdictOf(state) === "well").length;
    write(group.querySelector(".count"), fill(words().counts.well, { count, total: states.length }));
  }
}

/** How bad the announced incidents are that the page shows as open. */
function openImpacts(): Impact[] {
  const marks = [...document.querySelectorAll<HTMLElement>(".open .mark")];
  return marks.flatMap(({ dataset }) => impacts.find((impact) => impact === dataset["impact"]) ?? []);
}

const point = (use: Element | null, shape: string) => use?.setAttribute("href", `#i-${shape}`);

function write(element: Element | null, text: string): void {
  if (element !== null && element.textContent !== text) element.textContent = text;
}
