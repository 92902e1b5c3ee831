import { presentCheck } from "@sonde/domain/check-result";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { unavailable } from "@sonde/kit/errors";
import { CheckResultSchema } from "@sonde/proto/gen/checks/v1/checks";
import { suppressionReasons } from "@sonde/proto/http/incidents/alerts";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { IncidentAction } from "@sonde/proto/rpc/incidents";
import type { Delivery } from "@sonde/proto/http/notifications/deliveries";
import { beforeEach, describe, expect, test } from "vitest";
import type { RecordedDecision } from "./words.ts";
import { nothingBefore } from "../testing/producer.ts";
import { incidentStory, type StorySources } from "./story.ts";

const atMs = Date.UTC(2026, 0, 31, 12);
const after = (ms: number) => new Date(atMs + ms).toISOString();

const fakeIncident: Incident = {
  id: "m5",
  target: { type: "monitor", id: 7, name: "monitor 7" },
  kind: "down",
  cause: "500 is not 200",
  openedAt: after(0),
};
const fakeCheck: MessageInitShape<typeof CheckResultSchema> = {
  monitorId: 7,
  location: "default",
  slotMs: atMs,
  startedAtMs: atMs + 3,
  status: "down",
  statusCode: 500,
  responseTimeMs: 12.5,
  timings: { dnsMs: 1, connectMs: 2, tlsMs: 0, firstByteMs: 9, totalMs: 12.5 },
  error: { kind: "status", message: "500 is not 200" },
  attempt: 2,
  failures: 2,
  latenessMs: 0.4,
  version: 1,
  runner: "runner-1",
};
const fakeDecision = {
  moment: "opened",
  at: after(50),
  channelId: 7,
  channelName: "Slack ops",
  outcome: "sent",
  reason: "sent",
};
const fakeDelivery: Delivery = {
  id: 40,
  channelId: 7,
  channelType: "slack",
  channelName: "Slack ops",
  kind: "down",
  target: { type: "monitor", id: 7, name: "monitor 7" },
  incidentId: "m5",
  status: "delivered",
  attempts: [
    { at: after(100), statusCode: 500, answer: "rollup_error", durationMs: 20 },
    { at: after(5200), statusCode: 200, answer: "ok", durationMs: 12 },
  ],
  createdAt: after(50),
};

let sources: StorySources;
let calls: { method: string; request: unknown; scope?: string | undefined }[];
type Fields<Shape> = Omit<Partial<Shape>, "$typeName">;
type Decided = Partial<Omit<typeof fakeDecision, "channelId">> & {
  channelId?: number | undefined;
  until?: string;
  parentName?: string;
};
type Delivered = Partial<Omit<Delivery, "kind" | "status">> & { kind?: string; status?: string };

const know = (incident: Partial<Omit<Incident, "kind">> & { kind?: string }, actions: IncidentAction[] = []) => {
  sources.incidents.getIncident = async (request, options) => {
    calls.push({ method: "getIncident", request, scope: options?.scope });
    return { incident: { ...fakeIncident, ...incident } as Incident, actions, opinions: [] };
  };
};
const decide = (decisions: Decided[], deliveries: Delivered[] = []) => {
  const recorded = {
    decisions: decisions.map((given) => {
      const { at, channelId, until, parentName = null, ...decision } = { ...fakeDecision, ...given };
      const untilMs = until === undefined ? null : Date.parse(until);
      return {
        ...decision,
        atMs: Date.parse(at),
        channelId: channelId ?? null,
        untilMs,
        parentName,
      } as RecordedDecision;
    }),
    deliveries: deliveries.map((delivery) => ({ ...fakeDelivery, ...delivery }) as Delivery),
    channels: [{ id: 7, name: "Slack ops" }],
    reminderDueAtMs: atMs + 1_800_000,
    progress: null,
  };
  sources.notifications = async () => recorded;
};
const check = (checks: Fields<MessageInitShape<typeof CheckResultSchema>>[]) => {
  const results = checks.map((result) => presentCheck(create(CheckResultSchema, { ...fakeCheck, ...result } as never)));
  sources.metrics.listChecks = async (request) => {
    calls.push({ method: "listChecks", request });
    return { checks: results };
  };
};
beforeEach(() => {
  calls = [];
  const incidentEvidence = async () => ({ evidence: { at: after(3), location: "eu1" } });
  sources = { incidents: {}, metrics: { incidentEvidence }, preceding: nothingBefore, quietAt: () => null } as never;
  know({});
  check([]);
  decide([{}], [{}]);
});

const read = async (language = "en", id = "m5") => {
  const input = { id, language: language.startsWith("zh") ? ("zh-CN" as const) : ("en-US" as const) };
  const body = await incidentStory(sources, input, { requestId: "r-1" });
  const { timeline, channels } = body;
  return { body, timeline, channels, lines: timeline.map(({ type, text }) => `${type}: ${text}`) };
};

describe("the timeline of an incident", () => {
  test("has all entries in order and in words, with the attempts of each delivery", async () => {
    check([
      { slotMs: atMs - 2100, startedAtMs: atMs, attempt: 2 },
      { slotMs: atMs - 62_100, startedAtMs: atMs - 62_000, status: "up", error: undefined },
    ]);
    know({
      acknowledgedAt: after(60_000),
      acknowledgedBy: "ada",
      note: "on it",
      closedAt: after(120_000),
      resolution: "recovered",
    });
    const closing = { id: 41, kind: "recovery", createdAt: after(120_050), attempts: [] };
    const closed = { moment: "closed", at: after(120_050) };
    decide([{}, closed], [{}, { ...closing, status: "pending" }]);
    const { lines, timeline, body } = await read();
    expect(lines).toEqual([
      "failure: Check failed (default)",
      "recheck: Retry failed (default): 500 is not 200",
      "opened: Incident opened: 500 is not 200",
      "alert: Sending “Down” to Slack ops",
      "delivery: “Down” was delivered to Slack ops on attempt 2",
      "acknowledged: Acknowledged by ada: on it",
      "closed: Recovered; the incident is closed",
      "alert: Sending “Recovered” to Slack ops",
      "delivery: “Recovered” is waiting to be sent to Slack ops",
    ]);
    expect(timeline[4]).toMatchObject({
      at: "2026-01-31T12:00:05.212Z",
      channelId: 7,
      deliveryId: 40,
      status: "delivered",
      detail: "ok",
      attempts: [{ statusCode: 500, answer: "rollup_error" }, { statusCode: 200 }],
    });
    expect(body).toMatchObject({ incident: { id: "m5", acknowledgedBy: "ada" }, evidence: { location: "eu1" } });
    expect(body.nextReminderAt).toBe(after(1_800_000));
  });

  test("shows what users did, including what they undid, in both languages", async () => {
    know({ snoozedUntil: after(7_200_000), snoozedBy: "eve" }, [
      { at: after(60_000), type: "acknowledged", by: "ada", note: "on it" },
      { at: after(61_000), type: "unacknowledged", by: "ada" },
      { at: after(62_000), type: "snoozed", by: "bob", until: after(3_600_000) },
      { at: after(63_000), type: "snooze_ended", by: "bob" },
      { at: after(64_000), type: "snoozed", by: "eve", until: after(7_200_000) },
    ]);
    const { lines, timeline, body } = await read();
    expect(lines.slice(-5)).toEqual([
      "acknowledged: Acknowledged by ada: on it",
      "unacknowledged: Acknowledgement removed by ada",
      "snoozed: Snoozed by bob",
      "snooze_ended: Snooze ended by bob",
      "snoozed: Snoozed by eve",
    ]);
    expect(timeline.at(-1)?.heldUntil).toBe(after(7_200_000));
    expect(body.nextReminderAt).toBe(after(7_200_000));
    const chinese = (await read("zh")).lines.slice(-5).map((line) => line.replace(/^\w+: |ada|bob|eve/g, ""));
    expect(chinese.join("").replace("on it", "")).not.toMatch(/[a-z]/i);
  });

  test("is in Chinese, including the reasons of failures", async () => {
    check([
      { startedAtMs: atMs, attempt: 1, error: { kind: "status", message: "Expected status 200, got 500" } as never },
    ]);
    know({ cause: "Expected status 200, got 500" });
    expect((await read("zh-CN")).lines).toEqual([
      "failure: 检查失败（default）：期望状态码 200，实际为 500",
      "opened: 事件开始：期望状态码 200，实际为 500",
      "alert: 正在向 Slack ops 发送“故障”",
      "delivery: “故障”在第 2 次尝试时送达 Slack ops",
    ]);
  });

  test("goes back to the last successful check of each location, and ignores later checks", async () => {
    check([
      { location: "eu", startedAtMs: atMs + 60_000 },
      { location: "eu", startedAtMs: atMs, attempt: 1 },
      { location: "us", startedAtMs: atMs - 10_000, status: "up", error: undefined },
      { location: "eu", startedAtMs: atMs - 60_000, attempt: 1 },
      { location: "us", startedAtMs: atMs - 70_000 },
      { location: "eu", startedAtMs: atMs - 120_000, status: "up", error: undefined },
      { location: "eu", startedAtMs: atMs - 180_000 },
    ]);
    expect((await read()).lines.slice(0, 3)).toEqual([
      "failure: Check failed (eu): 500 is not 200",
      "recheck: Retry failed (eu): 500 is not 200",
      "opened: Incident opened: 500 is not 200",
    ]);
  });

  test.each([
    ["is derived from later attempts", atMs - 60_000, "2026-01-31T11:59:55.900Z"],
    ["is never before its slot", atMs - 3000, "2026-01-31T11:59:57.000Z"],
  ])("the time of the first failure %s", async (_what, slotMs, at) => {
    check([{ slotMs, startedAtMs: atMs, attempt: 3, responseTimeMs: 50 }]);
    const { timeline, lines } = await read();
    expect(timeline[0]).toMatchObject({ at, type: "failure" });
    expect(lines[1]).toBe("recheck: 2 retries failed (default), most recently: 500 is not 200");
  });

  test("shows flapping once for all channels", async () => {
    const channels = [{ channelId: 7 }, { channelId: 8, channelName: "Mail" }];
    const told = (moment: string, at: number) => channels.map((channel) => ({ ...channel, moment, at: after(at) }));
    decide([...told("opened", 50), ...told("flapping:1", 9000), ...told("steady:1", 99_000)]);
    expect((await read()).lines.slice(1)).toEqual([
      "alert: Sending “Down” to Slack ops, Mail",
      "flapping: Flapping: the incident stays open until the target is stable",
      "alert: Sending “Flapping” to Slack ops, Mail",
      "steady: No longer flapping, but still failing",
      "alert: Sending “Stable again” to Slack ops, Mail",
    ]);
  });

  test("shows each time it flapped", async () => {
    decide([9000, 19_000].map((at) => ({ moment: `flapping:${at}`, at: after(at) })));
    expect((await read()).timeline.filter(({ type }) => type === "flapping").map(({ at }) => at)).toEqual([
      "2026-01-31T12:00:09.000Z",
      "2026-01-31T12:00:19.000Z",
    ]);
  });

  test("numbers reminders", async () => {
    decide([{ moment: "reminder:2" }], [{ reminder: 2, attempts: [], status: "failed" }]);
    expect((await read()).lines.slice(1)).toEqual([
      "alert: Sending “Down, reminder 2” to Slack ops",
      "delivery: “Down, reminder 2” was not delivered to Slack ops: unknown result",
    ]);
  });

  test("shows once why a channel is skipped, not at each reminder", async () => {
    const skipped = { outcome: "skipped", reason: "channel_disabled" };
    decide([
      skipped,
      { ...skipped, moment: "reminder:1", at: after(60_000) },
      { ...skipped, moment: "reminder:2", at: after(120_000), reason: "event_off" },
    ]);
    expect((await read()).lines.slice(1)).toEqual([
      "not_sent: “Down” was not sent to Slack ops: the channel is disabled",
      "not_sent: “Down, reminder 2” was not sent to Slack ops: this event is disabled in the settings",
    ]);
  });

  test.each([
    ["offline", "Sending “Offline” to Slack ops", "Sending “Back online” to Slack ops"],
    ["threshold", "Sending “Above threshold” to Slack ops", "Sending “Below threshold again” to Slack ops"],
    ["stale", "Sending “No data” to Slack ops", "Sending “Receiving data again” to Slack ops"],
  ])("uses the alert names of an incident of kind %s", async (kind, opening, closing) => {
    know({ kind });
    decide([{}, { moment: "closed", at: after(99) }]);
    expect((await read()).lines.slice(1)).toEqual([`alert: ${opening}`, `alert: ${closing}`]);
  });

  test("omits repetitions of an incident that is open for months, and counts them", async () => {
    const reminders = Array.from({ length: 3000 }, (_, at) => ({
      moment: `reminder:${at + 1}`,
      at: after(60_000 * at),
    }));
    decide(
      reminders,
      reminders.map((_, at) => ({ id: at + 1, reminder: at + 1, createdAt: after(60_000 * at) })),
    );
    const { body, timeline, lines } = await read();
    expect(body.omitted).toBe(2 * (3000 - 250));
    expect(timeline.length).toBe(1 + 2 * 250);
    expect(lines[1]).toContain("reminder 1");
    expect(lines.filter((line) => line.includes("reminder 3000"))).toHaveLength(2);
  });
});

describe("a channel's answer", () => {
  const answer = async (language?: string) => (await read(language)).channels;

  test.each(suppressionReasons.filter((reason) => reason !== "sent"))(
    "explains %s in both languages",
    async (reason) => {
      const isDeferred = ["maintenance", "silenced", "snoozed", "quiet_hours", "dependency"].includes(reason);
      decide([{ outcome: isDeferred ? "held" : "skipped", reason, parentName: "router" }]);
      const [english, chinese] = [await answer(), await answer("zh")];
      const [words, said] =
        reason === "no_channels" ? [/^Not sent: /, /^未发送：/] : [/^“Down” .*Slack ops/, /Slack ops/];
      expect(english).toMatchObject([{ channelId: 7, told: false, text: expect.stringMatching(words) }]);
      expect(chinese[0]?.text).toMatch(said);
      expect(chinese[0]?.text.replace(/Slack ops|router/g, "")).not.toMatch(/[a-z]/i);
      const { timeline } = await read();
      expect(timeline.at(-1)).toMatchObject({
        type: "not_sent",
        reason,
        text: english[0]?.text,
        channelName: "Slack ops",
      });
    },
  );

  test("says until when it is deferred, if that is known", async () => {
    decide([{ outcome: "held", reason: "maintenance", until: after(60_000) }]);
    const { channels, timeline } = await read();
    const heldUntil = after(60_000);
    const text = "“Down” to Slack ops is deferred until the maintenance ends";
    expect(channels).toMatchObject([{ text, heldUntil }]);
    expect(timeline.at(-1)).toMatchObject({ text, heldUntil });
    decide([{ outcome: "skipped", reason: "ended_before", until: after(0) }]);
    expect((await read()).channels[0]?.heldUntil).toBeUndefined();
  });

  test("names the parent that defers it", async () => {
    decide([{ outcome: "held", reason: "dependency", parentName: "router" }]);
    expect(await answer()).toMatchObject([{ text: "“Down” to Slack ops is deferred while router has an incident" }]);
  });

  test("is shared by channels that were not selected, also if none was or nothing was decided", async () => {
    const others = async () => {
      const { body, channels } = await read();
      return [channels.map(({ channelId }) => channelId), body.notChosen];
    };
    expect(await others()).toEqual([[7], undefined]);
    decide([{ channelId: 8, channelName: "Mail" }]);
    expect(await others()).toEqual([[8], { count: 1, text: "1 other channel isn't used for this target" }]);
    decide([{ channelId: undefined, channelName: "", outcome: "skipped", reason: "disabled" }]);
    const text = "“Down” was not sent: notifications for this target are disabled";
    expect(await others()).toEqual([[], { count: 1, text }]);
    expect((await read()).lines.at(-1)).toBe(`not_sent: ${text}`);
    decide([]);
    expect(await others()).toEqual([[], { count: 1, text: expect.stringMatching(/^No notification decision/) }]);
  });

  test("does not report a reminder as delivered if PagerDuty was not sent one", async () => {
    const said = { at: after(0), answer: "Nothing to send: PagerDuty reminds by its own rules", durationMs: 0 };
    decide([{}], [{ reminder: 1, attempts: [said] }]);
    const text = "“Down, reminder 1” was not sent to Slack ops: PagerDuty sends its own reminders";
    expect(await answer()).toMatchObject([{ text }]);
  });

  test("is the delivery's outcome, with the provider's response", async () => {
    decide(
      [{}],
      [{ status: "failed", attempts: [{ at: after(0), statusCode: 404, answer: "no_service", durationMs: 9 }] }],
    );
    const text = "“Down” was not delivered to Slack ops: no_service";
    expect(await answer()).toMatchObject([{ told: false, text }]);
    decide([{}], [{ id: 41, kind: "recovery" }, { kind: "flapping" }, { id: 39, status: "failed" }]);
    expect(await answer()).toMatchObject([{ told: true, text: "“Flapping” was delivered to Slack ops on attempt 2" }]);
  });
});

describe("while a part is unavailable", () => {
  test.each([
    ["checks", ["checks"], "opened"],
    ["notifications", ["notifications"], "failure"],
  ])("without %s the rest is returned, and the part is listed", async (part, missing, first) => {
    check([{ startedAtMs: atMs }]);
    if (part === "checks") sources.metrics.listChecks = () => Promise.reject(unavailable("metrics"));
    else sources.notifications = () => Promise.reject(unavailable("notifier"));
    const { body, timeline, channels } = await read();
    expect(body.unavailable).toEqual(missing);
    expect(timeline[0]?.type).toBe(first);
    expect(channels).toHaveLength(part === "checks" ? 1 : 0);
  });

  test("without its producer it fails", async () => {
    sources.incidents.getIncident = () => Promise.reject(unavailable("incidents"));
    await expect(read()).rejects.toMatchObject({ code: "unavailable" });
  });
});

test("queries only results before the opening", async () => {
  await read();
  const { request } = calls.find(({ method }) => method === "listChecks") ?? {};
  expect(request).toMatchObject({ monitorId: 7, beforeMs: atMs + 1, limit: 50 });
});

test("queries agents, and no checks, for an agent's incident", async () => {
  know({ id: "a3", target: { type: "agent", id: 3, name: "web-1" }, kind: "threshold", metric: "cpu" });
  const { body } = await read("en", "a3");
  expect(body.incident).toMatchObject({ id: "a3", target: { type: "agent" } });
  expect(calls).toMatchObject([{ method: "getIncident", scope: "agents" }]);
});
