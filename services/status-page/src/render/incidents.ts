import type { PublicIncident, PublicUpdate, PublicMaintenance } from "@sonde/proto/http/status/status";
import { type Html, html, trusted } from "@sonde/kit/http/html";
import {
  rangeTags,
  spanText,
  timeTag,
  dayText,
  longDayText,
  monthText,
  icon,
  shapeOfImpact,
  addressOf,
  type PageView,
} from "./view.ts";

export const incidentPath = ({ id }: PublicIncident): string => `/status/incidents/${id}`;

/** Returns the title of an announcement; for an automatic incident, its kind and target. */
export function incidentTitle({ title, kind, targets, closedAt }: PublicIncident, { texts }: PageView): string {
  if (title !== undefined) return title;
  const words = closedAt === undefined ? texts.automaticOpen : texts.automatic;
  return words[kind === "announced" ? "down" : kind](targets[0]?.name ?? texts.aService);
}

/** Renders the impact with its shape. Of an automatic incident, only the current state is known. */
function impactMark({ impact, kind, closedAt }: PublicIncident, { texts }: PageView): Html | null {
  if (impact !== undefined) {
    return html`<span class="mark" data-impact="${impact}"
      >${icon(shapeOfImpact[impact])}${texts.impacts[impact]}</span
    >`;
  }
  if (closedAt !== undefined) return null;
  const word = texts.script.states[kind === "announced" ? "down" : kind];
  const [look, shape] = kind === "slow" ? ["minor", "partly"] : ["automatic", "ill"];
  return html`<span class="mark" data-impact="${look}">${icon(shape)}${word}</span>`;
}

const lengthOf = ({ openedAt, closedAt = openedAt }: PublicIncident): number =>
  Date.parse(closedAt) - Date.parse(openedAt);

/** Renders a link within the page; without an address in the preview. */
export function link(view: PageView, path: string, content: string): Html {
  return view.isPreview === true ? html`<a>${content}</a>` : html`<a href="${addressOf(view, path)}">${content}</a>`;
}

function updateEntry(update: PublicUpdate, view: PageView): Html {
  return html`<div class="update" data-update="${update.state}">
    <p class="update-head"><b>${view.texts.updates[update.state]}</b> ${timeTag(update.at, view)}</p>
    <div class="prose">${trusted(update.html)}</div>
  </div>`;
}

export function openIncidents(view: PageView): Html | null {
  const open = view.status.incidents.filter(({ closedAt }) => closedAt === undefined);
  if (open.length === 0) return null;
  return html`<section class="open" aria-labelledby="open-title">
    <h2 id="open-title">${view.texts.openIncidents}</h2>
    ${open.map((incident) => openIncident(incident, view))}
  </section>`;
}

function openIncident(incident: PublicIncident, view: PageView): Html {
  const { texts } = view;
  const [newest] = incident.updates;
  return html`<article id="open-${incident.id}" class="card incident">
    <header>
      <h3>${link(view, incidentPath(incident), incidentTitle(incident, view))}</h3>
      ${impactMark(incident, view)}
    </header>
    <p class="facts">
      ${texts.since}
      ${timeTag(incident.openedAt, view)}${
        incident.title !== undefined && incident.targets.length > 0 && html` · ${names(incident.targets, view)}`
      }
    </p>
    ${newest !== undefined && updateEntry(newest, view)}
  </article>`;
}

type Level = 3 | 4;

const heading = (level: Level, content: Html | string): Html =>
  level === 3 ? html`<h3>${content}</h3>` : html`<h4>${content}</h4>`;

function pastIncident(incident: PublicIncident, level: Level, view: PageView): Html {
  const { texts, language } = view;
  const { openedAt, closedAt } = incident;
  return html`<li class="past">
    ${heading(level, link(view, incidentPath(incident), incidentTitle(incident, view)))} ${impactMark(incident, view)}
    <p class="facts">
      ${
        closedAt === undefined
          ? html`${texts.ongoing} · ${texts.since} ${timeTag(openedAt, view)}`
          : html`${rangeTags(openedAt, closedAt, view)} · ${texts.lasted(spanText(lengthOf(incident), language))}`
      }${incident.title !== undefined && incident.targets.length > 0 && html` · ${names(incident.targets, view)}`}
    </p>
  </li>`;
}

const names = (targets: readonly { name: string }[], { texts }: PageView): string =>
  targets.map(({ name }) => name).join(texts.listComma);

export function incidentContent(incident: PublicIncident, view: PageView): Html {
  const { texts, language } = view;
  const { updates, postMortem, openedAt, closedAt, targets } = incident;
  const isOver = closedAt !== undefined;
  return html`<p class="back">${link(view, "/status", texts.back)}</p>
    <article class="incident-page">
      <header>
        <h1>${incidentTitle(incident, view)}</h1>
        ${impactMark(incident, view)}
      </header>
      <dl class="facts">
        <div>
          <dt>${texts.state}</dt>
          <dd>
            ${isOver ? texts.updates.resolved : incident.state === undefined ? texts.ongoing : texts.updates[incident.state]}
          </dd>
        </div>
        <div>
          <dt>${texts.began}</dt>
          <dd>${timeTag(openedAt, view)}</dd>
        </div>
        ${
          isOver &&
          html`<div>
              <dt>${texts.ended}</dt>
              <dd>${timeTag(closedAt, view)}</dd>
            </div>
            <div>
              <dt>${texts.duration}</dt>
              <dd>${spanText(lengthOf(incident), language)}</dd>
            </div>`
        }
        ${
          targets.length > 0 &&
          html`<div>
            <dt>${texts.affected}</dt>
            <dd>${names(targets, view)}</dd>
          </div>`
        }
      </dl>
      ${
        postMortem !== undefined &&
        html`<section class="card">
          <h2>${texts.postMortem}</h2>
          <div class="prose">${trusted(postMortem.html)}</div>
        </section>`
      }
      <section class="timeline">
        <h2>${texts.updatesTitle}</h2>
        ${
          updates.length === 0
            ? html`<p class="empty">${isOver ? texts.noUpdates : texts.noUpdatesYet}</p>`
            : html`<ol>
                ${updates.map((update) => html`<li>${updateEntry(update, view)}</li>`)}
              </ol>`
        }
      </section>
    </article>`;
}

export function incidentSummary(incident: PublicIncident, view: PageView): string {
  const { texts } = view;
  const [newest] = incident.updates;
  if (newest !== undefined) return `${texts.updates[newest.state]}${texts.colon}${newest.text.slice(0, 200)}`;
  return incident.closedAt === undefined ? texts.ongoing : texts.lasted(spanText(lengthOf(incident), view.language));
}

/** Renders running, then planned maintenance. A recurring window is one card with its later times. */
export function comingMaintenance(view: PageView): Html | null {
  const { texts } = view;
  const shown = view.status.maintenance.filter(({ status }) => status !== "ended");
  if (shown.length === 0) return null;
  const firsts = shown.filter(({ id }, index) => shown.findIndex((other) => other.id === id) === index);
  return html`<section class="coming" aria-labelledby="maintenance-title">
    <h2 id="maintenance-title">${texts.maintenanceTitle}</h2>
    ${firsts.map(
      (one) =>
        html`<article class="card maintenance" data-phase="${one.status}">
          <header>
            <h3>${one.name}</h3>
            <span class="mark" data-impact="maintenance"
              >${icon("maintenance")}${texts.maintenanceStatus[one.status]}</span
            >
          </header>
          ${facts(one, view)}
          ${again(
            shown.filter((other) => other !== one && other.id === one.id),
            view,
          )}
          ${one.note !== undefined && html`<div class="prose">${trusted(one.note.html)}</div>`}
        </article>`,
    )}
  </section>`;
}

function again(later: readonly PublicMaintenance[], view: PageView): Html | false {
  const { again: word, listComma } = view.texts;
  const times = later.map(({ start, end }, index) => html`${index > 0 && listComma}${rangeTags(start, end, view)}`);
  return times.length > 0 && html`<p class="facts">${word}${times}</p>`;
}

function pastMaintenance(one: PublicMaintenance, level: Level, view: PageView): Html {
  return html`<li class="past">
    ${heading(level, one.name)}
    <span class="mark" data-impact="maintenance">${icon("maintenance")}${view.texts.maintenanceTitle}</span>
    ${facts(one, view)}
  </li>`;
}

function facts({ start, end, targets }: PublicMaintenance, view: PageView): Html {
  const lengthMs = Date.parse(end) - Date.parse(start);
  return html`<p class="facts">
    ${rangeTags(start, end, view)} ·
    ${spanText(lengthMs, view.language)}${targets.length > 0 && html` · ${names(targets, view)}`}
  </p>`;
}

const dayMs = 86_400_000;
const pastDays = 14;

type PastEntry = { at: string; content: Html };

/** Returns past and open entries, newest first: past ones by their end, open ones by `openAt`. */
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

/** Renders the last two weeks by UTC day; consecutive days without incidents are one line. */
export function pastSection(view: PageView): Html {
  const { texts, nowMs } = view;
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
      <h2 id="past-title">${texts.pastTitle}</h2>
      ${link(view, "/status/history", texts.history)}
    </header>
    <ol>
      ${parts}
    </ol>
  </section>`;
}

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
    <span>${view.texts.noIncidents}</span>
  </li>`;

export function months(view: PageView): Html {
  const entries = entriesOf(view, 3, ({ openedAt }) => openedAt);
  if (entries.length === 0) return html`<p class="empty">${view.texts.noIncidentsEver}</p>`;
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
