import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { silentLog } from "@sonde/kit/service/log";
import { defaultStatusConfig } from "@sonde/proto/http/status/config";
import { inject, onTestFinished, test, expect } from "vitest";
import { readPages } from "../src/pages/store.ts";
import { uniqueSchema } from "../src/testing/bed.ts";
import { migrations } from "./index.ts";

test("a database of the previous version keeps its page as the default one, public, with its announcements", async () => {
  const schema = uniqueSchema();
  const open = (some: object): Promise<Database> =>
    openDatabase({
      url: inject("databaseUrl"),
      schema,
      migrations: some as typeof migrations,
      log: silentLog,
      camelCase: true,
    });
  const former = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < "006"));
  const before = await open(former);
  const config = { ...defaultStatusConfig, title: "Ours", monitors: [1] };
  await before("pages").insert({ slug: "default", config: JSON.stringify(config), updatedAtMs: 7 });
  const times = { createdAtMs: 1, updatedAtMs: 1 };
  await before("announcements").insert({
    title: "Old",
    impact: "minor",
    monitorIds: [9],
    agentIds: [],
    state: "resolved",
    ...times,
  });
  const token = (name: string) => Buffer.from(name);
  await before("subscribers").insert({
    email: "a@example.com",
    emailKey: "a@example.com",
    services: [],
    language: "en-US",
    confirmHash: token("a"),
    confirmSalt: token("b"),
    confirmUntilMs: 1,
    unsubscribeHash: token("c"),
    unsubscribeSalt: token("d"),
    createdAtMs: 1,
    askedAtMs: [],
  });
  await before.destroy();
  const db = await open(migrations);
  onTestFinished(() => db.destroy());
  expect(await readPages(db, silentLog)).toMatchObject([
    { slug: "default", config: { title: "Ours" }, hosts: [], access: { mode: "public" }, cookieKey: null },
  ]);
  expect(await db("announcements").pluck("pages")).toEqual([["default"]]);
  expect(await db("subscribers").pluck("page")).toEqual(["default"]);
  // The previous version, which still runs, writes it.
  const row = { slug: "default", config: JSON.stringify({ ...config, title: "Changed" }), updatedAtMs: 8 };
  await db("pages")
    .where({ slug: "default" })
    .update({ access: JSON.stringify({ mode: "members" }) });
  await db("pages").insert(row).onConflict("slug").merge();
  expect(await readPages(db, silentLog)).toMatchObject([{ config: { title: "Changed" }, access: { mode: "members" } }]);
});
