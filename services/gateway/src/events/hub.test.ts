import { fakeClock } from "@sonde/kit/time/clock";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Role } from "@sonde/proto/http/users";
import { FakeSink } from "../testing/fake-sink.ts";
import { flushMs } from "./broadcast.ts";
import { createHub, type Hub, type Reader } from "./hub.ts";

const clock = fakeClock();
const change = (id: number) => ({ event: "monitor" as const, data: { id, change: "state" } });
let hub: Hub;

beforeEach(() => {
  vi.useFakeTimers();
  hub = createHub({ clock, maxStreams: 30, maxStreamsPerUser: 20, capacity: 100 });
  hub.begin({ createdMs: 1000, sequence: 0 });
});
afterEach(() => {
  hub.close();
  vi.useRealTimers();
});

type Options = { lastEventId?: string; userId?: number; sessionHash?: string; expiresAtMs?: number; role?: Role };
const readerOf = ({ lastEventId, userId = 1, sessionHash: hash = "ada", ...rest }: Options = {}) => ({
  sink: new FakeSink(),
  session: { userId, hash, role: "user" as const, expiresAtMs: Number.POSITIVE_INFINITY, ...rest },
  address: "192.0.2.1",
  lastEventId,
});
function join(options: Options = {}) {
  const reader = readerOf(options);
  hub.add(reader);
  return reader.sink;
}
const ids = (sink: FakeSink) => [...sink.received.matchAll(/^event: monitor\nid: (\S+)$/gm)].map(([, id]) => id);

describe("a stream", () => {
  test("starts with the id to resume from", () => {
    expect(join().received).toMatch(/^: open\nretry: 1000\n\nid: 1000-0\n\n$/);
  });

  test("batches events, each once and with its id", () => {
    const sink = join();
    hub.fact(1, change(7));
    hub.fact(2, change(8));
    expect(sink.writes).toBe(1);
    vi.advanceTimersByTime(flushMs);
    expect(sink.writes).toBe(2);
    expect(sink.received).toContain(
      'event: monitor\nid: 1000-1\ndata: {"id":7,"change":"state"}\n\nevent: monitor\nid: 1000-2\n',
    );
  });

  test("sends live figures without an id", () => {
    const sink = join();
    hub.live({ event: "monitor", data: { id: 7, change: "figures" } });
    vi.advanceTimersByTime(flushMs);
    expect(sink.received).toContain('event: monitor\ndata: {"id":7,"change":"figures"}\n\n');
  });

  test("sends a heartbeat while nothing happens", () => {
    const sink = join();
    vi.advanceTimersByTime(15_000 + flushMs);
    expect(sink.received).toContain(": heartbeat\n\n");
  });

  test("resumes after the client's last id, without gap or repetition", () => {
    for (let sequence = 1; sequence <= 5; sequence += 1) hub.fact(sequence, change(sequence));
    const first = join();
    hub.fact(6, change(6));
    const sink = join({ lastEventId: "1000-3" });
    hub.fact(7, change(7));
    vi.advanceTimersByTime(flushMs);
    expect(ids(sink)).toEqual(["1000-4", "1000-5", "1000-6", "1000-7"]);
    expect(ids(first)).toEqual(["1000-6", "1000-7"]);
  });

  test.each(["999-3", "1000-9", "nonsense", "1000-0"])("sends reset for the id %s", (lastEventId) => {
    for (let sequence = 1; sequence <= 500; sequence += 1) hub.fact(sequence, change(sequence));
    if (lastEventId === "1000-9") hub.begin({ createdMs: 1000, sequence: 5 });
    const { received } = join({ lastEventId });
    expect(received).toMatch(/event: reset\nid: 1000-\d+\ndata: \{\}\n\n$/);
  });

  test("sends reset when the stream of events was recreated", () => {
    const sink = join();
    hub.begin({ createdMs: 2000, sequence: 0 });
    vi.advanceTimersByTime(flushMs);
    expect(sink.received).toContain("event: reset\nid: 2000-0\n");
  });

  test("ends with its session only", () => {
    const [ada, bob] = [join(), join({ sessionHash: "bob" })];
    hub.endSession("ada");
    expect([ada.ended, bob.ended, hub.size()]).toEqual([true, false, 1]);
    hub.fact(1, change(1));
    vi.advanceTimersByTime(flushMs);
    expect([ids(ada), ids(bob)]).toEqual([[], ["1000-1"]]);
  });

  test("is destroyed if its reader does not notice the end", () => {
    const sink = join();
    sink.reading = false;
    hub.endSession("ada");
    vi.advanceTimersByTime(1000);
    expect(sink.destroyed).toBe(true);
  });

  test("ends when its session expires", () => {
    const sink = join({ expiresAtMs: clock.now() + 10_000 });
    clock.advance(10_000);
    vi.advanceTimersByTime(1000);
    expect(sink.ended).toBe(true);
  });
});

describe("a reader without write access", () => {
  const failed = (sequence: number) =>
    hub.fact(sequence, { event: "incident", data: { incident: { cause: "The job reported a failure: s3cret" } } });
  const figures = () => hub.live({ event: "monitor", data: { lastError: "The job reported a failure: s3cret" } });

  test("gets causes without job output, while others get it", () => {
    const [reader, writer] = [join({ role: "viewer" }), join()];
    failed(1);
    figures();
    hub.fact(2, change(7));
    vi.advanceTimersByTime(flushMs);
    expect([reader.received.includes("s3cret"), writer.received.match(/s3cret/g)?.length]).toEqual([false, 2]);
    expect(reader.received.match(/The job reported a failure"/g)).toHaveLength(2);
    expect(ids(reader)).toEqual(["1000-2"]);
  });

  test("gets the restricted form when resuming, too", () => {
    failed(1);
    const reader = join({ role: "viewer", lastEventId: "1000-0" });
    expect(reader.received).toContain('id: 1000-1\ndata: {"incident":{"cause":"The job reported a failure"}}');
  });
});

test("a stream ends within a second after its session's rights changed", () => {
  const lost = new Set<string>();
  hub.close();
  const mayStay = ({ session }: Reader) => !lost.has(session.hash);
  hub = createHub({ clock, maxStreams: 30, maxStreamsPerUser: 20, mayStay });
  const [own, other] = [join(), join({ sessionHash: "other" })];
  lost.add("ada");
  vi.advanceTimersByTime(1000);
  expect([own.ended, other.ended]).toEqual([true, false]);
});

describe("a slow reader", () => {
  const flood = (from: number, to: number) => {
    for (let sequence = from; sequence <= to; sequence += 1) {
      hub.fact(sequence, { event: "monitor", data: "x".repeat(10_000) });
      vi.advanceTimersByTime(flushMs);
    }
  };

  test("buffers nothing further, and gets reset after catching up", () => {
    const sink = join();
    sink.reading = false;
    flood(1, 100);
    expect(sink.writableLength).toBeLessThan(300_000);
    sink.catchUp();
    expect(sink.received).toMatch(/event: reset\nid: 1000-100\ndata: \{\}\n\n$/);
    flood(101, 101);
    expect(ids(sink).at(-1)).toBe("1000-101");
  });

  test("is disconnected after half a minute", () => {
    const sink = join();
    sink.reading = false;
    flood(1, 100);
    clock.advance(31_000);
    vi.advanceTimersByTime(15_000);
    expect([sink.destroyed, hub.size()]).toEqual([true, 0]);
  });

  test("does not delay others", () => {
    const [slow, quick] = [join(), join()];
    slow.reading = false;
    flood(1, 100);
    expect(ids(quick)).toHaveLength(100);
  });
});

describe("the streams of one user", () => {
  const fill = (count: number) =>
    Array.from({ length: count }, (_, index) => join({ sessionHash: `session ${index}` }));

  test("are limited to twenty over all sessions; another learns when to retry", () => {
    fill(20);
    expect(() => join({ sessionHash: "one more" })).toThrow(
      expect.objectContaining({ code: "too_many", retryAfterSeconds: 60, params: { max: 20 } }),
    );
    expect(hub.size()).toBe(20);
    expect(join({ userId: 2 }).received).toContain(": open");
  });

  test("replace the oldest by a new one when it is a minute old", () => {
    const [oldest, second] = fill(20);
    clock.advance(60_000);
    join();
    expect([oldest!.ended, second!.ended, hub.size()]).toEqual([true, false, 20]);
  });

  test("get a retry delay of ten minutes when replaced, so that they do not end each other in turns", () => {
    const [oldest] = fill(20);
    clock.advance(60_000);
    join();
    expect(oldest!.received).toMatch(/\nretry: 600000\n\n$/);
  });

  test("are not ended for a client that has already disconnected", () => {
    const [oldest] = fill(20);
    clock.advance(60_000);
    const reader = readerOf({ sessionHash: "gone" });
    reader.sink.closed = true;
    expect(() => hub.add(reader)).toThrow("closed");
    expect([oldest!.ended, hub.size()]).toEqual([false, 20]);
  });

  test("leave capacity for other users", () => {
    fill(20);
    for (let userId = 2; userId <= 11; userId += 1) join({ userId });
    expect(() => join({ userId: 12 })).toThrow("currently unavailable");
  });
});

test("closing the hub ends every stream and rejects new ones", () => {
  const sink = join();
  hub.close();
  expect(sink.ended).toBe(true);
  expect(() => join()).toThrow("currently unavailable");
});
