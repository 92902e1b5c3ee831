import { freePort } from "@sonde/embedded/free-port";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { eventually } from "./testing/eventually.ts";
import { collectEvents, collectSamples } from "./testing/facts.ts";
import { openTestbed, type Replica, sampleOf, type AgentsTestbed } from "./testing/service.ts";

let bed: AgentsTestbed;
let samples: ReturnType<typeof collectSamples>;
let events: ReturnType<typeof collectEvents>;
const children: ChildProcess[] = [];
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  samples = collectSamples(bed.bus);
  events = collectEvents(bed.bus);
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await Promise.all([samples.stop(), events.stop()]);
  await bed.stop();
});

async function spawnReplica(): Promise<Replica & { kill(): Promise<void> }> {
  const port = await freePort();
  const source = `
    const [{ start }, { readConfig }] = await Promise.all([import("./main.ts"), import("./config.ts")]);
    const service = await start(readConfig(), process.env.SCHEMA);
    process.on("SIGTERM", () => service.stop().then(() => process.exit(0)));
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
    cwd: import.meta.dirname,
    env: { ...process.env, ...bed.environment, AGENT_INGEST_PORT: String(port), SCHEMA: bed.schema },
    stdio: ["ignore", "ignore", "inherit"],
  });
  children.push(child);
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => expect((await fetch(`${url}/agent/v1/report`)).status).toBe(405));
  const gone = once(child, "close");
  return {
    url,
    stop: async () => void (child.kill("SIGTERM"), await gone),
    kill: async () => void (child.kill("SIGKILL"), await gone),
  };
}

function reporting(key: string, replicas: () => Replica[]) {
  const acknowledged: number[] = [];
  let sequence = 0;
  let stopped = false;
  const run = async () => {
    while (!stopped) {
      const mine = sequence++;
      const report = { samples: [sampleOf({ bootId: "b", sequence: mine })] };
      for (let attempt = 0; !stopped; attempt++) {
        const all = replicas();
        const status = await bed.report(key, report, all[attempt % all.length]).then(
          (answer) => answer.status,
          () => 0,
        );
        if (status === 200) {
          acknowledged.push(mine);
          break;
        }
        await sleep(50);
      }
      await sleep(20);
    }
  };
  const running = run();
  return {
    acknowledged,
    stop: async () => {
      stopped = true;
      await running;
    },
  };
}

test("two replicas share a fleet: either can be killed, and no acknowledged sample is lost", async () => {
  let [first, second] = await Promise.all([spawnReplica(), spawnReplica()]);
  const fleet = await Promise.all(Array.from({ length: 6 }, () => bed.register({ interval: 60 }, first)));
  const reporters = fleet.map(({ key }) => reporting(key, () => [first, second]));
  const online = async () => expect(await bed.agents.agentsSummary({})).toMatchObject({ online: 6, offline: 0 });
  await eventually(online);

  await first.kill();
  await eventually(online);
  const before = reporters.map(({ acknowledged }) => acknowledged.length);
  await eventually(() =>
    reporters.forEach(({ acknowledged }, at) => expect(acknowledged.length).toBeGreaterThan(before[at] as number)),
  );
  first = await spawnReplica();
  await second.kill();
  second = await spawnReplica();
  await eventually(online);
  await second.stop();
  await Promise.all(reporters.map((reporter) => reporter.stop()));

  await eventually(() => {
    for (const [at, { id }] of fleet.entries()) {
      const stored = new Set(samples.of(id).map(({ sample }) => sample?.sequence));
      const lost = reporters[at]?.acknowledged.filter((sequence) => !stored.has(sequence));
      expect(lost).toEqual([]);
    }
  });
  await eventually(async () => {
    for (const [at, { id }] of fleet.entries()) {
      const { latest } = await bed.agents.getAgent({ id });
      expect(latest?.sequence).toBeGreaterThanOrEqual(reporters[at]?.acknowledged.at(-1) as number);
      expect(events.words(id)).toEqual(["registered", "online"]);
    }
  });
});
