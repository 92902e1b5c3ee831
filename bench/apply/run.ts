/**
 * Measures how a large document of configuration is planned and applied: `npm run bench -- apply`. Its monitors are paused: what
 * their checks cost is no part of it.
 */
import { applyAnswer } from "@sonde/proto/http/config/apply";
import { type Api, firstAdmin } from "../../e2e/support/api.ts";
import { reportFigures } from "../pipeline/report.ts";
import { usageOf } from "../pipeline/usage.ts";
import { startWhole } from "../pipeline/whole.ts";
import { type Figure, ms } from "../probe/figures.ts";

const [monitors = 5_000] = process.argv.slice(2).filter(Number).map(Number);
const involved = ["gateway", "monitors", "notifier", "status-page", "postgres"];

const document = (interval: number) => ({
  source: "bench",
  allowDelete: 0,
  config: {
    defaults: { monitor: { interval, paused: true, tags: ["prod"] } },
    channels: { ops: { type: "ntfy", topic: "sonde-bench" } },
    monitors: Object.fromEntries(
      Array.from({ length: monitors }, (_, at) => [`shop-${at}`, { url: `https://shop-${at}.example.com/health` }]),
    ),
    settings: { monitors: { channels: ["ops"] } },
  },
});

const sonde = await startWhole();
process.once("SIGINT", () => void sonde.close().then(() => process.exit(130)));
try {
  const { api } = await firstAdmin(sonde.url);
  const figures = [
    await row(api, `a plan of ${monitors} monitors that are new`, { dryRun: true, most: 2_000 }),
    await row(api, "the same applied", { most: 10_000 }),
    await row(api, "a plan of the same again", { dryRun: true, most: 2_000 }),
    await row(api, "the same applied again: nothing is written", { most: 2_000 }),
    await row(api, "another interval for all of them", { interval: 2, most: 10_000 }),
  ];
  await reportFigures("apply", figures, `${monitors} paused monitors in one document`);
} finally {
  await sonde.close();
}

/** One request: its time by the clock, and of the processor in the services that take part, and PostgreSQL. */
async function row(
  api: Api,
  what: string,
  { dryRun = false, interval = 1, most }: { dryRun?: boolean; interval?: number; most: number },
): Promise<Figure> {
  const used = async () => {
    const all = involved.map(async (name) => (await usageOf(sonde.pids().get(name)!)).cpuMs);
    return (await Promise.all(all)).reduce((sum, one) => sum + one, 0);
  };
  const [before, begunAt] = [await used(), performance.now()];
  const answer = applyAnswer.parse(
    await api.send("POST", `/api/apply${dryRun ? "?dryRun=true" : ""}`, document(interval)),
  );
  const tookMs = performance.now() - begunAt;
  const cpuMs = (await used()) - before;
  const { create, update, same } = answer.plan;
  const counts = `${create.length} new, ${update.length} changed, ${same.length} same, generation ${answer.generation}`;
  return {
    goal: "C1",
    what,
    wanted: `≤ ${most / 1_000} s`,
    measured: `${ms(tookMs)} (${ms(cpuMs)} of CPU; ${counts})`,
    held: tookMs <= most,
  };
}
