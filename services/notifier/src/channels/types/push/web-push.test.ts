import { createECDH, createPublicKey, verify } from "node:crypto";
import { createRequire } from "node:module";
import type WebPush from "web-push";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testEgress } from "../../../testing/egress.ts";
import { inChinese, message, recovery, several, test as sample } from "../../../testing/messages.ts";
import { decryptPush, testIdentity } from "../../../testing/push.ts";
import { deviceKey, start } from "../../../testing/stand-ins/push/web-push.ts";
import type { StandIn } from "../../../testing/stand-ins/stand-in.ts";
import { encryptPush } from "../../push/encrypt.ts";
import { vapidHeader } from "../../push/vapid.ts";
import { channel } from "./web-push.ts";

const webPush = createRequire(import.meta.url)("web-push") as typeof WebPush;

// RFC 8291, section 5 and appendix A.
const rfc = {
  plain: "When I grow up, I want to be a watermelon",
  device: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94",
  keys: {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
  },
  sender: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
  salt: "DGv6ra1nlYgDCS1FRnbzlw",
  body: "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
};

let standIn: StandIn<"web-push">;
beforeAll(async () => void (standIn = await start()));
afterAll(() => standIn.stop());

async function shown(sent = message()): Promise<Record<string, unknown>> {
  const { config } = standIn;
  const body = channel.compose(sent, config, undefined);
  const pushIdentity = async () => testIdentity;
  const signal = AbortSignal.timeout(5000);
  const outcome = await channel.send({
    body,
    config,
    key: "k",
    atMs: Date.now(),
    egress: testEgress,
    pushIdentity,
    signal,
  });
  expect(outcome).toMatchObject({ outcome: "delivered", statusCode: 201 });
  return JSON.parse(decryptPush(standIn.accepted.at(-1)!.bytes, deviceKey, config)) as Record<string, unknown>;
}

test("encrypts the example of RFC 8291", () => {
  const sender = createECDH("prime256v1");
  sender.setPrivateKey(rfc.sender, "base64url");
  const salt = Buffer.from(rfc.salt, "base64url");
  expect(encryptPush(rfc.plain, rfc.keys, { sender, salt }).toString("base64url")).toBe(rfc.body);
  expect(decryptPush(Buffer.from(rfc.body, "base64url"), rfc.device, rfc.keys)).toBe(rfc.plain);
});

test("encrypts as the package web-push does", () => {
  const { endpoint, ...keys } = standIn.config;
  const plain = "über 世界 ".repeat(100);
  const details = webPush.generateRequestDetails({ endpoint, keys }, plain);
  const theirs = details.body as Buffer;
  expect(decryptPush(theirs, deviceKey, keys)).toBe(plain);
  const ours = encryptPush(plain, keys);
  expect(decryptPush(ours, deviceKey, keys)).toBe(plain);
  expect([ours.length, ours.subarray(16, 21)]).toEqual([theirs.length, theirs.subarray(16, 21)]);
  expect(details.headers["Content-Encoding"]).toBe("aes128gcm");
});

test("signs as the package web-push does", () => {
  const atMs = Date.now();
  const { publicKey, privateKey, subject } = testIdentity;
  const { d = "" } = privateKey.export({ format: "jwk" });
  const expiresAt = Math.floor(atMs / 1000) + 12 * 3600;
  const origin = "https://push.example";
  const theirs = webPush.getVapidHeaders(origin, subject, publicKey, d, "aes128gcm", expiresAt).Authorization;
  const ours = vapidHeader(testIdentity, origin, atMs);
  const read = (header: string) => {
    const [, token = "", key = ""] = /^vapid t=([^,]+), ?k=(.+)$/.exec(header) ?? [];
    const [head = "", claims = "", signature = ""] = token.split(".");
    const publicOf = createPublicKey(privateKey);
    const checked = { key: publicOf, dsaEncoding: "ieee-p1363" } as const;
    const isSigned = verify("sha256", Buffer.from(`${head}.${claims}`), checked, Buffer.from(signature, "base64url"));
    const json = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as unknown;
    return { head: json(head), claims: json(claims), key, isSigned };
  };
  expect(read(ours)).toEqual(read(theirs));
  expect(read(ours)).toMatchObject({ isSigned: true, claims: { aud: origin, sub: subject } });
});

test("a device shows the alert, and can acknowledge it", async () => {
  const alert = await shown({ ...message(), openIncidents: 3 });
  expect(alert).toEqual({
    title: "Shop API is down",
    body: "The connection was refused",
    tag: "m42",
    url: `https://sonde.example.com/acknowledge?token=${"t".repeat(300)}`,
    lang: "en-US",
    badge: 3,
    words: {
      acknowledge: "Acknowledge",
      snooze: "Snooze 1 h",
      acknowledged: "Acknowledged",
      snoozed: "Snoozed for 1 hour",
      failed: "Not saved. Open the incident to try again",
    },
  });
  expect(standIn.accepted.at(-1)?.headers).toMatchObject({ urgency: "high", ttl: "86400" });
});

test("a recovery replaces its alert, and has nothing to acknowledge", async () => {
  const closed = await shown({ ...recovery(), acknowledgeUrl: undefined });
  expect(closed).toMatchObject({ tag: "m42", url: "https://sonde.example.com/incidents/m42?a=1&b=2" });
  expect(closed).not.toHaveProperty("words");
  expect(standIn.accepted.at(-1)?.headers).toMatchObject({ urgency: "normal" });
});

test("several alerts, and a test, are notifications of their own", async () => {
  const group = await shown({ ...several(40), acknowledgeUrl: undefined, key: "msg_several" });
  expect(group).toMatchObject({ title: "40 alerts", tag: "msg_several" });
  expect(group["body"]).toContain("Monitor 0 is down");
  expect(await shown({ ...sample(), acknowledgeUrl: undefined })).toMatchObject({ tag: "msg_test", title: "Test" });
});

test("is at most 3,000 bytes, whatever the alert says", async () => {
  const long = '\\"é'.repeat(4000);
  for (const sent of [
    message({ text: long, title: long }),
    inChinese(),
    several(1000, () => ({ title: long, text: long })),
  ])
    expect(Buffer.byteLength(channel.compose(sent, standIn.config, undefined))).toBeLessThanOrEqual(3000);
});

test("a device whose key is not on the curve is dead", async () => {
  const config = { ...standIn.config, p256dh: `B${"A".repeat(86)}` };
  const body = channel.compose(message(), config, undefined);
  const pushIdentity = async () => testIdentity;
  const sending = {
    body,
    config,
    key: "k",
    atMs: 0,
    egress: testEgress,
    pushIdentity,
    signal: AbortSignal.timeout(5000),
  };
  expect(await channel.send(sending)).toMatchObject({ outcome: "broken", dead: true });
});
