import { subjects } from "@sonde/proto/subjects";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { type Bus, connectBus, publishFact } from "../bus/connect.ts";
import { startNats } from "@sonde/embedded/nats";
import { type Database, openDatabase } from "../postgres/database.ts";
import { silentLog } from "../service/log.ts";
import { systemClock } from "../time/clock.ts";
import { createItems } from "./items.ts";
import { createOwner } from "./partition.ts";
import { positionsMigration, readPosition, savePosition } from "./saving.ts";

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
type Changes = {
  load?: () => Promise<Thing[]>;
  silent?: () => Thing[];
  commitSilent?: (things: readonly Thing[]) => Promise<boolean[]>;
};

/** An owner of one item that records the applied facts. */
async function own({ load = async () => [{ id: 1 }], silent = () => [], commitSilent = async () => [] }: Changes = {}) {
  const taken: string[] = [];
  const base = createOwner<string>(
    { db, bus, clock: systemClock, nudge: () => {} },
    {
      partition,
      service: "test",
      stream: "RESULTS",
      subjects: [subject],
      factName: "fact",
      parse: (bytes) => [Buffer.from(bytes).toString()],
      faultOf: () => null,
      idOf: () => 1,
    },
  );
  const items = createItems<Thing>({ persist: base.persist, load, onLoad: () => {} });
  const owner = await base.open({
    items,
    from: await readPosition(db, partition),
    onMessage: (message, storedAtMs) => base.read(message, storedAtMs).each((fact) => void taken.push(fact)),
    findSilent: async () => void (await base.commitSilence(items, silent(), commitSilent)),
    save: (position) => db.transaction((trx) => savePosition(trx, partition, position!)),
  });
  return { taken, owner };
}

const publish = (fact: string) => publishFact(bus, subject, Buffer.from(fact));

test("an item whose silence cannot be committed does not block others", async () => {
  const committed: number[] = [];
  const things = [{ id: 1 }, { id: 2 }, { id: 3 }];
  const { owner } = await own({
    load: async () => things,
    silent: () => things.filter(({ id }) => !committed.includes(id)),
    commitSilent: async (some) => {
      if (some.some(({ id }) => id === 2)) throw new Error("a broken row");
      committed.push(...some.map(({ id }) => id));
      return some.map(() => true);
    },
  });
  owner.sweep();
  await vi.waitFor(() => expect(committed).toEqual([1, 3]), 30_000);
  await owner.stop();
});

test("an owner misses no fact that another one applies while it loads the rows", async () => {
  const first = await own();
  await publish("one");
  await vi.waitFor(() => expect(first.taken).toEqual(["one"]), 30_000);
  await first.owner.save();
  const second = await own({
    // These rows do not include "two", which the first owner has applied and saved by the time they are returned.
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
