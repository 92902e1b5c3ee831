import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { silentLog } from "@sonde/kit/service/log";
import { fakeClock } from "@sonde/kit/time/clock";
import { inject, onTestFinished, test, expect } from "vitest";
import type { Context } from "../src/context.ts";
import { uniqueSchema } from "../src/testing/bed.ts";
import { openMailing } from "../src/testing/mailing.ts";
import { migrations } from "./index.ts";

test("mails of the previous version are handed over once under their keys, except those it sent or is sending", async () => {
  const schema = uniqueSchema();
  const open = (some: object): Promise<Database> =>
    openDatabase({
      url: inject("databaseUrl"),
      schema,
      migrations: some as typeof migrations,
      log: silentLog,
      camelCase: true,
    });
  const clock = fakeClock();
  const nowMs = clock.now();
  const former = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < "008"));
  const before = await open(former);
  const facts = {
    kind: "update",
    announcementId: 1,
    title: "Payments fail",
    impact: "major",
    state: "investigating",
    text: "We look.",
    targets: [],
    atMs: nowMs,
    pageTitle: "Example status",
    shown: [],
    names: [],
    plain: "We look.",
    html: "<p>We look.</p>",
  };
  const mailing = { subjectKey: "update:1", about: "announcement:1", createdAtMs: nowMs, dueAtMs: nowMs };
  const [{ id: mailingId } = { id: 0 }] = await before("mailings")
    .insert({ ...mailing, kind: "update", facts: JSON.stringify(facts), isPrepared: true, fannedOutTo: null })
    .returning<{ id: number }[]>("id");
  const rows: Record<string, object> = {
    waits: { status: "pending", dueAtMs: nowMs },
    retries: { status: "pending", dueAtMs: nowMs, claims: 3, failures: 3 },
    "is-sent-now": { status: "pending", dueAtMs: nowMs + 60_000, claims: 1 },
    "was-sent": { status: "delivered", dueAtMs: nowMs },
    "was-refused": { status: "failed", dueAtMs: nowMs },
    "was-given-up": { status: "pending", dueAtMs: nowMs, givesUpAtMs: nowMs },
  };
  const keys: Record<string, string> = {};
  for (const [name, row] of Object.entries(rows)) {
    const bytes = (purpose: string) => Buffer.from(purpose + name);
    const [subscriber] = await before("subscribers")
      .insert({
        email: `${name}@example.com`,
        emailKey: `${name}@example.com`,
        services: [],
        language: "en-US",
        confirmHash: bytes("a"),
        confirmSalt: bytes("b"),
        confirmUntilMs: nowMs,
        unsubscribeHash: bytes("c"),
        unsubscribeSalt: bytes("d"),
        createdAtMs: 1,
        confirmedAtMs: 1,
        askedAtMs: [],
      })
      .returning<{ id: number }[]>("id");
    const [mail] = await before("mails")
      .insert({ mailingId, subscriberId: subscriber!.id, rank: 1, givesUpAtMs: nowMs + 3_600_000, ...row })
      .returning<{ key: string }[]>("key");
    keys[name] = mail!.key;
  }
  await before.destroy();

  const db = await open(migrations);
  onTestFinished(() => db.destroy());
  const { sent, run, pass } = await openMailing({}, { ctx: { db } as Context, clock });
  const recipients = () => sent.map(({ to, key }) => `${to} ${key}`);
  await run();
  const left = ["waits", "retries"].map((name) => `${name}@example.com ${keys[name]}`);
  expect(recipients()).toEqual(left);
  // Its sender was replaced before it recorded the outcome.
  await pass(60_000);
  left.push(`is-sent-now@example.com ${keys["is-sent-now"]}`);
  expect(recipients()).toEqual(left);
  await pass(3_600_000);
  expect(recipients()).toEqual(left);
});
