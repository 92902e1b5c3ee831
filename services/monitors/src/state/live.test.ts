import { create, fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { silentLog } from "@sonde/kit/service/log";
import { MonitorFiguresBatchSchema, MonitorFiguresSchema } from "@sonde/proto/gen/events/v1/events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startLive } from "./live.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const maxPayload = 1024 * 1024;

/** A connection that refuses too large messages by throwing, as the client of NATS does. */
function setUp() {
  const told: number[] = [];
  const sizes: number[] = [];
  const bus = { closed: false };
  const nc = {
    info: { max_payload: maxPayload },
    subscribe: () => ({ unsubscribe() {} }),
    publish(_subject: string, data: Uint8Array) {
      if (bus.closed) throw new Error("closed connection");
      if (data.length > maxPayload) throw new Error("max_payload size exceeded");
      sizes.push(data.length);
      told.push(...fromBinary(MonitorFiguresBatchSchema, data).figures.map(({ monitorId }) => monitorId));
    },
  };
  const live = startLive({ nc, connected: () => true, log: silentLog } as unknown as Bus);
  const tell = (monitorId: number, lastError: string) =>
    live.tell(create(MonitorFiguresSchema, { monitorId, version: 1, status: "down", lastError }), false);
  return { bus, live, told, sizes, tell };
}

test("figures with long errors that a stall gathered go out in messages that the bus takes", () => {
  const { live, told, sizes, tell } = setUp();
  for (let id = 1; id <= 950; id++) tell(id, "x".repeat(2_000));
  vi.advanceTimersByTime(200);
  expect(told).toEqual(Array.from({ length: 950 }, (_, index) => index + 1));
  expect(sizes.length).toBeGreaterThan(1);
  live.stop();
});

test("a figure that fits no message is left out, the others are told", () => {
  const { live, told, tell } = setUp();
  tell(1, "small");
  tell(2, "x".repeat(2 * maxPayload));
  tell(3, "small");
  vi.advanceTimersByTime(200);
  expect(told).toEqual([1, 3]);
  live.stop();
});

test("figures that a closing connection refuses end nothing: later ones are told", () => {
  const { bus, live, told, tell } = setUp();
  bus.closed = true;
  tell(1, "lost");
  vi.advanceTimersByTime(200);
  bus.closed = false;
  tell(2, "told");
  vi.advanceTimersByTime(200);
  expect(told).toEqual([2]);
  live.stop();
});

test("no timer runs while there is nothing to tell", () => {
  const { live, told, tell } = setUp();
  expect(vi.getTimerCount()).toBe(0);
  tell(1, "first");
  tell(2, "second");
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(200);
  expect(told).toEqual([1, 2]);
  expect(vi.getTimerCount()).toBe(0);
  live.stop();
});
