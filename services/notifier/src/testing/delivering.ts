import { createGuard } from "@sonde/kit/egress/guard";
import { sealSecrets } from "@sonde/domain/sealed-config";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { secretBox, secretContexts } from "@sonde/kit/secrets";
import { silentLog } from "@sonde/kit/service/log";
import type { Database } from "@sonde/kit/postgres/database";
import { type FakeClock, fakeClock } from "@sonde/kit/time/clock";
import type { AlertFacts } from "../alerts/incident.ts";
import type { AnyChannel, SendOutcome, SendInput as Given } from "../channels/channel.ts";
import { EgressError } from "@sonde/kit/egress/requests";
import { addDelivery, factsOf, insertAlert, insertChannel, toChannel } from "./rows.ts";
import type { ChangedDelivery, DeliveryContext } from "../deliveries/delivery-context.ts";
import { createSending, type DeliverySender, lookDelayMs } from "../deliveries/sender.ts";
import { plainMessage } from "./post-channel.ts";

export const testBox = secretBox(deriveKeys(Buffer.alloc(32, 7).toString("base64")));

/** What a provider of tests was sent. */
export type SentMessage = { key: string; body: string; topic: string; atMs: number };
/** Answers of a provider of tests, by what it is sent. */
export type Provider = (sent: SentMessage, given: Given<unknown>) => SendOutcome | Promise<SendOutcome>;

export const delivered: SendOutcome = { outcome: "delivered", statusCode: 200, answer: "ok" };

/**
 * A channel that passes what it sends to a function. Its body lists alerts and targets, as `down 1, recovery 1`, and
 * what it replies to.
 */
export function testChannel(provider: Provider, given: Partial<AnyChannel> = {}): AnyChannel {
  return {
    type: "ntfy",
    reader: "people",
    budgets: () => [],
    compose: ({ alerts }, _config, replyTo) => {
      const told = alerts.map(({ kind, target }) => `${kind} ${target.id}`).join(", ");
      return replyTo === undefined ? told : `${told} (to ${replyTo})`;
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
  /** Whether the sender asked to look again, and after how long at the latest. */
  wakes: number[];
  /** A channel to its own topic. */
  addChannel(topic: string, given?: Record<string, unknown>): Promise<number>;
  /** An alert to a channel at the clock's time; answers the delivery's id. */
  alert(channelId: number, facts?: Partial<AlertFacts> & { monitor?: number }, moment?: string): Promise<number>;
  /** Looks, and waits for all that began by it, until nothing more is due. */
  run(): Promise<void>;
  /** Repeats while time advances. */
  runFor(durationMs: number, stepMs: number): Promise<void>;
  /** Advances the clock. */
  pass(durationMs: number): Promise<void>;
  statusOf(deliveryId: number): Promise<string>;
  attemptsOf(deliveryId: number): Promise<Record<string, unknown>[]>;
};

/** A sender over real tables, with a provider and a clock of the test's own. */
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
    channelOf: () => channel,
    egress: {
      request: () => Promise.reject(new EgressError("connect", "tests send nothing")),
      addressOf: (host) => Promise.resolve(host),
    },
    render: ({ isTest = false, ...rendering }) => plainMessage({ ...rendering, isTest }),
    linksOf: () => () => ({}),
    evidenceOf: async () => undefined,
    mailOf: async () => undefined,
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
      await sending.look();
      await sending.idle();
      if (!wakes.some((afterMs) => afterMs <= lookDelayMs)) return;
    }
    throw new Error("the sender never came to rest");
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
