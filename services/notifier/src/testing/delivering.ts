import { createGuard } from "@sonde/kit/egress/guard";
import { sealSecrets } from "@sonde/domain/sealed-config";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { secretBox, secretContexts } from "@sonde/kit/secrets";
import { silentLog } from "@sonde/kit/service/log";
import type { Database } from "@sonde/kit/postgres/database";
import { type FakeClock, fakeClock } from "@sonde/kit/time/clock";
import type { AlertFacts } from "../alerts/incident.ts";
import type { AnyChannel, SendOutcome, SendInput as Given } from "../channels/channel.ts";
import { startCall } from "../calls/calls.ts";
import { pushIdentityReader } from "../channels/push/vapid.ts";
import { EgressError } from "@sonde/kit/egress/requests";
import { addDelivery, factsOf, insertAlert, insertChannel, toChannel } from "./rows.ts";
import type { ChangedDelivery, DeliveryContext } from "../deliveries/delivery-context.ts";
import { createSending, type DeliverySender, recheckDelayMs } from "../deliveries/sender.ts";
import { plainMessage } from "./post-channel.ts";

export const testBox = secretBox(deriveKeys(Buffer.alloc(32, 7).toString("base64")));

export type SentMessage = { key: string; body: string; topic: string; atMs: number };
export type Provider = (sent: SentMessage, given: Given<unknown>) => SendOutcome | Promise<SendOutcome>;

export const delivered: SendOutcome = { outcome: "delivered", statusCode: 200, answer: "ok" };

/** Sends to `provider`. The body lists alerts and targets (`down 1`) and the message it replies to. */
export function testChannel(provider: Provider, given: Partial<AnyChannel> = {}): AnyChannel {
  return {
    type: "ntfy",
    reader: "people",
    budgets: () => [],
    compose: ({ alerts }, _config, replyTo) => {
      const text = alerts.map(({ kind, target }) => `${kind} ${target.id}`).join(", ");
      return replyTo === undefined ? text : `${text} (to ${replyTo})`;
    },
    send: async (sending) => {
      const { body, key, atMs, config } = sending;
      return provider({ body, key, atMs, topic: String(Object(config)["topic"]) }, sending);
    },
    ...given,
  };
}

export type DeliveringBed = {
  db: Database;
  clock: FakeClock;
  deps: DeliveryContext;
  sending: DeliverySender;
  changed: ChangedDelivery[];
  /** Delays in milliseconds after which the sender requested another check. */
  wakes: number[];
  addChannel(topic: string, given?: Record<string, unknown>): Promise<number>;
  alert(channelId: number, facts?: Partial<AlertFacts> & { monitor?: number }, moment?: string): Promise<number>;
  /** Runs the sender until nothing more is due. */
  run(): Promise<void>;
  runFor(durationMs: number, stepMs: number): Promise<void>;
  pass(durationMs: number): Promise<void>;
  statusOf(deliveryId: number): Promise<string>;
  attemptsOf(deliveryId: number): Promise<Record<string, unknown>[]>;
};

export function openBed(db: Database, channel: AnyChannel, given: Partial<DeliveryContext> = {}): DeliveringBed {
  const clock = fakeClock();
  const changed: ChangedDelivery[] = [];
  const wakes: number[] = [];
  const deps: DeliveryContext = {
    db,
    clock,
    log: silentLog,
    secrets: testBox,
    guard: createGuard(),
    publicUrl: null,
    pushServices: [],
    channelOf: () => channel,
    egress: {
      request: () => Promise.reject(new EgressError("connect", "tests send nothing")),
      addressOf: (host) => Promise.resolve(host),
    },
    render: ({ isTest = false, ...rendering }) => plainMessage({ ...rendering, isTest }),
    linksOf: () => () => ({}),
    evidenceOf: async () => undefined,
    monitors: { listSharedCauses: async () => ({ causes: [] }) },
    mailOf: async () => undefined,
    noticeOf: async () => undefined,
    removeGoneDevices: async () => 0,
    pushIdentity: pushIdentityReader({ db, secrets: testBox, publicUrl: null }),
    startCall: (key) => startCall({ db, clock, publicUrl: deps.publicUrl }, key),
    sample: (_language, nowMs) => factsOf({ kind: "test", atMs: nowMs }),
    changed: (deliveries) => void changed.push(...deliveries),
    ...given,
  };
  const sending = createSending(deps, (afterMs) => void wakes.push(afterMs));
  const { reader } = channel;
  const sealing = {
    box: testBox,
    context: secretContexts.channel,
    secrets: () => [{ path: ["token"], name: "token" }],
    audience: () => "",
  };
  const run = async () => {
    for (let round = 0; round < 200; round += 1) {
      wakes.length = 0;
      await sending.checkQueues();
      await sending.idle();
      if (!wakes.some((afterMs) => afterMs <= recheckDelayMs)) return;
    }
    throw new Error("the sender never became idle");
  };
  const messageOf = (deliveryId: number) =>
    db("deliveries").where({ id: deliveryId }).select("message_id").first<{ messageId: number }>();
  return {
    db,
    clock,
    deps,
    sending,
    changed,
    wakes,
    addChannel: (topic, row = {}) => {
      const { config } = sealSecrets(sealing, { serverUrl: "https://ntfy.sh", topic, token: "canary-token" }, null);
      return insertChannel(db, { config: JSON.stringify(config), ...row });
    },
    alert: async (channelId, facts = {}, moment = "opened") => {
      const nowMs = clock.now();
      const all = factsOf({ atMs: nowMs, ...facts });
      const alertId = await insertAlert(db, all, moment);
      return db.transaction((trx) => addDelivery(trx, { alertId, facts: all, reader, nowMs, ...toChannel(channelId) }));
    },
    run,
    runFor: async (durationMs, stepMs) => {
      for (let passedMs = 0; passedMs < durationMs; passedMs += stepMs) {
        await run();
        clock.advance(stepMs);
      }
      await run();
    },
    pass: async (durationMs) => {
      clock.advance(durationMs);
      await run();
    },
    statusOf: async (id) => (await db("deliveries").where({ id }).first<{ status: string }>("status")).status,
    attemptsOf: async (id) => {
      const { messageId } = await messageOf(id);
      return db("attempts").where({ messageId }).orderBy("number");
    },
  };
}
