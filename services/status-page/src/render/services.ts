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

type Shown = { id: string; target: PublicMonitor | PublicAgent; members: Shown[] };

export function groups(view: PageView): Html {
  const { status, texts } = view;
  const byId = new Map<string, PublicMonitor | PublicAgent>([
    ...status.monitors.map((monitor) => [`m${monitor.id}`, monitor] as const),
    ...status.agents.map((agent) => [`a${agent.id}`, agent] as const),
  ]);
  // Members are only below their group: the first that contains them, and the outer one before those within it.
  const folded = new Set(status.monitors.flatMap(({ members = [] }) => members.map((id) => `m${id}`)));
  const seen = new Set<string>();
  const shownOf = (keys: readonly string[]): Shown[] => {
    const own = keys.filter((id) => byId.has(id) && !seen.has(id));
    for (const id of own) seen.add(id);
    return own.map((id) => {
      const target = byId.get(id)!;
      const members = "members" in target ? (target.members ?? []) : [];
      return { id, target, members: shownOf(members.map((member) => `m${member}`)) };
    });
  };
  const shown = status.groups.map((group) => ({
    name: nameOf(group, view),
    services: shownOf(keysOf(group).filter((key) => !folded.has(key))),
  }));
  const filled = shown.filter(({ services }) => services.length > 0);
  if (filled.length === 0) return html`<p class="empty">${texts.nothingShown}</p>`;
  return html`<section class="groups" aria-label="${texts.services}">
    ${filled.map(({ name, services }) => group(name, services, view))}
  </section>`;
}

const keysOf = ({ targets }: PublicGroup) => targets.map(({ type, id }) => `${type === "agent" ? "a" : "m"}${id}`);

function nameOf({ name, targets }: PublicGroup, { texts }: PageView): string {
  if (name !== null) return name;
  return targets.some(({ type }) => type === "agent") ? texts.agents : texts.monitors;
}

function group(name: string, services: readonly Shown[], view: PageView): Html {
  const all = withMembers(services);
  const count = all.filter(({ target }) => verdictOf(target.status) === "well").length;
  const text = fill(view.texts.script.counts.well, { count, total: all.length });
  return html`<details class="group" open>
    <summary>
      <h2>${name}</h2>
      <span class="count">${text}</span>${chevron}
    </summary>
    <ul>
      ${services.map((shown) => service(shown, view))}
    </ul>
  </details>`;
}

const withMembers = (services: readonly Shown[]): Shown[] =>
  services.flatMap((one) => [one, ...withMembers(one.members)]);

const chevron = icon("chevron");

/**
 * Renders one service: a line with its state and figures, its bars, and the members of a group, folded. Events of the
 * stream refer to the id.
 */
function service({ id, target, members }: Shown, view: PageView): Html {
  const { texts, language } = view;
  const { name, status, uptime, coverage, days } = target;
  const isThin = uptime !== null && coverage !== null && coverage < fullCoverage;
  const title = uptime === null ? texts.noUptime : texts.uptimeOf(days.length, percentText(uptime, language));
  return html`<li id="${id}" class="service" data-state="${status}">
    <div class="line-1">
      <span class="state">${icon(shapeOf[status])}</span>
      <h3>${name}</h3>
      <span class="word">${texts.script.states[status]}</span>
      <span class="figures">
        ${"responseTime" in target && target.responseTime !== undefined && response(target, view)}
        ${isThin && html`<span class="coverage">${texts.coverageOf(percentText(coverage, language))}</span>`}
        <span class="uptime" title="${title}"
          >${uptime === null ? texts.noUptime : percentText(uptime, language)}<span class="sr">
            ${texts.uptime}</span
          ></span
        >
      </span>
    </div>
    ${strip(name, days, view)}
    ${
      members.length > 0 &&
      html`<details class="members">
        <summary>${texts.members(members.length)}${chevron}</summary>
        <ul>
          ${members.map((member): Html => service(member, view))}
        </ul>
      </details>`
    }
  </li>`;
}

function response({ responseTime = 0, responseTimes = [] }: PublicMonitor, { texts, language }: PageView): Html {
  return html`<span class="response" title="${texts.responseTime}${texts.colon}${texts.responseTimeText}"
    >${sparkline(responseTimes)}<span class="sr">${texts.responseTime} </span
    ><span class="ms">${responseText(responseTime, language)}</span></span
  >`;
}

const maxPoints = 32;
/** Units of the picture: whole numbers are fine enough and take few bytes. */
const step = 4;
const height = 36;
const margin = 3;

/** Renders response times as a line, oldest first, with gaps. Decorative: the latest figure is next to it. */
function sparkline(means: readonly (number | null)[]): Html | null {
  const points = thinned(means);
  const known = points.filter((point) => point !== null);
  if (known.length < 2) return null;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  // Shows even response times as a flat line in the middle, not as noise.
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

/** Reduces points to the width of the picture by averaging neighbours. */
function thinned(means: readonly (number | null)[]): (number | null)[] {
  const size = Math.max(1, Math.ceil(means.length / maxPoints));
  return Array.from({ length: Math.ceil(means.length / size) }, (_, index) => {
    const known = means.slice(index * size, (index + 1) * size).filter((mean) => mean !== null);
    return known.length === 0 ? null : known.reduce((sum, mean) => sum + mean, 0) / known.length;
  });
}

/** Phones only show the newest days. */
const shownOnPhones = 45;

/**
 * Renders a service's bars, and below them the imperfect days in words. Kept small: a perfect day is an empty element,
 * and each stretch of other days is described once, in a list that the script uses for tooltips: `value` is its first
 * bar, `data-n` the number of bars.
 */
function strip(name: string, days: readonly PublicDay[], view: PageView): Html | null {
  const key = `${view.language} ${name}`;
  const own = written.get(days) ?? new Map<string, Html | null>();
  written.set(days, own);
  if (!own.has(key)) own.set(key, writeStrip(name, days, view));
  return own.get(key)!;
}

/** Cached by a snapshot's days: most of a page's cost, which is the same for each change of states. */
const written = new WeakMap<readonly PublicDay[], Map<string, Html | null>>();

function writeStrip(name: string, days: readonly PublicDay[], view: PageView): Html | null {
  const { texts } = view;
  const [first] = days;
  if (first === undefined) return null;
  const bars = days.map(barOf).join("");
  const stretches = notableStretches(days, view);
  // Days before monitoring are listed, but do not count as notable.
  const count = days.filter((day) => !isPerfect(day) && lookOf(day) !== "z").length;
  const begun = days.find((day) => lookOf(day) !== "z");
  const since = begun === undefined ? texts.noUptime : texts.monitoredSince(dayText(begun.date, begun.date, view));
  const more = count > 0 ? texts.notableDays : since;
  const ends = [
    html`<span class="all">${texts.daysAgo(days.length)}</span>`,
    days.length > shownOnPhones && html`<span class="few">${texts.daysAgo(shownOnPhones)}</span>`,
  ];
  const label = texts.strip(name, days.length);
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
        ? html`<p class="ends">${ends}<span>${texts.today}</span></p>`
        : html`<details class="ends">
            <summary>${ends}<span class="more">${more}</span><span>${texts.today}</span></summary>
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

/** Below this, coverage is shown next to the uptime. */
const fullCoverage = 99.5;
const thinCoverage = 90;

/** Whether a day has nothing to report: fully monitored and fully up. */
const isPerfect = (day: PublicDay): boolean =>
  day.uptime === 100 &&
  (day.coverage ?? 0) >= fullCoverage &&
  !day.incidents &&
  !day.maintenanceMinutes &&
  !day.pausedMinutes;

const failedLooks = ["", "a", "b", "c", "d", "e", "f"] as const;

/**
 * Returns a bar's classes: none for 100 %; a to f by how much failed; n no data, m maintenance, p paused, z before
 * monitoring; plus t for partial maintenance, l for low coverage.
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

function dayWords(day: PublicDay, { texts, language }: PageView): string {
  const { uptime, coverage, incidents = 0, maintenanceMinutes = 0, pausedMinutes = 0 } = day;
  const wasDue = coverage !== null;
  const nothing = wasDue ? texts.day.noData : texts.day.before;
  const parts = [
    uptime !== null && texts.day.uptime(percentText(uptime, language)),
    uptime === null && maintenanceMinutes === 0 && pausedMinutes === 0 && nothing,
    uptime === null && wasDue && (maintenanceMinutes > 0 || pausedMinutes > 0) && texts.day.noData,
    wasDue && uptime !== null && texts.day.coverage(percentText(coverage, language)),
    incidents > 0 ? texts.day.incidents(incidents) : uptime !== null && texts.day.noIncidents,
    maintenanceMinutes > 0 && texts.day.maintenance(spanText(maintenanceMinutes * 60_000, language)),
    pausedMinutes > 0 && texts.day.paused(spanText(pausedMinutes * 60_000, language)),
  ];
  return parts.filter((part) => part !== false).join(texts.script.comma);
}

type Stretch = { first: number; last: number; dates: string; text: string };

/** Returns the imperfect days, newest first; neighbours with the same text are one stretch. */
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
