import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createAnswering } from "@sonde/testing/recording-target/answering";
import { createControl } from "./control.ts";

async function startTarget() {
  const answering = createAnswering();
  const servers = [createServer(answering.serve), createControl(answering)] as const;
  for (const server of servers) {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
  }
  const [checks = "", control = ""] = servers.map(
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  );
  const get = async (path: string): Promise<unknown> => (await fetch(control + path)).json();
  const post = async (path: string, body?: string) => (await fetch(control + path, { method: "POST", body })).status;
  return { check: async (path: string) => (await fetch(checks + path)).status, get, post };
}

test("the target lists its requests repeatedly, from any index", async () => {
  const { check, get } = await startTarget();
  expect([await check("/ok/7"), await check("/slow/8"), await check("/ok/7")]).toEqual([200, 200, 200]);
  expect(await get("/arrivals")).toMatchObject({ ids: [7, 8, 7] });
  expect(await get("/arrivals?from=2")).toEqual({ ids: [7], timesMs: [expect.any(Number)] });
});

test("a switched address fails and recovers on demand, without affecting others", async () => {
  const { check, post } = await startTarget();
  await post("/switch/3/failing");
  expect([await check("/switch/3"), await check("/switch/4")]).toEqual([503, 200]);
  await post("/switch/3/well");
  expect(await check("/switch/3")).toBe(200);
});

test("a webhook is recorded with its body", async () => {
  const { get, post } = await startTarget();
  expect(await post("/hook/ops", '{"event":"down"}')).toBe(200);
  expect(await get("/hooks")).toEqual([
    { path: "/hook/ops", id: "", atMs: expect.any(Number), body: '{"event":"down"}' },
  ]);
  expect(await post("/elsewhere")).toBe(404);
});
