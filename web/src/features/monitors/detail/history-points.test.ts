import type { HistoryBucket } from "@sonde/proto/http/monitors/checks";
import { describe, expect, it } from "vitest";
import { bucket } from "../../../testing/fixtures.ts";
import { chartPoints } from "./history-chart.tsx";

const minute = (at: number) => new Date(Date.UTC(2026, 0, 2, 10, at)).toISOString();
const notDue = (at: number): HistoryBucket => ({ ...bucket(minute(at), 0), coverage: null });
const startsOf = (points: ReturnType<typeof chartPoints>) => points.map(({ start }) => new Date(start).getUTCMinutes());

describe("the steps of the chart", () => {
  it("begin where a young monitor was first due, and keep what was missed or paused later", () => {
    const buckets = [0, 1, 2]
      .map(notDue)
      .concat([3, 4, 5, 6, 7, 8, 9].map((at) => bucket(minute(at), at === 5 ? 0 : 1)));
    expect(startsOf(chartPoints(buckets))).toEqual([3, 4, 5, 6, 7, 8, 9]);
    expect(chartPoints(buckets)[2]).toMatchObject({ p50: null });
    expect(startsOf(chartPoints([bucket(minute(0), 1), ...[1, 2, 3, 4, 5, 6, 7].map(notDue)]))).toHaveLength(8);
  });

  it("are never so few that one check fills the chart", () => {
    const buckets = [0, 1, 2, 3, 4, 5, 6, 7].map(notDue).concat([bucket(minute(8), 1)]);
    expect(startsOf(chartPoints(buckets))).toEqual([3, 4, 5, 6, 7, 8]);
    expect(chartPoints([0, 1].map(notDue))).toHaveLength(2);
  });
});
