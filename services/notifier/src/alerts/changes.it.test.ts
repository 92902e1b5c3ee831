import { afterEach, beforeEach, expect, test } from "vitest";
import { type DecidingBed, changeOf, minuteMs, noonMs, openBed } from "../testing/bed.ts";
import { openTables, uniqueSchema } from "../testing/rows.ts";
import { applyChanges } from "./changes.ts";

let bed: DecidingBed;
beforeEach(async () => {
  bed = await openBed();
  await bed
    .db("reconciliations")
    .insert(
      ["monitors", "agents"].map((producer) => ({ producer, reconciledAtMs: noonMs, sinceMs: noonMs - minuteMs })),
    );
});
afterEach(() => bed.db.destroy());

/** Adds a channel and selects it in the settings for all monitors. */
async function withChannel(given: Record<string, unknown> = {}, settings: object = {}): Promise<number> {
  const id = await bed.channel(given);
  await bed.set("global-monitor", { channels: [id], ...settings });
  return id;
}

test("sends an opening and its closing once each, and wakes the sender", async () => {
  await withChannel();
  await bed.apply(changeOf("opened"));
  expect(await bed.notifications()).toEqual(["m1 opened to 1"]);
  await bed.apply(changeOf("closed"));
  expect(await bed.notifications()).toEqual(["m1 opened to 1", "m1 closed to 1"]);
  expect(bed.nudges()).toBe(2);
  const alerts = await bed.db("alerts").orderBy("id");
  expect(alerts.map(({ kind }) => kind)).toEqual(["down", "recovery"]);
  expect(alerts[1]).toMatchObject({ facts: { resolution: "recovered", closedAtMs: noonMs + 1, cause: "Timed out" } });
});

test("uses the time zone of the quiet hours for times, and none without them", async () => {
  await withChannel();
  const quietHours = { start: "22:00", end: "23:00", timeZone: "Asia/Shanghai" };
  await bed.set("monitor", { channels: [1], quietHours }, 2);
  await bed.apply(...[1, 2].map((id) => changeOf("opened", { of: `monitor:${id}` })));
  const alerts = await bed.db("alerts").orderBy("id");
  expect(alerts.map(({ facts }) => (facts as { timeZone?: string }).timeZone)).toEqual([undefined, "Asia/Shanghai"]);
});

test("repeated events have no effect, in any order", async () => {
  await withChannel();
  const [opened, closed] = [changeOf("opened"), changeOf("closed")];
  const flapping = changeOf("flapping", { atMs: noonMs + 5 });
  await bed.apply(opened, flapping, closed);
  const notifications = await bed.notifications();
  expect(notifications).toHaveLength(3);
  for (const again of [[opened], [closed, opened], [flapping], [opened, flapping, closed]]) {
    expect(await bed.apply(...again)).toBe(0);
  }
  expect(await bed.notifications()).toEqual(notifications);
  expect(bed.nudges()).toBe(1);
});

test("a closing that arrives before its opening sends both, and the opening then has no effect", async () => {
  await withChannel();
  await bed.apply(changeOf("closed"));
  await bed.apply(changeOf("opened"));
  expect(await bed.notifications()).toEqual(["m1 opened to 1", "m1 closed to 1"]);
  expect(await bed.db("alerts").orderBy("id").first()).not.toMatchObject({ facts: { closedAtMs: expect.anything() } });
});

test("does not send the end of an incident that opened before the notifier first started", async () => {
  await withChannel();
  await bed.apply(changeOf("closed", { incident: { openedAtMs: noonMs - 2 * minuteMs } }));
  await bed.apply(changeOf("closed", { of: "agent:1", incident: { openedAtMs: noonMs - 2 * minuteMs } }));
  expect(await bed.notifications()).toEqual([]);
});

test("a target's own settings replace the global ones", async () => {
  const [all, own] = [await bed.channel(), await bed.channel()];
  await bed.set("global-monitor", { channels: [all] });
  await bed.set("monitor", { channels: [own], language: "en-US" }, 2);
  await bed.set("monitor", { enabled: false, channels: [own] }, 3);
  await bed.apply(...[1, 2, 3].map((id) => changeOf("opened", { of: `monitor:${id}` })));
  expect(await bed.notifications()).toEqual([`m1 opened to ${all}`, `m2 opened to ${own}`]);
  expect((await bed.db("messages").orderBy("id")).map(({ language }) => language)).toEqual(["zh-CN", "en-US"]);
});

test("sends a closing that a user caused only to machines, and only if they were notified of the opening", async () => {
  const [chat, hook] = [await bed.channel(), await bed.channel({ type: "webhook" })];
  await bed.set("global-monitor", { channels: [chat, hook] });
  await bed.apply(
    changeOf("opened"),
    changeOf("closed", { quiet: true, incident: { resolution: "paused", closedAtMs: noonMs } }),
  );
  expect(await bed.notifications()).toEqual([`m1 opened to ${chat}`, `m1 opened to ${hook}`, `m1 closed to ${hook}`]);
  expect(await bed.decided()).toContain(`m1 closed to ${chat}: skipped ended_by_people`);
});

test("does not send a closing if the opening permanently failed to be delivered", async () => {
  await withChannel();
  await bed.apply(changeOf("opened"));
  await bed.db("deliveries").update({ status: "failed" });
  await bed.apply(changeOf("closed"));
  expect(await bed.notifications()).toEqual(["m1 opened to 1"]);
  expect(await bed.decided()).toContain("m1 closed to 1: skipped opening_not_told");
});

test.each([
  ["got no response", { endedAtMs: 1, inDoubt: true }],
  ["was in progress when its process died", { endedAtMs: null }],
])(
  "sends the closing if the opening failed after an attempt that %s, since it may have arrived",
  async (_, attempt) => {
    await withChannel();
    await bed.apply(changeOf("opened"));
    await bed.db("deliveries").update({ status: "failed" });
    const { id } = await bed.db("messages").first("id");
    await bed.db("attempts").insert({ messageId: id, number: 1, startedAtMs: 0, ...attempt });
    await bed.apply(changeOf("closed"));
    expect(await bed.notifications()).toEqual(["m1 opened to 1", "m1 closed to 1"]);
  },
);

test("sends flapping and its end once each time, the end only to channels that were notified of flapping", async () => {
  await withChannel();
  const at = (name: "flapping" | "steady", ms: number) => changeOf(name, { atMs: noonMs + ms });
  await bed.apply(changeOf("opened"), at("flapping", 1), at("steady", 2), at("flapping", 3), at("flapping", 3));
  expect(await bed.notifications()).toEqual([
    "m1 opened to 1",
    `m1 flapping:${noonMs + 1} to 1`,
    `m1 steady:${noonMs + 2} to 1`,
    `m1 flapping:${noonMs + 3} to 1`,
  ]);
  await bed.apply(changeOf("closed"), at("flapping", 9));
  expect((await bed.notifications()).slice(4)).toEqual(["m1 closed to 1"]);
});

test("records the reason if no channel is notified", async () => {
  await bed.apply(changeOf("opened"), changeOf("closed"));
  await bed.set("global-agent", { enabled: false });
  await bed.apply(changeOf("opened", { of: "agent:1" }));
  expect(await bed.decided()).toEqual([
    "a1 opened to nobody: skipped disabled",
    "m1 closed to nobody: skipped no_channels",
    "m1 opened to nobody: skipped no_channels",
  ]);
});

test("a failure rolls back everything, and the same changes can be decided again", async () => {
  const id = await withChannel();
  const add = (name: string) =>
    bed.db.raw(`create trigger broken before insert on ${name} for each row execute function broken()`);
  await bed.db.raw("create function broken() returns trigger language plpgsql as $$ begin raise 'broken'; end $$");
  for (const table of ["alerts", "decisions", "messages", "deliveries"]) {
    await add(table);
    await expect(bed.apply(changeOf("opened"))).rejects.toThrow("broken");
    await bed.db.raw(`drop trigger broken on ${table}`);
    for (const left of ["incidents", "alerts", "decisions", "messages", "deliveries"]) {
      expect(await bed.db(left)).toEqual([]);
    }
  }
  await bed.apply(changeOf("opened"));
  expect(await bed.notifications()).toEqual([`m1 opened to ${id}`]);
});

test("two notifiers that receive the same events in different orders send each moment once", async () => {
  const schema = uniqueSchema();
  const [one, other] = [await openTables(schema), await openTables(schema)];
  const beds = [await openBed({ db: one }), await openBed({ db: other })];
  const [chat, hook] = [await beds[0]!.channel(), await beds[0]!.channel({ type: "webhook" })];
  await beds[0]!.set("global-monitor", { channels: [chat, hook] });
  await one("reconciliations").insert({ producer: "monitors", reconciledAtMs: noonMs, sinceMs: 0 });
  const targets = Array.from({ length: 20 }, (_, index) => `monitor:${index + 1}`);
  const opened = targets.map((of) => changeOf("opened", { of, facts: { dependsOn: [] } }));
  const closed = targets.map((of) => changeOf("closed", { of }));
  const mixed = [...closed, ...opened].sort(
    (left, right) => ((left.incident.target.id * 7) % 11) - ((right.incident.target.id * 7) % 11),
  );
  await Promise.all([
    ...opened.map((change) => applyChanges(beds[0]!, [change])),
    ...mixed.map((change) => applyChanges(beds[1]!, [change])),
    applyChanges(beds[1]!, [...opened, ...closed]),
    applyChanges(beds[0]!, [...closed].reverse()),
  ]);
  const notifications = await beds[0]!.notifications();
  expect(notifications.toSorted()).toEqual(
    targets
      .flatMap((_, index) =>
        [chat, hook].flatMap((id) => [`m${index + 1} closed to ${id}`, `m${index + 1} opened to ${id}`]),
      )
      .toSorted(),
  );
  for (const [index] of targets.entries()) {
    const own = notifications.filter((text) => text.startsWith(`m${index + 1} `) && text.endsWith(`to ${chat}`));
    expect(own).toEqual([`m${index + 1} opened to ${chat}`, `m${index + 1} closed to ${chat}`]);
  }
  await Promise.all([one.destroy(), other.destroy()]);
});

test("a delivery is still due if the notifier dies between its commit and waking the sender", async () => {
  await withChannel();
  const ends = () => {
    throw new Error("killed");
  };
  await expect(applyChanges({ ...bed, due: ends }, [changeOf("opened")])).rejects.toThrow("killed");
  expect(await bed.apply(changeOf("opened"))).toBe(0);
  expect(await bed.notifications()).toEqual(["m1 opened to 1"]);
  const due = await bed.db("messages").where("due_at_ms", "<=", bed.clock.now()).where({ status: "pending" });
  expect(due).toHaveLength(1);
});
