import { describe, expect, it } from "vitest";
import { createFrameReader } from "./frames.ts";

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
