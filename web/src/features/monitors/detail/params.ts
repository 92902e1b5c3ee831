import type { HistoryRange } from "@sonde/proto/http/monitors/checks";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useState } from "react";
import { useSearchParams } from "react-router-dom";
import type { Band } from "../../../charts/scales.ts";
import { choiceFilter, choiceParam, type Param, readParams, writeParams } from "../../../lists/params.ts";

export const ranges = ["1h", "24h", "7d", "30d"] as const satisfies readonly HistoryRange[];
type ChartView = "percentiles" | "phases";
type RecordsView = "history" | "checks" | "incidents" | "changes";

const youngMs = 6 * 3_600_000;
const minuteMs = 60_000;
const minZoomMs = 5 * minuteMs;

/** A stretch of time in the address: from a second since 1970 to another. */
function readBand(text: string | null | undefined): Band | undefined {
  const [, from, to] = /^(\d{9,10})-(\d{9,10})$/.exec(text ?? "") ?? [];
  const band = { fromMs: Number(from) * 1000, toMs: Number(to) * 1000 };
  return band.toMs > band.fromMs ? band : undefined;
}
const bandParam: Param<string | undefined> = (text) => (readBand(text) === undefined ? undefined : (text ?? undefined));
const textOf = ({ fromMs, toMs }: Band) => `${Math.round(fromMs / 1000)}-${Math.round(toMs / 1000)}`;

/** Whole minutes around a stretch, and enough of them to see something. */
export function zoomOf({ fromMs, toMs }: Band): Band {
  const more = Math.max(0, (minZoomMs - (toMs - fromMs)) / 2);
  const whole = (atMs: number, round: (value: number) => number) => round(atMs / minuteMs) * minuteMs;
  return { fromMs: whole(fromMs - more, Math.floor), toMs: whole(toMs + more, Math.ceil) };
}

/** Below that a job has run a few times in a day. */
const oftenMinutes = 6 * 60;

/** What is shown at first: an hour of a monitor that is younger than six; more of a job, which runs by the hour or the day. */
function rangeAtFirst({ type, createdAt, interval }: Monitor, nowMs: number): HistoryRange {
  if (type === "heartbeat") return interval < oftenMinutes ? "24h" : "30d";
  return nowMs - Date.parse(createdAt) < youngMs ? "1h" : "24h";
}

/**
 * What the detail page shows, kept in the address: the range or
 * the stretch of it that was zoomed to, what the chart draws, which records are listed, whether those are failures alone,
 * and of which bar. Back leads out of a stretch.
 */
export function useDetailParams(monitor: Monitor) {
  const [address, setAddress] = useSearchParams();
  // What is preselected does not change while the page is open.
  const [openedMs] = useState(() => Date.now());
  const initial = rangeAtFirst(monitor, openedMs);
  const table = {
    range: choiceParam<HistoryRange>([initial, ...ranges]),
    zoom: bandParam,
    chart: choiceParam<ChartView>(["percentiles", "phases"]),
    tab: choiceParam<RecordsView>(["history", "checks", "incidents", "changes"]),
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
    /** Lists the checks of a bar; of all of them again without one. */
    listChecksOf: (band: Band | undefined) =>
      change({ bar: band === undefined ? undefined : textOf(band), tab: "checks" }),
  };
}
export type DetailParams = ReturnType<typeof useDetailParams>;

const maxByMinutesMs = 300 * 3_600_000;

export type ListedAsked = ReturnType<typeof askedOf>["listed"];

/** What is asked for: the steps of bars and table, and those of the chart, which draws a month by the hour. */
export function askedOf({ range, zoom }: Pick<DetailParams, "range" | "zoom">) {
  if (zoom === undefined) {
    const listed = { range };
    return { listed, drawn: range === "30d" ? { range, step: "1h" as const } : listed };
  }
  const [from, until] = [zoom.fromMs, zoom.toMs].map((at) => new Date(at).toISOString());
  const listed = { range, from, until };
  return { listed, drawn: zoom.toMs - zoom.fromMs > maxByMinutesMs ? { ...listed, step: "1h" as const } : listed };
}
