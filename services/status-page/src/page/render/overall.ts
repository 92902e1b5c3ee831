import { headlineOf } from "@sonde/proto/http/status/status";
import { type Counts, countStates, lookOfAll, countsText, headlineText } from "@sonde/proto/http/status/text";
import { type Html, html } from "@sonde/kit/http/html";
import { agoTag } from "./figures.ts";
import { icon } from "./icons.ts";
import type { PageView } from "./input.ts";

type Overall = { headline: string; counts: Counts; look: string; shape: string };

/** The state of all together: in words, and how it looks. */
export function overallOf({ status, say, language }: PageView): Overall {
  const states = [...status.monitors, ...status.agents].map((target) => target.status);
  const counts = countStates(states);
  const headline = headlineOf(status.state, states);
  return {
    headline: headlineText(say.script, headline, counts, language),
    counts,
    ...lookOfAll(status.state, headline),
  };
}

/** The band at the top: icon, sentence, how many, and since when that is known. */
export function band(view: PageView): Html {
  const { status, say } = view;
  const { headline, counts, look, shape } = overallOf(view);
  return html`<section id="overall" class="band" data-look="${look}" data-state="${status.state}">
    <span class="state">${icon(shape)}</span>
    <div>
      <h2 id="headline">${headline}</h2>
      <p id="counts">${counts.total > 0 && countsText(say.script, counts)}</p>
    </div>
    <p class="updated">
      <span id="live" hidden></span>
      ${
        status.updatedAt === null
          ? say.neverUpdated
          : html`<span>${say.updated}<span id="updated">${agoTag(status.updatedAt, view)}</span></span>`
      }
    </p>
  </section>`;
}

/** The note that the page is out of date. Always in the document, so that the script can show it when updates stop. */
export function outdated(view: PageView): Html {
  const { status, say } = view;
  const ago = status.updatedAt === null ? null : agoTag(status.updatedAt, view);
  return html`<p id="outdated" class="notice" ${!status.outdated && html` hidden`}>
    ${icon("partly")}<span>${ago === null ? say.neverUpdated : say.outdated<Html>(ago)}</span>
  </p>`;
}
