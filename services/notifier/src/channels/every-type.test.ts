import { type ChannelTypeName, channelTypeOf } from "@sonde/proto/http/notifications/channel-types";
import { secretMask } from "@sonde/proto/http/secrets";
import { afterEach, describe, expect, test, afterAll, beforeAll } from "vitest";
import * as messages from "../testing/messages.ts";
import type { ChannelMessage } from "../messages/message.ts";
import { testEgress } from "../testing/egress.ts";
import { testIdentity } from "../testing/push.ts";
import { startStandIn } from "../testing/stand-ins/start.ts";
import type { StandIn } from "../testing/stand-ins/stand-in.ts";
import type { AnyChannel, SendOutcome } from "./channel.ts";
import { type OutgoingRequests, EgressError } from "@sonde/kit/egress/requests";
import { hostile, hostileTexts, severalHostile } from "../testing/messages.ts";
import { sendOnce } from "../testing/sending.ts";
import { channelOf } from "./registry.ts";

const refusals = {
  resend: {
    missing_api_key: "broken",
    invalid_api_key: "broken",
    domain: "broken",
    invalid_to: "broken",
    invalid: "refused",
    other_body: "refused",
    concurrent: "retry",
    quota: "retry",
    down: "retry",
  },
  smtp: {
    throttle: "retry",
    greylisted: "retry",
    full: "retry",
    no_such_user: "broken",
    sender_refused: "broken",
    spam: "refused",
  },
  slack: {
    invalid_payload: "refused",
    action_prohibited: "broken",
    no_service: "broken",
    channel_not_found: "broken",
    channel_is_archived: "broken",
    rollup_error: "retry",
    refused_in_200: "broken",
  },
  discord: {
    unknown_webhook: "dead",
    invalid_token: "dead",
    forum_without_thread: "broken",
    invalid_body: "refused",
    cloudflare: "retry",
  },
  telegram: {
    unauthorized: "broken",
    blocked: "broken",
    chat_not_found: "broken",
    bad_entities: "refused",
    refused_in_200: "broken",
  },
  ntfy: { unauthorized: "broken", forbidden: "broken", invalid: "refused", full: "retry" },
  matrix: { unknown_token: "broken", not_in_room: "broken", too_large: "refused" },
  gotify: { wrong_token: "broken", database_down: "retry" },
  mattermost: { deleted: "broken", off: "broken", locked: "broken", unreadable: "refused", failing: "retry" },
  rocketchat: { unknown: "broken", no_channel: "broken", too_long: "refused", script: "refused", off: "retry" },
  googlechat: {
    bad_key: "broken",
    bad_token: "broken",
    left: "broken",
    empty: "refused",
    too_long: "refused",
    failing: "retry",
  },
  zulip: {
    wrong_key: "broken",
    deactivated: "broken",
    no_channel: "broken",
    not_allowed: "broken",
    invalid: "refused",
    failing: "retry",
  },
  pushover: { wrong_token: "broken", wrong_user: "broken", too_long: "refused", failing: "retry" },
  bark: { unknown_key: "broken", device_gone: "broken", too_large: "retry", down: "retry" },
  serverchan: { wrong_key: "broken", invalid: "refused", refused_in_200: "refused", failing: "retry" },
  pushdeer: {
    unknown_key: "broken",
    invalid: "refused",
    forbidden: "broken",
    remote: "retry",
    not_pushed: "retry",
  },
  twilio: {
    wrong_token: "broken",
    wrong_number: "broken",
    unsubscribed: "broken",
    not_ours: "broken",
    too_long: "refused",
    failing: "retry",
  },
  signal: {
    wrong_login: "broken",
    unreadable: "refused",
    not_registered: "broken",
    wrong_recipient: "broken",
    limited_in_400: "retry",
    failing: "retry",
  },
  line: { wrong_token: "broken", wrong_recipient: "broken", invalid: "refused", used_up: "retry", failing: "retry" },
  alertmanager: { wrong_login: "broken", invalid: "refused", failing: "retry", old: "broken" },
  "twilio-voice": {
    wrong_token: "broken",
    wrong_number: "broken",
    not_ours: "broken",
    no_address: "refused",
    not_permitted: "broken",
    failing: "retry",
  },
  "web-push": {
    invalid: "refused",
    unsigned: "broken",
    other_key: "broken",
    not_found: "dead",
    gone: "dead",
    too_large: "refused",
    failing: "retry",
  },
  apprise: { unknown_key: "broken", no_tag: "retry", invalid: "refused", denied: "broken", failing: "retry" },
} as const satisfies Partial<Record<ChannelTypeName, Record<string, "broken" | "dead" | "refused" | "retry">>>;
const types = Object.keys(refusals) as (keyof typeof refusals)[];

const pushIdentity = async () => testIdentity;
const startCall = async () => (step: string) => `https://sonde.example/${step}`;

let standIn: StandIn;
afterEach(() => standIn.stop());

describe.each(types)("a channel of type %s", (type) => {
  async function open(): Promise<AnyChannel> {
    standIn = await startStandIn(type);
    return channelOf(type);
  }
  const send = (
    channel: AnyChannel,
    body: string,
    egress: OutgoingRequests = testEgress,
    signal = new AbortController().signal,
  ) =>
    channel.send({
      body,
      config: standIn.config as never,
      key: "msg_1",
      atMs: Date.now(),
      egress,
      pushIdentity,
      startCall,
      signal,
    });
  const deliver = async (channel: AnyChannel, message: ChannelMessage): Promise<SendOutcome> =>
    send(channel, channel.compose(message, standIn.config as never, undefined));

  test.each([
    ["an alert", messages.message()],
    ["one in Chinese", messages.inChinese()],
    ["a recovery", messages.recovery()],
    ["a test", messages.test()],
    ["several alerts", messages.several(5)],
    ["a thousand alerts", messages.several(1000)],
    ["an alert without links, fields and text", messages.message({ links: [], fields: [], text: "" })],
  ])("delivers %s within the provider's limits", async (_name, message) => {
    const outcome = await deliver(await open(), message);
    expect(outcome).toMatchObject({ outcome: "delivered" });
    expect(standIn.accepted).toHaveLength(1);
  });

  test.skipIf(channelOf(type).reader === "machine")("shows what several alerts share, before them", async () => {
    const channel = await open();
    const shared = { ...messages.several(1000), text: "41 of 42 failing monitors share 2001:db8::7" };
    const body = channel.compose(shared, standIn.config as never, undefined).replaceAll("\\", "");
    const at = body.indexOf("41 of 42 failing monitors share 2001:db8::7");
    expect(at).toBeGreaterThan(-1);
    expect(body.indexOf("Monitor 0 is down")).toBeGreaterThan(at);
    expect(await deliver(channel, shared)).toMatchObject({ outcome: "delivered" });
  });

  test.skipIf(channelOf(type).reader === "machine")("delivers a message about no incident", async () => {
    const notice = { tone: "info", alerts: [], fields: [], acknowledgeUrl: undefined } as const;
    expect(await deliver(await open(), messages.message(notice))).toMatchObject({ outcome: "delivered" });
  });

  test.each(Object.entries(messages.hostileTexts))("delivers names and causes with %s", async (_name, text) => {
    const channel = await open();
    expect(await deliver(channel, messages.hostile(text))).toMatchObject({ outcome: "delivered" });
    const grouped = channel.compose(messages.severalHostile(text), standIn.config as never, undefined);
    // A new key, so a provider that deduplicates requests accepts it as another message.
    const second = {
      body: grouped,
      config: standIn.config as never,
      key: "msg_2",
      atMs: Date.now(),
      egress: testEgress,
      pushIdentity,
      startCall,
    };
    expect(await channel.send({ ...second, signal: new AbortController().signal })).toMatchObject({
      outcome: "delivered",
    });
    for (const { text: sent } of standIn.accepted) expect(sent).not.toMatch(/\\ud[89a-f]/i);
  });

  test.each(Object.entries(refusals[type]))("maps the provider's %s to %s", async (name, expected) => {
    const channel = await open();
    standIn.answerNext(name);
    const outcome = await deliver(channel, messages.message());
    const isDead = outcome.outcome === "broken" && outcome.dead === true;
    expect(isDead ? "dead" : outcome.outcome).toBe(expected);
    expect(outcome.answer).not.toBe("");
    expect(outcome.answer.length).toBeLessThanOrEqual(200);
    expect(standIn.accepted).toHaveLength(0);
  });

  test("waits as long as the provider asks if it throttles", async () => {
    const channel = await open();
    standIn.answerNext("throttle");
    expect(await deliver(channel, messages.message())).toMatchObject({ outcome: "retry" });
    expect(await deliver(channel, messages.message())).toMatchObject({ outcome: "delivered" });
  });

  test("accepts no response that is not the provider's", async () => {
    const channel = await open();
    if (type === "smtp") return;
    // Apprise responds with 204 if it has no such configuration.
    const empty = { status: type === "apprise" ? 202 : 204 };
    standIn.answerNext("garbage", { status: 200, body: {} }, { status: 200, body: "null" }, empty);
    for (let index = 0; index < 4; index += 1) {
      expect(await deliver(channel, messages.message())).toMatchObject({ outcome: "retry" });
    }
    standIn.answerNext({ status: 302, headers: { location: "https://elsewhere.example/" } });
    expect(await deliver(channel, messages.message())).toMatchObject({ outcome: "broken" });
    standIn.answerNext({ status: 502, body: "<html>Bad Gateway</html>" });
    expect(await deliver(channel, messages.message())).toMatchObject({ outcome: "retry", statusCode: 502 });
  });

  test("retries if the connection closes before or after the request was read", async () => {
    const channel = await open();
    for (const trouble of ["reset", "drop"]) {
      standIn.answerNext(trouble);
      expect(await deliver(channel, messages.message())).toMatchObject({ outcome: "retry" });
    }
    expect(standIn.accepted).toHaveLength(1);
  });

  test("retries after a timeout", async () => {
    const channel = await open();
    standIn.answerNext("hang");
    const giveUp = new AbortController();
    const body = channel.compose(messages.message(), standIn.config as never, undefined);
    const outcome = send(channel, body, testEgress, giveUp.signal);
    if (type === "smtp") setTimeout(() => giveUp.abort(), 100);
    else await standIn.next().then(() => giveUp.abort());
    expect(await outcome).toMatchObject({ outcome: "retry" });
  });

  test("is broken if the guard refuses the address, and is retried if the name does not resolve", async () => {
    const channel = await open();
    const body = channel.compose(messages.message(), standIn.config as never, undefined);
    const failing = (kind: "blocked" | "dns"): OutgoingRequests => {
      const fail = () => Promise.reject(new EgressError(kind, `${kind}: example.com`));
      return { request: fail, addressOf: fail };
    };
    expect(await send(channel, body, failing("blocked"))).toMatchObject({
      outcome: "broken",
      answer: "blocked: example.com",
    });
    expect(await send(channel, body, failing("dns"))).toMatchObject({ outcome: "retry" });
    expect(standIn.requests).toHaveLength(0);
  });

  test("leaves errors in Sonde itself to the caller", async () => {
    const channel = await open();
    const body = channel.compose(messages.message(), standIn.config as never, undefined);
    const fail = () => Promise.reject(new Error("a fault of ours"));
    await expect(send(channel, body, { request: fail, addressOf: fail })).rejects.toThrow("a fault of ours");
  });

  test("stores no secret, and renders the same body each time", async () => {
    const channel = await open();
    const compose = () => channel.compose(messages.message(), standIn.config as never, undefined);
    const { secrets } = channelTypeOf(type);
    const config = standIn.config as unknown as Record<string, string>;
    const texts = secrets(standIn.config as never).map(({ path }) => config[String(path[0])] ?? secretMask);
    expect(texts.length).toBeGreaterThan(0);
    for (const secret of texts) expect(compose()).not.toContain(secret);
    expect(compose()).toBe(compose());
  });
});

const typesThatQuote = ["webhook", "pagerduty", "dingtalk", "wecom", "feishu", "teams"] as const;

describe.each(typesThatQuote)("%s", (type) => {
  let standIn: StandIn;
  beforeAll(async () => void (standIn = await startStandIn(type)));
  afterAll(() => standIn.stop());

  test.each(Object.entries(hostileTexts))("accepts %s, in a single and in a grouped message", async (_name, text) => {
    for (const message of [hostile(text), severalHostile(text)]) {
      const outcome = await sendOnce(channelOf(type), standIn.config, message);
      expect(outcome).toMatchObject({ outcome: "delivered" });
      const sent = JSON.stringify(standIn.accepted.at(-1)?.json);
      expect(sent).not.toMatch(/\u202e|\\ud[89ab]/);
    }
  });
});
