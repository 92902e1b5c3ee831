import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { countOpenIncidents, type IncidentQuery, listIncidentRows } from "./list.ts";
import { silentLog } from "../service/log.ts";
import { type Database, openDatabase } from "../postgres/database.ts";

const tables = `
  create table things (id int primary key, name text not null);
  create table incidents (id int primary key, thing_id int not null references things, cause text not null,
    opened_at_ms bigint not null, closed_at_ms bigint);
  insert into things values (1, 'shop'), (2, 'mail_100%');
  insert into incidents values (1, 1, 'a timeout', 10, 20), (2, 2, 'refused', 20, null), (3, 1, 'shop is away', 30, 90),
    (4, 2, 'a timeout', 30, 40);
`;

let db: Database;
beforeAll(async () => {
  const schema = `kit_${randomUUID().replace(/[^a-f]/g, "")}`;
  const migrations = { "001-tables": { up: (trx: Database) => trx.raw(tables) } };
  db = await openDatabase({ url: inject("databaseUrl"), schema, migrations, log: silentLog });
});
afterAll(() => db.destroy());

const all = { page: 1, pageSize: 50, search: "", sort: "", open: undefined, targetId: undefined };
const list = (query: Partial<IncidentQuery>) =>
  listIncidentRows<{ id: number; name: string }>(db, { table: "things", column: "thing_id" }, { ...all, ...query });
const ids = async (query: Partial<IncidentQuery>) => (await list(query)).rows.map(({ id }) => id);

test.each([
  ["newest first, of the same instant the later one", {}, [4, 3, 2, 1]],
  ["oldest first", { sort: "openedAt" }, [1, 2, 3, 4]],
  ["the last to close first, an open one before all", { sort: "-closedAt" }, [2, 3, 4, 1]],
  ["the first to close first, an open one after all", { sort: "closedAt" }, [1, 4, 3, 2]],
  ["open ones", { open: true }, [2]],
  ["closed ones", { open: false }, [4, 3, 1]],
  ["one target's", { targetId: 1 }, [3, 1]],
  ["those of an id that nobody has", { targetId: 3_000_000_000 }, []],
  ["those whose target or cause holds a text, in any case", { search: "SHOP" }, [3, 1]],
  ["a text taken as it is", { search: "_100%" }, [4, 2]],
  ["no NUL", { search: "ref\0used" }, [2]],
  ["what all filters leave", { search: "timeout", open: false, targetId: 2 }, [4]],
])("lists %s", async (_what, query, wanted) => {
  expect(await ids(query)).toEqual(wanted);
});

test("pages count all of what is wanted, each row with its target's name", async () => {
  const { rows, total } = await list({ page: 2, pageSize: 3 });
  expect([rows, total]).toEqual([[expect.objectContaining({ id: 1, name: "shop" })], 4]);
  expect(await countOpenIncidents(db)).toBe(1);
});
