import { afterAll, beforeAll, expect, test } from "vitest";
import { asUser, takeEntries } from "../audit.testing.ts";
import type { Database } from "@sonde/kit/postgres/database";
import { acknowledgeIncident, unacknowledgeIncident } from "./acknowledge.ts";
import { openIncidents, targets } from "./incidents.testing.ts";
import { endSnooze, snoozeIncident } from "./snooze.ts";

const row = "insert into incidents (target_id, kind, cause, opened_at_ms) values (1, 'down', 'a timeout', 50)";

let db: Database;
beforeAll(async () => void (db = await openIncidents({ rows: row })));
afterAll(() => db.destroy());

test("users' changes to an incident are audited, including through a link; requests without effect are not", async () => {
  const [id, by, nowMs] = ["t1", "ada", 100];
  const entries = async (change: () => Promise<unknown>) => {
    await asUser(change);
    return takeEntries(db);
  };
  const acknowledge = () => acknowledgeIncident(db, targets, { id, by }, nowMs);
  expect(await entries(acknowledge)).toEqual([
    {
      what: "acknowledge incident:t1 shop",
      by,
      changes: [
        { path: "acknowledgedAt", to: new Date(nowMs).toISOString() },
        { path: "acknowledgedBy", to: by },
      ],
    },
  ]);
  expect(await entries(acknowledge)).toEqual([]);
  const unacknowledged = [{ what: "unacknowledge incident:t1 shop" }];
  expect(await entries(() => unacknowledgeIncident(db, targets, { id, by }, nowMs))).toMatchObject(unacknowledged);
  const changes = [{ path: "snoozedUntil" }, { path: "snoozedBy", to: by }];
  const snoozed = [{ what: "snooze incident:t1 shop", changes }];
  expect(await entries(() => snoozeIncident(db, targets, { id, by, minutes: 5 }, nowMs))).toMatchObject(snoozed);
  const ended = [{ what: "unsnooze incident:t1 shop" }];
  expect(await entries(() => endSnooze(db, targets, { id, by }, nowMs))).toMatchObject(ended);
  await expect(entries(() => endSnooze(db, targets, { id: "t2", by }, nowMs))).rejects.toThrow();
  expect(await takeEntries(db)).toEqual([]);
  await acknowledgeIncident(db, targets, { id, by: "Ops", isByLink: true }, nowMs);
  expect(await takeEntries(db)).toMatchObject([{ what: "acknowledge incident:t1 shop", by: "Ops" }]);
});
