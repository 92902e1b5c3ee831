import { html, trusted, withoutIndents, write } from "@sonde/kit/http/html";
import type { Language } from "@sonde/proto/http/messages";
import { fingerprintOf, packReport, type ReportData, rowOf, signatureLine } from "@sonde/proto/http/report-proof";
import { formatInstant } from "../messages/format.ts";
import { summaryOf } from "./summary.ts";
import { reportWords } from "./words.ts";

const style = `@page{size:A4;margin:14mm}*{box-sizing:border-box}
body{margin:0 auto;padding:1.5em;max-width:62em;font:14px/1.45 -apple-system,"Segoe UI",Roboto,"PingFang SC","Microsoft YaHei",Arial,sans-serif;color:#000;background:#fff}
h1{font-size:1.6em;margin:0}h2{font-size:1.15em;margin:1.8em 0 .4em;break-after:avoid}p{margin:.4em 0}.s{font-size:1.15em}small,.l{color:#444}
.t{overflow-x:auto}table{border-collapse:collapse;width:100%}thead{display:table-header-group}tr{break-inside:avoid}
th,td{padding:.25em .5em;border-bottom:1px solid #ccc;text-align:right;vertical-align:top;white-space:nowrap}th{text-align:left}.f thead th:not(:first-child){text-align:right}tbody th{font-weight:600;white-space:normal;overflow-wrap:anywhere;min-width:9em}
.i td{text-align:left}.i td:last-child{white-space:normal}svg{height:1em;width:auto;background:#8fca9b;vertical-align:-.15em;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.l svg{width:1em;margin-left:.8em}.d{fill:#b3261e}.p{fill:#d97706}.n{fill:#fff;stroke:#888;stroke-width:2}.m{fill:#5b7db1}code{overflow-wrap:anywhere}
@media print{body{padding:0;max-width:none;font-size:10px}.t{overflow:visible}}`;

/** Writes a report as one HTML file without references to others. It contains the data, and is not signed yet. */
export function writeDocument(data: ReportData): string {
  const language = data.language as Language;
  const words = reportWords[language];
  const at = (instant: string) => formatInstant(Date.parse(instant), data.timeZone).replace(/:\d\d UTC/, " UTC");
  // The period's zone is named once.
  const short = (instant: string) => at(instant).replace(/ UTC.*/, "");
  const { every, name, period, targets, incidents } = data;
  const title = words.title(words.titles[every], name, period);
  const columns = words.columns.map((column, index) =>
    index < words.columns.length - 1 ? column : every === "day" ? "" : every === "year" ? words.byMonth : column,
  );
  const rows = trusted(targets.map((target) => `${rowOf(target)}\n`).join(""));
  const legend = Object.entries(words.legend).map(
    ([kind, text]) =>
      html`<svg viewBox="0 0 30 30"><path class="${kind}" d="M0 ${kind === "p" ? "15h30v15" : "0h30v30"}h-30z" /></svg>
        ${text}`,
  );
  const incidentRows = incidents.map(
    (incident) =>
      html`<tr>
        <th>${incident.name}</th>
        <td>${short(incident.from)}</td>
        <td>${incident.until === undefined ? words.open : short(incident.until)}</td>
        <td>${incident.minutes}</td>
        <td>${incident.cause}</td>
      </tr>`,
  );
  const head = (names: readonly string[]) =>
    html`<thead>
      <tr>
        ${names.map((column) => html`<th>${column}</th>`)}
      </tr>
    </thead>`;
  const page = html`<html lang="${language}">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>${title}</title>
      <style>
        ${trusted(style)}
      </style>
    </head>
    <body>
      <h1>${name}</h1>
      <p>${words.titles[every]} <b>${period}</b>: ${words.span(short(data.from), short(data.until), data.timeZone)}</p>
      ${period.includes(".") && html`<p>${words.correction}</p>`}
      <p class="s">${summaryOf(data)}</p>
      <div class="t">
        <table class="f">
          ${head(columns)}
          <tbody>
            ${rows}
          </tbody>
        </table>
      </div>
      ${every !== "day" && html`<p class="l">${legend}</p>`}
      <p><small>${words.counting}</small></p>
      <h2>${words.incidents[every]}</h2>
      ${
        incidents.length === 0
          ? html`<p>${words.noIncidents}</p>`
          : html`<div class="t">
              <table class="i">
                ${head(words.incidentColumns)}
                <tbody>
                  ${incidentRows}
                </tbody>
              </table>
            </div>`
      }
      <h2>${words.verify}</h2>
      <p>${words.verifyText("sonde verify report.html")} ${words.created(at(data.createdAt))}</p>
      <p>${words.keyText} <code>${fingerprintOf(data.publicKey)}</code></p>
      ${trusted(packReport(data))}
    </body>
  </html>`;
  // Rows begin their lines, so that they can be verified.
  return `<!doctype html>\n${withoutIndents(write(page))}\n`;
}

/** Adds the line that signs all bytes before it. */
export const signDocument = (content: string, sign: (content: string) => Uint8Array): string =>
  `${content}${signatureLine(sign(content))}`;
