import {
  verdictOf,
  type PublicAgent,
  type PublicGroup,
  type PublicMonitor,
  type PublicDay,
} from "@sonde/proto/http/status/status";
import { failedPart } from "@sonde/proto/http/monitors/failed-part";
import { fill, shapeOf } from "@sonde/proto/http/status/text";
import { type Html, html, trusted } from "@sonde/kit/http/html";
import { icon, type PageView, percentText, responseText, dayText, spanText } from "./view.ts";

type Shown = { id: string; target: PublicMonitor | PublicAgent };

/** All services, group by group; a reader may fold a group. */
export function groups(view: PageView): Html {
  const { status, say } = view;
  const byId = new Map<string, PublicMonitor | PublicAgent>([
    ...status.monitors.map((monitor) => [`m${monitor.id}`, monitor] as const),
    ...status.agents.map((agent) => [`a${agent.id}`, agent] as const),
  ]);
  const shown = status.groups.map((group) => ({ name: nameOf(group, view), services: servicesOf(group, byId) }));
  const filled = shown.filter(({ services }) => services.length > 0);
  if (filled.length === 0) return html`<p class="empty">${say.nothingShown}</p>`;
  return html`<section class="groups" aria-label="${say.services}">
    ${filled.map(({ name, services }) => group(name, services, view))}
  </section>`;
}

function servicesOf({ targets }: PublicGroup, byId: ReadonlyMap<string, PublicMonitor | PublicAgent>): Shown[] {
  return targets.flatMap(({ type, id }) => {
    const key = `${type === "agent" ? "a" : "m"}${id}`;
    const target = byId.get(key);
    return target === undefined ? [] : [{ id: key, target }];
  });
}

function nameOf({ name, targets }: PublicGroup, { say }: PageView): string {
  if (name !== null) return name;
  return targets.some(({ type }) => type === "agent") ? say.agents : say.monitors;
}

function group(name: string, services: readonly Shown[], view: PageView): Html {
  const count = services.filter(({ target }) => verdictOf(target.status) === "well").length;
  const text = fill(view.say.script.counts.well, { count, total: services.length });
  return html`<details class="group" open>
    <summary>
      <h2>${name}</h2>
      <span class="count">${text}</span>${chevron}
    </summary>
    <ul>
      ${services.map(({ id, target }) => service(id, target, view))}
    </ul>
  </details>`;
}

const chevron = icon("chevron");

/** One service: a line with its state and figures, and the bars of its days. The id is what events of the stream name. */
function service(id: string, target: PublicMonitor | PublicAgent, view: PageView): Html {
  const { say, language } = view;
  const { name, status, uptime, coverage, days } = target;
  const isThin = uptime !== null && coverage !== null && coverage < fullCoverage;
  const title = uptime === null ? say.noUptime : say.uptimeOf(days.length, percentText(uptime, language));
  return html`<li id="${id}" class="service" data-state="${status}">
    <div class="line-1">
      <span class="state">${icon(shapeOf[status])}</span>
      <h3>${name}</h3>
      <span class="word">${say.script.states[status]}</span>
      <span class="figures">
        ${"responseTime" in target && target.responseTime !== undefined && response(target, view)}
        ${isThin && html`<span class="coverage">${say.coverageOf(percentText(coverage, language))}</span>`}
        <span class="uptime" title="${title}"
          >${uptime === null ? say.noUptime : percentText(uptime, language)}<span class="sr"> ${say.uptime}</span></span
        >
      </span>
    </div>
    ${strip(name, days, view)}
  </li>`;
}

function response({ responseTime = 0, responseTimes = [] }: PublicMonitor, { say, language }: PageView): Html {
  return html`<span class="response" title="${say.responseTime}${say.colon}${say.responseTimeText}"
    >${sparkline(responseTimes)}<span class="sr">${say.responseTime} </span
    ><span class="ms">${responseText(responseTime, language)}</span></span
  >`;
}

const maxPoints = 32;
/** Units of the picture: whole numbers are fine enough, and few bytes. */
const step = 4;
const height = 36;
const margin = 3;

/** Response times as a line, oldest first; gaps stay gaps. Decoration: the latest figure is beside it. */
function sparkline(means: readonly (number | null)[]): Html | null {
  const points = thinned(means);
  const known = points.filter((point) => point !== null);
  if (known.length < 2) return null;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  // A service that answers evenly shows a flat line in the middle, not its noise.
  const spread = Math.max(high - low, high * 0.2, 1);
  const levelOf = (point: number) =>
    Math.round(height / 2 - ((point - (high + low) / 2) / spread) * (height - 2 * margin));
  let path = "";
  let [atX, atY, isGap] = [0, 0, true];
  for (const [index, point] of points.entries()) {
    if (point !== null) {
      const [x, y] = [index * step, levelOf(point)];
      path += `${isGap ? "m" : "l"}${x - atX} ${y - atY}`;
      [atX, atY] = [x, y];
    }
    isGap = point === null;
  }
  const width = (points.length - 1) * step;
  return trusted(
    `<svg class="line" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true"><path d="${path}"/></svg>`,
  );
}

/** Thins points to the width of the picture: means of neighbours. */
function thinned(means: readonly (number | null)[]): (number | null)[] {
  const size = Math.max(1, Math.ceil(means.length / maxPoints));
  return Array.from({ length: Math.ceil(means.length / size) }, (_, index) => {
    const known = means.slice(index * size, (index + 1) * size).filter((mean) => mean !== null);
    return known.length === 0 ? null : known.reduce((sum, mean) => sum + mean, 0) / known.length;
  });
}

/** On a phone the bars of the newest days alone are shown. */
const shownOnPhones = 45;

/**
 * The bars of a service, and below them the days that were not perfect, in words. Kept small: a perfect day is an empty
 * element, and each stretch of other days is described once, in the list, which the script uses for its tooltips:
 * `value` is its first bar, `data-n` the number of bars.
 */
function strip(name: string, days: readonly PublicDay[], view: PageView): Html | null {
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
  const more = count > 0 ? say.notableDays : since;
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
const fullCoverage = 99.5;
const thinCoverage = 90;

/** Without anything to report: it was monitored, and everything worked. */
const isPerfect = (day: PublicDay): boolean =>
  day.uptime === 100 &&
  (day.coverage ?? 0) >= fullCoverage &&
  !day.incidents &&
  !day.maintenanceMinutes &&
  !day.pausedMinutes;

const failedLooks = ["", "a", "b", "c", "d", "e", "f"] as const;

/**
 * How a day's bar looks, as letters of the style sheet: nothing for 100 %; a to f by how much failed; n no data, m maintenance,
 * p paused, z not there yet; with t maintenance in between, with l little coverage.
 */
function lookOf({ uptime, coverage, maintenanceMinutes = 0, pausedMinutes = 0 }: PublicDay): string {
  if (uptime === null) {
    if (coverage !== null) return "n";
    if (maintenanceMinutes > 0) return "m";
    return pausedMinutes > 0 ? "p" : "z";
  }
  const grade = failedLooks[failedPart(100 - uptime)];
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
