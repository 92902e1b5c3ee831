import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Database } from "@sonde/kit/postgres/database";
import { type MaintenanceSpan, spanAt } from "@sonde/domain/maintenance/spans";
import { silentLog } from "@sonde/kit/service/log";
import { type FakeClock, fakeClock } from "@sonde/kit/time/clock";
import { policyInput } from "@sonde/proto/http/on-call/policies";
import type { z } from "zod";
import { TargetFactsSchema } from "@sonde/proto/gen/events/v1/events";
import { applyChanges, type IncidentChange } from "../alerts/changes.ts";
import type { ChangeName } from "../alerts/incident-changes.ts";
import { type DecisionContext, deciding } from "../alerts/deciding.ts";
import { decideDeferred, moveDeferred, remind } from "../alerts/ticks.ts";
import { runDrills } from "../on-call/drills/ticks.ts";
import { decideWaiting, escalate } from "../on-call/escalate.ts";
import { handOff } from "../on-call/handoffs.ts";
import type { UserAccount } from "../on-call/people.ts";
import { saveSettings, readScope, settingsSchema } from "../settings/store.ts";
import { insertChannel, openTables } from "./rows.ts";

export const noonMs = Date.parse("2026-05-04T12:00:00Z");
export const minuteMs = 60_000;

type ChangeFields = Partial<Omit<IncidentChange, "incident" | "name">> & {
  /** `monitor:12`; the incident's default id is then `m12`. */
  of?: string;
  facts?: MessageInitShape<typeof TargetFactsSchema>;
  incident?: Partial<IncidentChange["incident"]>;
};

export function changeOf(
  name: ChangeName,
  { of = "monitor:1", facts, incident, ...more }: ChangeFields = {},
): IncidentChange {
  const [type = "", id = ""] = of.split(":");
  const isAgent = type === "agent";
  return {
    name,
    hasFacts: true,
    quiet: false,
    atMs: noonMs,
    incident: {
      id: `${isAgent ? "a" : "m"}${id}`,
      target: { type: isAgent ? "agent" : "monitor", id: Number(id), name: `the ${of}` },
      kind: isAgent ? "offline" : "down",
      cause: "Timed out",
      openedAtMs: noonMs,
      ...(name === "closed" ? { closedAtMs: noonMs + 1, resolution: "recovered" } : {}),
      flaps: 0,
      acknowledgedBy: [],
      revision: 0,
      reminders: 0,
      facts: create(TargetFactsSchema, { intervalMs: 60_000, ...facts }),
      ...incident,
    },
    ...more,
  };
}

export type DecidingBed = DecisionContext & {
  clock: FakeClock;
  /** Replaces a target's maintenance; 0 and 0 remove it. */
  maintain(target: string, fromMs: number, toMs: number): Promise<void>;
  /** Silences a target until an instant; 0 ends the silence. */
  silence(target: string, untilMs: number): Promise<void>;
  nudges(): number;
  /** Sets what auth knows about a user; `null` for a deleted one. */
  person(id: number, person: Omit<UserAccount, "id"> | null): void;
  apply(...changes: IncidentChange[]): Promise<number>;
  /** Advances the clock and runs the due ticks. */
  pass(durationMs: number): Promise<void>;
  set(scope: string, value: object, targetId?: number): Promise<void>;
  channel(given?: Record<string, unknown>): Promise<number>;
  /** Adds a policy, and selects it for all monitors. */
  policy(value: z.input<typeof policyInput>): Promise<number>;
  /** Notifications in order: `m1 opened to 2`. */
  notifications(): Promise<string[]>;
  /** `m1 opened to 2: held quiet_hours` */
  decided(): Promise<string[]>;
};

export async function openBed(given?: {
  db?: Database;
  startMs?: number;
  spans?: Map<string, MaintenanceSpan>;
}): Promise<DecidingBed> {
  const db = given?.db ?? (await openTables());
  const clock = fakeClock(given?.startMs ?? noonMs);
  let nudges = 0;
  const spans = given?.spans ?? new Map<string, MaintenanceSpan>();
  const silences = new Map<string, number>();
  const people = new Map<number, UserAccount | null>();
  const deps: DecisionContext = {
    db,
    maintenance: {
      at: (type, id, atMs) => spanAt([spans.get(`${type}:${id}`) ?? { fromMs: 0, toMs: 0 }], atMs),
      silencedUntil: (type, id, atMs) => {
        const untilMs = silences.get(`${type}:${id}`) ?? 0;
        return untilMs > atMs ? untilMs : undefined;
      },
    },
    clock,
    log: silentLog,
    due: () => void nudges++,
    people: async (ids) => new Map(ids.flatMap((id) => (people.has(id) ? [[id, people.get(id) ?? null]] : []))),
    readerOf: (type) => (type === "webhook" || type === "pagerduty" ? "machine" : "people"),
  };
  return {
    ...deps,
    clock,
    nudges: () => nudges,
    person: (id, person) => void people.set(id, person && { id, ...person }),
    async maintain(target, fromMs, toMs) {
      spans.set(target, { fromMs, toMs });
      await moveDeferred(deps);
    },
    async silence(target, untilMs) {
      silences.set(target, untilMs);
      await moveDeferred(deps);
    },
    apply: (...changes) => applyChanges(deps, changes),
    async pass(durationMs) {
      clock.advance(durationMs);
      await decideDeferred(deps);
      while ((await decideWaiting(deps)) + (await escalate(deps)) > 0);
      await remind(deps);
      while ((await runDrills(deps)) > 0);
      while ((await handOff(deps)) > 0);
    },
    set: async (scope, value, targetId = 0) => {
      const known = readScope(scope);
      await deciding(db, (trx) =>
        saveSettings(trx, [{ scope: known, targetId, value: settingsSchema(known).parse(value) }]),
      );
    },
    channel: (row) => insertChannel(db, row),
    policy: async (given) => {
      const { name, ...value } = policyInput.parse(given);
      const row = { name, value: JSON.stringify(value), createdAtMs: 0, updatedAtMs: 0 };
      const [saved] = await db("policies").insert(row).returning<{ id: number }[]>("id");
      const policyId = saved?.id ?? 0;
      await deciding(db, (trx) =>
        trx.raw("update settings set value = value || ?::jsonb where scope = 'global-monitor'", [
          JSON.stringify({ policyId }),
        ]),
      );
      return policyId;
    },
    notifications: async () => {
      const rows = await db("deliveries").join("alerts", "alerts.id", "alert_id").orderBy("deliveries.id");
      return rows.map((row) => `${row.incidentId} ${row.moment} to ${row.channelId}`);
    },
    decided: async () => {
      const rows = await db("decisions").orderBy(["incident_id", "moment", "channel_id"]);
      return rows.map((row) => {
        const reason = row.reason === row.outcome ? "" : ` ${row.reason}`;
        return `${row.incidentId} ${row.moment} to ${row.channelId ?? "nobody"}: ${row.outcome}${reason}`;
      });
    },
  };
}
