import { subjects } from "@sonde/proto/subjects";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { type Bus, connectBus, publishFact } from "../bus/connect.ts";
import { startNats } from "../embedded/nats.ts";
import { type Database, openDatabase } from "../postgres/database.ts";
import { silentLog } from "../service/log.ts";
import { systemClock } from "../time/clock.ts";
import type { Behaviour } from "./behaviour.ts";
import { openPartition } from "./partition.ts";
import { positionsMigration, savePosition } from "./saving.ts";

const partition = 1;
const subject = subjects.results(partition, "default");
let nats: Awaited<ReturnType<typeof startNats>>;
let bus: Bus;
let db: Database;

beforeAll(async () => {
  nats = await startNats();
  bus = await connectBus({ url: nats.url, name: "test", log: silentLog, shrink: 4 });
  const schema = `kit_${randomUUID().replace(/[^a-f]/g, "")}`;
  const migrations = { "001-positions": positionsMigration };
  db = await openDatabase({ url: inject("databaseUrl"), schema, migrations, log: silentLog });
});
afterAll(async () => {
  await db.destroy();
  await bus.close();
  await nats.stop();
});

type Thing = { id: number };
type Own = Behaviour<Thing, string, object, never>;

/** An owner of one item that records the facts it accepted. */
async function own(changes: Partial<Own> = {}) {
  const taken: string[] = [];
  const service: Own = {
    service: "test",
    stream: "RESULTS",
    subjects: [subject],
    factName: "fact",
    parse: (bytes) => [Buffer.from(bytes).toString()],
    faultOf: () => null,
    idOf: () => 1,
    load: async () => [{ id: 1 }],
    save: ({ position }) => db.transaction((trx) => savePosition(trx, partition, position!)),
    onLoad: () => {},
    cap: () => {},
    decide: () => ({}),
    isTransition: () => false,
    transition: async () => null,
    take: (_thing, fact) => void taken.push(fact),
    ignore: () => {},
    isSilent: () => false,
    tellSilent: async (things) => things.map(() => null),
    ...changes,
  };
  const owner = await openPartition({ db, bus, clock: systemClock, nudge: () => {} }, partition, () => service);
  return { taken, owner };
}

const publish = (fact: string) => publishFact(bus, subject, Buffer.from(fact));

test("one whose silence cannot be told keeps nobody else's from being told", async () => {
  const told: number[] = [];
  const { owner } = await own({
    load: async () => [{ id: 1 }, { id: 2 }, { id: 3 }],
    isSilent: ({ id }) => !told.includes(id),
    tellSilent: async (things) => {
      if (things.some(({ id }) => id === 2)) throw new Error("a broken row");
      return things.map(
        ({ id }) =>
          () =>
            void told.push(id),
      );
    },
  });
  owner.sweep();
  await vi.waitFor(() => expect(told).toEqual([1, 3]), 30_000);
  await owner.stop();
});

test("an owner misses no fact that another one takes while it reads the rows", async () => {
  const first = await own();
  await publish("one");
  await vi.waitFor(() => expect(first.taken).toEqual(["one"]), 30_000);
  await first.owner.save();
  const second = await own({
    // The rows are those before "two", which the first owner has taken and saved by the time they arrive.
    load: async () => {
      await publish("two");
      await vi.waitFor(() => expect(first.taken).toEqual(["one", "two"]), 30_000);
      await first.owner.save();
      return [{ id: 1 }];
    },
  });
  await publish("three");
  await vi.waitFor(() => expect(second.taken).toEqual(["two", "three"]), 30_000);
  await Promise.all([first, second].map(({ owner }) => owner.stop()));
});
