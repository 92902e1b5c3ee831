import { unavailable } from "@sonde/kit/errors";
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createFakes, directServices, fakeMonitor } from "../testing/fakes.ts";
import { principals } from "../testing/principals.ts";
import { startTestApp, type TestApp } from "../testing/test-app.ts";

const mebibyte = 2 ** 20;
const body = "x".repeat(262_144);
const ids = Array.from({ length: 200 }, (_, at) => 200 - at);
const inOneAnswer = 2;

let app: TestApp;
let asked: number[][];
let compact: boolean | undefined;
/** Responses until `monitors` becomes unavailable. */
let answersLeft: number;

/** Like `monitors`: the entries that fit in a message, and the ids of the rest. */
const listMonitors = async ({ ids: wanted = [], compact: isCompact }: { ids?: number[]; compact?: boolean }) => {
  asked.push(wanted);
  compact = isCompact;
  if (answersLeft-- <= 0) throw unavailable("monitors");
  const page = wanted.length === 0 ? ids : wanted;
  const monitors = page.slice(0, inOneAnswer).map((id) => ({ ...fakeMonitor(7), method: "POST", body, id }));
  return { monitors, total: 321, restIds: page.slice(inOneAnswer) };
};

beforeAll(async () => {
  const services = directServices(createFakes());
  app = await startTestApp({
    services: {
      ...services,
      monitors: { ...services.monitors, listMonitors: listMonitors as never },
      agents: { ...services.agents, listAgents: async () => ({ agents: [], total: 1, restIds: [7] }) as never },
    },
  });
});
beforeEach(() => {
  asked = [];
  answersLeft = Number.POSITIVE_INFINITY;
});
afterAll(() => app.stop());

const path = "/api/monitors?pageSize=200";

/** A client that starts reading on request. */
function openSlowly(): Promise<{ status: string; close: () => void }> {
  const socket = connect(app.port, "127.0.0.1");
  const lines = [`GET ${path} HTTP/1.1`, "Host: x", `Authorization: Bearer ${principals.user.token}`, "", ""];
  socket.write(lines.join("\r\n"));
  return once(socket, "data").then(([chunk]) => {
    socket.pause();
    return { status: String(chunk).slice(9, 12), close: () => socket.destroy() };
  });
}

describe("a page of 200 monitors with a body of 256 Ki each", () => {
  test.each(["identity", "gzip"])("arrives complete and in order (%s)", async (encoding) => {
    const answer = await app.ask("GET", path, { as: "user", headers: { "accept-encoding": encoding } });
    expect(answer.status).toBe(200);
    expect(answer.body["total"]).toBe(321);
    const monitors = answer.body["monitors"] as { id: number; body: string; uptime: unknown }[];
    expect(monitors.map(({ id }) => id)).toEqual(ids);
    expect(monitors.every((monitor) => monitor.body === body)).toBe(true);
    expect(monitors.find(({ id }) => id === 7)?.uptime).toEqual({ h24: 99.9, d30: null });
  });

  test("is requested no faster than the client reads", async () => {
    const reader = await openSlowly();
    expect(reader.status).toBe("200");
    // Sockets buffer a few megabytes; the page has fifty.
    await expect.poll(() => asked.length, { timeout: 5000 }).toBeGreaterThan(2);
    let before = -1;
    await expect
      .poll(
        () => {
          const settled = before === asked.length;
          before = asked.length;
          return settled;
        },
        { interval: 300, timeout: 20_000 },
      )
      .toBe(true);
    expect(asked.length * inOneAnswer * body.length).toBeLessThan(25 * mebibyte);
    reader.close();
  });

  test("may be sent twice at once to a user, agents' pages included", async () => {
    const readers = [await openSlowly(), await openSlowly()];
    const refused = await app.ask("GET", path, { as: "user" });
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("2");
    const other = await app.ask("HEAD", path, { as: "viewer" });
    expect(other.status).toBe(200);
    const ofAgents = await app.ask("GET", "/api/agents", { as: "user" });
    expect(ofAgents.status).toBe(429);
    readers[0]!.close();
    await expect.poll(async () => (await app.ask("HEAD", path, { as: "user" })).status).toBe(200);
    readers[1]!.close();
  });

  test.each(["identity", "gzip"])("breaks off if monitors becomes unavailable midway (%s)", async (encoding) => {
    answersLeft = 5;
    await expect(app.ask("GET", path, { as: "user", headers: { "accept-encoding": encoding } })).rejects.toThrow();
  });

  test("is requested in compact form if only rows are needed", async () => {
    expect((await app.ask("HEAD", `${path}&compact=true`, { as: "user" })).status).toBe(200);
    expect(compact).toBe(true);
  });

  test("is an ordinary error if monitors is unavailable from the start", async () => {
    answersLeft = 0;
    expect((await app.ask("GET", path, { as: "user" })).status).toBe(503);
  });
});
