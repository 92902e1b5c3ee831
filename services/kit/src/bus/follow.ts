import { type Consumer, DeliverPolicy, type JsMsg } from "@nats-io/jetstream";
import { Feature, NatsConnectionImpl } from "@nats-io/nats-core/internal";
import type { Bucket } from "@sonde/proto/streams";
import { type Bus, isClustered } from "./connect.ts";
import { isMissing } from "./streams.ts";
import { scrapedGauge } from "../telemetry/metrics.ts";

/** `created` is the stream's creation time, which identifies a recreated stream. */
export type Position = { created: string; sequence: number };

export type BusMessage = {
  subject: string;
  data: Uint8Array;
  header(name: string): string;
  sequence: number;
  storedAtMs: number;
  created: string;
};

export type FollowOptions = {
  stream: string;
  /** nats-server before 2.10 supports only one filter, so just the first is used there. */
  subjects?: readonly string[];
  /** Does not log a missing stream, which another service creates. */
  mayBeMissing?: boolean;
  /** A position counts only for the same stream, otherwise reading starts at the first message. */
  from: Position | "first" | "new" | "last-per-subject";
  /** Called in order, and again with the same message if it rejects, so it must divert malformed data. */
  onMessage: (message: BusMessage) => void | Promise<void>;
  /** All messages stored before the start have been handled. Called again after the stream was recreated. */
  onCurrent?: () => void;
};

export type Following = {
  position(): Position | null;
  created(): string | null;
  stop(): Promise<void>;
};

const retryMs = 500;
const maxMissed = 2;
/** In a cluster the consumer lives on one server, which can fail while our connection to another stays open. */
const clustered = { idle_heartbeat: 5_000, expires: 30_000 };
/** The consumer ends with the connection. Longer intervals cost both sides less. */
const alone = { idle_heartbeat: 30_000, expires: 120_000 };

/** Reads a stream in order without acknowledgements, across restarts. A recreated stream is read from its start. */
export function followStream(bus: Bus, options: FollowOptions): Following {
  const { stream, subjects = [], mayBeMissing = false, onMessage, onCurrent } = options;
  let position: Position | null = typeof options.from === "object" ? options.from : null;
  let created: string | null = null;
  let stopped = false;
  let endRound = () => {};
  let reading: Consumer | undefined;
  let handledSequence = 0;

  const checkRecreated = () => {
    bus.jsm.streams.info(stream).then(
      (info) => {
        if (created !== null && info.created !== created) endRound();
      },
      () => endRound(),
    );
  };
  // The client retries at the reconnect and then every 30 seconds, and its consumer may be lost by then.
  const offReconnect = bus.onReconnect(() => endRound());
  const behind = async (): Promise<number | null> => {
    if (reading === undefined) return null;
    const { num_pending: pending, delivered } = await reading.info();
    return pending + Math.max(0, delivered.consumer_seq - handledSequence);
  };
  // Buckets are small, and there are many.
  const stopReporting = stream.startsWith("KV_") ? () => {} : reportStreamLag(bus, stream, behind);

  const round = async () => {
    const info = await bus.jsm.streams.info(stream);
    const anew = created !== null && created !== info.created;
    created = info.created;
    if (position?.created !== created || position.sequence > info.state.last_seq) position = null;
    // A retry must not skip messages that arrived in the meantime. After a recreation, all messages are unread.
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
    watchForLoss(messages, { check: checkRecreated, lost: endRound }).catch((error: unknown) =>
      bus.log.warn({ err: error, stream }, "reading a consumer's status failed"),
    );
    if (stopped) return void (await messages.close());
    for await (const message of messages) {
      if (stopped) break;
      const handled = await handle(message);
      if (!handled) break;
      // A server may count replaced messages as pending (2.9.10 does so for 30 seconds or more). Messages are in order,
      // so reaching the last sequence known at the start is enough.
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
      stopReporting();
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

/** Reports lag until the returned function is called. @param behind unhandled messages; `null` if unknown */
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

/** `discard`: a pull ended before its limit. */
const usual = new Set(["heartbeat", "next", "debug", "flow_control", "discard"]);

/** For a lost server the client retries forever; only missing heartbeats reveal it. */
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

/** A single filter becomes part of the API subject, so permissions can restrict it. */
function filterOf({ nc }: Bus, subjects: readonly string[]) {
  const [first] = subjects;
  if (first === undefined) return {};
  const takesSeveral = nc instanceof NatsConnectionImpl && nc.features.get(Feature.JS_MULTIPLE_CONSUMER_FILTER).ok;
  return { filter_subjects: subjects.length > 1 && takesSeveral ? [...subjects] : first };
}

type BucketEntry = { key: string; value: Uint8Array; /** The bucket's own sequence. */ sequence: number };

export type WatchOptions = {
  bucket: Bucket;
  keys?: string;
  mayBeMissing?: boolean;
  onEntry: (entry: BucketEntry) => void | Promise<void>;
  /** A versioned tombstone is an entry instead. */
  onDelete?: (key: string) => void;
  onCurrent?: () => void;
};

/** A bucket that disappears deletes nothing. */
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
