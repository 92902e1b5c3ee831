import { type ClickHouseClient, ClickHouseError } from "@clickhouse/client";
import { silentLog } from "@sonde/kit/service/log";
import { readdirSync, readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { createAccess } from "./access.ts";
import { statements } from "./migrate.ts";
import type { ClickHouse } from "./open.ts";
import { lacksReplica, withReplicas } from "./replicas.ts";

const migrations = new URL("../../migrations/", import.meta.url);
const faultOf = (code: string, type: string) => new ClickHouseError({ message: type, code, type });

test("a table gets replicas and no deduplication of blocks; other statements stay as they are", () => {
  expect(withReplicas("CREATE TABLE a (x UInt8)\nENGINE = ReplacingMergeTree(revision)\nORDER BY x")).toBe(
    "CREATE TABLE a (x UInt8)\nENGINE = ReplicatedReplacingMergeTree(revision)\nORDER BY x\nSETTINGS replicated_deduplication_window = 0",
  );
  expect(
    withReplicas("CREATE TABLE a (x UInt8)\nENGINE = MergeTree\nORDER BY x\nSETTINGS fsync_after_insert = 1"),
  ).toBe(
    "CREATE TABLE a (x UInt8)\nENGINE = ReplicatedMergeTree\nORDER BY x\nSETTINGS replicated_deduplication_window = 0, fsync_after_insert = 1",
  );
  const view = "CREATE MATERIALIZED VIEW v TO a AS SELECT 1 AS x";
  expect(withReplicas(view)).toBe(view);
});

test("each table of the migrations gets replicas", () => {
  const all = readdirSync(migrations).flatMap((file) => statements(readFileSync(new URL(file, migrations), "utf8")));
  const tables = all.filter((sql) => /^CREATE TABLE/m.test(sql));
  expect(tables.length).toBeGreaterThan(10);
  for (const sql of tables) {
    expect(withReplicas(sql)).toMatch(/^ENGINE = Replicated\w*MergeTree/m);
    expect(withReplicas(sql).match(/replicated_deduplication_window/g)).toHaveLength(1);
  }
  for (const sql of all.filter((statement) => !tables.includes(statement))) expect(withReplicas(sql)).toBe(sql);
});

test("only what the second server has not got may be stored on one", () => {
  expect(lacksReplica(faultOf("285", "TOO_FEW_LIVE_REPLICAS"))).toBe(true);
  expect(lacksReplica(faultOf("319", "UNKNOWN_STATUS_OF_INSERT"))).toBe(true);
  expect(lacksReplica(faultOf("242", "TABLE_IS_READ_ONLY"))).toBe(false);
  expect(lacksReplica(new Error("285"))).toBe(false);
});

/** Access to two servers, of which the second is away until `back`; what each client was asked to write. */
function withSecondAway() {
  const written: string[] = [];
  let activeReplicas = 1;
  // Migrations are run on them, too: any statement is fine, and whatever is asked, that many servers are there.
  const fine = () => Promise.resolve();
  const query = () => Promise.resolve({ json: () => [{ least: activeReplicas, sql: "" }] });
  const clientOf = (name: string) => ({ name, query, command: fine, insert: fine });
  const [writer, loneWriter, reader] = ["both", "one", "reader"].map(clientOf) as unknown as ClickHouseClient[];
  const task = (client: ClickHouseClient) => {
    const { name } = client as unknown as { name: string };
    written.push(name);
    return name === "both" && activeReplicas < 2
      ? Promise.reject(faultOf("285", "TOO_FEW_LIVE_REPLICAS"))
      : Promise.resolve(name);
  };
  const lines: string[] = [];
  const note = (first: unknown, text?: string) => void lines.push(text ?? String(first));
  const clickhouse = { writer, loneWriter, reader, readsAtOnce: 1, ensureDatabase: fine };
  const log = { ...silentLog, warn: note, info: note } as typeof silentLog;
  const access = createAccess(clickhouse as unknown as ClickHouse, { rawDays: 30, rollupDays: 90 }, log);
  return { access, task, written, lines, back: () => void (activeReplicas = 2) };
}

test("what two servers cannot store one does, at once from then on, until the second is back", async () => {
  const now = vi.spyOn(performance, "now").mockReturnValue(1_000);
  const { access, task, written, lines, back } = withSecondAway();
  await expect(access.write(task)).resolves.toBe("one");
  expect(written.splice(0)).toEqual(["both", "one"]);
  await expect(access.write(task)).resolves.toBe("one");
  expect(written.splice(0)).toEqual(["one"]);
  // Asked again after half a minute: it is still away, and then back.
  now.mockReturnValue(32_000);
  await expect(access.write(task)).resolves.toBe("one");
  expect(written.splice(0)).toEqual(["one"]);
  back();
  now.mockReturnValue(63_000);
  await expect(access.write(task)).resolves.toBe("both");
  expect(lines.filter((line) => line.startsWith("history"))).toEqual([
    "history has one copy for now: a ClickHouse server is away or behind",
    "history is on two servers again",
  ]);
});

test("another fault of a write is no reason for one copy, and a read whose server went away is asked once more", async () => {
  const { access, written } = withSecondAway();
  const readOnly = () => (written.push("tried"), Promise.reject(faultOf("242", "TABLE_IS_READ_ONLY")));
  await expect(access.write(readOnly)).rejects.toMatchObject({ code: "242" });
  expect(written.splice(0)).toEqual(["tried"]);
  const gone = vi.fn().mockRejectedValueOnce(new Error("ECONNRESET")).mockResolvedValueOnce("rows");
  await expect(access.read(gone)).resolves.toBe("rows");
  const refused = vi.fn().mockRejectedValue(faultOf("62", "SYNTAX_ERROR"));
  await expect(access.read(refused)).rejects.toMatchObject({ code: "internal" });
  expect(refused).toHaveBeenCalledTimes(1);
});
