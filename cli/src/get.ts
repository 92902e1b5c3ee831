import { addressFrom } from "./address.ts";
import { request } from "./api.ts";
import { type Format, escapeControls } from "./output.ts";
import { exitCodes, failed, type Terminal } from "./terminal.ts";

export const gettable = {
  monitors: ["id", "status", "type", "name", "target"],
  agents: ["id", "status", "name", "hostname"],
  incidents: ["id", "openedAt", "closedAt", "kind", "target"],
  maintenance: ["id", "title", "start", "end"],
  locations: ["name", "runners"],
  sources: ["name", "generation", "revision", "appliedAt", "outcome"],
} as const;

const pageSize = 200;
const paged = new Set<string>(["monitors", "agents", "incidents"]);

/** @throws Ending */
export async function get(what: keyof typeof gettable, { output }: { output: Format }, terminal: Terminal) {
  const entries: Record<string, unknown>[] = [];
  const address = addressFrom(terminal);
  for (let page = 1; ; page += 1) {
    const query = paged.has(what) ? `?page=${page}&pageSize=${pageSize}` : "";
    const answer = await request(address, "GET", `/api/${what}${query}`);
    if (!answer.ok) throw failed(answer.body.message);
    const list = answer.body[what];
    if (!Array.isArray(list)) throw failed(`This version of Sonde cannot list ${what}`);
    entries.push(...(list as Record<string, unknown>[]));
    if (!paged.has(what) || list.length < pageSize) break;
  }
  terminal.out(output === "json" ? JSON.stringify(entries, undefined, 2) : table(gettable[what], entries));
  return exitCodes.done;
}

function table(columns: readonly string[], entries: readonly Record<string, unknown>[]): string {
  const cell = (value: unknown) =>
    escapeControls(typeof value === "string" ? value : value == null ? "" : JSON.stringify(value));
  const rows = [columns, ...entries.map((entry) => columns.map((name) => cell(entry[name])))];
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows
    .map((row) =>
      row
        .map((text, at) => text.padEnd(widths[at]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
