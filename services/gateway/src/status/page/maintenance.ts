import type { PublicMaintenance } from "@sonde/proto/http/status";
import { type Html, html, trusted } from "../../html.ts";
import { rangeTags, spanText } from "./figures.ts";
import { icon } from "./icons.ts";
import { heading, type Level, names } from "./incidents.ts";
import type { View } from "./input.ts";

/** Maintenance that runs, then what is planned. */
export function comingMaintenance(view: View): Html | null {
  const { say } = view;
  const shown = view.status.maintenance.filter(({ status }) => status !== "ended");
  if (shown.length === 0) return null;
  return html`<section class="coming" aria-labelledby="maintenance-title">
    <h2 id="maintenance-title">${say.maintenanceTitle}</h2>
    ${shown.map(
      (one) =>
        html`<article class="card maintenance" data-phase="${one.status}">
          <header>
            <h3>${one.name}</h3>
            <span class="mark" data-impact="maintenance"
              >${icon("maintenance")}${say.maintenanceStatus[one.status]}</span
            >
          </header>
          ${facts(one, view)} ${one.note !== undefined && html`<div class="prose">${trusted(one.note.html)}</div>`}
        </article>`,
    )}
  </section>`;
}

/** One line of the past. */
export function pastMaintenance(one: PublicMaintenance, level: Level, view: View): Html {
  return html`<li class="past">
    ${heading(level, one.name)}
    <span class="mark" data-impact="maintenance">${icon("maintenance")}${view.say.maintenanceTitle}</span>
    ${facts(one, view)}
  </li>`;
}

function facts({ start, end, targets }: PublicMaintenance, view: View): Html {
  const lengthMs = Date.parse(end) - Date.parse(start);
  return html`<p class="facts">
    ${rangeTags(start, end, view)} ·
    ${spanText(lengthMs, view.language)}${targets.length > 0 && html` · ${names(targets, view)}`}
  </p>`;
}
