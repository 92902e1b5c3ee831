import type { PublicMaintenance } from "@sonde/proto/http/status/status";
import { type Html, html, trusted } from "@sonde/kit/http/html";
import { rangeTags, spanText } from "./figures.ts";
import { icon } from "./icons.ts";
import { heading, type Level, names } from "./incidents.ts";
import type { PageView } from "./input.ts";

/** Running maintenance, then planned; a recurring window is one card that lists its later times. */
export function comingMaintenance(view: PageView): Html | null {
  const { say } = view;
  const shown = view.status.maintenance.filter(({ status }) => status !== "ended");
  if (shown.length === 0) return null;
  const firsts = shown.filter(({ id }, index) => shown.findIndex((other) => other.id === id) === index);
  return html`<section class="coming" aria-labelledby="maintenance-title">
    <h2 id="maintenance-title">${say.maintenanceTitle}</h2>
    ${firsts.map(
      (one) =>
        html`<article class="card maintenance" data-phase="${one.status}">
          <header>
            <h3>${one.name}</h3>
            <span class="mark" data-impact="maintenance"
              >${icon("maintenance")}${say.maintenanceStatus[one.status]}</span
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
  const { again: word, listComma } = view.say;
  const times = later.map(({ start, end }, index) => html`${index > 0 && listComma}${rangeTags(start, end, view)}`);
  return times.length > 0 && html`<p class="facts">${word}${times}</p>`;
}

/** One line of the past. */
export function pastMaintenance(one: PublicMaintenance, level: Level, view: PageView): Html {
  return html`<li class="past">
    ${heading(level, one.name)}
    <span class="mark" data-impact="maintenance">${icon("maintenance")}${view.say.maintenanceTitle}</span>
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
