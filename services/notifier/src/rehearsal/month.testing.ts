import type { MaintenanceSpan } from "@sonde/domain/maintenance/spans";
import { mergeSpans } from "@sonde/domain/maintenance/spans";
import type { ChangeName } from "../alerts/incident-changes.ts";
import type { NotifiedIncident } from "../alerts/incident.ts";
import { escalateNow } from "../on-call/escalate-now.ts";
import { changeOf, type DecidingBed, minuteMs, openBed } from "../testing/bed.ts";
import type { RehearsalContext } from "./endpoint.ts";

const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
export const startMs = Date.parse("2026-10-10T00:00:00Z");

/** Mulberry32. */
function randomOf(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    chance: (share: number) => next() < share,
    /** A whole number of milliseconds in [least, most), mostly near the lower end. */
    duration: (least: number, most: number) => Math.floor(least + (most - least) * next() ** 3),
    between: (least: number, most: number) => Math.floor(least + (most - least) * next()),
    oneOf: <Value>(values: readonly Value[]): Value => values[Math.floor(next() * values.length)]!,
  };
}

type Random = ReturnType<typeof randomOf>;
type Happening = { atMs: number; run(month: Month): Promise<unknown> };

export type Month = {
  bed: DecidingBed;
  ctx: RehearsalContext;
  endMs: number;
  /** Why something was deferred at any time. */
  reasons: Set<string>;
  ids: Record<"chat" | "lead" | "ops" | "second", number>;
};

/** A month of incidents, decided by the notifier with a fake clock. */
export async function liveMonth(seed: number, { days = 30, monitors = 12 } = {}): Promise<Month> {
  const random = randomOf(seed);
  const bed = await openBed({ startMs });
  const silences = new Map<string, MaintenanceSpan[]>();
  const windows = new Map<string, MaintenanceSpan[]>();
  const ctx = {
    ...bed,
    incidentDays: 400,
    maintenance: {
      ...bed.maintenance,
      spansOf: (type: string, id: number) => mergeSpans(windows.get(`${type}:${id}`) ?? []),
      silencesOf: (type: string, id: number) => mergeSpans(silences.get(`${type}:${id}`) ?? []),
    },
  };
  const ids = await setUp(bed);
  const endMs = startMs + days * dayMs;
  const month: Month = { bed, ctx, endMs, reasons: new Set(), ids };
  const happenings = [
    ...incidents(random, endMs, monitors),
    ...plannedWindows(random, endMs, windows),
    ...plannedSilences(random, endMs, silences),
    ...failures(random, endMs),
  ].toSorted((one, other) => one.atMs - other.atMs);
  for (const { atMs, run } of happenings) {
    if (atMs >= endMs) break;
    await tickBefore(month, atMs);
    bed.clock.step(atMs - bed.clock.now());
    await run(month);
  }
  await tickBefore(month, endMs);
  bed.clock.step(endMs - bed.clock.now());
  return month;
}

/** Runs the ticks exactly when something is due. */
async function tickBefore({ bed, reasons }: Month, beforeMs: number): Promise<void> {
  for (let round = 0; round < 10_000; round += 1) {
    const { rows } = await bed.db.raw<{ rows: { dueMs: number | null; reasons: string[] | null }[] }>(
      `select least(
         (select min(until_ms) from decisions where outcome = 'held'),
         (select min(reminder_due_at_ms) from incidents where reminder_due_at_ms is not null),
         (select min(due_at_ms) from escalations where stopped_at_ms is null)
       ) as due_ms,
       (select array_agg(distinct reason) from decisions where outcome = 'held') as reasons`,
    );
    const { dueMs, reasons: found } = rows[0]!;
    for (const reason of found ?? []) reasons.add(reason);
    if (dueMs === null || dueMs >= beforeMs) return;
    if (dueMs > bed.clock.now()) bed.clock.step(dueMs - bed.clock.now());
    await bed.pass(0);
  }
  throw new Error("something stays due");
}

async function setUp(bed: DecidingBed) {
  const chat = await bed.channel({ name: "chat" });
  const hook = await bed.channel({ name: "hook", type: "webhook" });
  const off = await bed.channel({ name: "off", enabled: false });
  const databases = await bed.channel({ name: "databases" });
  const lead = await bed.channel({ name: "lead" });
  await bed.channel({ name: "mail", type: "smtp" });
  const contact = (userId: number, name: string, type = "ntfy") => bed.channel({ name, userId, type });
  const [ada, adaLater] = [await contact(1, "Ada · ntfy"), await contact(1, "Ada · sms")];
  await contact(2, "Ben · push", "web-push");
  await contact(2, "Ben · push 2", "web-push");
  const rules = [
    { urgency: "high", after: 0, via: "ntfy", channelId: ada },
    { urgency: "high", after: 12, via: "sms", channelId: adaLater },
    { urgency: "low", after: 0, via: "ntfy", channelId: ada },
  ];
  const night = { start: "23:00", end: "06:30" };
  const value = JSON.stringify({ timeZone: "Europe/Berlin", night, rules });
  await bed.db("contacts").insert({ userId: 1, value, updatedAtMs: 0 });
  const pushed = ["high", "low"].map((urgency) => ({ urgency, after: urgency === "high" ? 0 : 3, via: "push" }));
  const ofBen = JSON.stringify({ timeZone: "America/New_York", night, rules: pushed });
  await bed.db("contacts").insert({ userId: 2, value: ofBen, updatedAtMs: 0 });
  bed.person(1, { name: "Ada", email: "ada@example.com" });
  bed.person(2, { name: "Ben", email: "ben@example.com" });
  bed.person(3, { name: "Cem", email: "cem@example.com" });
  bed.person(4, { name: "Dee", isDisabled: true });
  bed.person(5, null);
  const layer = (members: number[], unit: string, only?: object[]) => {
    return { members, every: { n: 1, unit }, handoff: { time: "09:00" }, from: "2026-01-05", only };
  };
  const work = [{ days: [1, 2, 3, 4, 5], start: "08:00", end: "18:00" }];
  const schedule = async (timeZone: string, layers: object[]) => {
    const row = { name: "s", value: JSON.stringify({ timeZone, layers }), createdAtMs: 0, updatedAtMs: 0 };
    return (await bed.db("schedules").insert(row).returning<{ id: number }[]>("id"))[0]!.id;
  };
  const daily = await schedule("Europe/Berlin", [layer([1, 2], "day"), layer([3, 4], "day", work)]);
  const weekly = await schedule("America/New_York", [layer([2, 5, 1], "week")]);
  const office = await schedule("Europe/Berlin", [layer([1, 3], "day", work)]);
  await bed.db("overrides").insert([
    { scheduleId: daily, userId: 3, startMs: startMs + 4 * dayMs, endMs: startMs + 7 * dayMs },
    { scheduleId: office, userId: 2, startMs: startMs + 9 * dayMs, endMs: startMs + 11 * dayMs },
  ]);
  const quietHours = { start: "22:00", end: "07:00", timeZone: "Europe/Berlin" };
  const events = { down: true, recovery: true, partial: true, external: true };
  await bed.set("global-monitor", {});
  const second = await bed.policy({
    name: "Office",
    steps: [
      { after: 0, notify: [`schedule:${office}`] },
      { after: 7, notify: ["user:4", "user:3"] },
    ],
    repeat: 2,
  });
  const ops = await bed.policy({
    name: "Ops",
    steps: [
      { after: 5, notify: [`schedule:${daily}`] },
      { after: 10, notify: [`schedule:${weekly}`, "user:3"], needs: 2 },
      { after: 20, notify: [`everyone:${daily}`, `channel:${lead}`] },
    ],
    repeat: 1,
    lowUrgency: { monitors: [6, 7], tags: ["low"] },
  });
  const rulesByTag = [{ tags: ["db"], channels: [databases, hook], policyId: second }];
  const monitorsShared = { channels: [chat, hook, off], rules: rulesByTag, quietHours, cooldownMinutes: 45, events };
  await bed.set("global-monitor", { ...monitorsShared, policyId: ops });
  await bed.set("global-agent", { channels: [chat, lead], cooldownMinutes: 90, policyId: second });
  await bed.set("monitor", { channels: [lead], cooldownMinutes: 0 }, 3);
  await bed.set("monitor", { enabled: false, channels: [chat] }, 4);
  await bed.set("monitor", { channels: [chat], events: { down: true, recovery: false }, policyId: second }, 5);
  return { chat, lead, ops, second };
}

const factsOfMonitor = (id: number) => ({
  tags: id % 4 === 0 ? ["db"] : id % 5 === 0 ? ["low", "web"] : ["web"],
  dependsOn:
    id >= 8 && id <= 12
      ? [{ type: "monitor", id: 1 }]
      : id === 13
        ? [{ type: "agent", id: 1 }]
        : id === 14 || id === 15
          ? [{ type: "monitor", id: 29 - id }]
          : [],
  hosts: id === 16 || id === 17 ? ["WEB-1"] : [],
  intervalMs: 30_000 + id * 1_000,
});
const factsOfAgent = (id: number) => ({ tags: ["machine"], hosts: id === 2 ? ["web-1"] : [], intervalMs: 10_000 });

/** Incidents of targets, one after the other for each. Those that depend on another often fail with it. */
function* incidents(random: Random, endMs: number, monitors: number): Generator<Happening> {
  let number = 0;
  const open = (of: string, kind: NotifiedIncident["kind"], openedAtMs: number, closedAtMs: number, alone = true) => {
    number += 1;
    return incident(random, { of, kind, id: `${of[0]}${1000 + number}`, openedAtMs, closedAtMs, alone });
  };
  for (let id = 1; id <= monitors; id += 1) {
    for (let atMs = startMs + random.between(0, 10 * dayMs); atMs < endMs;) {
      const closedAtMs = atMs + random.duration(2 * minuteMs, 12 * hourMs);
      const kind = random.oneOf(["down", "down", "down", "stale", "partial", "external"] as const);
      yield* open(`monitor:${id}`, id === 1 ? "down" : kind, atMs, closedAtMs);
      if (id === 1) {
        for (const dependent of [8, 9, 10]) {
          if (random.chance(0.3)) continue;
          const failsAtMs = atMs + random.between(-2_000, 90_000);
          const recoversAtMs = closedAtMs + random.between(-1_000, 400_000);
          yield* open(`monitor:${dependent}`, "down", failsAtMs, Math.max(failsAtMs + 1, recoversAtMs));
        }
      }
      atMs = closedAtMs + random.between(hourMs, 12 * dayMs);
    }
  }
  for (let id = 1; id <= 3; id += 1) {
    for (let atMs = startMs + random.between(0, 4 * dayMs); atMs < endMs;) {
      const closedAtMs = atMs + random.duration(minuteMs, 9 * hourMs);
      yield* open(`agent:${id}`, id === 3 ? "threshold" : "offline", atMs, closedAtMs);
      for (const dependent of id === 1 ? [13] : id === 2 ? [16, 17] : []) {
        yield* open(`monitor:${dependent}`, "down", atMs + random.between(1, 60_000), closedAtMs + 30_001);
      }
      atMs = closedAtMs + random.between(hourMs, 10 * dayMs);
    }
  }
  // Two that depend on each other, and a chain that fails in one transaction.
  for (let day = 2; startMs + day * dayMs < endMs; day += 5) {
    const atMs = startMs + day * dayMs + random.between(0, dayMs);
    yield* open("monitor:14", "down", atMs, atMs + 3 * hourMs);
    yield* open("monitor:15", "down", atMs + 1_500, atMs + 2 * hourMs);
    const chain = ["monitor:1", "monitor:11", "monitor:12"].map((of) => {
      number += 1;
      return changeOf("opened", {
        of,
        atMs: atMs + hourMs,
        facts: factsOfMonitor(Number(of.split(":")[1])),
        incident: { id: `x${number}`, openedAtMs: atMs + hourMs },
      });
    });
    yield { atMs: atMs + hourMs, run: ({ bed }) => bed.apply(...chain) };
    const ended = chain.map(({ incident: { id, target } }) =>
      changeOf("closed", {
        of: `monitor:${target.id}`,
        hasFacts: false,
        incident: { id, openedAtMs: atMs + hourMs, closedAtMs: atMs + 2 * hourMs },
        atMs: atMs + 2 * hourMs,
      }),
    );
    yield { atMs: atMs + 2 * hourMs + 77, run: ({ bed }) => bed.apply(...ended) };
  }
}

type Given = {
  of: string;
  kind: NotifiedIncident["kind"];
  id: string;
  openedAtMs: number;
  closedAtMs: number;
  alone: boolean;
};

function* incident(random: Random, { of, kind, id, openedAtMs, closedAtMs }: Given): Generator<Happening> {
  const [type, target] = [of.split(":")[0], Number(of.split(":")[1])];
  const facts = type === "agent" ? factsOfAgent(target) : factsOfMonitor(target);
  const severity = kind === "external" ? random.oneOf(["critical", "warning"]) : "";
  let given: Partial<NotifiedIncident> = { id, kind, openedAtMs, flaps: 0 };
  let revision = 0;
  const change = (name: ChangeName, atMs: number, more: Partial<NotifiedIncident> = {}, quiet = false): Happening => {
    given = { ...given, ...more };
    const hasFacts = name !== "acknowledged" && name !== "unacknowledged" && name !== "snoozed";
    const change = changeOf(name, { of, atMs, hasFacts, quiet, facts: { ...facts, severity }, incident: given });
    return { atMs, run: ({ bed }) => bed.apply(change) };
  };
  yield { ...change("opened", openedAtMs), atMs: openedAtMs + random.between(0, 3_000) };
  const within = () => openedAtMs + 3_001 + random.between(0, Math.max(1, closedAtMs - openedAtMs - 3_002));
  const times = Array.from({ length: 6 }, within).toSorted((one, other) => one - other);
  const users = ["ada", "ben", "cem"];
  let by: string[] = [];
  for (const atMs of times) {
    if (random.chance(0.45)) continue;
    const act = random.between(0, 7);
    if (act === 0) yield change("flapping", atMs, { flaps: (given.flaps ?? 0) + 1 });
    if (act === 1) yield change("steady", atMs);
    if (act === 2 || act === 3) {
      by = [...by, users[by.length % 3]!];
      revision += 1;
      yield change("acknowledged", atMs, {
        acknowledgedAtMs: given.acknowledgedAtMs ?? atMs,
        acknowledgedBy: by,
        revision,
      });
    }
    if (act === 4 && by.length > 0) {
      by = [];
      revision += 1;
      yield change("unacknowledged", atMs, { acknowledgedAtMs: undefined, acknowledgedBy: by, revision });
    }
    if (act === 5) {
      revision += 1;
      const snoozedUntilMs = random.chance(0.3) ? undefined : atMs + random.between(minuteMs, 3 * hourMs);
      yield change("snoozed", atMs, { snoozedUntilMs, revision });
    }
    if (act === 6 && random.chance(0.4)) {
      yield { atMs, run: ({ bed }) => escalateNow({ ...bed, committed: () => {} }, { id, by: "ada" }).catch(() => {}) };
    }
  }
  const quiet = random.chance(0.1);
  yield change("closed", closedAtMs, { closedAtMs, resolution: quiet ? "paused" : "recovered" }, quiet);
}

type Spans = Map<string, MaintenanceSpan[]>;

function* plannedWindows(random: Random, endMs: number, windows: Spans): Generator<Happening> {
  for (const of of ["monitor:1", "monitor:2", "monitor:6", "monitor:9", "agent:1", "agent:2"]) {
    for (let fromMs = startMs + random.between(hourMs, 3 * dayMs); fromMs < endMs;) {
      const span = { fromMs, toMs: fromMs + random.between(hourMs, 10 * hourMs) };
      windows.set(of, [...(windows.get(of) ?? []), span]);
      yield { atMs: fromMs - 10 * minuteMs, run: ({ bed }) => bed.maintain(of, span.fromMs, span.toMs) };
      fromMs = span.toMs + random.between(2 * hourMs, 5 * dayMs);
    }
  }
}

/** Some end early, some are extended. */
function* plannedSilences(random: Random, endMs: number, silences: Spans): Generator<Happening> {
  for (const of of ["monitor:2", "monitor:5", "monitor:10", "monitor:11", "agent:3"]) {
    for (let atMs = startMs + random.between(hourMs, 3 * dayMs); atMs < endMs;) {
      const plannedMs = atMs + random.between(hourMs, 8 * hourMs);
      const changedMs = random.between(atMs + 1, plannedMs);
      const toMs = random.oneOf([plannedMs, changedMs, plannedMs + hourMs]);
      silences.set(of, [...(silences.get(of) ?? []), { fromMs: atMs, toMs }]);
      yield { atMs, run: ({ bed }) => bed.silence(of, plannedMs) };
      const changed = toMs === changedMs ? 0 : toMs;
      if (toMs !== plannedMs) yield { atMs: changedMs, run: ({ bed }) => bed.silence(of, changed) };
      atMs = toMs + random.between(2 * hourMs, 5 * dayMs);
    }
  }
}

/** Deliveries that fail for good. */
function* failures(random: Random, endMs: number): Generator<Happening> {
  for (let atMs = startMs; atMs < endMs; atMs += random.between(hourMs, 30 * hourMs)) {
    yield {
      atMs,
      run: async ({ bed: { db } }) => {
        const last = await db("deliveries")
          .where({ status: "pending" })
          .orderBy("id", "desc")
          .first<{ messageId: number } | undefined>("message_id");
        if (last === undefined) return;
        await db("messages").where({ id: last.messageId }).update({ status: "failed", settledAtMs: atMs });
        await db("deliveries").where({ messageId: last.messageId }).update({ status: "failed" });
      },
    };
  }
}
