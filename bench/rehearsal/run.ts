/**
 * Measures a rehearsal of 30 days: `npm run bench -- rehearsal`. A number sets the number of incidents; `--write` updates
 * bench/results/rehearsal.md.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { startPostgres } from "@sonde/embedded/postgres";
import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { silentLog } from "@sonde/kit/service/log";
import { systemClock } from "@sonde/kit/time/clock";
import { migrations } from "@sonde/notifier/migrations";
import { createRehearsals } from "@sonde/notifier/rehearsal";
import { ms } from "@sonde/testing/figures";
import { reportFigures } from "@sonde/testing/report";

const [count = 10_000] = process.argv.slice(2).filter(Number).map(Number);
const periodMs = 30 * 86_400_000;
const wantedMs = 5_000;
/** A step is at most 2 s late. */
const wantedLagMs = 200;
const toMs = Date.now();
const fromMs = toMs - periodMs;

const folder = await mkdtemp(join(tmpdir(), "sonde-bench-"));
await chmod(folder, 0o711); // As root, PostgreSQL runs as another user, which needs to enter this folder.
const postgres = await startPostgres({ dataDir: join(folder, "postgres") });
const options = { schema: "notifier", migrations, log: silentLog, camelCase: true };
const db = await openDatabase({ url: postgres.url, ...options });
const rehearsals = createRehearsals({
  db,
  clock: systemClock,
  log: silentLog,
  incidentDays: 400,
  due: () => {},
  people: async (ids) => new Map(ids.map((id) => [id, { id, name: `user ${id}`, email: `${id}@example.com` }])),
  readerOf: () => "people",
  maintenance: { at: () => undefined, silencedUntil: () => undefined, spansOf: () => [], silencesOf: () => [] },
});
try {
  await fill(db);
  const policies = [{ id: 1, name: "Ops", repeat: 0, steps: [{ after: 10, notify: ["schedule:1"], needs: 1 }] }];
  const input = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), policies };
  const lag = monitorEventLoopDelay({ resolution: 5 });
  lag.enable();
  const startedMs = performance.now();
  const { totals } = await rehearsals.run(input);
  const tookMs = performance.now() - startedMs;
  lag.disable();
  const lagMs = lag.max / 1e6;
  const what = `rehearsal of 30 days with ${count} incidents`;
  await reportFigures("bench/results/rehearsal", [
    {
      goal: "P17",
      what: `${what} (${totals.wouldNotify} notifications instead of ${totals.didNotify})`,
      wanted: `≤ ${ms(wantedMs)}`,
      measured: ms(tookMs),
      held: tookMs <= wantedMs,
    },
    {
      goal: "P17",
      what: `${what}: longest event loop lag of the process`,
      wanted: `≤ ${ms(wantedLagMs)}`,
      measured: ms(lagMs),
      held: lagMs <= wantedLagMs,
    },
  ]);
} finally {
  rehearsals.stop();
  await db.destroy();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
process.exit(0);

/** Incidents of 500 monitors that last 5 minutes to 3 hours, a fifth of them acknowledged. */
async function fill(db: Database): Promise<void> {
  const layer = { members: [1, 2], every: { n: 1, unit: "day" }, handoff: { time: "09:00" }, from: "2026-01-05" };
  const schedule = { timeZone: "Europe/Berlin", layers: [layer] };
  const steps = [5, 15].map((after) => ({ after, notify: ["schedule:1", "user:2"], needs: 1 }));
  const quietHours = { start: "22:00", end: "07:00", timeZone: "Europe/Berlin" };
  const settings = { channels: [1, 2], cooldownMinutes: 30, policyId: 1, quietHours };
  const rows = { createdAtMs: 0, updatedAtMs: 0 };
  await db("channels").insert(
    ["chat", "mail"].map((name) => ({
      name,
      type: name === "mail" ? "smtp" : "ntfy",
      enabled: true,
      config: {},
      ...rows,
    })),
  );
  await db("schedules").insert({ name: "Ops", value: JSON.stringify(schedule), ...rows });
  await db("policies").insert({ name: "Ops", value: JSON.stringify({ steps, repeat: 1 }), ...rows });
  await db("settings").insert({ scope: "global-monitor", value: JSON.stringify(settings), revision: 1 });
  const change = (values: string) =>
    `jsonb_build_object('facts', jsonb_build_object('tags', array['web'], 'intervalMs', 60000), ${values})`;
  await db.raw(
    `with made as (
       select 'm' || number as id, number % 500 + 1 as target_id, 'target ' || number as target_name,
         (:fromMs::bigint + random() * :periodMs * 0.99)::bigint as opened_at_ms,
         (300000 + random() * random() * 10500000)::bigint as lasts_ms, number % 5 = 0 as is_acknowledged
       from generate_series(1, :count::integer) as number
     ), incident as (
       insert into incidents (id, target_type, target_id, target_name, kind, cause, opened_at_ms, closed_at_ms, resolution, facts)
       select id, 'monitor', target_id, target_name, 'down', 'Timed out', opened_at_ms, opened_at_ms + lasts_ms, 'recovered',
         '{"tags": ["web"], "intervalMs": 60000, "target": "https://example.com/", "locations": ["default"]}'
       from made
     ), opened as (
       insert into incident_changes (incident_id, name, at_ms, value)
       select id, 'opened', opened_at_ms, ${change("'acknowledgedBy', array[]::text[]")} from made
     ), acknowledged as (
       insert into incident_changes (incident_id, name, at_ms, value)
       select id, 'acknowledged', opened_at_ms + lasts_ms / 4,
         ${change("'acknowledgedBy', array['ada'], 'acknowledgedAtMs', opened_at_ms + lasts_ms / 4")}
       from made where is_acknowledged
     ), closed as (
       insert into incident_changes (incident_id, name, at_ms, value)
       select id, 'closed', opened_at_ms + lasts_ms, ${change("'acknowledgedBy', array[]::text[]")} from made
     ), decision as (
       insert into decisions (incident_id, moment, channel_id, outcome, reason, at_ms)
       select id, moment, channel, 'sent', 'sent', opened_at_ms + case moment when 'closed' then lasts_ms else 0 end
       from made, unnest(array['opened', 'step:0.0', 'closed']) as moment, generate_series(1, 2) as channel
     ), alert as (
       insert into alerts (incident_id, moment, kind, facts, created_at_ms)
       select id, moment, 'down', '{}', opened_at_ms from made, unnest(array['opened', 'step:0.0', 'closed']) as moment
     )
     select 1`,
    { fromMs, periodMs, count },
  );
  await db.raw(
    `insert into messages (key, channel_id, targets, language, status, created_at_ms, due_at_ms, gives_up_at_ms, settled_at_ms)
     select alerts.id || '-' || channel, channel, array[]::text[], 'en-US', 'delivered', created_at_ms, 0, 0, created_at_ms
     from alerts, generate_series(1, 2) as channel`,
  );
  await db.raw(
    `insert into deliveries (alert_id, message_id, channel_id, channel_type, channel_name, kind, incident_id, status, created_at_ms)
     select alerts.id, messages.id, messages.channel_id, 'ntfy', 'chat', 'down', incident_id, 'delivered', alerts.created_at_ms
     from messages join alerts on alerts.id = split_part(key, '-', 1)::bigint`,
  );
  await db.raw("analyze");
}
