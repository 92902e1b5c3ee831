import { expect, test } from "vitest";
import { migrationProblem, findUnsafeMigrations } from "./migrations.ts";

test.each([
  "alter table monitors drop column note",
  "DROP TABLE IF EXISTS things",
  "alter table a rename to b",
  "alter table a rename column b to c",
  "alter table a\n  alter column b type bigint",
  "alter table a alter column b set not null",
  "alter table a add column b int not null",
  "alter table a add column b int, add column if not exists c text not null",
  "ALTER TABLE checks MODIFY COLUMN slot DateTime64",
  "ALTER TABLE checks MODIFY COLUMN slot CODEC(Delta, ZSTD(16)), MODIFY COLUMN up UInt8",
  "trx.schema.alterTable('a', (t) => t.dropColumn('b'))",
  "trx.schema.renameTable('a', 'b')",
])("%s would break the previous version", (sql) => {
  expect(migrationProblem(sql)).toMatch(/previous version/);
  expect(migrationProblem(`-- unused since 0.2.0\n${sql}`)).toBeNull();
});

test.each([
  "create table things (id int primary key, name text not null)",
  "alter table a add column b int",
  "alter table a add column b int not null default 0",
  "alter table a add column b text, add column c boolean default false not null",
  "alter table a add column b int generated always as (1) stored not null",
  "create index concurrently dropped on a (renamed)",
  "update a set b = 1",
  "ALTER TABLE checks MODIFY COLUMN slot CODEC(Delta, ZSTD(16)), MODIFY COLUMN up CODEC(ZSTD(16))",
])("%s does not affect the previous version", (sql) => {
  expect(migrationProblem(sql)).toBeNull();
});

test("all migrations can run while the previous version is still running", async () => {
  expect(await findUnsafeMigrations()).toBe("");
});
