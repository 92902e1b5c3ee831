import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "@sonde/kit/postgres/database";
import { listEvents } from "@sonde/kit/testing/events";
import { acknowledgeIncident, unacknowledgeIncident } from "./acknowledge.ts";
import { openIncident, openIncidents, targets } from "./incidents.testing.ts";
import { getIncident } from "./store.ts";

let db: Database;
beforeAll(async () => void (db = await openIncidents()));
afterAll(() => db.destroy());

const openOne = (metric: string) => openIncident(db, metric);
const acknowledge = async (id: string, by: string, note = "", atMs = 100) =>
  (await acknowledgeIncident(db, targets, { id, by, note }, atMs)).incident;
const published = async (id: string) =>
  (await listEvents(db, 0, 1_000))
    .flatMap(({ fact }) => (fact.case === "incident" && fact.value.incident?.id === id ? [fact.value] : []))
    .toSorted((one, other) => one.incident!.revision - other.incident!.revision);

test("an incident can be acknowledged by others too, once each, until it is unacknowledged", async () => {
  const id = await openOne("others");
  const first = await acknowledge(id, "ada");
  expect(await acknowledge(id, "bob", "", 200)).toEqual(first);
  expect(await acknowledge(id, "bob", "", 300)).toEqual(first);
  expect(await acknowledge(id, "cyd", "mine", 400)).toMatchObject({ acknowledgedBy: "cyd" });
  await unacknowledgeIncident(db, targets, { id, by: "ada" }, 500);
  await acknowledge(id, "bob", "", 600);
  const names = (await published(id)).map(({ incident }) => incident?.acknowledgers.toSorted());
  expect(names).toEqual([["ada"], ["ada", "bob"], ["ada", "bob", "cyd"], [], ["bob"]]);
  const { actions } = await getIncident(db, targets, { id }, 1_000);
  expect(actions.map(({ type, by }) => `${type} ${by}`)).toEqual([
    "acknowledged bob",
    "acknowledged ada",
    "acknowledged cyd",
    "unacknowledged ada",
  ]);
});

test("an incident is acknowledged by at most five, however many names a link is used with", async () => {
  const id = await openOne("names");
  for (let name = 0; name < 9; name += 1) {
    await acknowledgeIncident(db, targets, { id, by: `Ops ${name}`, isByLink: true }, 100);
  }
  expect((await published(id)).at(-1)?.incident?.acknowledgers).toHaveLength(5);
  expect(await published(id)).toHaveLength(5);
});
