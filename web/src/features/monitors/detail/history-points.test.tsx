import type { HistoryBucket } from "@sonde/proto/http/monitors/checks";
import { describe, expect, it } from "vitest";
import { bucket, historyPeriod } from "../../../testing/fixtures.ts";
import { shownSteps } from "./history-card.tsx";
import { chartPoints } from "./history-chart.tsx";

const minute = (at: number) => new Date(Date.UTC(2026, 0, 2, 10, at)).toISOString();
const notDue = (at: number): HistoryBucket => ({ ...bucket(minute(at), 0), coverage: null });
const shown = (buckets: HistoryBucket[], isZoomed = false) =>
  shownSteps({ ...historyPeriod, range: "1h", step: 60, buckets }, isZoomed).buckets.map(({ start }) =>
    new Date(start).getUTCMinutes(),
  );

describe("the steps of bars and chart", () => {
  it("start at a new monitor's first due slot, and include later missed and paused ones", () => {
    const buckets = [0, 1, 2]
      .map(notDue)
      .concat([3, 4, 5, 6, 7, 8, 9].map((at) => bucket(minute(at), at === 5 ? 0 : 1)));
    expect(shown(buckets)).toEqual([3, 4, 5, 6, 7, 8, 9]);
    expect(shown(buckets, true)).toHaveLength(10);
    expect(shown([bucket(minute(0), 1), ...[1, 2, 3, 4, 5, 6, 7].map(notDue)])).toHaveLength(8);
  });

  it("have a minimum number, so that one check does not fill the chart", () => {
    const buckets = [0, 1, 2, 3, 4, 5, 6, 7].map(notDue).concat([bucket(minute(8), 1)]);
    expect(shown(buckets)).toEqual([3, 4, 5, 6, 7, 8]);
    expect(shown([0, 1].map(notDue))).toHaveLength(2);
  });

  it("are limited to the axis in the chart, at any resolution", () => {
    const axis = { fromMs: Date.parse(minute(3)), toMs: Date.parse(minute(6)) };
    const points = chartPoints(
      [2, 3, 4, 5, 6].map((at) => bucket(minute(at), 1)),
      axis,
    );
    expect(points.map(({ start }) => new Date(start).getUTCMinutes())).toEqual([3, 4, 5]);
  });
});
