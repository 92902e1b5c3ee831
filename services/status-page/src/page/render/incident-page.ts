import type { PublicIncident } from "@sonde/proto/http/status/status";
import { type Html, html, trusted } from "@sonde/kit/http/html";
import { spanText, timeTag } from "./figures.ts";
import { impactMark, incidentTitle, lengthOf, link, names, updateEntry } from "./incidents.ts";
import type { PageView } from "./input.ts";

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
