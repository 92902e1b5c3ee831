import type { HistoryRange } from "@sonde/proto/http/monitors/checks";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useSearchParams } from "react-router-dom";
import type { Band } from "../../../charts/scales.ts";
import { choiceFilter, choiceParam, type Param, readParams, writeParams } from "../../../lists/params.ts";

export const ranges = ["1h", "24h", "7d", "30d"] as const satisfies readonly HistoryRange[];
type ChartView = "percentiles" | "phases";
type RecordsView = "history" | "checks" | "incidents" | "changes";

const minuteMs = 60_000;
const minZoomMs = 5 * minuteMs;

/** Parses a period of the URL: two Unix times in seconds. */
function readBand(text: string | null | undefined): Band | undefined {
  const [, from, to] = /^(\d{9,10})-(\d{9,10})$/.exec(text ?? "") ?? [];
  const band = { fromMs: Number(from) * 1000, toMs: Number(to) * 1000 };
  return band.toMs > band.fromMs ? band : undefined;
}
const bandParam: Param<string | undefined> = (text) => (readBand(text) === undefined ? undefined : (text ?? undefined));
const textOf = ({ fromMs, toMs }: Band) => `${Math.round(fromMs / 1000)}-${Math.round(toMs / 1000)}`;

/** Extends a period to whole minutes, and to the minimum that can be zoomed to. */
export function zoomOf({ fromMs, toMs }: Band): Band {
  const more = Math.max(0, (minZoomMs - (toMs - fromMs)) / 2);
  const whole = (atMs: number, round: (value: number) => number) => round(atMs / minuteMs) * minuteMs;
  return { fromMs: whole(fromMs - more, Math.floor), toMs: whole(toMs + more, Math.ceil) };
}

/** Jobs with a shorter interval run several times a day. */
const frequentMinutes = 6 * 60;

/** Initial range, longer for jobs that run rarely. */
const initialRange = ({ type, interval }: Monitor): HistoryRange =>
  type === "heartbeat" && interval >= frequentMinutes ? "30d" : "24h";
/** Views of the records, the initial one first. */
export const viewsOf = ({ type }: Monitor): [RecordsView, ...RecordsView[]] => {
  if (type === "heartbeat") return ["history", "checks", "incidents", "changes"];
  return type === "inbound" || type === "group"
    ? ["incidents", "history", "changes"]
    : ["checks", "history", "incidents", "changes"];
};

/**
 * Returns the state of the detail page, which is in the URL: range or zoomed period, chart view, tab, failures only,
 * and the selected bar. Zooming adds a history entry, so Back ends it.
 */
export function useDetailParams(monitor: Monitor) {
  const [address, setAddress] = useSearchParams();
  const table = {
    range: choiceParam<HistoryRange>([initialRange(monitor), ...ranges]),
    zoom: bandParam,
    chart: choiceParam<ChartView>(["percentiles", "phases"]),
    tab: choiceParam<RecordsView>(viewsOf(monitor)),
    failed: choiceFilter(["true"]),
    bar: bandParam,
  };
  const params = readParams(table, address);
  const change = (part: Partial<typeof params>, replace = true) =>
    setAddress(writeParams(table, { ...params, ...part }), { replace });
  return {
    ...params,
    zoom: readBand(params.zoom),
    bar: readBand(params.bar),
    change: (part: Partial<Omit<typeof params, "zoom" | "bar">>) => change(part),
    changeRange: (range: HistoryRange) => change({ range, zoom: undefined, bar: undefined }),
    zoomTo: (band: Band | undefined) =>
      change({ zoom: band === undefined ? undefined : textOf(zoomOf(band)), bar: undefined }, false),
    /** Lists the checks of a bar, or all checks without one. */
    listChecksOf: (band: Band | undefined) =>
      change({ bar: band === undefined ? undefined : textOf(band), tab: "checks" }),
  };
}
export type DetailParams = ReturnType<typeof useDetailParams>;

const maxByMinutesMs = 300 * 3_600_000;

export type HistoryQuery = ReturnType<typeof historyQueries>["listed"];

/** Returns the queries of the history. The chart (`drawn`) shows long periods by the hour. */
export function historyQueries({ range, zoom }: Pick<DetailParams, "range" | "zoom">) {
  if (zoom === undefined) {
    const listed = { range };
    return { listed, drawn: range === "30d" ? { range, step: "1h" as const } : listed };
  }
  const [from, until] = [zoom.fromMs, zoom.toMs].map((at) => new Date(at).toISOString());
  const listed = { range, from, until };
  return { listed, drawn: zoom.toMs - zoom.fromMs > maxByMinutesMs ? { ...listed, step: "1h" as const } : listed };
}
