/**
 * Measures what the audit adds to a change: `npm run bench -- audit`. Monitors are renamed by turns with a caller, whose changes
 * leave an entry, and without one, whose changes leave none. Processor time alone, so that a busy machine changes it little.
 */
import { start as startAuth } from "@sonde/auth";
import { readConfig as readAuthConfig } from "@sonde/auth/config";
import { connectBus } from "@sonde/kit/bus/connect";
import { client } from "@sonde/kit/bus/rpc";
import { startNats } from "@sonde/kit/embedded/nats";
import { startPostgres } from "@sonde/kit/embedded/postgres";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { silentLog } from "@sonde/kit/service/log";
import { joinGroup } from "@sonde/kit/sharding/group";
import { start as startMonitors } from "@sonde/monitors";
import { readConfig as readMonitorsConfig } from "@sonde/monitors/config";
import { monitorsContract } from "@sonde/proto/rpc/monitors";
import { runnerGroup } from "@sonde/proto/subjects";
import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { reportFigures } from "../pipeline/report.ts";
import { usageOf } from "../pipeline/usage.ts";
import { ms } from "../probe/figures.ts";

const [turns, changesOfTurn, atOnce] = [8, 400, 8];
/** Until auth has stored the entries; idle time is in both. */
const settleMs = 2_000;
const goalMs = 0.3;

const folder = await mkdtemp(join(tmpdir(), "sonde-bench-"));
await chmod(folder, 0o711); // Root's PostgreSQL runs as another user, who must get in.
const [nats, postgres] = await Promise.all([
  startNats(),
  startPostgres({ dataDir: join(folder, "postgres"), durable: false }),
]);
const environment = {
  NATS_URL: nats.url,
  DATABASE_URL: postgres.url,
  ...deriveKeys(randomBytes(32).toString("base64")),
  SONDE_LOCAL: "1",
  LOG_LEVEL: "error",
};
const bus = await connectBus({ url: nats.url, name: "bench", log: silentLog });
const services = [await startAuth(readAuthConfig(environment)), await startMonitors(readMonitorsConfig(environment))];
const runner = await joinGroup({ bus, group: runnerGroup("default"), log: silentLog, listenMs: 0 });
const monitors = client(bus, monitorsContract, { timeoutMs: 60_000 });
const monitor = { name: "Shop", url: "https://shop.example.com/health", paused: true } as never;
const made = await Promise.all(Array.from({ length: atOnce }, () => monitors.createMonitor({ monitor })));
const caller = { requestId: "bench", address: "192.0.2.7", actor: { id: 1, username: "ada", role: "admin" as const } };

let changes = 0;
/** Milliseconds a change: of this process, which is both services and their caller, of all with the servers, and by the clock. */
async function turn(call: typeof caller | undefined): Promise<{ services: number; all: number; wait: number }> {
  const waits: number[] = [];
  const servers = async () => {
    const [one, other] = await Promise.all([usageOf(nats.pid), usageOf(postgres.pid)]);
    return one.cpuMs + other.cpuMs;
  };
  const [own, ofServers] = [process.cpuUsage(), await servers()];
  const change = async (id: number) => {
    for (let n = 0; n < changesOfTurn / atOnce; n++) {
      const askedAt = performance.now();
      await monitors.updateMonitor({ id, patch: { name: `Shop ${(changes += 1)}` } as never }, { call });
      waits.push(performance.now() - askedAt);
    }
  };
  await Promise.all(made.map(({ id }) => change(id)));
  await sleep(settleMs);
  const { user, system } = process.cpuUsage(own);
  const ownMs = (user + system) / 1_000;
  const serversMs = (await servers()) - ofServers;
  const wait = waits.sort((one, other) => one - other)[Math.floor(waits.length / 2)]!;
  return { services: ownMs / changesOfTurn, all: (ownMs + serversMs) / changesOfTurn, wait };
}

try {
  // What the first changes compile is no part of it.
  for (const call of [caller, undefined]) await turn(call);
  const sums = { with: { services: 0, all: 0, wait: 0 }, without: { services: 0, all: 0, wait: 0 } };
  for (let n = 0; n < turns; n++) {
    const isWith = n % 2 === 0;
    const took = await turn(isWith ? caller : undefined);
    process.stderr.write(`turn ${n + 1} of ${turns}\n`);
    const sum = sums[isWith ? "with" : "without"];
    sum.services += took.services / (turns / 2);
    sum.all += took.all / (turns / 2);
    sum.wait += took.wait / (turns / 2);
  }
  const row = (what: string, of: keyof typeof sums.with, wanted: string) => {
    const [audited, bare] = [sums.with[of], sums.without[of]];
    const measured = `${ms(audited - bare)} (${ms(audited)} beside ${ms(bare)}, × ${(audited / bare).toFixed(2)})`;
    return { goal: "A1", what, wanted, measured, held: wanted !== "–" && audited - bare <= goalMs };
  };
  await reportFigures("audit", [
    row("an audited change of a monitor more than one that is not: monitors and auth", "services", `≤ ${goalMs} ms`),
    row("the same with PostgreSQL and NATS", "all", "–"),
    row("what its answer comes later, median of eight changes at once", "wait", "–"),
  ]);
} finally {
  await runner.leave();
  await Promise.all(services.map((service) => service.stop()));
  await bus.close();
  await Promise.all([nats.stop(), postgres.stop()]);
  await rm(folder, { recursive: true, force: true });
}
process.exit(0);
