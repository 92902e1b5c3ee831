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

test("a table gets replicas without block deduplication; other statements are unchanged", () => {
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

test("every table of the migrations gets replicas", () => {
  const all = readdirSync(migrations).flatMap((file) => statements(readFileSync(new URL(file, migrations), "utf8")));
  const tables = all.filter((sql) => /^CREATE TABLE/m.test(sql));
  expect(tables.length).toBeGreaterThan(10);
  for (const sql of tables) {
    expect(withReplicas(sql)).toMatch(/^ENGINE = Replicated\w*MergeTree/m);
    expect(withReplicas(sql).match(/replicated_deduplication_window/g)).toHaveLength(1);
  }
  for (const sql of all.filter((statement) => !tables.includes(statement))) expect(withReplicas(sql)).toBe(sql);
});

test("only errors about the second server allow storing on one", () => {
  expect(lacksReplica(faultOf("285", "TOO_FEW_LIVE_REPLICAS"))).toBe(true);
  expect(lacksReplica(faultOf("319", "UNKNOWN_STATUS_OF_INSERT"))).toBe(true);
  expect(lacksReplica(faultOf("242", "TABLE_IS_READ_ONLY"))).toBe(false);
  expect(lacksReplica(new Error("285"))).toBe(false);
});

/** Access to two servers, the second offline until `back`; records what each client was asked to write. */
function withSecondOffline() {
  const written: string[] = [];
  let activeReplicas = 1;
  // Accepts any statement, since migrations run too, and always reports `activeReplicas`.
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

test("a write that two servers cannot store goes to one, immediately from then on, until the second returns", async () => {
  const now = vi.spyOn(performance, "now").mockReturnValue(1_000);
  const { access, task, written, lines, back } = withSecondOffline();
  await expect(access.write(task)).resolves.toBe("one");
  expect(written.splice(0)).toEqual(["both", "one"]);
  await expect(access.write(task)).resolves.toBe("one");
  expect(written.splice(0)).toEqual(["one"]);
  // Retried after half a minute: first still offline, then back.
  now.mockReturnValue(32_000);
  await expect(access.write(task)).resolves.toBe("one");
  expect(written.splice(0)).toEqual(["one"]);
  back();
  now.mockReturnValue(63_000);
  await expect(access.write(task)).resolves.toBe("both");
  expect(lines.filter((line) => line.startsWith("history"))).toEqual([
    "history has only one copy: a ClickHouse server is offline or lagging",
    "history is on two servers again",
  ]);
});

test("other write errors do not cause a single copy, and a read whose server went away is retried once", async () => {
  const { access, written } = withSecondOffline();
  const readOnly = () => (written.push("tried"), Promise.reject(faultOf("242", "TABLE_IS_READ_ONLY")));
  await expect(access.write(readOnly)).rejects.toMatchObject({ code: "242" });
  expect(written.splice(0)).toEqual(["tried"]);
  const gone = vi.fn().mockRejectedValueOnce(new Error("ECONNRESET")).mockResolvedValueOnce("rows");
  await expect(access.read(gone)).resolves.toBe("rows");
  const refused = vi.fn().mockRejectedValue(faultOf("62", "SYNTAX_ERROR"));
  await expect(access.read(refused)).rejects.toMatchObject({ code: "internal" });
  expect(refused).toHaveBeenCalledTimes(1);
});
