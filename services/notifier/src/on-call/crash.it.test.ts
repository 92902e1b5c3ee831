import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, inject, test } from "vitest";
import { changeOf, openBed } from "../testing/bed.ts";
import { openTables, uniqueSchema } from "../testing/rows.ts";

const kills = 5;
const incidents = 180;
/** As many as a policy can have. */
const steps = 10;

test("each step is taken once, however often the notifier is killed", async () => {
  const schema = uniqueSchema();
  const bed = await openBed({ db: await openTables(schema) });
  const channel = await bed.channel();
  await bed.set("global-monitor", { channels: [], cooldownMinutes: 0 });
  const step = { after: 0, notify: [`channel:${channel}`] };
  await bed.policy({ name: "Ops", steps: Array.from({ length: steps }, () => step) });
  await bed.apply(...Array.from({ length: incidents }, (_, at) => changeOf("opened", { of: `monitor:${at + 1}` })));
  const count = async () => Number((await bed.db("alerts").count("* as count").first())?.count);
  const all = incidents * steps;
  for (let killed = 0; killed < kills; killed += 1) {
    const before = await count();
    const child = spawn(process.execPath, [new URL("../testing/escalate-process.ts", import.meta.url).pathname], {
      env: { ...process.env, SCHEMA: schema, DATABASE_URL: inject("databaseUrl") },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const dead = once(child, "exit");
    // It is killed in the middle of the following steps.
    await expect.poll(count, { interval: 5, timeout: 60_000 }).toBeGreaterThan(before);
    child.kill("SIGKILL");
    await dead;
  }
  expect(await count()).toBeLessThan(all);
  bed.clock.step(Date.now() - bed.clock.now());
  await bed.pass(0);
  const sent = await bed.notifications();
  expect(sent).toHaveLength(all);
  expect(new Set(sent).size).toBe(all);
  // Events that are delivered again change nothing.
  await bed.apply(...Array.from({ length: incidents }, (_, at) => changeOf("opened", { of: `monitor:${at + 1}` })));
  await bed.pass(0);
  expect(await bed.notifications()).toHaveLength(all);
  await bed.db.destroy();
});
