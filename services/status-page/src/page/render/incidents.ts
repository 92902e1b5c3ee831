import type { PublicIncident, PublicUpdate } from "@sonde/proto/http/status/status";
import { type Html, html, trusted } from "@sonde/kit/http/html";
import { rangeTags, spanText, timeTag } from "./figures.ts";
import { icon, shapeOfImpact } from "./icons.ts";
import { addressOf, type PageView } from "./input.ts";

export const incidentPath = ({ id }: PublicIncident): string => `/status/incidents/${id}`;

/** The title of an announcement; for an automatic incident its kind and targets. */
export function incidentTitle({ title, kind, targets, closedAt }: PublicIncident, { say }: PageView): string {
  if (title !== undefined) return title;
  const words = closedAt === undefined ? say.automaticOpen : say.automatic;
  return words[kind === "offline" ? "offline" : "down"](targets[0]?.name ?? say.aService);
}

/** The impact, with its shape. An automatic incident is only known not to work now. */
function impactMark({ impact, kind, closedAt }: PublicIncident, { say }: PageView): Html | null {
  if (impact !== undefined) {
    return html`<span class="mark" data-impact="${impact}">${icon(shapeOfImpact[impact])}${say.impacts[impact]}</span>`;
  }
  if (closedAt !== undefined) return null;
  const word = say.script.states[kind === "offline" ? "offline" : "down"];
  return html`<span class="mark" data-impact="automatic">${icon("ill")}${word}</span>`;
}

/** Milliseconds from its opening to its closing. */
export const lengthOf = ({ openedAt, closedAt = openedAt }: PublicIncident): number =>
  Date.parse(closedAt) - Date.parse(openedAt);

/** A link within the page; the preview leads nowhere. */
export function link(view: PageView, path: string, content: string): Html {
  return view.isPreview === true ? html`<a>${content}</a>` : html`<a href="${addressOf(view, path)}">${content}</a>`;
}

function updateEntry(update: PublicUpdate, view: PageView): Html {
  return html`<div class="update" data-update="${update.state}">
    <p class="update-head"><b>${view.say.updates[update.state]}</b> ${timeTag(update.at, view)}</p>
    <div class="prose">${trusted(update.html)}</div>
  </div>`;
}

/** The open incidents, each with its newest update. */
export function openIncidents(view: PageView): Html | null {
  const open = view.status.incidents.filter(({ closedAt }) => closedAt === undefined);
  if (open.length === 0) return null;
  return html`<section class="open" aria-labelledby="open-title">
    <h2 id="open-title">${view.say.openIncidents}</h2>
    ${open.map((incident) => openIncident(incident, view))}
  </section>`;
}

function openIncident(incident: PublicIncident, view: PageView): Html {
  const { say } = view;
  const [newest] = incident.updates;
  return html`<article id="open-${incident.id}" class="card incident">
    <header>
      <h3>${link(view, incidentPath(incident), incidentTitle(incident, view))}</h3>
      ${impactMark(incident, view)}
    </header>
    <p class="facts">
      ${say.since}
      ${timeTag(incident.openedAt, view)}${
        incident.title !== undefined && incident.targets.length > 0 && html` · ${names(incident.targets, view)}`
      }
    </p>
    ${newest !== undefined && updateEntry(newest, view)}
  </article>`;
}

/** The level of headings in the document's history. */
export type Level = 3 | 4;

export const heading = (level: Level, content: Html | string): Html =>
  level === 3 ? html`<h3>${content}</h3>` : html`<h4>${content}</h4>`;

/** One line of the past, with when it was, how long, and the last words on it. */
export function pastIncident(incident: PublicIncident, level: Level, view: PageView): Html {
  const { say, language } = view;
  const { openedAt, closedAt } = incident;
  return html`<li class="past">
    ${heading(level, link(view, incidentPath(incident), incidentTitle(incident, view)))} ${impactMark(incident, view)}
    <p class="facts">
      ${
        closedAt === undefined
          ? html`${say.ongoing} · ${say.since} ${timeTag(openedAt, view)}`
          : html`${rangeTags(openedAt, closedAt, view)} · ${say.lasted(spanText(lengthOf(incident), language))}`
      }${incident.title !== undefined && incident.targets.length > 0 && html` · ${names(incident.targets, view)}`}
    </p>
  </li>`;
}

export const names = (targets: readonly { name: string }[], { say }: PageView): string =>
  targets.map(({ name }) => name).join(say.listComma);

/** One incident: title, impact, targets, duration, and its updates, the newest first. */
export function incidentContent(incident: PublicIncident, view: PageView): Html {
  const { say, language } = view;
  const { updates, postMortem, openedAt, closedAt, targets } = incident;
  const isOver = closedAt !== undefined;
  return html`<p class="back">${link(view, "/status", say.back)}</p>
    <article class="incident-page">
      <header>
        <h1>${incidentTitle(incident, view)}</h1>
        ${impactMark(incident, view)}
      </header>
      <dl class="facts">
        <div>
          <dt>${say.state}</dt>
          <dd>
            ${isOver ? say.updates.resolved : incident.state === undefined ? say.ongoing : say.updates[incident.state]}
          </dd>
        </div>
        <div>
          <dt>${say.began}</dt>
          <dd>${timeTag(openedAt, view)}</dd>
        </div>
        ${
          isOver &&
          html`<div>
              <dt>${say.ended}</dt>
              <dd>${timeTag(closedAt, view)}</dd>
            </div>
            <div>
              <dt>${say.duration}</dt>
              <dd>${spanText(lengthOf(incident), language)}</dd>
            </div>`
        }
        ${
          targets.length > 0 &&
          html`<div>
            <dt>${say.affected}</dt>
            <dd>${names(targets, view)}</dd>
          </div>`
        }
      </dl>
      ${
        postMortem !== undefined &&
        html`<section class="card">
          <h2>${say.postMortem}</h2>
          <div class="prose">${trusted(postMortem.html)}</div>
        </section>`
      }
      <section class="timeline">
        <h2>${say.updatesTitle}</h2>
        ${
          updates.length === 0
            ? html`<p class="empty">${isOver ? say.noUpdates : say.noUpdatesYet}</p>`
            : html`<ol>
                ${updates.map((update) => html`<li>${updateEntry(update, view)}</li>`)}
              </ol>`
        }
      </section>
    </article>`;
}

/** The text of links to it elsewhere. */
export function incidentSummary(incident: PublicIncident, view: PageView): string {
  const { say } = view;
  const [newest] = incident.updates;
  if (newest !== undefined) return `${say.updates[newest.state]}${say.colon}${newest.text.slice(0, 200)}`;
  return incident.closedAt === undefined ? say.ongoing : say.lasted(spanText(lengthOf(incident), view.language));
}
