import { silentLog } from "@sonde/kit/service/log";
import { fakeClock } from "@sonde/kit/time/clock";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import { expect, onTestFinished, test } from "vitest";
import type { EventFrame } from "./present.ts";
import { notifyStreams } from "./maintenance.ts";

test("open pages are notified once of each target whose maintenance or silence begins or ends", () => {
  const covered: Record<TargetType, number[]> = { monitor: [], agent: [] };
  const silenced: Record<TargetType, number[]> = { monitor: [], agent: [] };
  const frames: EventFrame[] = [];
  const published = () =>
    frames.splice(0).map(({ event, data }) => ({ event, ...(data as { id: number; change: string }) }));
  const clock = fakeClock(Date.UTC(2026, 0, 1));
  const watcher = notifyStreams({
    maintenance: { covered: (type) => new Set(covered[type]), silenced: (type) => new Set(silenced[type]) },
    hub: { live: (frame) => void frames.push(frame) },
    clock,
    log: silentLog,
  });
  onTestFinished(() => watcher.stop());
  watcher.check();
  expect(published()).toEqual([]);
  covered.monitor = [7, 8];
  covered.agent = [7];
  watcher.check();
  const at = "2026-01-01T00:00:00.000Z";
  expect(published()).toEqual([
    { event: "monitor", id: 7, change: "updated", at },
    { event: "monitor", id: 8, change: "updated", at },
    { event: "agent", id: 7, change: "updated", at },
  ]);
  watcher.check();
  expect(published()).toEqual([]);
  covered.monitor = [8];
  watcher.check();
  expect(published()).toEqual([{ event: "monitor", id: 7, change: "updated", at }]);
  silenced.agent = [3];
  watcher.check();
  expect(published()).toEqual([{ event: "agent", id: 3, change: "updated", at }]);
});
