import { type Consumer, DeliverPolicy, type JsMsg } from "@nats-io/jetstream";
import { Feature, NatsConnectionImpl } from "@nats-io/nats-core/internal";
import type { Bucket } from "@sonde/proto/streams";
import { type Bus, isClustered } from "./connect.ts";
import { isMissing } from "./streams.ts";
import { scrapedGauge } from "../telemetry/metrics.ts";

/**
 * A position in a stream. `created` distinguishes a stream that was created again from the one that the sequence
 * belongs to.
 */
export type Position = { created: string; sequence: number };

export type BusMessage = {
  subject: string;
  data: Uint8Array;
  header(name: string): string;
  sequence: number;
  storedAtMs: number;
  /** Of this message's stream. */
  created: string;
};

export type FollowOptions = {
  stream: string;
  /** Only these subjects, of which a nats-server before 2.10 takes the first alone; all where absent. */
  subjects?: readonly string[];
  /** Another service creates the stream, perhaps later: wait for it without logging. */
  mayBeMissing?: boolean;
  /**
   * After a position (everything, if the stream was created again since); all messages; only new ones; the last of each
   * subject.
   */
  from: Position | "first" | "new" | "last-per-subject";
  /** One at a time, in order. A rejection is retried from the same message; malformed data is the handler's to divert. */
  onMessage: (message: BusMessage) => void | Promise<void>;
  /** All messages stored before the start have been delivered; called again after the stream was created again. */
  onCurrent?: () => void;
};

export type Following = {
  /** The last message that was handled; null before the first. */
  position(): Position | null;
  /** The stream's own creation, once known. */
  created(): string | null;
  stop(): Promise<void>;
};

const retryMs = 500;
/** The number of heartbeats missed in a row after which the consumer is created again. */
const maxMissed = 2;
/** Of a consumer in a cluster: it lives on one of the servers, which may go without our connection noticing. */
const clustered = { idle_heartbeat: 5_000, expires: 30_000 };
/**
 * For the only server that we are connected to: such a reader ends with the connection. Longer intervals cost both
 * sides less.
 */
const alone = { idle_heartbeat: 30_000, expires: 120_000 };

/**
 * Reads a stream in order without acknowledgements, through reconnects, server restarts and a stream that was created
 * again (then from its first message).
 */
export function followStream(bus: Bus, options: FollowOptions): Following {
  const { stream, subjects = [], mayBeMissing = false, onMessage, onCurrent } = options;
  let position: Position | null = typeof options.from === "object" ? options.from : null;
  let created: string | null = null;
  let stopped = false;
  let endRound = () => {};
  let reading: Consumer | undefined;
  /** By the consumer's own count of deliveries. */
  let handledSequence = 0;

  const checkAnew = () => {
    bus.jsm.streams.info(stream).then(
      (info) => {
        if (created !== null && info.created !== created) endRound();
      },
      () => endRound(),
    );
  };
  // The client asks once more after a reconnect, and then each half a minute: its consumer may be lost by then.
  const offReconnect = bus.onReconnect(() => endRound());
  const behind = async (): Promise<number | null> => {
    if (reading === undefined) return null;
    const { num_pending: pending, delivered } = await reading.info();
    return pending + Math.max(0, delivered.consumer_seq - handledSequence);
  };
  // Buckets are many, small, and read at once.
  const stopTelling = stream.startsWith("KV_") ? () => {} : reportStreamLag(bus, stream, behind);

  const round = async () => {
    const info = await bus.jsm.streams.info(stream);
    const anew = created !== null && created !== info.created;
    created = info.created;
    if (position?.created !== created || position.sequence > info.state.last_seq) position = null;
    // A second round that starts before the first message must not miss what arrives from now on. All messages of a
    // stream that was created again are unread.
    if (options.from === "new") position ??= { created, sequence: anew ? 0 : info.state.last_seq };
    const consumer = await bus.js.consumers.get(stream, {
      ...filterOf(bus, subjects),
      ...(position === null
        ? { deliver_policy: options.from === "last-per-subject" ? DeliverPolicy.LastPerSubject : DeliverPolicy.All }
        : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: position.sequence + 1 }),
    });
    const pending = (await consumer.info()).num_pending;
    handledSequence = 0;
    reading = consumer;
    let current = pending === 0;
    if (current) onCurrent?.();
    const messages = await consumer.consume({
      max_messages: 500,
      ...(isClustered(bus) ? clustered : alone),
      abort_on_missing_resource: true,
    });
    endRound = () => void messages.close();
    watchForLoss(messages, { check: checkAnew, lost: endRound }).catch((error: unknown) =>
      bus.log.warn({ err: error, stream }, "reading a consumer's status failed"),
    );
    if (stopped) return void (await messages.close());
    for await (const message of messages) {
      if (stopped) break;
      const handled = await handle(message);
      if (!handled) break;
      // A server may count messages as pending that were replaced while they were read (2.9.10 does for half a minute
      // or more). Messages are in order: one at the last sequence known at the start is enough.
      if (!current && (message.info.pending === 0 || message.seq >= info.state.last_seq)) {
        current = true;
        onCurrent?.();
      }
    }
    await messages.close();
  };

  const handle = async (message: JsMsg): Promise<boolean> => {
    while (!stopped) {
      try {
        await onMessage(read(message, created ?? ""));
        position = { created: created ?? "", sequence: message.seq };
        handledSequence = message.info.deliverySequence;
        return true;
      } catch (error) {
        bus.log.warn({ err: error, stream, sequence: message.seq }, "handling a message failed; retrying");
        await pause(retryMs);
      }
    }
    return false;
  };

  const run = async () => {
    while (!stopped) {
      try {
        await round();
      } catch (error) {
        if (stopped || bus.nc.isClosed()) return;
        if (bus.connected() && !(mayBeMissing && isMissing(error))) {
          bus.log.warn({ err: error, stream }, "reading a stream failed; retrying");
          await bus.ensure().catch(() => {});
        }
      }
      if (!stopped) await pause(retryMs);
    }
  };
  const running = run();

  return {
    position: () => position,
    created: () => created,
    stop: async () => {
      stopped = true;
      offReconnect();
      stopTelling();
      endRound();
      await Promise.race([running, pause(1000)]);
    },
  };
}

const lag = scrapedGauge(
  "sonde_stream_lag_messages",
  "Stream messages that a reader has not processed. Partition owners count their own partitions, other readers the whole stream",
  ["stream", "reader"],
);

/**
 * Reports how far this process is behind on a stream, until the returned function is called.
 * @param behind messages that it has yet to handle; null if unknown
 */
export function reportStreamLag(bus: Bus, stream: string, behind: () => Promise<number | null>): () => void {
  return lag(async () => {
    const value = bus.connected() ? await behind() : null;
    return value === null ? [] : [{ labels: { stream, reader: bus.name }, value }];
  });
}

function read(message: JsMsg, created: string): BusMessage {
  return {
    subject: message.subject,
    data: message.data,
    header: (name) => message.headers?.get(name) ?? "",
    sequence: message.seq,
    storedAtMs: message.time.getTime(),
    created,
  };
}

/** The usual notifications of a consumer; `discard`: a pull ended before it was used up. */
const usual = new Set(["heartbeat", "next", "debug", "flow_control", "discard"]);

/**
 * In a cluster a reader's consumer lives on one server. If that server is gone, the consumer is neither found nor
 * missing and the client retries for ever; only missing heartbeats show it.
 */
async function watchForLoss(
  messages: { status(): AsyncIterable<{ type: string; count?: number }> },
  { check, lost }: { check: () => void; lost: () => void },
): Promise<void> {
  for await (const { type, count = 0 } of messages.status()) {
    if (type === "heartbeats_missed" && count >= maxMissed) lost();
    else if (!usual.has(type)) check();
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A single one is part of the call's own subject, by which a user's rights may be limited to it. */
function filterOf({ nc }: Bus, subjects: readonly string[]) {
  const [first] = subjects;
  if (first === undefined) return {};
  const takesSeveral = nc instanceof NatsConnectionImpl && nc.features.get(Feature.JS_MULTIPLE_CONSUMER_FILTER).ok;
  return { filter_subjects: subjects.length > 1 && takesSeveral ? [...subjects] : first };
}

type BucketEntry = { key: string; value: Uint8Array; /** The bucket's own sequence. */ sequence: number };

export type WatchOptions = {
  bucket: Bucket;
  /** Only these keys: `eu1.>`; all where absent. */
  keys?: string;
  /** It may not be there yet (`FollowOptions`). */
  mayBeMissing?: boolean;
  /** One at a time; a rejection is retried. */
  onEntry: (entry: BucketEntry) => void | Promise<void>;
  /** The key was deleted from the bucket (not a versioned tombstone, which is an entry). */
  onDelete?: (key: string) => void;
  /** All values present at the start have been delivered; called again after the bucket was created again. */
  onCurrent?: () => void;
};

/** Watches a bucket: its present entries, then every change. A bucket that vanished deletes nothing. */
export function watchBucket(
  bus: Bus,
  { bucket, keys, mayBeMissing, onEntry, onDelete, onCurrent }: WatchOptions,
): Following {
  const prefix = `$KV.${bucket}.`;
  return followStream(bus, {
    stream: `KV_${bucket}`,
    ...(keys === undefined ? {} : { subjects: [prefix + keys] }),
    mayBeMissing,
    from: "last-per-subject",
    onMessage: (message) => {
      const key = message.subject.slice(prefix.length);
      const operation = message.header("KV-Operation");
      if (operation === "DEL" || operation === "PURGE") return onDelete?.(key);
      return onEntry({ key, value: message.data, sequence: message.sequence });
    },
    onCurrent,
  });
}
