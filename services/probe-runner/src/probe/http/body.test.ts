import type { IncomingHttpHeaders } from "node:http";
import { PassThrough, type Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { brotliCompressSync, Gunzip, gzipSync } from "node:zlib";
import type { Assertion } from "@sonde/proto/http/monitors/assertions";
import type { Header } from "@sonde/proto/http/monitors/checks/http";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { check } from "../../testing/check.ts";
import { closeServers, serveHttp } from "../../testing/loopback.ts";
import { createMemory } from "../memory.ts";
import type { ProbeFailure } from "../probe.ts";
import { readBody } from "./body.ts";

afterEach(closeServers);

function reading(headers: IncomingHttpHeaders, memory = createMemory().open()) {
  const stream = new PassThrough();
  const response = Object.assign(stream as Readable, { headers, complete: false });
  stream.once("end", () => (response.complete = true));
  let seen: ReturnType<typeof readBody>;
  const done = new Promise<{ text: string; isCut: boolean } | ProbeFailure>((resolve) => {
    seen = readBody(response, "text", resolve, memory);
  });
  return { stream, done, seen: () => seen };
}

describe("a body in very many chunks", () => {
  it("is kept in one buffer", async () => {
    const { stream, done, seen } = reading({});
    for (let sent = 0; sent < 50_000; sent++) stream.write("x");
    stream.end();
    expect(await done).toEqual({ text: "x".repeat(50_000), isCut: false });
    expect(seen()?.chunks).toHaveLength(1);
  });

  it("is decoded once per turn, not once per chunk", async () => {
    const written = vi.spyOn(Gunzip.prototype, "write");
    onTestFinished(() => written.mockRestore());
    const { stream, done } = reading({ "content-encoding": "gzip" });
    for (const byte of gzipSync("all is well".repeat(100))) stream.write(Buffer.of(byte));
    stream.end();
    expect(await done).toEqual({ text: "all is well".repeat(100), isCut: false });
    expect(written).toHaveBeenCalledOnce();
  });
});

describe("a runner's memory", () => {
  const large = "x".repeat(200_000);

  it("is bounded for all large bodies together, and every check may read a small one", async () => {
    const memory = createMemory(300_000);
    const first = memory.open();
    expect(first.reserve(364_000)).toBe(true);
    const refused = reading({}, memory.open());
    for (let at = 0; at < 4; at++) refused.stream.write(large.slice(0, 50_000));
    expect(await refused.done).toEqual({ trouble: "no memory for another large body" });
    const small = reading({}, memory.open());
    small.stream.write("o");
    small.stream.end("k");
    expect(await small.done).toEqual({ text: "ok", isCut: false });
    first.close();
    const later = reading({}, memory.open());
    for (let at = 0; at < 4; at++) later.stream.write(large.slice(0, 50_000));
    later.stream.end();
    expect(await later.done).toEqual({ text: large, isCut: false });
  });

  it("is released after a check", () => {
    const memory = createMemory(300_000);
    const own = memory.open();
    expect(own.reserve(100_000)).toBe(true);
    expect(own.reserve(300_000)).toBe(true);
    expect(memory.usedBytes()).toBeGreaterThan(200_000);
    own.close();
    expect(memory.usedBytes()).toBe(0);
  });
});

describe("a body beyond 1 MiB", () => {
  const block = "x".repeat(65_536);
  const serve = (beginning: string) =>
    serveHttp(async (_request, response) => {
      response.write(beginning);
      for (let sent = 0; sent < 32 && !response.destroyed; sent++) {
        response.write(block);
        await setImmediate();
      }
      response.end("end");
    });
  const body = (op: Assertion["op"], value?: string): Assertion => ({ source: "body", op, value });

  it.each<[string, Assertion]>([
    ["contains a received text", body("contains", "needle")],
    ["matches a received text", body("matches", "need[l]e")],
    ["requires that it exists", body("exists")],
    ["excludes a shorter text", body("notEquals", "needle")],
    ["requires a header", { source: "header", property: "date", op: "exists" }],
  ])("is up if an assertion %s", async (_what, assertion) => {
    expect(await check(await serve("a needle"), { assertions: [assertion] })).toMatchObject({ status: "up" });
  });

  it.each<[string, Assertion, object]>([
    ["excludes a received text", body("notContains", "needle"), { kind: "assertion" }],
    [
      "might match the rest as text",
      body("contains", "end"),
      { kind: "protocol", message: "The body is larger than 1 MiB" },
    ],
    [
      "might match the rest as a pattern",
      body("matches", "en[d]"),
      { kind: "protocol", message: "The body is larger than 1 MiB" },
    ],
    ["might exclude the rest", body("notContains", "end"), { kind: "protocol" }],
    ["needs the complete JSON", { source: "json", property: "$.a", op: "exists" }, { kind: "protocol" }],
  ])("is down if an assertion %s", async (_what, assertion, error) => {
    expect(await check(await serve("a needle"), { assertions: [assertion] })).toMatchObject({ status: "down", error });
  });

  it("matches beyond the first 64 KiB", async () => {
    const origin = await serveHttp((_request, response) => response.end(`${block.repeat(4)}needle`));
    expect(await check(origin, { assertions: [body("matches", "need[l]e")] })).toMatchObject({ status: "up" });
  });
});

describe("accepted codings", () => {
  const queries = async (headers: Header[]) => {
    let accepted: string | string[] | undefined;
    const origin = await serveHttp((request, response) => {
      accepted = request.headers["accept-encoding"];
      const isPacked = String(accepted).includes("br");
      if (isPacked) response.setHeader("content-encoding", "br");
      response.end(isPacked ? brotliCompressSync("all is well") : "all is well");
    });
    const assertions = [{ source: "body", op: "equals", value: "all is well" } as const];
    expect(await check(origin, { headers, assertions })).toMatchObject({ status: "up" });
    return accepted;
  };

  it("are those that servers apply, and are decoded", async () => {
    expect(await queries([])).toBe("gzip, deflate, br");
  });

  it.each(["gzip", "deflate", "br", "zstd", "gzip, br"])("may be declared for an empty body: %s", async (coding) => {
    const origin = await serveHttp(({ url }, response) => {
      response.writeHead(url === "/204" ? 204 : 200, { "content-encoding": coding }).end();
    });
    const changes = { expectedStatus: "2xx", assertions: [{ source: "body", op: "notContains", value: "x" } as const] };
    expect(await check(origin, { method: "HEAD", ...changes })).toMatchObject({ status: "up" });
    expect(await check(`${origin}/204`, changes)).toMatchObject({ status: "up" });
    expect(await check(origin, { expectedStatus: "2xx" })).toMatchObject({ status: "up" });
  });

  it("can be set by the monitor, and default to none for range requests", async () => {
    expect(await queries([{ name: "accept-encoding", value: "identity" }])).toBe("identity");
    expect(await queries([{ name: "Range", value: "bytes=0-99" }])).toBeUndefined();
  });
});
