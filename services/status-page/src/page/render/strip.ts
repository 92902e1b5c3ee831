import type { PublicDay } from "@sonde/proto/http/status/status";
import { type Html, html, trusted } from "@sonde/kit/http/html";
import { isPerfect, lookOf, notableStretches } from "./days.ts";
import { dayText } from "./figures.ts";
import type { PageView } from "./input.ts";

/** On a phone the bars of the newest days alone are shown. */
const shownOnPhones = 45;

/**
 * The bars of a service, and below them the days that were not perfect, in words. Kept small: a perfect day is an empty
 * element, and each stretch of other days is described once, in the list, which the script uses for its tooltips:
 * `value` is its first bar, `data-n` the number of bars.
 */
export function strip(name: string, days: readonly PublicDay[], view: PageView): Html | null {
  const key = `${view.language} ${name}`;
  const own = written.get(days) ?? new Map<string, Html | null>();
  written.set(days, own);
  if (!own.has(key)) own.set(key, writeStrip(name, days, view));
  return own.get(key)!;
}

/** By a snapshot's days: most of a page's cost, which is the same at each change of states. */
const written = new WeakMap<readonly PublicDay[], Map<string, Html | null>>();

function writeStrip(name: string, days: readonly PublicDay[], view: PageView): Html | null {
  const { say } = view;
  const [first] = days;
  if (first === undefined) return null;
  const bars = days.map(barOf).join("");
  const stretches = notableStretches(days, view);
  // Days before monitoring are in the list, but do not count as worth opening it.
  const count = days.filter((day) => !isPerfect(day) && lookOf(day) !== "z").length;
  const begun = days.find((day) => lookOf(day) !== "z");
  const since = begun === undefined ? say.noUptime : say.monitoredSince(dayText(begun.date, begun.date, view));
  const more = count > 0 ? say.notableDays(count) : since;
  const ends = [
    html`<span class="all">${say.daysAgo(days.length)}</span>`,
    days.length > shownOnPhones && html`<span class="few">${say.daysAgo(shownOnPhones)}</span>`,
  ];
  const label = say.strip(name, days.length);
  return html`<div
      class="bars${days.length > shownOnPhones && " many"}"
      role="img"
      aria-label="${label}"
      data-from="${first.date}"
    >
      ${trusted(bars)}
    </div>
    ${
      stretches.length === 0
        ? html`<p class="ends">${ends}<span>${say.today}</span></p>`
        : html`<details class="ends">
            <summary>${ends}<span class="more">${more}</span><span>${say.today}</span></summary>
            <ol>
              ${stretches.map(
                ({ first: from, last, dates, text }) =>
                  html`<li value="${from}" ${last > from && html` data-n="${last - from + 1}"`}>
                    <b>${dates}</b> <span>${text}</span>
                  </li>`,
              )}
            </ol>
          </details>`
    }`;
}

function barOf(day: PublicDay): string {
  const look = lookOf(day);
  if (look === "") return "<i></i>";
  return look.includes(" ") ? `<i class="${look}"></i>` : `<i class=${look}></i>`;
}
