import { fakeClock } from "@sonde/kit/time/clock";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeSink } from "../testing/fake-sink.ts";
import { type Broadcast, createBroadcast, createStreamCount, flushMs, type Listener } from "./broadcast.ts";

const frame = (text: string) => Buffer.from(`data: ${text}\n\n`);
let readers: Broadcast<Listener>;

beforeEach(() => {
  vi.useFakeTimers();
  const streams = createStreamCount(10_000);
  readers = createBroadcast({ clock: fakeClock(), streams, catchUp: () => frame("catch up") });
});
afterEach(() => {
  readers.close();
  vi.useRealTimers();
});

function join(count: number): FakeSink[] {
  return Array.from({ length: count }, () => {
    const sink = new FakeSink();
    readers.add({ sink }, () => frame("hello"));
    return sink;
  });
}
const countReceived = (sinks: readonly FakeSink[], text: string) =>
  sinks.filter(({ received }) => received.includes(`data: ${text}\n`)).length;

test("many readers each get every frame once, in order", () => {
  const sinks = join(750);
  readers.send(frame("first"));
  vi.advanceTimersByTime(0);
  readers.send(frame("second"));
  vi.advanceTimersByTime(flushMs);
  expect(new Set(sinks.map(({ received }) => received))).toEqual(
    new Set(["data: hello\n\ndata: first\n\ndata: second\n\n"]),
  );
});

test("frames between two flushes are one write", () => {
  const sinks = join(500);
  const before = sinks.map(({ writes }) => writes);
  for (let count = 0; count < 50; count += 1) readers.send(frame(`frame ${count}`));
  vi.advanceTimersByTime(flushMs);
  expect(sinks.map(({ writes }, index) => writes - before[index]!)).toEqual(sinks.map(() => 1));
});

test("a reader that joins while frames are pending gets only later ones", () => {
  const early = join(251);
  readers.send(frame("before"));
  const late = join(250);
  readers.send(frame("after"));
  vi.advanceTimersByTime(2 * flushMs);
  expect([countReceived(early, "before"), countReceived(late, "before")]).toEqual([early.length, 0]);
  expect([countReceived(early, "after"), countReceived(late, "after")]).toEqual([early.length, late.length]);
});

test("readers that leave do not disturb the others", () => {
  const sinks = join(750);
  const [leaving, staying] = [sinks.slice(0, 500), sinks.slice(500)];
  readers.send(frame("first"));
  for (const sink of leaving) sink.destroy();
  readers.send(frame("second"));
  vi.advanceTimersByTime(2 * flushMs);
  expect([countReceived(staying, "first"), countReceived(staying, "second"), readers.size()]).toEqual([250, 250, 250]);
});

test("a mebibyte of frames is flushed immediately", () => {
  const [sink] = join(1);
  readers.send(frame("first"));
  vi.advanceTimersByTime(0);
  for (let count = 0; count < 16; count += 1) readers.send(Buffer.alloc(2 ** 16, "x"));
  expect(sink!.received.length).toBeGreaterThan(2 ** 20);
});
