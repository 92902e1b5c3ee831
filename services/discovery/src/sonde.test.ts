import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterEach, expect, it } from "vitest";
import { connectSonde, type SondeRefusal } from "./sonde.ts";

type Answer = { status?: number; headers?: Record<string, string>; body: unknown };
const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

async function serve(answer: (request: IncomingMessage, body: unknown) => Answer) {
  const server = createServer(async (request, response) => {
    const given = request.method === "POST" ? await json(request) : undefined;
    const { status = 200, headers = {}, body } = answer(request, given);
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return connectSonde({ url, key: () => "sonde_key", source: "kubernetes/main" });
}

it("reads the managed fields of its own monitors, page by page", async () => {
  const owned = { source: "kubernetes/main", key: "main.service.shop.db", place: "Service shop/db", fields: ["host"] };
  const pages = [
    [
      { type: "http", name: "x", managed: { ...owned, source: "prod-git" } },
      { type: "http", name: "y" },
    ],
    [{ type: "tcp", name: "z", host: "db.shop.svc", managed: owned }],
  ];
  const asked: unknown[] = [];
  const sonde = await serve(({ url = "", headers }) => {
    asked.push(headers.authorization);
    return { body: { monitors: pages[Number(/page=(\d)/.exec(url)?.[1]) - 1], total: 201 } };
  });
  expect([...(await sonde.readOwned())]).toEqual([
    ["main.service.shop.db", { place: "Service shop/db", entry: { type: "tcp", host: "db.shop.svc" } }],
  ]);
  expect(asked).toEqual(["Bearer sonde_key", "Bearer sonde_key"]);
});

it("applies a document with the place of each monitor", async () => {
  let applied: unknown;
  const sonde = await serve((_request, body) => {
    applied = body;
    return { body: { success: true, plan: { create: ["monitors.a"] } } };
  });
  const monitors = new Map([["a", { place: "Ingress shop/a", entry: { url: "https://a.example.com/" } }]]);
  expect(await sonde.apply(monitors, 2)).toEqual({ create: ["monitors.a"] });
  expect(applied).toEqual({
    source: "kubernetes/main",
    allowDelete: 2,
    config: { monitors: { a: { url: "https://a.example.com/" } } },
    places: { "monitors.a": "Ingress shop/a" },
  });
});

it("reports rejections by Sonde and by a proxy", async () => {
  const errors = [{ path: "monitors.a.url", message: "Unknown" }];
  const answers = [
    { status: 400, body: { success: false, message: "The request is not valid", code: "invalid", errors } },
    { status: 502, body: "Bad gateway" },
  ];
  const sonde = await serve(() => answers.shift()!);
  const refusal = (await sonde.apply(new Map(), 0).catch((fault: unknown) => fault)) as SondeRefusal;
  expect(refusal.faults).toEqual(errors);
  expect(refusal.message).toBe("Sonde responded with 400: The request is not valid (monitors.a.url: Unknown)");
  await expect(sonde.readOwned()).rejects.toThrow("Sonde responded with 502: Bad gateway");
});

it("sends its key to no other address", async () => {
  const sonde = await serve(() => ({ status: 302, headers: { Location: "http://127.0.0.1:9/" }, body: "" }));
  await expect(sonde.readOwned()).rejects.toThrow("fetch failed");
});
