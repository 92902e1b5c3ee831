/**
 * Kills every service in turn under load and compares acknowledged with stored data: `npm run test:kills` for 200
 * kills, `-- 20` for 20, `--write` to update e2e/results/kills.md. Ctrl-C stops killing and starts the comparison; a
 * second one aborts. Exits with 1 and keeps data and logs if anything was lost.
 */
import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { firstAdmin } from "@sonde/testing/api";
import { reportFigures } from "@sonde/testing/report";
import { startWhole, type WholeSonde } from "@sonde/testing/whole";
import { startRecordingTarget } from "@sonde/testing/recording-target/target";
import { auditAll } from "./audit.ts";
import { callsOf } from "./http.ts";
import { startLoad } from "./load.ts";
import { createUntouched } from "./monitors.ts";
import { startOnCall } from "./on-call.ts";
import type { Kill } from "./slots.ts";

const kills = process.argv.slice(2).map(Number).find(Number) ?? 200;
/** Never both runners in a row: without any runner, a location misses slots as expected. */
const turns = ["probe-runner", "auth", "monitors", "metrics", "probe-runner-2", "agent-ingest", "notifier", "gateway"];
const pauseMs = { min: 200, max: 1500 };
const warmMs = 15_000;

const write = (line: string) => void process.stderr.write(`${line}\n`);
const target = await startRecordingTarget();
const sonde = await startWhole({ runners: 2, environment: { MONITOR_MIN_INTERVAL_SECONDS: "1" } });
let enough = false;
process.on("SIGINT", () => {
  if (enough) void sonde.close().then(() => process.exit(130));
  enough = true;
});
write(`data and logs: ${sonde.dataDir}`);
let lost = true;
try {
  const { token } = await firstAdmin(sonde.url);
  const call = callsOf(sonde.url);
  const targetUrl = `http://127.0.0.1:${target.ports.http}`;
  const untouched = await createUntouched(call, token, targetUrl);
  const load = await startLoad(call, token, targetUrl);
  const onCall = await startOnCall(call, token);
  await sleep(warmMs);
  const startedMs = Date.now();
  const ownTrouble = createTroubleCount(sonde);
  const done: Kill[] = [];
  for (let n = 0; n < kills && !enough; n++) {
    await sleep(randomInt(pauseMs.min, pauseMs.max));
    const name = turns[n % turns.length] ?? "";
    await ownTrouble.before(name);
    done.push({ name, atMs: Date.now() });
    await sonde.killAndStart(name);
    if ((n + 1) % 10 === 0) write(`${n + 1} of ${kills} kills, ${Math.round((Date.now() - startedMs) / 1000)} s`);
  }
  const minutes = (Date.now() - startedMs) / 60_000;
  await sleep(warmMs);
  await Promise.all([load.stop(), onCall.stop()]);
  write("comparing acknowledged with stored data …");
  const audit = await auditAll({
    sonde,
    target,
    call,
    token,
    untouched,
    load,
    onCall,
    kills: done,
    ownTrouble: ownTrouble.sum,
  });
  for (const problem of audit.problems) write(`LOST: ${problem}`);
  lost = audit.problems.length > 0;
  await reportFigures("e2e/results/kills", audit.figures, `${done.length} kills in ${minutes.toFixed(1)} minutes`);
} finally {
  await Promise.all([sonde.close({ keep: lost }), target.close()]);
}
process.exit(lost ? 1 : 0);

/** Slots that runners gave up because of their own problems. A kill resets the counter, so read it before. */
function createTroubleCount(whole: WholeSonde) {
  let counted = 0;
  const of = async (name: string) =>
    (await whole.metric(name, "sonde_probe_own_trouble_total")) +
    (await whole.metric(name, "sonde_probe_skipped_slots_total"));
  return {
    async before(name: string) {
      if (name.startsWith("probe-runner")) counted += await of(name);
    },
    sum: async () => counted + (await of("probe-runner")) + (await of("probe-runner-2")),
  };
}
