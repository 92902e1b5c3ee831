import { silentLog } from "@sonde/kit/service/log";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startClickHouse, type TestClickHouse } from "../testing/clickhouse.ts";
import type { HistoryContents } from "./parts.ts";
import { type HistoryListener, serveHistory } from "./serve.ts";
import { engineSource } from "./sources.ts";

const token = "a token of some length";
let folder: string;
let started: TestClickHouse;
let listener: HistoryListener;

beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "sonde-history-")), "parts");
  started = await startClickHouse();
  await started.clickhouse.writer.command({
    query: `INSERT INTO checks (monitor_id, location, slot, up, error)
      SELECT number, 'default', '2026-11-01 10:00:00', number > 0, 'a text of this monitor' FROM numbers(3)`,
  });
  const source = await engineSource(await started.clickhouse.connectExtra!(), folder);
  listener = await serveHistory(source, { host: "127.0.0.1", port: 0, token }, silentLog);
});
afterAll(async () => {
  await listener.stop();
  await started.stop();
  await rm(join(folder, ".."), { recursive: true, force: true });
});

const ask = (path: string, headers: Record<string, string> = { authorization: `Bearer ${token}` }, method = "GET") =>
  fetch(`http://127.0.0.1:${listener.port}${path}`, { method, headers });

test("lists rows before hour marks, and marks before figures", async () => {
  const { migrations, parts } = (await (await ask("/parts")).json()) as HistoryContents;
  expect(migrations[0]).toBe("001_checks");
  expect(parts).toEqual(expect.arrayContaining([{ table: "checks", partition: "20261101" }]));
  const order = parts.map(({ table }) => (!/_(hours|days)$/.test(table) ? 0 : table.startsWith("touched") ? 1 : 2));
  expect(order).toEqual(order.toSorted((a, b) => a - b));
});

test("returns a part as compressed rows with their count, and leaves no file behind", async () => {
  const answer = await ask("/parts/checks/20261101");
  expect(JSON.parse(answer.headers.get("sonde-rows") ?? "")).toEqual({ atLeast: 3, atMost: 3 });
  const rows = zstdDecompressSync(Buffer.from(await answer.arrayBuffer())).toString("latin1");
  expect(rows.match(/a text of this monitor/g)).toHaveLength(3);
  await vi.waitFor(async () => expect(await readdir(folder)).toEqual([]), 30_000);
});

test("omits a part whose rows were all deleted", async () => {
  const { writer } = started.clickhouse;
  await writer.command({
    query: "INSERT INTO pings (monitor_id, at, id, type) VALUES (8, '2026-11-01 00:00:00', 'a', 'success')",
  });
  await writer.command({ query: "DELETE FROM pings WHERE monitor_id = 8" });
  const answer = await ask("/parts/pings/20261101");
  expect([answer.status, await answer.text()]).toEqual([404, ""]);
  expect(await readdir(folder)).toEqual([]);
});

test.each([undefined, "Bearer", "Bearer another token of some length", `Basic ${token}`])(
  "rejects requests without the token: %s",
  async (authorization) => {
    const answer = await ask("/parts", authorization === undefined ? {} : { authorization });
    expect([answer.status, await answer.text()]).toEqual([401, ""]);
  },
);

test.each(["/", "/parts/none/20261101", "/parts/checks/19990101", "/parts/checks/1'%20OR%201", "/parts/a/b/c"])(
  "returns 404 for %s",
  async (path) => expect((await ask(path)).status).toBe(404),
);

test("rejects other methods", async () => expect((await ask("/parts", undefined, "DELETE")).status).toBe(404));
