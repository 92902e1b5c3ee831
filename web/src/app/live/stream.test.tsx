import { HttpResponse } from "msw";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { on } from "../../testing/server.ts";
import type { LiveEvent } from "./events.ts";
import { keepStreamOpen, createFrameReader } from "./stream.ts";

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
  it("sends the token, emits events, and resumes after an interruption from the last id with a complete refetch", async () => {
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
    const held = keepStreamOpen({
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

  it("waits before reconnecting if the server closed it in favour of another stream, and only that once", async () => {
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
    const held = keepStreamOpen({
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

  it("ends and reports it if the token is rejected, but keeps retrying while a service is down", async () => {
    let answers = 0;
    on("get", "/events", () => new HttpResponse(null, { status: ++answers === 1 ? 503 : 401 }));
    const refused = vi.fn();
    const statuses: string[] = [];
    await keepStreamOpen({
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

describe("the server-sent event parser", () => {
  it("reads event, id and data", () => {
    expect(read('event: monitor\nid: 1-2\ndata: {"id":1}\n\n')).toEqual([
      { event: "monitor", id: "1-2", data: '{"id":1}' },
    ]);
  });

  it("joins data lines, accepts all line endings, and ignores comments", () => {
    expect(read(": heartbeat\n\n", "data: a\r\ndata:b\r\n\r\n", "data: c\r\rdata: d\n\n")).toEqual([
      { event: "message", id: null, data: "a\nb" },
      { event: "message", id: null, data: "c" },
      { event: "message", id: null, data: "d" },
    ]);
  });

  it("joins frames received in chunks, even if a line ending is split", () => {
    const whole = "event: incident\r\nid: 9\r\ndata: x\r\n\r\n";
    expect(read(...whole.split(""))).toEqual([{ event: "incident", id: "9", data: "x" }]);
  });

  it("emits an id without data, because it changes the resume position", () => {
    expect(read("id: 1-77\n\n")).toEqual([{ event: "message", id: "1-77", data: null }]);
  });

  it("emits the retry time and ignores invalid ones", () => {
    expect(read("retry: 600000\n\n", "retry: soon\n\n")).toEqual([
      { event: "message", id: null, data: null, retryMs: 600_000 },
    ]);
  });

  it("drops an event that the end of the stream cut off", () => {
    expect(read("event: monitor\ndata: {")).toEqual([]);
  });
});
