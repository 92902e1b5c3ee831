import { HttpResponse } from "msw";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { on } from "../../testing/server.ts";
import type { LiveEvent } from "./events.ts";
import { holdStream, createFrameReader } from "./stream.ts";

/** A stream that sends some text and then breaks, or stays open until the test ends. */
function stream(text: string, { breaks }: { breaks: boolean }) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      if (breaks) controller.close();
    },
  });
  return new HttpResponse(body, { headers: { "content-type": "text/event-stream" } });
}

describe("the live stream", () => {
  it("sends the token, hands events on, and resumes after a break from the last id, with everything fetched anew", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const asked: Record<string, string | null>[] = [];
    on("get", "/events", ({ request }) => {
      asked.push({ token: request.headers.get("authorization"), from: request.headers.get("last-event-id") });
      return asked.length === 1
        ? stream('event: monitor\nid: 1-5\ndata: {"id":7}\n\nid: 1-9\n\n', { breaks: true })
        : stream('event: unknown\ndata: {}\n\nevent: incident\nid: 1-10\ndata: {"change":"opened"}\n\n', {
            breaks: false,
          });
    });
    const stop = new AbortController();
    const events: LiveEvent[] = [];
    const statuses: string[] = [];
    let lastEventId: string | null = null;
    const held = holdStream({
      token: "t1",
      signal: stop.signal,
      lastEventId: () => lastEventId,
      onId: (id) => void (lastEventId = id),
      onEvents: (batch) => void events.push(...batch),
      onStatus: (status) => void statuses.push(status),
      onRefused: () => expect.unreachable(),
    });
    await vi.waitFor(() => expect(events.map(({ name }) => name)).toEqual(["monitor", "reset", "incident"]), {
      timeout: 20_000,
    });
    stop.abort();
    await held;
    expect(asked.slice(0, 2)).toEqual([
      { token: "Bearer t1", from: null },
      { token: "Bearer t1", from: "1-9" },
    ]);
    expect(statuses.slice(0, 3)).toEqual(["connected", "lost", "connected"]);
  });

  it("comes back as late as a stream that made room for another asks, and then as soon as ever", async () => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    let asked = 0;
    on("get", "/events", () => {
      asked += 1;
      const retry = asked === 1 ? ": open\nretry: 1000\n\nretry: 600000\n\n" : ": open\n\n";
      return stream(retry, { breaks: asked < 3 });
    });
    const stop = new AbortController();
    const statuses: string[] = [];
    const held = holdStream({
      token: "t1",
      signal: stop.signal,
      lastEventId: () => null,
      onId: () => undefined,
      onEvents: () => undefined,
      onStatus: (status) => void statuses.push(status),
      onRefused: () => expect.unreachable(),
    });
    const lost = (times: number) =>
      vi.waitFor(() => expect(statuses.filter((status) => status === "lost")).toHaveLength(times));
    await lost(1);
    await vi.advanceTimersByTimeAsync(599_000);
    expect(asked).toBe(1);
    await vi.advanceTimersByTimeAsync(1000);
    await lost(2);
    expect(asked).toBe(2);
    await vi.advanceTimersByTimeAsync(500);
    await vi.waitFor(() => expect(asked).toBe(3));
    stop.abort();
    await held;
  });

  it("ends, and says so, when the token is refused; a part that is down is only waited for", async () => {
    let answers = 0;
    on("get", "/events", () => new HttpResponse(null, { status: ++answers === 1 ? 503 : 401 }));
    const refused = vi.fn();
    const statuses: string[] = [];
    await holdStream({
      token: "t1",
      signal: new AbortController().signal,
      lastEventId: () => null,
      onId: () => undefined,
      onEvents: () => undefined,
      onStatus: (status) => void statuses.push(status),
      onRefused: refused,
    });
    expect(refused).toHaveBeenCalledOnce();
    expect(statuses).toEqual(["lost"]);
    expect(answers).toBe(2);
  });
});

const read = (...chunks: string[]) => {
  const reader = createFrameReader();
  return chunks.flatMap((chunk) => reader.push(chunk));
};

describe("the reader of server-sent events", () => {
  it("reads event, id and data", () => {
    expect(read('event: monitor\nid: 1-2\ndata: {"id":1}\n\n')).toEqual([
      { event: "monitor", id: "1-2", data: '{"id":1}' },
    ]);
  });

  it("joins lines of data, knows every line end, and leaves comments out", () => {
    expect(read(": heartbeat\n\n", "data: a\r\ndata:b\r\n\r\n", "data: c\r\rdata: d\n\n")).toEqual([
      { event: "message", id: null, data: "a\nb" },
      { event: "message", id: null, data: "c" },
      { event: "message", id: null, data: "d" },
    ]);
  });

  it("puts frames together that come in pieces, a line end cut in two included", () => {
    const whole = "event: incident\r\nid: 9\r\ndata: x\r\n\r\n";
    expect(read(...whole.split(""))).toEqual([{ event: "incident", id: "9", data: "x" }]);
  });

  it("hands on an id without data: it moves the place to resume from", () => {
    expect(read("id: 1-77\n\n")).toEqual([{ event: "message", id: "1-77", data: null }]);
  });

  it("hands on how long to wait before coming back, and leaves out what is no number", () => {
    expect(read("retry: 600000\n\n", "retry: soon\n\n")).toEqual([
      { event: "message", id: null, data: null, retryMs: 600_000 },
    ]);
  });

  it("drops an event that the end of the stream cut off", () => {
    expect(read("event: monitor\ndata: {")).toEqual([]);
  });
});
