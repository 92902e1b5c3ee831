import { type Html, html } from "../../html.ts";
import { dayText, longDayText, monthText } from "./figures.ts";
import { type Level, link, pastIncident } from "./incidents.ts";
import type { View } from "./input.ts";
import { pastMaintenance } from "./maintenance.ts";

const dayMs = 86_400_000;
const pastDays = 14;

type Entry = { at: string; content: Html };

/** What is over, the newest first, each at the day when it ended. */
function endedEntries(level: Level, view: View): Entry[] {
  const incidents = view.status.incidents.flatMap((incident) =>
    incident.closedAt === undefined ? [] : [{ at: incident.closedAt, content: pastIncident(incident, level, view) }],
  );
  const maintenance = view.status.maintenance.flatMap((one) =>
    one.status === "ended" ? [{ at: one.end, content: pastMaintenance(one, level, view) }] : [],
  );
  return [...incidents, ...maintenance].toSorted((one, other) => other.at.localeCompare(one.at));
}

/** The last two weeks by UTC day; days without anything are one line together. */
export function pastSection(view: View): Html {
  const { say, nowMs } = view;
  const byDay = Map.groupBy(endedEntries(4, view), ({ at }) => at.slice(0, 10));
  const today = Math.floor(nowMs / dayMs) * dayMs;
  const days = Array.from({ length: pastDays }, (_, ago) => new Date(today - ago * dayMs).toISOString().slice(0, 10));
  const parts: Html[] = [];
  for (let index = 0; index < days.length;) {
    const entries = byDay.get(days[index]!);
    let next = index + 1;
    if (entries === undefined) {
      while (next < days.length && !byDay.has(days[next]!)) next++;
      parts.push(quietDays(days[next - 1]!, days[index]!, view));
    } else {
      parts.push(
        html`<li>
          <h3>${longDayText(days[index]!, view.language)}</h3>
          <ul>
            ${entries.map(({ content }) => content)}
          </ul>
        </li>`,
      );
    }
    index = next;
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

const quietDays = (from: string, to: string, view: View): Html =>
  html`<li class="quiet">
    <h3>${dayText(from, to, view)}</h3>
    <span>${view.say.noIncidents}</span>
  </li>`;

/** Ninety days by month, what is open among them. */
export function months(view: View): Html {
  const open = view.status.incidents.flatMap((incident) =>
    incident.closedAt === undefined ? [{ at: incident.openedAt, content: pastIncident(incident, 3, view) }] : [],
  );
  const entries = [...open, ...endedEntries(3, view)];
  if (entries.length === 0) return html`<p class="empty">${view.say.noIncidentsEver}</p>`;
  const byMonth = Map.groupBy(entries, ({ at }) => at.slice(0, 7));
  const sorted = [...byMonth].toSorted(([one], [other]) => other.localeCompare(one));
  return html`<div class="past-days">
    ${sorted.map(
      ([month, list]) =>
        html`<section>
          <h2>${monthText(`${month}-01`, view.language)}</h2>
          <ul>
            ${list.toSorted((one, other) => other.at.localeCompare(one.at)).map(({ content }) => content)}
          </ul>
        </section>`,
    )}
  </div>`;
}
