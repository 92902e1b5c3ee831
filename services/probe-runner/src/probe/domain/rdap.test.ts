import type { IncomingMessage, ServerResponse } from "node:http";
import { createGuard } from "@sonde/kit/egress/guard";
import { systemClock } from "@sonde/kit/time/clock";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CheckWorld, probe } from "../../testing/check.ts";
import { closeServers, freePort, serveHttp } from "../../testing/loopback.ts";
import { cancelled, noExpiration, noRegistry, noServiceList } from "../probe.ts";
import { useListForTests } from "./rdap.ts";

const dayMs = 86_400_000;
const nowMs = Date.parse("2026-06-01T12:00:00Z");
const inDays = (days: number) => new Date(nowMs + days * dayMs).toISOString();
const clock = { ...systemClock, now: () => nowMs };

let queries: string[];
let answerList: (response: ServerResponse) => void;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let origin: string;

/** A registry's response for a domain (RFC 9083), with dates by action. */
const registration = (events: Record<string, string>) =>
  JSON.stringify({
    objectClassName: "domain",
    ldhName: "example.com",
    events: Object.entries(events).map(([eventAction, eventDate]) => ({ eventAction, eventDate })),
  });
const expiring = (days: number) => {
  answer = (_request, response) =>
    response.end(registration({ registration: inDays(-900), expiration: inDays(days), "last changed": inDays(-3) }));
};
const check = (domain: string, minDaysLeft?: number, world: CheckWorld = {}) =>
  probe({ type: "domain", domain, ...(minDaysLeft !== undefined && { minDaysLeft }) }, { clock, ...world });

beforeEach(async () => {
  queries = [];
  expiring(100);
  origin = await serveHttp((request, response) => {
    queries.push(request.url!);
    if (request.url === "/dns.json") answerList(response);
    else answer(request, response);
  });
  answerList = (response) =>
    response.end(
      JSON.stringify({
        version: "1.0",
        services: [
          [["com", "br", "uk", "xn--fiqs8s"], [`${origin}/tld/`]],
          [["net"], ["ftp://192.0.2.1/", `${origin}/net`]],
        ],
      }),
    );
  useListForTests(`${origin}/dns.json`);
});
afterEach(closeServers);

describe("a registered domain", () => {
  it("is up with enough days left, and reports when it expires", async () => {
    expect(await check("example.com")).toMatchObject({ status: "up", certificateExpiresAtMs: nowMs + 100 * dayMs });
    expect(await check("example.com", 100)).toMatchObject({ status: "up" });
  });

  it.each([
    [29.5, "The domain expires on 2026-07-01, in 29 days (minimum 30)"],
    [1, "The domain expires on 2026-06-02, in 1 day (minimum 30)"],
    [0.4, "The domain expires on 2026-06-01, in 0 days (minimum 30)"],
    [-2, "The domain expired on 2026-05-30"],
  ])("with %f days left is down, and reports the date", async (days, message) => {
    expiring(days);
    expect(await check("example.com")).toMatchObject({
      status: "down",
      error: { kind: "assertion", message },
      certificateExpiresAtMs: nowMs + days * dayMs,
    });
  });

  it("is down if it does not exist", async () => {
    answer = (_request, response) => response.writeHead(404).end('{"errorCode":404}');
    expect(await check("example.com")).toMatchObject({ error: { message: "The domain is not registered" } });
  });

  const silent: Record<string, string>[] = [
    {},
    { registration: inDays(-1) },
    { expiration: "soon" },
    { "registrar expiration": inDays(9) },
  ];
  it.each(silent)("has no data if the registry does not state an expiration: %j", async (events) => {
    answer = (_request, response) => response.end(registration(events));
    expect(await check("example.com")).toEqual({ status: "none", trouble: noExpiration });
  });

  it.each([
    ["redemption period", "redemption period"],
    ["pending delete", "pending delete"],
    ["clientHold", "client hold"],
    ["server hold", "server hold"],
  ])("is down with the status %s, however long it is registered", async (status, word) => {
    const facts = JSON.parse(registration({ expiration: inDays(300) })) as object;
    answer = (_request, response) => response.end(JSON.stringify({ ...facts, status: ["active", status] }));
    expect(await check("example.com")).toMatchObject({ error: { message: `The domain has the status ${word}` } });
    answer = (_request, response) => response.end(JSON.stringify({ ...facts, status: ["client transfer prohibited"] }));
    expect(await check("example.com")).toMatchObject({ status: "up" });
  });
});

describe("the registry", () => {
  it.each([
    ["www.Example.com", "/tld/domain/example.com"],
    ["shop.example.com.br", "/tld/domain/example.com.br"],
    ["a.b.example.co.uk.", "/tld/domain/example.co.uk"],
    ["www.例子.中国", "/tld/domain/xn--fsqu00a.xn--fiqs8s"],
    ["example.net", "/net/domain/example.net"],
  ])("of %s is queried for its registrable domain", async (name, path) => {
    expect(await check(name)).toMatchObject({ status: "up" });
    expect(queries).toEqual(["/dns.json", path]);
  });

  it("is queried over RDAP, with redirects followed through the guard", async () => {
    const accepted: unknown[] = [];
    answer = ({ url, headers }, response) => {
      accepted.push(headers.accept);
      if (url === "/elsewhere") response.end(registration({ expiration: inDays(90) }));
      else response.writeHead(302, { location: "/elsewhere" }).end();
    };
    expect(await check("example.com")).toMatchObject({ status: "up" });
    expect(accepted).toEqual(Array(2).fill("application/rdap+json, application/json"));
    answer = (_request, response) => response.writeHead(302, { location: "http://169.254.169.254/" }).end();
    expect(await check("example.com")).toEqual({ status: "none", trouble: noRegistry });
    const guard = createGuard({ denyCidrs: ["127.0.0.0/8"] });
    expect(await check("example.com", 30, { guard })).toEqual({ status: "none", trouble: noRegistry });
  });

  it("does not exist for a public suffix or a top-level domain without RDAP", async () => {
    expect(await check("co.uk")).toMatchObject({
      status: "down",
      error: { message: "co.uk is a public suffix, under which domains are registered" },
    });
    expect(queries).toEqual([]);
    expect(await check("www.example.internal")).toMatchObject({
      status: "down",
      error: { message: "There is no RDAP service for .internal, so its domains' expiry dates are unknown" },
    });
  });
});

describe("no data", () => {
  it.each([
    ["too many requests", 429, "{}"],
    ["a fault of its own", 503, "{}"],
    ["no leave", 403, "{}"],
    ["no JSON", 200, "<html>"],
    ["other JSON", 200, '{"objectClassName":"entity"}'],
    ["more than 1 MiB", 200, `{"objectClassName":"domain","a":"${"x".repeat(1024 * 1024)}"}`],
  ])("is reported if the registry responds with %s", async (_what, status, body) => {
    answer = (_request, response) => response.writeHead(status).end(body);
    expect(await check("example.com")).toEqual({ status: "none", trouble: noRegistry });
  });

  it("is reported if the registry does not answer, or not in time", async () => {
    answer = () => undefined;
    expect(await check("example.com", 30, { timeoutMs: 200 })).toEqual({ status: "none", trouble: noRegistry });
    answer = (request) => request.socket.destroy();
    expect(await check("example.com")).toEqual({ status: "none", trouble: noRegistry });
    const controller = new AbortController();
    answer = () => controller.abort(cancelled);
    const pending = check("example.com", 30, { signal: controller.signal });
    expect(await pending).toEqual({ status: "none", trouble: "cancelled" });
  });

  it("is reported if the list of registries is unavailable", async () => {
    for (const text of ["", "{}", '{"services":[["com"]]}']) {
      answerList = (response) => response.end(text);
      expect(await check("example.com")).toEqual({ status: "none", trouble: noServiceList });
    }
    useListForTests(`http://127.0.0.1:${await freePort()}/dns.json`);
    expect(await check("example.com")).toEqual({ status: "none", trouble: noServiceList });
  });
});

it("keeps the list for a day, and longer if it cannot be refreshed", async () => {
  let elapsedMs = 0;
  const world = { clock: { ...clock, elapsedMs: () => elapsedMs } };
  const lists = () => queries.filter((path) => path === "/dns.json").length;
  const expectLists = async (count: number) => {
    expect(await check("example.com", 30, world)).toMatchObject({ status: "up" });
    expect(lists()).toBe(count);
  };
  await expectLists(1);
  elapsedMs = dayMs - 1;
  await expectLists(1);
  elapsedMs = dayMs;
  answerList = (response) => response.writeHead(503).end();
  await expectLists(2);
  elapsedMs += 3_600_000 - 1;
  await expectLists(2);
  elapsedMs += 1;
  await expectLists(3);
});
