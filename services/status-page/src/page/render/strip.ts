import type { PublicDay } from "@sonde/proto/http/status/status";
import { type Html, html, trusted } from "@sonde/kit/http/html";
import { dayText, percentText, spanText } from "./figures.ts";
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

/** Below this coverage is written beside the uptime. */
export const fullCoverage = 99.5;
const thinCoverage = 90;

/** Without anything to report: it was monitored, and everything worked. */
const isPerfect = (day: PublicDay): boolean =>
  day.uptime === 100 &&
  (day.coverage ?? 0) >= fullCoverage &&
  !day.incidents &&
  !day.maintenanceMinutes &&
  !day.pausedMinutes;

/**
 * How a day's bar looks, as letters of the style sheet: nothing for 100 %; a to c by uptime; n no data, m maintenance,
 * p paused, z not there yet; with t maintenance in between, with l little coverage.
 */
function lookOf({ uptime, coverage, maintenanceMinutes = 0, pausedMinutes = 0 }: PublicDay): string {
  if (uptime === null) {
    if (coverage !== null) return "n";
    if (maintenanceMinutes > 0) return "m";
    return pausedMinutes > 0 ? "p" : "z";
  }
  const grade = uptime === 100 ? "" : uptime >= 99.5 ? "a" : uptime >= 95 ? "b" : "c";
  const marks = [grade, maintenanceMinutes > 0 ? "t" : "", (coverage ?? 0) < thinCoverage ? "l" : ""];
  return marks.filter((mark) => mark !== "").join(" ");
}

/** A day in words, without its date. */
function dayWords(day: PublicDay, { say, language }: PageView): string {
  const { uptime, coverage, incidents = 0, maintenanceMinutes = 0, pausedMinutes = 0 } = day;
  const wasDue = coverage !== null;
  const nothing = wasDue ? say.day.noData : say.day.before;
  const parts = [
    uptime !== null && say.day.uptime(percentText(uptime, language)),
    uptime === null && maintenanceMinutes === 0 && pausedMinutes === 0 && nothing,
    uptime === null && wasDue && (maintenanceMinutes > 0 || pausedMinutes > 0) && say.day.noData,
    wasDue && uptime !== null && say.day.coverage(percentText(coverage, language)),
    incidents > 0 ? say.day.incidents(incidents) : uptime !== null && say.day.noIncidents,
    maintenanceMinutes > 0 && say.day.maintenance(spanText(maintenanceMinutes * 60_000, language)),
    pausedMinutes > 0 && say.day.paused(spanText(pausedMinutes * 60_000, language)),
  ];
  return parts.filter((part) => part !== false).join(say.script.comma);
}

type Stretch = { first: number; last: number; dates: string; text: string };

/** The days that were not perfect, the newest first; neighbours with the same text are one stretch. */
function notableStretches(days: readonly PublicDay[], view: PageView): Stretch[] {
  const found: { first: number; last: number; text: string }[] = [];
  for (const [index, day] of days.entries()) {
    if (isPerfect(day)) continue;
    const text = dayWords(day, view);
    const before = found.at(-1);
    if (before?.last === index - 1 && before.text === text) before.last = index;
    else found.push({ first: index, last: index, text });
  }
  return found
    .map((one) => ({ ...one, dates: dayText(days[one.first]!.date, days[one.last]!.date, view) }))
    .toReversed();
}
