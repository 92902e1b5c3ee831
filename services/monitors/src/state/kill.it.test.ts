import { create, toBinary } from "@bufbuild/protobuf";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { type Bus, connectBus } from "@sonde/kit/bus/connect";
import { silentLog } from "@sonde/kit/service/log";
import { client } from "@sonde/kit/bus/rpc";
import { joinGroup, type Membership } from "@sonde/kit/sharding/group";
import { CheckResultSchema, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { incidentsContract } from "@sonde/proto/rpc/incidents";
import { monitorsContract } from "@sonde/proto/rpc/monitors";
import { partitionOf, runnerGroup, subjects } from "@sonde/proto/subjects";
import { startNats } from "@sonde/embedded/nats";
import { startPostgres } from "@sonde/embedded/postgres";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { inputOf } from "../testing/fields.ts";
import { collectEvents, slotsOf } from "../testing/facts.ts";

let dataDir: string;
let nats: Awaited<ReturnType<typeof startNats>>;
let postgres: Awaited<ReturnType<typeof startPostgres>>;
let bus: Bus;
/** A live runner, without which no monitor can be created. */
let runner: Membership;
let child: ChildProcess | undefined;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sonde-kill-"));
  await chmod(dataDir, 0o711);
  nats = await startNats({ dataDir: join(dataDir, "nats") });
  postgres = await startPostgres({ dataDir: join(dataDir, "postgres"), durable: false });
  bus = await connectBus({ url: nats.url, name: "kill", log: silentLog, shrink: 4 });
  runner = await joinGroup({ bus, group: runnerGroup("default"), log: silentLog, listenMs: 0 });
});
afterAll(async () => {
  await kill();
  await runner.leave();
  await bus.close();
  await Promise.all([nats.stop(), postgres.stop()]);
  await rm(dataDir, { recursive: true, force: true });
});

function startChild(): void {
  child = spawn(process.execPath, [join(import.meta.dirname, "../main.ts")], {
    env: {
      ...process.env,
      NATS_URL: nats.url,
      DATABASE_URL: postgres.url,
      ...deriveKeys(Buffer.alloc(32, 7).toString("base64")),
      SONDE_LOCAL: "1",
      LOG_LEVEL: "error",
    },
    stdio: "inherit",
  });
}
async function kill(): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("repeated kills of the service lose and repeat no transition", async () => {
  const monitors = client(bus, monitorsContract, { timeoutMs: 30_000 });
  const opened = client(bus, incidentsContract, { timeoutMs: 30_000, scope: "monitors" });
  startChild();
  await eventually(async () => expect((await monitors.listLocations({})).locations).toHaveLength(1));
  const ids: number[] = [];
  for (let number = 0; number < 12; number++) {
    ids.push(
      (await monitors.createMonitor({ monitor: inputOf({ name: `m${number}`, url: "https://example.com/" }) })).id,
    );
  }
  const events = collectEvents(bus);
  const checks = ids.map((id) => ({ id, next: slotsOf({ id }) }));
  const statuses = ["up", "down", "up", "down", "up", "down", "down", "up", "down", "up"] as const;
  const publishing = (async () => {
    for (const status of statuses) {
      for (const { id, next } of checks) {
        const batch = create(ResultBatchSchema, {
          results: [create(CheckResultSchema, { location: "default", ...next(status) })],
        });
        await bus.js.publish(subjects.results(partitionOf(id), "default"), toBinary(ResultBatchSchema, batch));
      }
      await pause(700);
    }
  })();
  for (const aliveMs of [900, 2_600, 3_300]) {
    await pause(aliveMs);
    await kill();
    startChild();
  }
  await publishing;
  await eventually(() => monitors.listLocations({})); // The last child may still be starting.

  // created, up, and four times down, opened, up, closed.
  const expected = 2 + 4 * 4;
  for (const id of ids) {
    await eventually(() => expect(new Set(events.of(id).map((event) => event.id)).size).toBe(expected));
    expect((await monitors.getMonitor({ id })).status).toBe("up");
    const { incidents } = await opened.listIncidents({ filter: { targetId: id } });
    expect(incidents.map(({ incident }) => incident?.resolution)).toEqual(Array.from({ length: 4 }, () => "recovered"));
  }
  await events.stop();
});
