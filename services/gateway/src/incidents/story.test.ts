import { presentCheck } from "@sonde/kit/check-result";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { unavailable } from "@sonde/kit/errors";
import { CheckResultSchema } from "@sonde/proto/gen/checks/v1/checks";
import type { Delivery } from "@sonde/proto/http/notifications/deliveries";
import type { ExplainedDecision } from "@sonde/proto/rpc/notifications";
import { reasons } from "@sonde/proto/http/incidents/alerts";
import type { Incident, TimelineEntry } from "@sonde/proto/http/incidents/incidents";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeDecision, fakeDelivery } from "../testing/fake-notifier.ts";
import { atMs, fakeCheck, fakeIncident } from "../testing/fakes.ts";
import { startTestApp, type TestApp } from "../testing/test-app.ts";

let app: TestApp;
beforeEach(async () => void (app = await startTestApp()));
afterEach(() => app.stop());

type Fields<Shape> = Omit<Partial<Shape>, "$typeName">;
type Decided = Partial<Omit<ExplainedDecision, "outcome" | "reason">> & { outcome?: string; reason?: string };
type Delivered = Partial<Omit<Delivery, "kind" | "status">> & { kind?: string; status?: string };

const know = (incident: Partial<Omit<Incident, "kind">> & { kind?: string }) => {
  const known = { ...fakeIncident, ...incident };
  for (const producer of ["monitors", "agents"] as const) {
    app.fakes.handlers.incidents[producer].getIncident = async () => ({ incident: known as Incident });
  }
};
const after = (ms: number) => new Date(atMs + ms).toISOString();
const decide = (decisions: Decided[], deliveries: Delivered[] = []) => {
  const explained = {
    decisions: decisions.map((decision) => ({ ...fakeDecision, ...decision }) as ExplainedDecision),
    deliveries: deliveries.map((delivery) => ({ ...fakeDelivery, ...delivery }) as Delivery),
  };
  app.fakes.handlers.notifications.explainIncident = async () => explained;
};
const check = (checks: Fields<MessageInitShape<typeof CheckResultSchema>>[]) => {
  const results = checks.map((result) => presentCheck(create(CheckResultSchema, { ...fakeCheck, ...result } as never)));
  app.fakes.handlers.metrics.listChecks = async () => ({ checks: results });
};
type Story = {
  timeline: TimelineEntry[];
  channels: { channelId: number; told: boolean; text: string; heldUntil?: string }[];
};
const read = async (language = "en", id = "m5") => {
  const headers = { "accept-language": language };
  const { status, body } = await app.ask("GET", `/api/incidents/${id}`, { as: "viewer", headers });
  expect(status).toBe(200);
  const { timeline, channels } = body as unknown as Story;
  return { body, timeline, channels, lines: timeline.map(({ type, text }) => `${type}: ${text}`) };
};

describe("the timeline of an incident", () => {
  test("tells it whole, in order and in words, with the attempts of each delivery", async () => {
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
    const closed = { moment: "closed", at: after(120_050), deliveryId: 41 };
    decide([{}, closed], [{}, { ...closing, status: "pending" }]);
    const { lines, timeline, body } = await read();
    expect(lines).toEqual([
      "failure: The check from default failed",
      "recheck: The re-check from default failed, too: 500 is not 200",
      "opened: The incident opened: 500 is not 200",
      "alert: “Down” goes to Slack ops",
      "delivery: “Down” was delivered to Slack ops at attempt 2",
      "acknowledged: ada acknowledged it: on it",
      "closed: It recovered, and the incident closed",
      "alert: “Recovered” goes to Slack ops",
      "delivery: “Recovered” waits to be sent to Slack ops",
    ]);
    expect(timeline[4]).toMatchObject({
      at: "2026-01-31T12:00:05.212Z",
      channelId: 7,
      deliveryId: 40,
      status: "delivered",
      detail: "ok",
      attempts: [{ statusCode: 500, answer: "rollup_error" }, { statusCode: 200 }],
    });
    expect(body).toMatchObject({ incident: { id: "m5", acknowledgedBy: "ada", note: "on it" } });
    expect(body).not.toHaveProperty("unavailable");
  });

  test("speaks Chinese, the reasons of failures included", async () => {
    check([
      { startedAtMs: atMs, attempt: 1, error: { kind: "status", message: "Expected status 200, got 500" } as never },
    ]);
    know({ cause: "Expected status 200, got 500" });
    expect((await read("zh-CN")).lines).toEqual([
      "failure: 位置 default 的检查失败：期望状态码 200，实际为 500",
      "opened: 事件开始：期望状态码 200，实际为 500",
      "alert: “故障”将发送至 Slack ops",
      "delivery: “故障”在第 2 次尝试时送达 Slack ops",
    ]);
  });

  test("looks back to the last good check of each location, and at nothing after the opening", async () => {
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
      "failure: The check from eu failed: 500 is not 200",
      "recheck: The re-check from eu failed, too: 500 is not 200",
      "opened: The incident opened: 500 is not 200",
    ]);
  });

  test.each([
    ["is told from the attempts after it", atMs - 60_000, "2026-01-31T11:59:55.900Z"],
    ["is never before its slot", atMs - 3000, "2026-01-31T11:59:57.000Z"],
  ])("the instant of the first failure %s", async (_what, slotMs, at) => {
    check([{ slotMs, startedAtMs: atMs, attempt: 3, responseTimeMs: 50 }]);
    const { timeline, lines } = await read();
    expect(timeline[0]).toMatchObject({ at, type: "failure" });
    expect(lines[1]).toBe("recheck: 2 re-checks from default failed, too; the last one: 500 is not 200");
  });

  test("tells that it flapped, once for all channels", async () => {
    const channels = [{ channelId: 7 }, { channelId: 8, channelName: "Mail" }];
    const told = (moment: string, at: number) => channels.map((channel) => ({ ...channel, moment, at: after(at) }));
    decide([...told("opened", 50), ...told("flapping:1", 9000), ...told("steady:1", 99_000)]);
    expect((await read()).lines.slice(1)).toEqual([
      "alert: “Down” goes to Slack ops, Mail",
      "flapping: It goes up and down: the incident stays open until it is stable again",
      "alert: “Flapping” goes to Slack ops, Mail",
      "steady: It no longer goes up and down, but is still not well",
      "alert: “Stable again” goes to Slack ops, Mail",
    ]);
  });

  test("tells each time that it flapped", async () => {
    decide([9000, 19_000].map((at) => ({ moment: `flapping:${at}`, at: after(at) })));
    expect((await read()).timeline.filter(({ type }) => type === "flapping").map(({ at }) => at)).toEqual([
      "2026-01-31T12:00:09.000Z",
      "2026-01-31T12:00:19.000Z",
    ]);
  });

  test("numbers reminders", async () => {
    decide([{ moment: "reminder:2" }], [{ reminder: 2, attempts: [], status: "failed" }]);
    expect((await read()).lines.slice(1)).toEqual([
      "alert: “Down, reminder 2” goes to Slack ops",
      "delivery: “Down, reminder 2” was not delivered to Slack ops: the answer is not known",
    ]);
  });

  test("says once why a channel is left out, not again at each reminder", async () => {
    const skipped = { outcome: "skipped", reason: "channel_disabled" };
    decide([
      skipped,
      { ...skipped, moment: "reminder:1", at: after(60_000) },
      { ...skipped, moment: "reminder:2", at: after(120_000), reason: "event_off" },
    ]);
    expect((await read()).lines.slice(1)).toEqual([
      "not_sent: “Down” was not sent to Slack ops: the channel is disabled",
      "not_sent: “Down, reminder 2” was not sent to Slack ops: this event is switched off in the settings",
    ]);
  });

  test.each([
    ["offline", "“Offline” goes to Slack ops", "“Online again” goes to Slack ops"],
    ["threshold", "“Above the threshold” goes to Slack ops", "“Below the threshold again” goes to Slack ops"],
    ["stale", "“No data” goes to Slack ops", "“Data again” goes to Slack ops"],
  ])("of one of kind %s names its alerts", async (kind, opening, closing) => {
    know({ kind });
    decide([{}, { moment: "closed", at: after(99) }]);
    expect((await read()).lines.slice(1)).toEqual([`alert: ${opening}`, `alert: ${closing}`]);
  });

  test("of one that is open for months leaves out what was repeated, and says how much", async () => {
    const reminders = Array.from({ length: 3000 }, (_, at) => ({
      moment: `reminder:${at + 1}`,
      at: after(60_000 * at),
    }));
    decide(
      reminders,
      reminders.map((_, at) => ({ id: at + 1, reminder: at + 1, createdAt: after(60_000 * at) })),
    );
    const { body, timeline, lines } = await read();
    expect(body["omitted"]).toBe(2 * (3000 - 250));
    expect(timeline.length).toBe(1 + 2 * 250);
    expect(lines[1]).toContain("reminder 1");
    expect(lines.filter((line) => line.includes("reminder 3000"))).toHaveLength(2);
  });
});

describe("a channel's answer", () => {
  const answer = async (language?: string) => (await read(language)).channels;

  test.each(reasons.filter((reason) => reason !== "sent"))(
    "says of %s why it was not told, in both languages",
    async (reason) => {
      const isHeld = ["maintenance", "quiet_hours", "dependency"].includes(reason);
      decide([{ outcome: isHeld ? "held" : "skipped", reason, parentName: "router", deliveryId: undefined }]);
      const [english, chinese] = [await answer(), await answer("zh")];
      expect(english).toMatchObject([
        { channelId: 7, told: false, text: expect.stringMatching(/^“Down” .*Slack ops/) },
      ]);
      expect(chinese[0]?.text).toMatch(/Slack ops/);
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

  test("says until when it is held, where that is known", async () => {
    decide([{ outcome: "held", reason: "maintenance", until: after(60_000), deliveryId: undefined }]);
    const { channels, timeline } = await read();
    const heldUntil = after(60_000);
    const text = "“Down” is held for Slack ops until the maintenance ends";
    expect(channels).toMatchObject([{ text, heldUntil }]);
    expect(timeline.at(-1)).toMatchObject({ text, heldUntil });
    decide([{ outcome: "skipped", reason: "ended_before", until: after(0), deliveryId: undefined }]);
    expect((await read()).channels[0]).not.toHaveProperty("heldUntil");
  });

  test("names the parent that holds it back", async () => {
    decide([{ outcome: "held", reason: "dependency", parentName: "router" }]);
    expect(await answer()).toMatchObject([{ text: "“Down” is held for Slack ops while router has an incident" }]);
  });

  test("says why where nobody was told at all", async () => {
    decide([{ channelId: undefined, channelName: "", outcome: "skipped", reason: "disabled" }]);
    const { channels, lines } = await read();
    const why = "its notifications are switched off";
    expect(channels).toMatchObject([{ told: false, text: `“Down” was not sent to Slack ops: ${why}` }]);
    expect(lines.at(-1)).toBe(`not_sent: “Down” was not sent: ${why}`);
  });

  test("that other settings leave it out, or that nothing was decided", async () => {
    decide([{ channelId: 8, channelName: "Mail" }]);
    expect(await answer()).toMatchObject([
      { channelId: 7, told: false, text: "The notification settings do not include this channel" },
      { channelId: 8, told: false, text: "“Down” goes to Mail" },
    ]);
    decide([]);
    expect(await answer()).toMatchObject([
      { told: false, text: "No decision about notifications is recorded for this incident" },
    ]);
  });

  test("does not call a reminder delivered that PagerDuty was never sent", async () => {
    const said = { at: after(0), answer: "Nothing to send: PagerDuty reminds by its own rules", durationMs: 0 };
    decide([{}], [{ reminder: 1, attempts: [said] }]);
    const text = "“Down, reminder 1” was not sent to Slack ops: PagerDuty reminds by its own rules";
    expect(await answer()).toMatchObject([{ text }]);
  });

  test("is what became of the delivery, with the provider's words", async () => {
    decide(
      [{}],
      [{ status: "failed", attempts: [{ at: after(0), statusCode: 404, answer: "no_service", durationMs: 9 }] }],
    );
    const text = "“Down” was not delivered to Slack ops: no_service";
    expect(await answer()).toMatchObject([{ told: false, text }]);
    decide([{}], [{ id: 41, kind: "recovery" }, { kind: "flapping" }, { id: 39, status: "failed" }]);
    expect(await answer()).toMatchObject([{ told: true, text: "“Flapping” was delivered to Slack ops at attempt 2" }]);
  });
});

describe("while a part is away", () => {
  test.each([
    ["listChecks", ["checks"], "opened"],
    ["explainIncident", ["notifications"], "failure"],
    ["listChannels", ["notifications"], "failure"],
  ])("without %s the rest answers and names it", async (method, missing, first) => {
    if (method !== "listChecks") check([{ startedAtMs: atMs }]);
    app.fakes.refuse(method, unavailable("part"));
    const { body, timeline } = await read();
    expect(body["unavailable"]).toEqual(missing);
    expect(timeline[0]?.type).toBe(first);
  });

  test("without its producer there is nothing to tell", async () => {
    app.fakes.refuse("monitors.getIncident", unavailable("incidents"));
    expect((await app.ask("GET", "/api/incidents/m5", { as: "viewer" })).status).toBe(503);
  });
});

test("the results before the opening are asked for, and no more", async () => {
  await read();
  const asked = app.fakes.asked.find(({ method }) => method === "listChecks");
  expect(asked?.request).toMatchObject({ monitorId: 7, beforeMs: atMs + 1, limit: 50 });
});

test("an agent's incident is asked of agents, and no checks are looked for", async () => {
  know({ id: "a3", target: { type: "agent", id: 3, name: "web-1" }, kind: "threshold", metric: "cpu" });
  const { body } = await read("en", "a3");
  expect(body["incident"]).toMatchObject({ id: "a3", target: { type: "agent" } });
  expect(app.fakes.asked.map(({ method }) => method)).not.toContain("listChecks");
});

test.each(["m6", "m0", "m05", "x5", "5", "m", "m99999999999", "m2147483648", "a5", "%00"])(
  "%s is no incident",
  async (id) => {
    const { status, body } = await app.ask("GET", `/api/incidents/${id}`, { as: "viewer" });
    expect([status, body["message"]]).toEqual([404, "Incident does not exist"]);
  },
);
