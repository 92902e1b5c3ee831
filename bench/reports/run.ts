/**
 * Measures making a report of 200 monitors and 31 days: `npm run bench -- reports`. A number sets the number of monitors;
 * `--write` updates bench/results/reports.md.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@sonde/embedded/postgres";
import { openDatabase } from "@sonde/kit/postgres/database";
import { silentLog } from "@sonde/kit/service/log";
import { systemClock } from "@sonde/kit/time/clock";
import { migrations } from "@sonde/notifier/migrations";
import { createReport, readReport, removeReport, sendNow } from "@sonde/notifier/reports";
import { addMailChannel, newWorld, reportContext, weekly } from "@sonde/notifier/testing/reports";
import { testBox } from "@sonde/notifier/testing/delivering";
import { ms, type Figure } from "@sonde/testing/figures";
import { reportFigures } from "@sonde/testing/report";

const [count = 200] = process.argv.slice(2).filter(Number).map(Number);
const [wantedMs, wantedBytes, runs] = [3_000, 100_000, 5];

const folder = await mkdtemp(join(tmpdir(), "sonde-bench-"));
await chmod(folder, 0o711); // As root, PostgreSQL runs as another user, which needs to enter this folder.
const postgres = await startPostgres({ dataDir: join(folder, "postgres") });
const options = { schema: "notifier", migrations, log: silentLog, camelCase: true };
const db = await openDatabase({ url: postgres.url, ...options });
const nothing = () => {};
const ctx = {
  db,
  clock: systemClock,
  log: silentLog,
  secrets: testBox,
  guard: undefined as never,
  publicUrl: "https://sonde.example.com",
  pushServices: [],
  committed: nothing,
  due: nothing,
};
const world = newWorld({
  monitors: Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    name: `Checkout service number ${at + 1}`,
    tags: ["all"],
  })),
  agents: [],
  users: Array.from({ length: 50 }, (_, at) => `reader-${at}@example.com`),
});

/** Checks every 30 seconds; on a share of the days up to 40 fail, and up to 5 are missing. */
function counting(share: number) {
  let state = 7;
  const random = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  const noise = (days: number, max: number) =>
    Array.from({ length: days }, () => (random() < share ? Math.floor(random() * max) : 0));
  return async ({ monitorIds, edges }: { monitorIds: readonly number[]; edges: readonly number[] }) => ({
    monitors: monitorIds.map((targetId) => {
      const minutes = edges.slice(1).map((edge, at) => (edge - edges[at]!) / 60_000);
      const [missing, failed] = [noise(minutes.length, 5), noise(minutes.length, 40)];
      const seen = minutes.map((each, at) => 2 * each - missing[at]!);
      return {
        targetId,
        expected: minutes.map((each) => 2 * each),
        seen,
        up: seen.map((each, at) => each - failed[at]!),
        monitoredMinutes: minutes,
        maintenanceMinutes: minutes.map(() => 0),
        pausedMinutes: minutes.map(() => 0),
      };
    }),
  });
}

try {
  const channelId = await addMailChannel(ctx);
  const figures: Figure[] = [];
  for (const [name, share] of [
    ["a tenth of the days have failures", 0.1],
    ["every day has failures and gaps", 1],
  ] as const) {
    const reports = reportContext(ctx, world);
    reports.sources = {
      ...reports.sources,
      metrics: { ...reports.sources.metrics, countSlots: counting(share) as never },
    };
    const input = weekly({ targets: undefined, tag: "all", every: "month", channelId, recipients: world.users });
    const took: number[] = [];
    let bytes = 0;
    for (let run = 0; run < runs; run++) {
      const { id } = await createReport(reports, input);
      const startedMs = performance.now();
      // October, in which Berlin's clocks change.
      const { issues } = await sendNow(reports, { id, period: "2026-10" });
      took.push(performance.now() - startedMs);
      if (issues[0]?.sent !== world.users.length) throw new Error("the report was not sent to everybody");
      bytes = Buffer.byteLength((await readReport(reports, { id, period: "2026-10", format: "html" })).document);
      await removeReport(reports, id);
    }
    const what = `report of ${count} monitors and 31 days, ${name}`;
    const longest = Math.max(...took);
    figures.push(
      {
        goal: "R1",
        what: `${what}: made, with ${world.users.length} mails queued; longest of ${runs}`,
        wanted: `≤ ${ms(wantedMs)}`,
        measured: ms(longest),
        held: longest <= wantedMs,
      },
      {
        goal: "R2",
        what: `${what}: HTML`,
        wanted: `≤ ${wantedBytes / 1000} KB`,
        measured: `${(bytes / 1000).toFixed(1)} KB`,
        held: bytes <= wantedBytes,
      },
    );
  }
  await reportFigures("bench/results/reports", figures);
} finally {
  await db.destroy();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
process.exit(0);
