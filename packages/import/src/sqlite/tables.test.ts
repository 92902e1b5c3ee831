import { kumaTables } from "@sonde/proto/http/import";
import { makeKumaDatabase, readKumaDatabase } from "@sonde/proto/http/testing/kuma-database";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { UnreadableFileError } from "./pages.ts";
import { readTables } from "./tables.ts";

const folder = mkdtempSync(join(tmpdir(), "sonde-sqlite-"));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
const pathOf = () => join(folder, `${(count += 1)}.db`);
const blobOf = (path: string) => new Blob([readFileSync(path)]);

/** Creates a database with these statements and returns its path. */
function make(...statements: string[]): string {
  const path = pathOf();
  const database = new DatabaseSync(path);
  for (const statement of statements) database.exec(statement);
  database.close();
  return path;
}
/** Rows of a table as read by SQLite. */
function selected(path: string, table: string): unknown[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare(`select * from "${table}"`).all();
  database.close();
  return rows.map((row) => ({ ...row }));
}
const read = async (path: string, table: string, columns: string[]) =>
  (await readTables(blobOf(path), null, { [table]: columns }))[table];

describe("the reader matches SQLite for", () => {
  test.each(["1.23", "2"] as const)("a database of Uptime Kuma %s", async (version) => {
    const path = pathOf();
    const monitors = Array.from({ length: 300 }, (_, at) => ({
      name: `monitor ${at} 监控 🎉`,
      type: "http",
      url: `https://example.com/${at}`,
      interval: 60 + at,
      body: at % 50 === 0 ? "x".repeat(20_000 + at) : null,
      timeout: at / 7,
    }));
    const early = [{ name: "from before", type: "http", url: "https://old.example.com/", interval: 60 }];
    const notification = [{ name: "ops", config: "{}", user_id: 1 }];
    makeKumaDatabase(path, { version, early, rows: { monitor: monitors, notification } });
    const expected = readKumaDatabase(path, Object.keys(kumaTables));
    const tables = await readTables(blobOf(path), null, kumaTables);
    expect(Object.keys(tables).sort()).toEqual(Object.keys(expected).sort());
    for (const [name, rows] of Object.entries(expected)) {
      const columns: readonly string[] = kumaTables[name as keyof typeof kumaTables];
      const wanted = rows.map((row) =>
        Object.fromEntries(Object.entries(row).filter(([key]) => columns.includes(key))),
      );
      expect(tables[name]).toEqual(wanted);
    }
  });

  test("values of every size, sign and kind", async () => {
    const numbers = [0, 1, -1, 127, -128, 128, 32_767, -32_768, 8_388_607, -8_388_608, 2 ** 31 - 1, -(2 ** 31)];
    const values = [...numbers, 2 ** 47 - 1, -(2 ** 47), 2 ** 52, -(2 ** 52), 0.5, -1e300, "''", "'a''b'", "null"];
    const path = make(
      "create table t (a, b)",
      ...values.map((value) => `insert into t values (${value}, 'end')`),
      "insert into t values (x'00ff', 'end')",
    );
    const rows = selected(path, "t") as { a: unknown; b: unknown }[];
    expect(await read(path, "t", ["a", "b"])).toEqual([...rows.slice(0, -1), { a: null, b: "end" }]);
  });

  test.each(["512", "1024", "65536"])("rows of every length around a page of %s bytes", async (bytes) => {
    const around = [100, 440, 460, 477, 478, 500, 512, 900, 1_000, 1_024, 4_000, 65_000, 65_536, 70_000, 140_000];
    const inserts = around.map((length) => `insert into t (a) values ('${"y".repeat(length)}')`);
    const path = make(`pragma page_size = ${bytes}`, "create table t (id integer primary key, a text)", ...inserts);
    expect(await read(path, "t", ["id", "a"])).toEqual(selected(path, "t"));
  });

  test.each(["UTF-16le", "UTF-16be"])("texts in %s", async (encoding) => {
    const path = make(`pragma encoding = '${encoding}'`, "create table t (a text)", "insert into t values ('监控 🎉')");
    expect(await read(path, "t", ["a"])).toEqual([{ a: "监控 🎉" }]);
  });

  test("rows that are left after others were deleted, in a tree of several levels", async () => {
    const path = make(
      "pragma page_size = 512",
      "create table t (id integer primary key, a text)",
      "with recursive n (i) as (select 1 union all select i + 1 from n where i < 5000) insert into t select i, 'row ' || i from n",
      "delete from t where id % 3 = 0",
    );
    expect(await read(path, "t", ["id", "a"])).toEqual(selected(path, "t"));
  });

  test("defaults, quotes, comments and constraints of a declaration", async () => {
    const path = make(
      `create table "t" ( -- the first, with a comma
         [id] integer not null primary key autoincrement, /* (second) */ \`a b\` varchar(10, 2) default ('x, y'),
         "c""d" real check ("c""d" in (1, 2)) default 1, constraint k unique (id), check (id > 0))`,
      "insert into t (id) values (5)",
      "alter table t add column e text default 'it''s'",
      "alter table t add column f integer not null default -7",
      "alter table t add column g boolean default true",
      "alter table t add column h text",
    );
    const columns = ["id", "a b", 'c"d', "e", "f", "g", "h"];
    expect(await read(path, "t", columns)).toEqual(selected(path, "t"));
  });
});

test("the newest changes of a running program are read from its log", async () => {
  const path = pathOf();
  const running = new DatabaseSync(path);
  running.exec("pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table t (a text)");
  running.exec("insert into t values ('first'); insert into t values ('second')");
  const copies = [pathOf(), pathOf()] as const;
  copyFileSync(path, copies[0]);
  copyFileSync(`${path}-wal`, copies[1]);
  running.close();
  const rows = async (wal: Blob | null) => (await readTables(blobOf(copies[0]), wal, { t: ["a"] }))["t"];
  expect(await rows(blobOf(copies[1]))).toEqual([{ a: "first" }, { a: "second" }]);
  // An incomplete transaction does not count.
  const whole = readFileSync(copies[1]);
  expect(await rows(new Blob([whole.subarray(0, whole.length - 10)]))).toEqual([{ a: "first" }]);
});

describe("a corrupt or malicious file", () => {
  const good = () =>
    make(
      "pragma page_size = 512",
      "create table t (id integer primary key, a text)",
      `insert into t (a) values ('${"z".repeat(3000)}')`,
      "with recursive n (i) as (select 1 union all select i + 1 from n where i < 200) insert into t (a) select i from n",
    );
  const outcome = async (bytes: Uint8Array<ArrayBuffer>) => {
    try {
      await readTables(new Blob([bytes]), null, { t: ["id", "a"] });
      return "read";
    } catch (error) {
      if (error instanceof UnreadableFileError) return "refused";
      throw error;
    }
  };

  test("is rejected wherever it is truncated", async () => {
    const whole = new Uint8Array(readFileSync(good()));
    for (let end = 0; end < whole.length; end += 97) {
      expect(["refused", "read"]).toContain(await outcome(whole.slice(0, end)));
    }
    expect(await outcome(whole.slice(0, 512))).toBe("refused");
    expect(await outcome(new TextEncoder().encode("{}"))).toBe("refused");
  });

  test("never causes an unexpected error, whatever its bytes are", async () => {
    const whole = new Uint8Array(readFileSync(good()));
    let seed = 7;
    const next = (most: number) => (seed = (seed * 48_271) % 2_147_483_647) % most;
    const seen = new Set<string>();
    for (let round = 0; round < 1500; round += 1) {
      const changed = whole.slice();
      for (let left = 1 + next(6); left > 0; left -= 1) changed[next(changed.length)] = next(256);
      seen.add(await outcome(changed));
    }
    expect(seen).toEqual(new Set(["read", "refused"]));
  });

  test("with circular pages does not loop forever", async () => {
    const path = make(
      "pragma page_size = 512",
      "create table t (a text)",
      `insert into t values ('${"q".repeat(5000)}')`,
    );
    const bytes = new Uint8Array(readFileSync(path));
    const view = new DataView(bytes.buffer);
    // Turns the root of the table into an interior page whose only child is itself.
    bytes[512] = 5;
    view.setUint32(512 + 8, 2);
    expect(await outcome(bytes)).toBe("refused");
  });

  test.each([
    ["a table without row ids", "create table t (a text primary key) without rowid"],
    ["a computed column", "create table t (a text, b text generated always as (a) virtual)"],
    ["a virtual table", "create virtual table t using fts5(a)"],
  ])("%s is rejected", async (_what, statement) => {
    await expect(read(make(statement), "t", ["a"])).rejects.toThrow(UnreadableFileError);
  });

  test("with a view in place of a table has no such table", async () => {
    const path = make(
      "create view t as with recursive n (i) as (select 1 union all select i from n) select i as a from n",
    );
    expect(await read(path, "t", ["a"])).toBeUndefined();
  });
});
