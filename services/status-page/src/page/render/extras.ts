import { type Html, html } from "@sonde/kit/http/html";
import { icon } from "./icons.ts";
import { addressOf, type PageView } from "./input.ts";

/** How the figures are computed, with the meaning of each kind of bar. */
export function counted({ say }: PageView): Html {
  const { full, slight, partial, bad, noData, maintenance, idle } = say.legend;
  const looks = Object.entries({ "": full, a: slight, b: partial, c: bad, n: noData, m: maintenance, p: idle });
  return html`<details class="counted">
    <summary>${say.counted}${icon("chevron")}</summary>
    <ul class="legend">
      ${looks.map(
        ([look, word]) =>
          html`<li>
            <span class="bars" aria-hidden="true"><i class="${look}"></i></span>${word}
          </li>`,
      )}
    </ul>
    ${say.countedText.map((text) => html`<p>${text}</p>`)}
  </details>`;
}

/** To be written to, or to follow the feed. A plain form, which the script sends without leaving the page. */
export function subscribe(view: PageView): Html | null {
  const { say, page, status, isPreview } = view;
  if (!page.subscribable || isPreview === true) return null;
  const services = [
    ...status.monitors.map(({ id, name }) => ({ value: `monitor:${id}`, name })),
    ...status.agents.map(({ id, name }) => ({ value: `agent:${id}`, name })),
  ];
  return html`<section id="subscribe" class="card subscribe" aria-labelledby="subscribe-title">
    <h2 id="subscribe-title">${say.subscribeTitle}</h2>
    <p>${say.subscribeLead}</p>
    <form method="post" action="${addressOf(view, "/status/subscribe")}">
      <input type="hidden" name="lang" value="${view.language}" />
      <label for="email">${say.email}</label>
      <div class="fields">
        <input id="email" name="email" type="email" required maxlength="254" autocomplete="email" />
        <button type="submit">${say.subscribe}</button>
      </div>
      ${
        services.length > 1 &&
        html`<details>
          <summary>${say.chooseServices}${icon("chevron")}</summary>
          <fieldset>
            <legend>${say.chooseServicesHint}</legend>
            ${services.map(
              ({ value, name }) =>
                html`<label><input type="checkbox" name="services" value="${value}" /> <span>${name}</span></label>`,
            )}
          </fieldset>
        </details>`
      }
      <p id="subscribe-answer" class="answer" role="status"></p>
    </form>
    <p class="note">${say.subscribeNote}</p>
  </section>`;
}
