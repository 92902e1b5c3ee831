import { fakeClock } from "@sonde/kit/time/clock";
import type { PageStates } from "@sonde/proto/http/status/snapshot";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createStreamCount, flushMs } from "../events/broadcast.ts";
import { FakeSink } from "../testing/fake-sink.ts";
import { type FakeView, fakeView } from "../testing/fake-public-page.ts";
import { fakeSnapshot, fakeStates } from "@sonde/status-page/testing/snapshot";
import { createStatusStreams, type StatusStreams } from "./streams.ts";

let clock = fakeClock(fakeStates.atMs);
let view: FakeView;
let streams: StatusStreams;
const snapshot = {
  ...fakeSnapshot,
  monitors: [7, 8].map((id) => ({ ...fakeSnapshot.monitors[0]!, id })),
  agents: [{ id: 3, name: "db", uptime: null, coverage: null, days: [] }],
};
const atMs = fakeStates.atMs;
const states: PageStates = {
  revision: 1,
  atMs,
  monitors: { 7: { status: "up", sinceMs: atMs }, 8: { status: "up", sinceMs: atMs } },
  agents: { 3: { status: "online", sinceMs: atMs } },
};

beforeEach(async () => {
  vi.useFakeTimers();
  clock = fakeClock(fakeStates.atMs);
  view = fakeView();
  await view.publish({ snapshot, states });
  streams = createStatusStreams({ clock, streams: createStreamCount(10), maxPerAddress: 3 });
});
afterEach(() => {
  streams.close();
  vi.useRealTimers();
});

function visit(address = "192.0.2.1", { page = view, mayStay = (): boolean => true } = {}) {
  const sink = new FakeSink();
  streams.add(page, { sink, address, mayStay }, () => {});
  return sink;
}
const framesOf = ({ received }: FakeSink) =>
  [...received.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, event, data]) => [event, JSON.parse(data!)] as const);
const sent = async (sink: FakeSink, act: () => unknown) => {
  const before = framesOf(sink).length;
  await act();
  vi.advanceTimersByTime(flushMs);
  return framesOf(sink).slice(before);
};
const publishStates = (changes: Partial<PageStates>) => view.publishStates({ ...states, revision: 2, ...changes });
const updatedAt = new Date(atMs).toISOString();
const well = { state: "operational", ill: 0, total: 3, updatedAt, outdated: false };

describe("a visitor's stream", () => {
  test("starts with the current status", () => {
    const sink = visit();
    expect(sink.received).toMatch(/^: open\nretry: 3000\n\n/);
    expect(framesOf(sink)).toEqual([["status", well]]);
  });

  test("sends each changed service, and the overall status", async () => {
    const down = { 7: { status: "down", sinceMs: atMs + 1000 }, 8: states.monitors[8]! } as const;
    const frames = await sent(visit(), () => publishStates({ monitors: down }));
    expect(frames).toEqual([
      ["monitor", { id: 7, status: "down", since: new Date(atMs + 1000).toISOString() }],
      ["status", { ...well, state: "degraded", ill: 1 }],
    ]);
    const others = await sent(visit(), () =>
      publishStates({ monitors: down, agents: { 3: { status: "offline", sinceMs: 5 } } }),
    );
    expect(others.map(([event]) => event)).toEqual(["agent", "status"]);
  });

  test("sends nothing about what the page does not show", async () => {
    const hidden = { ...states.monitors, 99: { status: "down", sinceMs: 5 } } as const;
    expect(await sent(visit(), () => publishStates({ monitors: hidden }))).toEqual([]);
  });

  test("repeats the unchanged status now and then", async () => {
    const sink = visit();
    await sent(sink, () => publishStates({ atMs: atMs + 1 }));
    expect(await sent(sink, () => publishStates({ atMs: atMs + 9000 }))).toEqual([]);
    expect(await sent(sink, () => publishStates({ atMs: atMs + 60_000 }))).toEqual([
      ["status", { ...well, updatedAt: new Date(atMs + 60_000).toISOString() }],
    ]);
  });

  test("sends changed for other changes, but not for figures", async () => {
    const sink = visit();
    const figures = snapshot.monitors.map((monitor) => ({
      ...monitor,
      uptime: 12,
      responseTime: 99,
      responseTimes: [1],
      days: monitor.days.map((day) => ({ ...day, uptime: 3 })),
    }));
    const news = { ...snapshot, revision: 2, builtAtMs: 5 };
    expect(await sent(sink, () => view.publish({ snapshot: { ...news, monitors: figures } }))).toEqual([]);
    const renamed = snapshot.monitors.map((monitor) => ({ ...monitor, name: "Renamed" }));
    expect(await sent(sink, () => view.publish({ snapshot: { ...news, monitors: renamed } }))).toEqual([
      ["changed", {}],
    ]);
  });

  test("says that the page is outdated after three minutes without updates", async () => {
    const sink = visit();
    expect(await sent(sink, () => clock.advance(180_000))).toEqual([]);
    expect(await sent(sink, () => clock.advance(1))).toEqual([["status", { ...well, outdated: true }]]);
    const back = await sent(sink, () => publishStates({ atMs: atMs + 200_000 }));
    expect(back).toMatchObject([["status", { outdated: false }]]);
  });

  test("that was too slow receives changed", async () => {
    const sink = visit();
    sink.reading = false;
    for (let turn = 0; turn < 4000 && sink.writableLength < 2 ** 18; turn += 1) {
      const status = turn % 2 === 0 ? "down" : "up";
      await publishStates({ monitors: { 7: { status, sinceMs: turn }, 8: { status, sinceMs: turn } } });
      vi.advanceTimersByTime(flushMs);
    }
    expect(sink.writableLength).toBeLessThan(2 ** 19);
    const caughtUp = await sent(sink, () => sink.catchUp());
    expect(caughtUp.map(([event]) => event)).toEqual(["changed", "status"]);
  });
});

describe("the number of streams", () => {
  test("is limited per address, and an ended stream frees capacity", () => {
    const [first] = [visit(), visit(), visit()];
    expect(() => visit()).toThrow(expect.objectContaining({ code: "too_many", params: { max: 3 } }));
    expect(visit("192.0.2.2").received).toContain(": open");
    first!.emit("close");
    expect(visit().received).toContain(": open");
  });

  test("counts an IPv6 /64 as one address", () => {
    for (const end of [1, 2, 3]) visit(`2001:db8::${end}`);
    expect(() => visit("2001:db8::4")).toThrow(expect.objectContaining({ code: "too_many" }));
    expect(visit("2001:db8:0:1::4").received).toContain(": open");
  });

  test("leaves the last tenth to logged-in users", () => {
    for (let end = 1; end <= 9; end += 1) visit(`192.0.2.${end}`);
    expect(() => visit("192.0.2.10")).toThrow(expect.objectContaining({ code: "unavailable" }));
  });

  test("is zero before the page is available, and after closing", async () => {
    expect(() => visit("192.0.2.1", { page: fakeView() })).toThrow("currently unavailable");
    const sink = visit();
    streams.close();
    expect(sink.ended).toBe(true);
    expect(() => visit()).toThrow("currently unavailable");
  });
});

describe("streams of several pages", () => {
  const other = async () => {
    const page = fakeView({ clock, slug: "acme" });
    page.allow({ mode: "password" });
    await page.publish({ snapshot, states });
    return page;
  };

  test("send changes of their own page", async () => {
    const page = await other();
    const [own, its] = [visit(), visit("192.0.2.2", { page })];
    const down = { ...states.monitors, 7: { status: "down", sinceMs: atMs + 1000 } } as const;
    const before = framesOf(its).length;
    expect((await sent(own, () => publishStates({ monitors: down }))).length).toBe(2);
    expect(framesOf(its)).toHaveLength(before);
  });

  test("count together per address", async () => {
    const page = await other();
    visit();
    visit();
    visit("192.0.2.1", { page });
    expect(() => visit("192.0.2.1", { page })).toThrow(expect.objectContaining({ code: "too_many" }));
  });

  test("end when the visitor may no longer read the page, and all when it is deleted", async () => {
    const page = await other();
    let may = true;
    const [leaving, staying] = [visit("192.0.2.2", { page, mayStay: () => may }), visit("192.0.2.3", { page })];
    const elsewhere = visit();
    may = false;
    page.allow({ mode: "password" });
    expect([leaving.ended, staying.ended]).toEqual([true, false]);
    page.allow(null);
    expect([staying.ended, elsewhere.ended]).toEqual([true, false]);
    expect(streams.size()).toBe(1);
  });

  test("end when their grant expires", async () => {
    const page = await other();
    let may = true;
    const sink = visit("192.0.2.2", { page, mayStay: () => may });
    may = false;
    vi.advanceTimersByTime(15_000);
    expect(sink.ended).toBe(true);
  });
});
