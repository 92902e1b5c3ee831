import { expect, it } from "vitest";
import { watchDisks } from "./disk-watch.ts";

const mib = 1024 * 1024;
const users = [
  { name: "NATS", folder: "/data/nats" },
  { name: "PostgreSQL", folder: "/data/postgres" },
  { name: "ClickHouse", folder: "/other/clickhouse" },
];

function watch() {
  const free: Record<string, number> = { data: 500, other: 500 };
  const lines: string[] = [];
  const push = (line: string) => void lines.push(line);
  const look = async (folder: string) => {
    const disk = folder.startsWith("/data") ? "data" : "other";
    return { disk, freeBytes: (free[disk] ?? 0) * mib };
  };
  const { check, stop } = watchDisks({ users, say: push, warn: push, look });
  stop();
  const at = async (disk: string, freeMib: number) => {
    free[disk] = freeMib;
    await check();
    return lines.splice(0);
  };
  return at;
}

it("says once that a disk is full, which, and whose, and once that there is space again", async () => {
  const at = watch();

  expect(await at("data", 3)).toEqual([
    "The disk of /data/nats is full (3 MiB are free). Nothing can be kept there until there is space again: NATS and PostgreSQL.",
  ]);
  expect(await at("data", 0)).toEqual([]);
  expect(await at("data", 10)).toEqual([]);
  expect(await at("data", 400)).toEqual([
    "There is space again on the disk of /data/nats (400 MiB are free): NATS and PostgreSQL.",
  ]);
});

it("warns before a disk is full, and does not repeat itself at the bound", async () => {
  const at = watch();

  expect(await at("other", 99)).toEqual([
    "The disk of /other/clickhouse is nearly full (99 MiB are free): ClickHouse.",
  ]);
  expect(await at("other", 101)).toEqual([]);
  expect(await at("other", 98)).toEqual([]);
  expect(await at("other", 130)).toEqual(["The disk of /other/clickhouse has space again (130 MiB are free)."]);
});
