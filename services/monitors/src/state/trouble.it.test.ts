import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@sonde/embedded/postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { inputOf } from "../testing/fields.ts";
import { collectEvents, slotsOf } from "../testing/facts.ts";
import { openTestbed, type MonitorsTestbed } from "../testing/service.ts";
import { applied, ignored } from "./results.ts";

let dataDir: string;
let postgres: Awaited<ReturnType<typeof startPostgres>>;
let bed: MonitorsTestbed;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sonde-trouble-"));
  await chmod(dataDir, 0o711);
  postgres = await startPostgres({ dataDir: join(dataDir, "postgres"), durable: false });
  bed = await openTestbed(postgres.url);
});
afterAll(async () => {
  await bed.stop();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const add = async () =>
  (await bed.monitors.createMonitor({ monitor: inputOf({ name: "watched", url: "https://example.com/" }) })).id;
const becomes = (id: number, wanted: string) =>
  eventually(async () => expect((await bed.monitors.getMonitor({ id })).status).toBe(wanted));
const total = async (metric: typeof applied | typeof ignored) =>
  (await metric.get()).values.reduce((sum, { value }) => sum + value, 0);

test("a restart continues from its position with all figures, and results in between count in order", async () => {
  const first = await bed.start();
  const id = await add();
  const next = slotsOf({ id });
  await bed.publish(next("up", { certificateExpiresAtMs: 1_800_000_000_000 }), next("down", { failures: 1 }));
  await eventually(async () => expect((await bed.monitors.getMonitor({ id })).lastError).toBe("Status 503"));
  await first.stop();

  const before = (await total(applied)) + (await total(ignored));
  const second = await bed.start();
  const known = await bed.monitors.getMonitor({ id });
  expect(known).toMatchObject({
    status: "up",
    lastError: "Status 503",
    certificateExpiresAt: "2027-01-15T08:00:00.000Z",
  });
  // The first message after the restart is the next one, not one that was read before.
  await bed.publish(next("down"));
  await becomes(id, "down");
  expect((await total(applied)) + (await total(ignored))).toBe(before + 1);
  await second.stop();

  const events = collectEvents(bed.bus);
  await bed.publish(next("up"));
  await bed.publish(next("down"));
  const third = await bed.start();
  await eventually(() =>
    expect(events.words(id)).toEqual(["created", "up", "down", "opened", "up", "closed", "down", "opened"]),
  );
  await events.stop();
  await third.stop();
});

test("partitions wait while PostgreSQL is unavailable, then make every transition once and in order", async () => {
  const services = [await bed.start(), await bed.start()];
  const events = collectEvents(bed.bus);
  const id = await add();
  const next = slotsOf({ id });
  await bed.publish(next("up"));
  await becomes(id, "up");

  await postgres.stop();
  await bed.publish(next("down"), next("up"));
  await bed.publish(next("up"));
  await bed.publish(next("down"));
  await expect(bed.monitors.getMonitor({ id })).rejects.toMatchObject({ code: "unavailable" });
  await expect(add()).rejects.toMatchObject({ code: "unavailable" });
  postgres = await startPostgres({ dataDir: join(dataDir, "postgres"), durable: false, port: postgres.port });

  await becomes(id, "down");
  const story = ["created", "up", "down", "opened", "up", "closed", "down", "opened"];
  await eventually(() => expect(events.words(id)).toEqual(story));
  expect((await bed.incidents.listIncidents({ filter: { targetId: id } })).total).toBe(2);
  await events.stop();
  await Promise.all(services.map((service) => service.stop()));
});

test("when one of two owners stops, the other takes over its partitions", async () => {
  const services = [await bed.start(), await bed.start()];
  const ids: number[] = [];
  // Sequentially, because sixteen new database connections at once take too long on a busy machine.
  for (let count = 0; count < 16; count++) ids.push(await add());
  await services[0]?.stop();
  await bed.publish(...ids.map((id) => slotsOf({ id })("up")));
  await Promise.all(ids.map((id) => becomes(id, "up")));
  expect((await bed.monitors.summary({})).counts.up).toBeGreaterThanOrEqual(ids.length);
  await services[1]?.stop();
});

test("a bus that lost its data gets its definitions and tombstones back, and its results count", async () => {
  const service = await bed.start();
  const [kept, deleted] = [await add(), await add()];
  await bed.monitors.deleteMonitor({ id: deleted });
  const next = slotsOf({ id: kept });
  await bed.publish(next("up"));
  await becomes(kept, "up");

  const { back } = await bed.stopBus({ wiped: true });
  await back();
  await eventually(async () => {
    for (const bucket of ["monitors", "timelines"] as const) {
      const kv = await bed.bus.kv(bucket);
      for (const id of [kept, deleted]) expect((await kv.get(String(id)))?.operation).toBe("PUT");
    }
  });
  await eventually(() => bed.publish(next("down")));
  await becomes(kept, "down");
  await service.stop();

  // Again, while the service is stopped: its start restores what is missing.
  await (await bed.stopBus({ wiped: true })).back();
  const again = await bed.start();
  await eventually(async () => {
    const kv = await bed.bus.kv("monitors");
    expect((await kv.get(String(kept)))?.operation).toBe("PUT");
  });
  await eventually(() => bed.publish(next("up")));
  await becomes(kept, "up");
  await again.stop();
});
