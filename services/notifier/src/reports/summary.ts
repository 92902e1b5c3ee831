import type { Language } from "@sonde/proto/http/messages";
import { figuresOf, percentOf, type ReportData } from "@sonde/proto/http/report-proof";
import type { ReportEvery } from "@sonde/proto/http/reports";
import { formatSpan } from "../messages/format.ts";
import { reportWords } from "./words.ts";

type Summed = Pick<ReportData, "every" | "language" | "steps" | "targets" | "incidents" | "until" | "omitted">;

export const minutesMs = (minutes: number): number => minutes * 60_000;

/** Returns the targets with their figures, those that were down longest first. */
export const worstFirst = ({ targets }: Pick<ReportData, "targets">) =>
  targets
    .map((target) => ({ ...target, ...figuresOf(target.counts) }))
    .sort((one, other) => other.down - one.down || other.noData - one.noData);

/** Says in a few sentences what happened. */
export function summaryOf(data: Summed): string {
  const language = data.language as Language;
  const words = reportWords[language];
  const rows = worstFirst(data);
  if (rows.length === 0) return words.nothing;
  const seen = rows.filter((row) => row.seen > 0);
  if (seen.length === 0) return words.noData(rows.length);
  const down = rows.filter((row) => row.down > 0);
  const [worst] = down;
  const lasted = (minutes: number) => formatSpan(minutesMs(minutes), language);
  const sentences: string[] = [];
  if (worst === undefined) sentences.push(seen.length === rows.length ? words.allUp(rows.length) : "");
  else if (down.length === 1)
    sentences.push(words.onlyDown(worst.name, rows.length, lasted(worst.down), onlyDay(data, worst.counts)));
  else {
    const total = down.reduce((sum, row) => sum + row.down, 0);
    sentences.push(words.down(down.length, rows.length, lasted(total)));
    sentences.push(words.longest(worst.name, lasted(worst.down), onlyDay(data, worst.counts)));
  }
  const open = [...new Set(data.incidents.filter(({ until }) => until === undefined).map(({ name }) => name))];
  if (open.length > 0) sentences.push(words.stillDown(open.slice(0, 5).join(language === "zh-CN" ? "、" : ", ")));
  const unknown = rows.filter((row) => row.noData > 0).length;
  if (unknown > 0) sentences.push(words.unknown(unknown));
  const compared = seen.filter(({ before }) => before !== undefined && before.seen > 0);
  const before = compared.length < seen.length ? "" : average(compared.map((row) => row.before!));
  sentences.push(words.average(average(seen), before));
  if (data.omitted > 0) sentences.push(words.omitted(data.omitted));
  return sentences.filter((sentence) => sentence !== "").join(language === "zh-CN" ? "" : " ");
}

/** The mean of the targets, so that one that is checked often does not count more. */
function average(counts: readonly { seen: number; up: number }[]): string {
  const share = counts.reduce((sum, { seen, up }) => sum + up / seen, 0) / counts.length;
  // Nine digits, since a sum of shares of 1 is not exactly their number.
  return percentOf({ seen: 1, up: Math.round(share * 1e9) / 1e9 });
}

/** Names the day or month, if the target failed on no other. */
function onlyDay({ every, language, steps }: Summed, { seen, up }: ReportData["targets"][number]["counts"]): string {
  const failed = steps.filter((_, at) => seen[at]! > up[at]!);
  if (failed.length !== 1) return "";
  const forms: Record<ReportEvery, Intl.DateTimeFormatOptions> = {
    day: {},
    week: { weekday: "long" },
    month: { day: "numeric", month: "long" },
    year: { month: "long" },
  };
  const date = new Date(failed[0]!.padEnd(10, "-01"));
  return reportWords[language as Language].on[every](
    date.toLocaleDateString(language, { ...forms[every], timeZone: "UTC" }),
  );
}
