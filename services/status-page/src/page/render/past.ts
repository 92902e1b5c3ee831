import type { PublicIncident } from "@sonde/proto/http/status/status";
import { type Html, html } from "@sonde/kit/http/html";
import { dayText, longDayText, monthText } from "./figures.ts";
import { type Level, link, pastIncident } from "./incidents.ts";
import type { PageView } from "./input.ts";
import { pastMaintenance } from "./maintenance.ts";

const dayMs = 86_400_000;
const pastDays = 14;

type PastEntry = { at: string; content: Html };

/** Past and open entries, the newest first: past ones by the instant when they ended, open ones by `openAt`'s. */
function entriesOf(view: PageView, level: Level, openAt: (incident: PublicIncident) => string): PastEntry[] {
  const incidents = view.status.incidents.map((incident) => ({
    at: incident.closedAt ?? openAt(incident),
    content: pastIncident(incident, level, view),
  }));
  const maintenance = view.status.maintenance.flatMap((one) =>
    one.status === "ended" ? [{ at: one.end, content: pastMaintenance(one, level, view) }] : [],
  );
  return [...incidents, ...maintenance].toSorted((one, other) => other.at.localeCompare(one.at));
}

/** The last two weeks by UTC day; neighbouring days without any incident are one line. */
export function pastSection(view: PageView): Html {
  const { say, nowMs } = view;
  const now = new Date(nowMs).toISOString();
  const byDay = Map.groupBy(
    entriesOf(view, 4, () => now),
    ({ at }) => dayOf(at),
  );
  const today = Math.floor(nowMs / dayMs) * dayMs;
  const days = Array.from({ length: pastDays }, (_, ago) => dayOf(new Date(today - ago * dayMs).toISOString()));
  const touched = (day: string) =>
    view.status.incidents.some(({ openedAt, closedAt = now }) => dayOf(openedAt) <= day && day <= dayOf(closedAt));
  const isQuiet = (day: string) => !byDay.has(day) && !touched(day);
  const parts: Html[] = [];
  for (const [index, day] of days.entries()) {
    const entries = byDay.get(day);
    if (entries !== undefined) parts.push(fullDay(day, entries, view));
    if (!isQuiet(day) || (index > 0 && isQuiet(days[index - 1]!))) continue;
    const rest = days.slice(index);
    const length = rest.findIndex((one) => !isQuiet(one));
    parts.push(quietDays(rest.at(length === -1 ? -1 : length - 1)!, day, view));
  }
  return html`<section class="past-days" aria-labelledby="past-title">
    <header>
      <h2 id="past-title">${say.pastTitle}</h2>
      ${link(view, "/status/history", say.history)}
    </header>
    <ol>
      ${parts}
    </ol>
  </section>`;
}

/** The day in UTC of an instant in ISO 8601. */
const dayOf = (at: string): string => at.slice(0, 10);

const fullDay = (day: string, entries: readonly PastEntry[], { language }: PageView): Html =>
  html`<li>
    <h3>${longDayText(day, language)}</h3>
    <ul>
      ${entries.map(({ content }) => content)}
    </ul>
  </li>`;

const quietDays = (from: string, to: string, view: PageView): Html =>
  html`<li class="quiet">
    <h3>${dayText(from, to, view)}</h3>
    <span>${view.say.noIncidents}</span>
  </li>`;

/** Ninety days by month, including open incidents. */
export function months(view: PageView): Html {
  const entries = entriesOf(view, 3, ({ openedAt }) => openedAt);
  if (entries.length === 0) return html`<p class="empty">${view.say.noIncidentsEver}</p>`;
  const byMonth = Map.groupBy(entries, ({ at }) => at.slice(0, 7));
  const sorted = [...byMonth].toSorted(([one], [other]) => other.localeCompare(one));
  return html`<div class="past-days">
    ${sorted.map(
      ([month, list]) =>
        html`<section>
          <h2>${monthText(`${month}-01`, view.language)}</h2>
          <ul>
            ${list.map(({ content }) => content)}
          </ul>
        </section>`,
    )}
  </div>`;
}
