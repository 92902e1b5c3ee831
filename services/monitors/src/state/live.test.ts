import { create, fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { silentLog } from "@sonde/kit/service/log";
import { MonitorFiguresBatchSchema, MonitorFiguresSchema } from "@sonde/proto/gen/events/v1/events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startLive } from "./live.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const maxPayload = 1024 * 1024;

function setUp() {
  const published: number[] = [];
  const sizes: number[] = [];
  const bus = { closed: false };
  const nc = {
    info: { max_payload: maxPayload },
    subscribe: () => ({ unsubscribe() {} }),
    publish(_subject: string, data: Uint8Array) {
      if (bus.closed) throw new Error("closed connection");
      if (data.length > maxPayload) throw new Error("max_payload size exceeded");
      sizes.push(data.length);
      published.push(...fromBinary(MonitorFiguresBatchSchema, data).figures.map(({ monitorId }) => monitorId));
    },
  };
  const live = startLive({ nc, connected: () => true, log: silentLog } as unknown as Bus);
  const publish = (monitorId: number, lastError: string) =>
    live.publish(create(MonitorFiguresSchema, { monitorId, version: 1, status: "down", lastError }), false);
  return { bus, live, published, sizes, publish };
}

test("figures that accumulate during a stall are split into messages of valid size", () => {
  const { live, published, sizes, publish } = setUp();
  for (let id = 1; id <= 950; id++) publish(id, "x".repeat(2_000));
  vi.advanceTimersByTime(200);
  expect(published).toEqual(Array.from({ length: 950 }, (_, index) => index + 1));
  expect(sizes.length).toBeGreaterThan(1);
  live.stop();
});

test("a figure that fits no message is dropped, and the others are published", () => {
  const { live, published, publish } = setUp();
  publish(1, "small");
  publish(2, "x".repeat(2 * maxPayload));
  publish(3, "small");
  vi.advanceTimersByTime(200);
  expect(published).toEqual([1, 3]);
  live.stop();
});

test("figures are still published after a closing connection rejected some", () => {
  const { bus, live, published, publish } = setUp();
  bus.closed = true;
  publish(1, "lost");
  vi.advanceTimersByTime(200);
  bus.closed = false;
  publish(2, "published");
  vi.advanceTimersByTime(200);
  expect(published).toEqual([2]);
  live.stop();
});

test("no timer runs while nothing is queued", () => {
  const { live, published, publish } = setUp();
  expect(vi.getTimerCount()).toBe(0);
  publish(1, "first");
  publish(2, "second");
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(200);
  expect(published).toEqual([1, 2]);
  expect(vi.getTimerCount()).toBe(0);
  live.stop();
});
