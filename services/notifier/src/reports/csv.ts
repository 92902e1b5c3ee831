import { figuresOf, percentOf, type ReportData, type StepCounts } from "@sonde/proto/http/report-proof";

const columns = "type,id,name,period,uptime,down_minutes,no_data_minutes,maintenance_minutes,expected,seen,up";

/** Writes a line per target and day (RFC 4180). Names cannot become formulas in a spreadsheet. */
export function writeCsv({ steps, targets }: Pick<ReportData, "steps" | "targets">): string {
  const lines = targets.flatMap(({ type, id, name, counts }) =>
    steps.map((step, at) => {
      const names = Object.keys(counts) as (keyof StepCounts)[];
      const own = Object.fromEntries(names.map((key) => [key, [counts[key][at]!]])) as unknown as StepCounts;
      const { down, noData, maintenance, seen, up } = figuresOf(own);
      const percent = percentOf({ seen, up }).replace(/[%–]/, "");
      return [type, id, cell(name), step, percent, down, noData, maintenance, counts.expected[at], seen, up].join(",");
    }),
  );
  return `${[columns, ...lines].join("\r\n")}\r\n`;
}

function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
