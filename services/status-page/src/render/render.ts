import type { PublicIncident } from "@sonde/proto/http/status/status";
import { html, type Html } from "@sonde/kit/http/html";
import { writeDocument, band, outdated, overallOf } from "./document.ts";
import { icon, addressOf, type PageInput, viewOf, type PageView } from "./view.ts";
import { groups } from "./services.ts";
import {
  incidentContent,
  incidentSummary,
  incidentPath,
  incidentTitle,
  link,
  openIncidents,
  comingMaintenance,
  months,
  pastSection,
} from "./incidents.ts";

export type { PageInput } from "./view.ts";

export function renderStatus(input: PageInput): string {
  const view = viewOf(input);
  const { page } = view;
  const { headline } = overallOf(view);
  return writeDocument(view, {
    title: null,
    description: [`${headline}.`, page.description].filter((text) => text !== "").join(" "),
    path: "/status",
    content: html`${page.description !== "" && html`<p class="lead">${page.description}</p>`} ${outdated(view)}
    ${band(view)} ${openIncidents(view)} ${comingMaintenance(view)} ${groups(view)} ${counted(view)}
    ${pastSection(view)} ${subscribe(view)}`,
  });
}

export function renderIncident(input: PageInput, incident: PublicIncident): string {
  const view = viewOf(input);
  return writeDocument(view, {
    title: incidentTitle(incident, view),
    description: incidentSummary(incident, view),
    path: incidentPath(incident),
    content: incidentContent(incident, view),
  });
}

export function renderHistory(input: PageInput): string {
  const view = viewOf(input);
  const { texts } = view;
  return writeDocument(view, {
    title: texts.history,
    description: texts.historyLead,
    path: "/status/history",
    content: html`<p class="back">${link(view, "/status", texts.back)}</p>
      <h1>${texts.history}</h1>
      <p class="lead">${texts.historyLead}</p>
      ${months(view)}`,
  });
}

/** Renders one line for other sites' footers, which opens the page in a new tab. */
export function renderEmbed(input: PageInput): string {
  const view = viewOf(input);
  const { headline, look, shape } = overallOf(view);
  return writeDocument(view, {
    title: null,
    description: headline,
    path: "/status/embed",
    isUnlisted: true,
    kind: "embed",
    content: html`<main>
      <h1>
        <a class="chip" href="${addressOf(view, "/status")}" target="_blank" rel="noopener" data-look="${look}"
          >${icon(shape)}<span id="headline">${headline}</span></a
        >
      </h1>
    </main>`,
  });
}

export function renderNotice(input: PageInput, notice: { title: string; text: string }): string {
  const view = viewOf(input);
  return writeDocument(view, {
    title: notice.title,
    description: notice.text,
    path: "/status",
    isUnlisted: true,
    content: html`<div class="card slip">
      <h1>${notice.title}</h1>
      <p>${notice.text}</p>
      <p class="back">${link(view, "/status", view.texts.back)}</p>
    </div>`,
  });
}

/** Renders the target of a link in a mail: a form with one button, so mail scanners change nothing. */
export function renderConfirm(input: PageInput, token: string): string {
  const { confirmTitle, confirmText, confirmButton } = viewOf(input).texts;
  return form(input, "/status/confirm", token, [confirmTitle, confirmText, confirmButton]);
}

export function renderUnsubscribe(input: PageInput, token: string): string {
  const { unsubscribeTitle, unsubscribeText, unsubscribeButton } = viewOf(input).texts;
  return form(input, "/status/unsubscribe", token, [unsubscribeTitle, unsubscribeText, unsubscribeButton]);
}

function form(input: PageInput, path: string, token: string, labels: [title: string, text: string, button: string]) {
  const view = viewOf(input);
  const [title, text, button] = labels;
  return writeDocument(view, {
    title,
    description: text,
    path,
    isUnlisted: true,
    content: html`<div class="card slip">
      <h1>${title}</h1>
      <p>${text}</p>
      <form method="post" action="${addressOf(view, path)}">
        <input type="hidden" name="token" value="${token}" />
        <input type="hidden" name="lang" value="${view.language}" />
        <button type="submit">${button}</button>
      </form>
    </div>`,
  });
}

export function counted({ texts }: PageView): Html {
  const { full, slight, partial, bad, noData, maintenance, idle } = texts.legend;
  const looks = Object.entries({ "": full, a: slight, d: partial, f: bad, n: noData, m: maintenance, p: idle });
  return html`<details class="counted">
    <summary>${texts.counted}${icon("chevron")}</summary>
    <ul class="legend">
      ${looks.map(
        ([look, word]) =>
          html`<li>
            <span class="bars" aria-hidden="true"><i class="${look}"></i></span>${word}
          </li>`,
      )}
    </ul>
    ${texts.countedText.map((text) => html`<p>${text}</p>`)}
  </details>`;
}

/** Renders the subscription form, a plain form that the script submits without leaving the page. */
export function subscribe(view: PageView): Html | null {
  const { texts, page, status, isPreview } = view;
  if (!page.subscribable || isPreview === true) return null;
  const services = [
    ...status.monitors.map(({ id, name }) => ({ value: `monitor:${id}`, name })),
    ...status.agents.map(({ id, name }) => ({ value: `agent:${id}`, name })),
  ];
  return html`<section id="subscribe" class="card subscribe" aria-labelledby="subscribe-title">
    <h2 id="subscribe-title">${texts.subscribeTitle}</h2>
    <p>${texts.subscribeLead}</p>
    <form method="post" action="${addressOf(view, "/status/subscribe")}">
      <input type="hidden" name="lang" value="${view.language}" />
      <label for="email">${texts.email}</label>
      <div class="fields">
        <input id="email" name="email" type="email" required maxlength="254" autocomplete="email" />
        <button type="submit">${texts.subscribe}</button>
      </div>
      ${
        services.length > 1 &&
        html`<details>
          <summary>${texts.chooseServices}${icon("chevron")}</summary>
          <fieldset>
            <legend>${texts.chooseServicesHint}</legend>
            ${services.map(
              ({ value, name }) =>
                html`<label><input type="checkbox" name="services" value="${value}" /> <span>${name}</span></label>`,
            )}
          </fieldset>
        </details>`
      }
      <p id="subscribe-answer" class="answer" role="status"></p>
    </form>
    <p class="note">${texts.subscribeNote}</p>
  </section>`;
}
