import { EgressError } from "@sonde/kit/egress/requests";
import type { CallStep } from "@sonde/proto/http/on-call/escalation";
import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { channelOf } from "../channels/registry.ts";
import { channelTester } from "../deliveries/test.ts";
import { listDeliveries } from "../deliveries/list.ts";
import { renderMessage } from "../messages/render.ts";
import { sampleFacts } from "../messages/sample.ts";
import { type DeliveringBed, openBed } from "../testing/delivering.ts";
import { testEgress } from "../testing/egress.ts";
import { addDelivery, factsOf, insertAlert, insertChannel, openTables, toChannel } from "../testing/rows.ts";
import { accountSid, authToken } from "../testing/stand-ins/twilio.ts";
import { start } from "../testing/stand-ins/twilio-voice.ts";
import { sealSecrets } from "@sonde/domain/sealed-config";
import { secretContexts } from "@sonde/kit/secrets";
import { testBox } from "../testing/delivering.ts";
import { type AnswerContext, answerCall } from "./answer.ts";
import { startCall } from "./calls.ts";

const publicUrl = "https://sonde.example.com";
const incidents = { acknowledgeIncident: vi.fn<AnswerContext["incidents"]["acknowledgeIncident"]>() };
const acknowledgeDrill = vi.fn<AnswerContext["acknowledgeDrill"]>();
let bed: DeliveringBed;
let twilio: Awaited<ReturnType<typeof start>>;
let channelId: number;
let ctx: AnswerContext;

beforeEach(async () => {
  vi.resetAllMocks();
  twilio = await start();
  bed = openBed(await openTables(), channelOf("twilio-voice"), {
    channelOf,
    publicUrl,
    egress: testEgress,
    render: renderMessage,
    sample: (language, nowMs) => sampleFacts("test", language, nowMs),
  });
  bed.clock.step(Date.now() - bed.clock.now());
  const team = await voiceChannel({ type: "twilio", name: "Twilio", config: { ...twilio.config } });
  channelId = await voiceChannel({ name: "Ada · call", userId: 1, throughId: team, config: { to: "+15558675310" } });
  ctx = { ...bed.deps, incidents, acknowledgeDrill, due: () => {} };
});
afterEach(async () => {
  await twilio.stop();
  await bed.db.destroy();
});

function voiceChannel({ config, ...row }: { config: object } & Record<string, unknown>): Promise<number> {
  const secrets = () => ("authToken" in config ? [{ path: ["authToken"], name: "authToken" }] : []);
  const sealing = { box: testBox, context: secretContexts.channel, secrets, audience: () => "" };
  const sealed = sealSecrets(sealing, { ...config }, null);
  return insertChannel(bed.db, { type: "twilio-voice", ...row, config: JSON.stringify(sealed.config) });
}

async function alert(monitor = 1, moment = "opened", facts: object = {}): Promise<number> {
  const nowMs = bed.clock.now();
  const all = factsOf({ monitor, atMs: nowMs, openedAtMs: nowMs, ...facts });
  const alertId = await insertAlert(bed.db, all, moment);
  const delivery = { alertId, facts: all, reader: "people" as const, nowMs, ...toChannel(channelId, "twilio-voice") };
  const id = await bed.db.transaction((trx) => addDelivery(trx, delivery));
  await bed.run();
  return id;
}

type Ring = { url: string; ended: string };
const rings = (): Ring[] =>
  twilio.accepted
    .filter(({ path }) => path.endsWith("/Calls.json"))
    .map(({ text }) => new URLSearchParams(text))
    .map((form) => ({ url: form.get("Url")!, ended: form.get("StatusCallback")! }));

/** Requests an address as Twilio does. */
function request(url: string, form: Record<string, string> = {}, signedFor = url, token = authToken): Promise<string> {
  const [, reference = "", step = ""] = /^https:\/\/sonde\.example\.com\/api\/calls\/([\w-]+)\/(\w+)$/.exec(url) ?? [];
  const fields = Object.entries(form).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const signature = createHmac("sha1", token)
    .update(signedFor + fields.flat().join(""))
    .digest("base64");
  return answerCall(ctx, { reference, step: step as CallStep, form: fields, signature });
}
const actionIn = (twiml: string) => /action="([^"]+)"/.exec(twiml)?.[1] ?? "";
const saidIn = (twiml: string) => /<Say[^>]*>([^<]*)/.exec(twiml)?.[1] ?? "";
const end = ({ ended }: Ring, CallStatus: string) => request(ended, { CallStatus });
const lastDelivery = async () => (await listDeliveries(bed.deps, { page: 1, pageSize: 10 })).deliveries[0]!;
const provenAt = async () => (await bed.db("channels").where({ id: channelId }).first("proven_at_ms")).provenAtMs;

test("a call reads the alert, and key 1 acknowledges as the person, by phone", async () => {
  await alert();
  const [ring] = rings() as [Ring];
  expect(twilio.accepted[0]!.path).toBe(`/2010-04-01/Accounts/${accountSid}/Calls.json`);
  const twiml = await request(ring.url);
  expect(saidIn(twiml)).toContain("monitor 1 is down");
  expect(saidIn(twiml)).toContain("Press 1 to acknowledge.");
  expect(await request(actionIn(twiml), { Digits: "1" })).toContain("Acknowledged.");
  expect(incidents.acknowledgeIncident.mock.calls).toEqual([
    [{ id: "m1", by: "Ada", note: "By phone call" }, { scope: "monitors" }],
  ]);
  expect(await provenAt()).toBe(Math.round(bed.clock.now()));
});

test("another key, or none, repeats the question once; then the call says goodbye", async () => {
  await alert();
  const again = await request(actionIn(await request(rings()[0]!.url)), { Digits: "7" });
  expect(saidIn(again)).toContain("monitor 1 is down");
  expect(actionIn(again)).toMatch(/\/last$/);
  const last = await request(actionIn(again), { Digits: "" });
  expect(saidIn(last)).toBe("Nothing was acknowledged. Goodbye.");
  expect(last).toContain("<Hangup/>");
  expect(await request(actionIn(again), { Digits: "1" })).toContain("Acknowledged.");
  expect(incidents.acknowledgeIncident).toHaveBeenCalledTimes(1);
});

test("one call about several incidents acknowledges all that are open", async () => {
  await alert();
  await end(rings()[0]!, "completed");
  await alert(2);
  await alert(3);
  await alert(4);
  await bed.db("incidents").where({ id: "m3" }).update({ closedAtMs: bed.clock.now() });
  await bed.pass(10_000);
  expect(rings()).toHaveLength(2);
  await request(actionIn(await request(rings()[1]!.url)), { Digits: "1" });
  expect(incidents.acknowledgeIncident.mock.calls.map(([{ id }]) => id)).toEqual(["m2", "m4"]);
});

test("a failed acknowledgement is said", async () => {
  await alert();
  incidents.acknowledgeIncident.mockRejectedValue(new Error("monitors is down"));
  expect(await request(actionIn(await request(rings()[0]!.url)), { Digits: "1" })).toContain("Please open Sonde.");
});

describe("a request", () => {
  test("without Twilio's signature is forbidden, and changes nothing", async () => {
    await alert();
    const key = actionIn(await request(rings()[0]!.url));
    await expect(request(key, { Digits: "1" }, rings()[0]!.url)).rejects.toMatchObject({ code: "forbidden" });
    await expect(request(key, { Digits: "1" }, key, "another token")).rejects.toMatchObject({ code: "forbidden" });
    expect(incidents.acknowledgeIncident).not.toHaveBeenCalled();
  });

  test("that is replayed does not acknowledge again", async () => {
    await alert();
    const key = actionIn(await request(rings()[0]!.url));
    await request(key, { Digits: "1" });
    expect(saidIn(await request(key, { Digits: "1" }))).toBe("This incident is over. Goodbye.");
    expect(incidents.acknowledgeIncident).toHaveBeenCalledTimes(1);
  });

  test("about a call that ended, that is old or unknown, or whose incident is closed hears that it is over", async () => {
    const over = "This incident is over. Goodbye.";
    await alert();
    const [ring] = rings() as [Ring];
    expect(saidIn(await request(ring.url.replace(/calls\/[\w-]+/, "calls/abc")))).toBe(over);
    await bed.db("incidents").update({ closedAtMs: bed.clock.now() });
    expect(saidIn(await request(ring.url))).toBe(over);
    await bed.db("incidents").update({ closedAtMs: null });
    await end(ring, "completed");
    expect(saidIn(await request(ring.url))).toBe(over);
    await bed.db("calls").update({ endedAtMs: null });
    bed.clock.advance(31 * 60_000);
    expect(saidIn(await request(ring.url))).toBe(over);
  });
});

describe("a call that nobody answers", () => {
  test.each(["no-answer", "busy", "failed"])("(%s) is repeated once, and then failed", async (status) => {
    await alert();
    expect(await lastDelivery()).toMatchObject({ status: "delivered" });
    await end(rings()[0]!, status);
    expect(await lastDelivery()).toMatchObject({ status: "pending" });
    await end(rings()[0]!, status);
    await bed.pass(20_000);
    expect(rings()).toHaveLength(2);
    expect(rings()[1]!.url).not.toBe(rings()[0]!.url);
    await end(rings()[1]!, status);
    await bed.pass(3_600_000);
    expect(rings()).toHaveLength(2);
    const { status: final, attempts } = await lastDelivery();
    expect(final).toBe("failed");
    expect(attempts.map(({ answer }) => answer)).toEqual([expect.stringMatching(/call|line/), expect.any(String)]);
  });

  test.each([
    ["acknowledged", () => ({ acknowledgedAtMs: bed.clock.now() + 1 })],
    ["closed", () => ({ closedAtMs: bed.clock.now() })],
  ])("is not repeated once the incident is %s", async (_state, change) => {
    await alert();
    await bed.db("incidents").update(change());
    await end(rings()[0]!, "no-answer");
    await bed.pass(60_000);
    expect(rings()).toHaveLength(1);
    expect(await lastDelivery()).toMatchObject({ status: "failed" });
  });

  test("and that was answered after all is not repeated", async () => {
    await alert();
    await end(rings()[0]!, "completed");
    await end(rings()[0]!, "no-answer");
    expect(await lastDelivery()).toMatchObject({ status: "delivered" });
  });
});

describe("a message rings twice at most", () => {
  test("if responses of Twilio are lost, since the phone may have rung", async () => {
    vi.spyOn(testEgress, "request");
    vi.mocked(testEgress.request).mockRejectedValue(new EgressError("timeout", "lost", true));
    const id = await alert();
    for (let round = 0; round < 8; round += 1) await bed.pass(600_000);
    vi.mocked(testEgress.request).mockRestore();
    expect(await bed.db("calls")).toHaveLength(2);
    expect(await bed.statusOf(id)).toBe("failed");
  });

  test("also if a process ended during an attempt, which another one repeats", async () => {
    const id = await alert(1, "opened");
    const { messageId } = await bed.db("deliveries").where({ id }).first("message_id");
    // The call was made, but the process ended before it recorded that.
    await bed
      .db("messages")
      .where({ id: messageId })
      .update({ status: "pending", lease: "gone", leaseUntilMs: bed.clock.now() + 1_000 });
    await bed.pass(2_000);
    expect(rings()).toHaveLength(2);
    await end(rings()[0]!, "no-answer");
    expect(await bed.statusOf(id)).toBe("delivered");
    await end(rings()[1]!, "no-answer");
    await bed.pass(60_000);
    expect(rings()).toHaveLength(2);
    expect(await bed.statusOf(id)).toBe("failed");
  });

  test("but attempts that Twilio rejected do not count", async () => {
    twilio.answerNext("failing", "throttle", "failing");
    const id = await alert();
    for (let round = 0; round < 8; round += 1) await bed.pass(600_000);
    expect(await bed.statusOf(id)).toBe("delivered");
    expect(rings()).toHaveLength(1);
  });

  test("and not at all once its incident is over", async () => {
    twilio.answerNext("failing");
    const id = await alert();
    await bed.db("incidents").update({ closedAtMs: bed.clock.now() });
    for (let round = 0; round < 8; round += 1) await bed.pass(600_000);
    expect(rings()).toHaveLength(0);
    expect(await bed.statusOf(id)).toBe("failed");
  });
});

test("a test rings once, and key 1 proves the contact", async () => {
  const tested = await channelTester(bed.deps)({ id: channelId, userId: 1, language: "zh-CN" });
  expect(tested.status).toBe("delivered");
  expect(await provenAt()).toBeNull();
  const twiml = await request(rings()[0]!.url);
  expect(saidIn(twiml)).toContain("请按 1");
  expect(saidIn(await request(actionIn(twiml), { Digits: "1" }))).toContain("已收到");
  expect(await provenAt()).not.toBeNull();
  expect(incidents.acknowledgeIncident).not.toHaveBeenCalled();
  await channelTester(bed.deps)({ id: channelId, userId: 1, language: "zh-CN" });
  await end(rings()[1]!, "no-answer");
  await bed.pass(60_000);
  expect(rings()).toHaveLength(2);
  expect(await lastDelivery()).toMatchObject({ kind: "test", status: "failed" });
});

test("a call speaks the person's language, whatever that of the alert is", async () => {
  const value = { timeZone: "UTC", night: null, rules: [], language: "zh-CN" };
  await bed.db("contacts").insert({ userId: 1, value: JSON.stringify(value), updatedAtMs: 0 });
  await alert();
  const twiml = await request(rings()[0]!.url);
  expect(saidIn(twiml)).toContain("确认请按 1");
  expect(await request(actionIn(twiml), { Digits: "1" })).toContain("已确认");
  expect(incidents.acknowledgeIncident).toHaveBeenCalledWith(
    { id: "m1", by: "Ada", note: "通过电话确认" },
    { scope: "monitors" },
  );
});

test("a drill rings, and only its key proves the contact", async () => {
  await alert(1, "opened", { incidentId: "d1", drill: { acknowledgedBy: [] } });
  expect(await provenAt()).toBeNull();
  await request(actionIn(await request(rings()[0]!.url)), { Digits: "1" });
  expect(acknowledgeDrill.mock.calls).toEqual([[{ id: "d1", by: "Ada" }]]);
  expect(await provenAt()).not.toBeNull();
});

test("the end of an incident is an SMS from the same number, not a call", async () => {
  await alert();
  await end(rings()[0]!, "completed");
  const closed = { kind: "recovery", closedAtMs: bed.clock.now(), resolution: "recovered" };
  bed.clock.advance(60_000);
  await alert(1, "closed", closed);
  expect(rings()).toHaveLength(1);
  const sent = new URLSearchParams(twilio.accepted.at(-1)!.text);
  expect(sent.get("Body")).toContain("monitor 1 is up again");
  expect(sent.get("From")).toBe("+15005550006");
});

test("there is no call without PUBLIC_URL", async () => {
  const reason = await startCall({ ...bed.deps, publicUrl: null }, "any");
  expect(reason).toBe("Not called: PUBLIC_URL is not set");
});
