import type { PublicAgent, PublicMonitor } from "@sonde/proto/http/status/status";
import { shapeOf } from "@sonde/proto/http/status/text";
import { type Html, html, trusted } from "@sonde/kit/http/html";
import { fullCoverage, strip } from "./strip.ts";
import { percentText, responseText } from "./figures.ts";
import { icon } from "./icons.ts";
import type { PageView } from "./input.ts";

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

const mostPoints = 32;
/** Units of the picture: whole numbers are fine enough, and few bytes. */
const step = 4;
const height = 36;
const margin = 3;

/** Response times as a line, oldest first; gaps stay gaps. Decoration: the latest figure is beside it. */
export function sparkline(means: readonly (number | null)[]): Html | null {
  const points = thinned(means);
  const known = points.filter((point) => point !== null);
  if (known.length < 2) return null;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  // A service that answers evenly shows a flat line in the middle, not its noise.
  const spread = Math.max(high - low, high * 0.2, 1);
  const levelOf = (point: number) =>
    Math.round(height / 2 - ((point - (high + low) / 2) / spread) * (height - 2 * margin));
  let path = "";
  let [atX, atY, isGap] = [0, 0, true];
  for (const [index, point] of points.entries()) {
    if (point !== null) {
      const [x, y] = [index * step, levelOf(point)];
      path += `${isGap ? "m" : "l"}${x - atX} ${y - atY}`;
      [atX, atY] = [x, y];
    }
    isGap = point === null;
  }
  const width = (points.length - 1) * step;
  return trusted(
    `<svg class="line" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true"><path d="${path}"/></svg>`,
  );
}

/** Thins points to the width of the picture: means of neighbours. */
function thinned(means: readonly (number | null)[]): (number | null)[] {
  const size = Math.max(1, Math.ceil(means.length / mostPoints));
  return Array.from({ length: Math.ceil(means.length / size) }, (_, index) => {
    const known = means.slice(index * size, (index + 1) * size).filter((mean) => mean !== null);
    return known.length === 0 ? null : known.reduce((sum, mean) => sum + mean, 0) / known.length;
  });
}
