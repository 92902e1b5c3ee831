import type { PublicAgent, PublicMonitor } from "@sonde/proto/http/status/status";
import { shapeOf } from "@sonde/proto/http/status/text";
import { type Html, html } from "@sonde/kit/http/html";
import { fullCoverage } from "./days.ts";
import { percentText, responseText } from "./figures.ts";
import { icon } from "./icons.ts";
import type { PageView } from "./input.ts";
import { sparkline } from "./sparkline.ts";
import { strip } from "./strip.ts";

/** One service: a line with its state and figures, and the bars of its days. The id is what events of the stream name. */
export function service(id: string, target: PublicMonitor | PublicAgent, view: PageView): Html {
  const { say, language } = view;
  const { name, status, uptime, coverage, days } = target;
  const isThin = uptime !== null && coverage !== null && coverage < fullCoverage;
  const title = uptime === null ? say.noUptime : say.uptimeOf(days.length, percentText(uptime, language));
  return html`<li id="${id}" class="service" data-state="${status}">
    <div class="line-1">
      <span class="state">${icon(shapeOf[status])}</span>
      <h3>${name}</h3>
      <span class="word">${say.script.states[status]}</span>
      <span class="figures">
        ${"responseTime" in target && target.responseTime !== undefined && response(target, view)}
        ${isThin && html`<span class="coverage">${say.coverageOf(percentText(coverage, language))}</span>`}
        <span class="uptime" title="${title}"
          >${uptime === null ? say.noUptime : percentText(uptime, language)}<span class="sr"> ${say.uptime}</span></span
        >
      </span>
    </div>
    ${strip(name, days, view)}
  </li>`;
}

function response({ responseTime = 0, responseTimes = [] }: PublicMonitor, { say, language }: PageView): Html {
  return html`<span class="response" title="${say.responseTime}${say.colon}${say.responseTimeText}"
    >${sparkline(responseTimes)}<span class="sr">${say.responseTime} </span
    ><span class="ms">${responseText(responseTime, language)}</span></span
  >`;
}
