import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { type KV, Kvm } from "@nats-io/kv";
import { type MsgHdrs, type NatsConnection, NoRespondersError, headers } from "@nats-io/nats-core";
import { type NodeConnectionOptions, connect } from "@nats-io/transport-node";
import { inboxPrefix } from "@sonde/proto/permissions";
import { type Bucket, type StreamSpec, buckets } from "@sonde/proto/streams";
import { watchBusStatus } from "./status.ts";
import { ensureBucket, ensureStream, isThere, usedBy } from "./streams.ts";
import { isLoopback } from "../addresses.ts";
import { unavailable } from "../errors.ts";
import type { Log } from "../service/log.ts";
import { reportWait, untilReady, type Wait } from "../service/waiting.ts";
import { openSpans } from "../telemetry/open-spans.ts";
import type { Spans } from "../telemetry/spans.ts";
import { NatsConnectionImpl } from "@nats-io/nats-core/internal";
import { Socket } from "node:net";

/** A service's connection to the bus. It reconnects for ever; `connected` is its present state. */
export type Bus = {
  /** Whose connection it is: the service. */
  name: string;
  nc: NatsConnection;
  js: JetStreamClient;
  jsm: JetStreamManager;
  log: Log;
  /** Traces of this service; null unless an OTLP endpoint is set. */
  spans: Spans | null;
  /** A bucket of present state; created if it is missing. */
  kv(bucket: Bucket): Promise<KV>;
  /** Makes every stream and bucket that it uses and that is missing; cheap when none is. */
  ensure(): Promise<void>;
  connected(): boolean;
  /** Calls `run` after each reconnect, once streams and buckets are ensured; returns how to stop that. */
  onReconnect(run: () => void): () => void;
  /** Flushes published messages, then closes. */
  close(): Promise<void>;
};

export type BusOptions = {
  url: string;
  /**
   * The name in the server's lists. A service's is its name in `proto/permissions.ts`, which limits what it uses; any
   * other name, as in tests, uses everything.
   */
  name: string;
  /** Its user on the bus, under whose inbox answers arrive; by default its name. */
  user?: string;
  log: Log;
  /** Divides every stream's bound in bytes; a local bus has 4. */
  shrink?: number;
  /** Copies of each stream and bucket (1): set at creation, and changed later only by the administrator. */
  replicas?: number;
  streams?: readonly StreamSpec[];
  buckets?: readonly Bucket[];
  /** Gives up waiting for the first connection and for JetStream; without effect afterwards. */
  signal?: AbortSignal;
  /**
   * The connection ended for good without `close`. By default the process exits, so that its supervisor restarts it.
   */
  onLost?: () => void;
};

/**
 * `nats://user:password@host:port`: the client wants them apart from the address. Within it they are overlooked, or
 * worse: it takes digits at a password's beginning for the port.
 */
export function serversOf(url: string): { servers: string[]; user?: string; pass?: string } {
  const parts = url.split(",");
  const { username, password } = new URL(parts[0] ?? url);
  const servers = parts.map((part) => part.replace(/^(\w+:\/\/)?[^@/]*@/, "$1"));
  if (!username) return { servers };
  return { servers, user: decodeURIComponent(username), pass: decodeURIComponent(password) };
}

/**
 * Connects to NATS and ensures the streams and buckets, now and after every reconnect, waiting for a server that
 * is not there yet.
 * @throws only once `signal` is aborted
 */
export async function connectBus(options: BusOptions): Promise<Bus> {
  const { url, name, user = name, log, signal } = options;
  const spans = await openSpans(name, log);
  const wait = reportWait(log, `NATS at ${serversOf(url).servers.join(", ")}`, { explain: withoutJetStream });
  let nc: NatsConnection | undefined;
  try {
    nc = await untilReady(wait, () => connect(connectionOptions(url, name, user)), { signal });
    return await openBus(nc, { ...options, spans, wait });
  } catch (given) {
    await nc?.close();
    await spans?.stop();
    throw given;
  }
}

/**
 * How often a connection is pinged; after two pings without an answer in a row it is replaced. A connection within this
 * machine ends with its server, and `npm start` restarts a server that hangs, so it is pinged less often.
 */
const [pingMs, localPingMs] = [5_000, 20_000];

const isLocal = (url: string): boolean => url.split(",").every((server) => isLoopback(new URL(server).hostname));

const connectionOptions = (url: string, name: string, user: string): NodeConnectionOptions => ({
  ...serversOf(url),
  name,
  inboxPrefix: inboxPrefix(user),
  maxReconnectAttempts: -1,
  reconnectTimeWait: 250,
  // Otherwise the client closes for good when it is refused twice in a row, for example while users and passwords
  // change.
  ignoreAuthErrorAbort: true,
  pingInterval: isLocal(url) ? localPingMs : pingMs,
  maxPingOut: 2,
  ignoreClusterUpdates: true,
  // Else each request captures three stacks in case it fails.
  noAsyncTraces: true,
});

type Opening = BusOptions & { spans: Spans | null; wait: Wait };

async function openBus(nc: NatsConnection, options: Opening): Promise<Bus> {
  const { url, name, log, spans, wait, signal, onLost = () => process.exit(1) } = options;
  const risk = riskOf(nc.info?.version ?? "", url);
  if (risk !== null) log.warn(risk);
  const js = jetstream(nc);
  // JetStream answers some seconds after its server does; a bus without it cannot be used.
  const jsm = await untilReady(wait, () => jetstreamManager(nc), { signal });
  const kvm = new Kvm(js);
  const opened = new Map<Bucket, Promise<KV>>();
  const used = usedBy(name);

  const making = {
    replicas: options.replicas ?? 1,
    shrink: options.shrink ?? 1,
    byAdministrator: used.byAdministrator,
    mayMake: used.mayMake,
  };

  const ensure = async () => {
    for (const spec of options.streams ?? used.streams) await ensureStream(jsm, spec, making, log);
    for (const bucket of options.buckets ?? used.buckets) {
      // Runners begin once it is there, so only monitors creates it: with none of its definitions in it a new runner would
      // take checks over from those of the version before, and run none of them.
      const isLeft = used.byAdministrator && options.buckets === undefined && bucket === buckets.definitions;
      if (!isLeft || (await isThere(jsm, bucket))) await ensureBucket(jsm, kvm, bucket, making);
    }
    opened.clear();
  };
  await untilReady(wait, ensure, { signal });
  const status = watchBusStatus({ nc, log, onLost, ensure: (given) => untilReady(wait, ensure, { signal: given }) });

  return {
    name,
    nc,
    js,
    jsm,
    log,
    spans,
    ensure,
    kv: (bucket) => {
      const handle = opened.get(bucket) ?? ensureBucket(jsm, kvm, bucket, making);
      opened.set(bucket, handle);
      handle.catch(() => opened.delete(bucket));
      return handle;
    },
    connected: status.connected,
    onReconnect: status.onReconnect,
    close: async () => {
      status.closing();
      // A drain waits for the server, so without one the connection is closed at once.
      const ended = status.connected() ? nc.drain() : nc.close();
      await ended.catch((error: unknown) => log.warn({ err: error }, "closing the connection to NATS failed"));
      await spans?.stop();
    },
  };
}

/**
 * Whether the server is one of several, where a consumer or leader may be lost on another server while our connection
 * stays.
 */
export const isClustered = ({ nc }: Pick<Bus, "nc">): boolean => nc.info?.cluster !== undefined;

/**
 * Why a server should not be used where others can reach it: before 2.10.27 any account may delete another's
 * streams (CVE-2025-30215). Debian's 2.9.10 is fine on loopback.
 */
export function riskOf(version: string, url: string): string | null {
  if (isLocal(url)) return null;
  const [major = 0, minor = 0, patch = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  const old =
    major < 2 || (major === 2 && (minor < 10 || (minor === 10 && patch < 27) || (minor === 11 && patch === 0)));
  return old ? `nats-server ${version} has CVE-2025-30215: use 2.10.27, 2.11.1 or newer` : null;
}

/** A nats-server started without JetStream does not answer its subjects. */
function withoutJetStream(fault: unknown): string | null {
  // The client exports no class for the first.
  const nobody = fault instanceof Error && fault.name === "JetStreamNotEnabled";

  return nobody || fault instanceof NoRespondersError ? "it runs without JetStream (start nats-server with -js)" : null;
}

/**
 * Publishes a fact; resolves once JetStream stored it.
 * @param id lets the server drop a repetition within two minutes; consumers still are idempotent.
 * @throws AppError `unavailable` when the bus did not store it
 */
export async function publishFact(
  bus: Bus,
  subject: string,
  bytes: Uint8Array,
  { id }: { id?: string } = {},
): Promise<void> {
  const options = { timeout: 5000, msgID: id };
  const publish = async (traced: { headers?: MsgHdrs } = {}) => {
    const send = () => bus.js.publish(subject, bytes, { ...options, ...traced });
    try {
      await send();
    } catch (first) {
      // The stream may have been lost with its server's disk: create it again and retry once.
      try {
        await bus.ensure();
        await send();
      } catch (cause) {
        throw unavailable("bus", cause instanceof Error ? cause : first);
      }
    }
  };
  if (bus.spans === null) return publish();
  // `events.monitor.12` is of `events`: an id in a name would make each its own.
  const [stream = ""] = subject.split(".", 1);
  const attributes = { "messaging.system": "nats", "messaging.destination.name": stream };
  await bus.spans.run({ name: `send ${stream}`, kind: "producer", attributes }, (span) => {
    const head = headers();
    head.set("traceparent", span.traceparent);
    return publish({ headers: head });
  });
}

/** The address and port of the server that the bus is connected to at present; undefined while disconnected. */
export function busAddress({ nc, connected }: Pick<Bus, "nc" | "connected">) {
  // The client reports only the server's name, which may resolve to addresses in several networks.
  const transport = nc instanceof NatsConnectionImpl && connected() ? nc.protocol.transport : undefined;
  if (transport === undefined || !("socket" in transport) || !(transport.socket instanceof Socket)) return undefined;
  const { remoteAddress: address, remotePort: port } = transport.socket;
  return address === undefined || port === undefined ? undefined : { address, port };
}
