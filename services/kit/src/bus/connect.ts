import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { type KV, Kvm } from "@nats-io/kv";
import { type MsgHdrs, type NatsConnection, NoRespondersError, headers } from "@nats-io/nats-core";
import { type NodeConnectionOptions, connect } from "@nats-io/transport-node";
import { inboxPrefix } from "@sonde/proto/permissions";
import { type Bucket, type StreamSpec, buckets } from "@sonde/proto/streams";
import { watchBusStatus } from "./status.ts";
import { ensureBucket, ensureStream, streamExists, usedBy } from "./streams.ts";
import { isLoopback } from "../addresses.ts";
import { unavailable } from "../errors.ts";
import type { Log } from "../service/log.ts";
import { reportWait, untilReady, type Wait } from "../service/waiting.ts";
import { openSpans } from "../telemetry/open-spans.ts";
import type { Spans } from "../telemetry/spans.ts";
import { NatsConnectionImpl } from "@nats-io/nats-core/internal";
import { Socket } from "node:net";

/** Reconnects forever. */
export type Bus = {
  name: string;
  nc: NatsConnection;
  js: JetStreamClient;
  jsm: JetStreamManager;
  log: Log;
  /** `null` unless an OTLP endpoint is configured. */
  spans: Spans | null;
  kv(bucket: Bucket): Promise<KV>;
  /** Creates missing streams and buckets; cheap if all exist. */
  ensure(): Promise<void>;
  connected(): boolean;
  /** Calls `run` after each reconnect, when streams and buckets exist again. Returns an unsubscribe function. */
  onReconnect(run: () => void): () => void;
  close(): Promise<void>;
};

export type BusOptions = {
  url: string;
  /**
   * Selects the permissions in `proto/permissions.ts`. Names that are not listed there, as in tests, may use everything.
   */
  name: string;
  /** NATS user, which determines the reply inbox; defaults to `name`. */
  user?: string;
  log: Log;
  /** By default over TCP to the servers of `url`. */
  connect?: (options: NodeConnectionOptions) => Promise<NatsConnection>;
  /** Divides the byte limit of every stream. */
  shrink?: number;
  /** Default 1. Only the administrator can change it for existing streams. */
  replicas?: number;
  streams?: readonly StreamSpec[];
  buckets?: readonly Bucket[];
  /** Stops waiting for the first connection and for JetStream. */
  signal?: AbortSignal;
  /** Called when the connection ended without `close`. By default the process exits, to be restarted. */
  onLost?: () => void;
};

/** The client ignores credentials in an address, or parses leading digits of the password as the port. */
export function parseServers(url: string): { servers: string[]; user?: string; pass?: string } {
  const parts = url.split(",");
  const { username, password } = new URL(parts[0] ?? url);
  const servers = parts.map((part) => part.replace(/^(\w+:\/\/)?[^@/]*@/, "$1"));
  if (!username) return { servers };
  return { servers, user: decodeURIComponent(username), pass: decodeURIComponent(password) };
}

/** Waits for the server. Creates missing streams and buckets, also later. @throws only if `signal` is aborted */
export async function connectBus(options: BusOptions): Promise<Bus> {
  const { url, name, user = name, log, signal, connect: dial = connect } = options;
  const spans = await openSpans(name, log);
  const wait = reportWait(log, `NATS at ${parseServers(url).servers.join(", ")}`, { explain: withoutJetStream });
  let nc: NatsConnection | undefined;
  try {
    nc = await untilReady(wait, () => dial(connectionOptions(url, name, user)), { signal });
    return await openBus(nc, { ...options, spans, wait });
  } catch (given) {
    await nc?.close();
    await spans?.stop();
    throw given;
  }
}

/** Local connections end with their server, and `npm start` restarts a server that hangs. */
const [pingMs, localPingMs] = [5_000, 20_000];

const isLocal = (url: string): boolean => url.split(",").every((server) => isLoopback(new URL(server).hostname));

const connectionOptions = (url: string, name: string, user: string): NodeConnectionOptions => ({
  ...parseServers(url),
  name,
  inboxPrefix: inboxPrefix(user),
  maxReconnectAttempts: -1,
  reconnectTimeWait: 250,
  // Otherwise the client gives up after two authentication failures, as while passwords are being changed.
  ignoreAuthErrorAbort: true,
  pingInterval: isLocal(url) ? localPingMs : pingMs,
  maxPingOut: 2,
  ignoreClusterUpdates: true,
  // Otherwise each request captures three stack traces in case it fails.
  noAsyncTraces: true,
});

type Opening = BusOptions & { spans: Spans | null; wait: Wait };

async function openBus(nc: NatsConnection, options: Opening): Promise<Bus> {
  const { url, name, log, spans, wait, signal, onLost = () => process.exit(1) } = options;
  const risk = versionWarning(nc.info?.version ?? "", url);
  if (risk !== null) log.warn(risk);
  const js = jetstream(nc);
  // JetStream becomes ready some seconds after its server.
  const jsm = await untilReady(wait, () => jetstreamManager(nc), { signal });
  const kvm = new Kvm(js);
  const opened = new Map<Bucket, Promise<KV>>();
  const used = usedBy(name);

  const creation = {
    replicas: options.replicas ?? 1,
    shrink: options.shrink ?? 1,
    byAdministrator: used.byAdministrator,
    mayCreate: used.mayCreate,
  };

  const ensure = async () => {
    for (const spec of options.streams ?? used.streams) await ensureStream(jsm, spec, creation, log);
    for (const bucket of options.buckets ?? used.buckets) {
      // Runners start when this bucket exists, so only monitors creates it. With an empty bucket, new runners would
      // take checks over from runners of the previous version and run none of them.
      const isLeft = used.byAdministrator && options.buckets === undefined && bucket === buckets.definitions;
      if (!isLeft || (await streamExists(jsm, bucket))) await ensureBucket(jsm, kvm, bucket, creation);
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
      const handle = opened.get(bucket) ?? ensureBucket(jsm, kvm, bucket, creation);
      opened.set(bucket, handle);
      handle.catch(() => opened.delete(bucket));
      return handle;
    },
    connected: status.connected,
    onReconnect: status.onReconnect,
    close: async () => {
      status.closing();
      // Draining needs the server, so a disconnected client closes immediately.
      const ended = status.connected() ? nc.drain() : nc.close();
      await ended.catch((error: unknown) => log.warn({ err: error }, "closing the connection to NATS failed"));
      await spans?.stop();
    },
  };
}

/** In a cluster, a consumer or leader can be lost with another server while our connection stays open. */
export const isClustered = ({ nc }: Pick<Bus, "nc">): boolean => nc.info?.cluster !== undefined;

/**
 * Warns of servers before 2.10.27, where any account can delete another's streams (CVE-2025-30215), except on loopback.
 */
export function versionWarning(version: string, url: string): string | null {
  if (isLocal(url)) return null;
  const [major = 0, minor = 0, patch = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  const old =
    major < 2 || (major === 2 && (minor < 10 || (minor === 10 && patch < 27) || (minor === 11 && patch === 0)));
  return old ? `nats-server ${version} has CVE-2025-30215: use 2.10.27, 2.11.1 or newer` : null;
}

function withoutJetStream(error: unknown): string | null {
  const isDisabled = error instanceof Error && error.name === "JetStreamNotEnabled";

  return isDisabled || error instanceof NoRespondersError
    ? "it runs without JetStream (start nats-server with -js)"
    : null;
}

/**
 * Resolves after JetStream has stored the fact.
 * @param id drops duplicates within two minutes; consumers must still be idempotent
 * @throws AppError `unavailable`
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
      // The stream may have been lost with its server's disk: recreate it and retry once.
      try {
        await bus.ensure();
        await send();
      } catch (cause) {
        throw unavailable("bus", cause instanceof Error ? cause : first);
      }
    }
  };
  if (bus.spans === null) return publish();
  // Subjects contain ids (`events.monitor.12`), which would give every object its own span name.
  const [stream = ""] = subject.split(".", 1);
  const attributes = { "messaging.system": "nats", "messaging.destination.name": stream };
  await bus.spans.run({ name: `send ${stream}`, kind: "producer", attributes }, (span) => {
    const head = headers();
    head.set("traceparent", span.traceparent);
    return publish({ headers: head });
  });
}

export function busAddress({ nc, connected }: Pick<Bus, "nc" | "connected">) {
  // The client only reports a host name, which may have several addresses.
  const transport = nc instanceof NatsConnectionImpl && connected() ? nc.protocol.transport : undefined;
  if (transport === undefined || !("socket" in transport)) return undefined;
  // A WebSocket of the library `ws` has its connection in `_socket`.
  const { socket } = transport as { socket: Socket | { _socket?: unknown } };
  const connection = socket instanceof Socket ? socket : socket._socket;
  if (!(connection instanceof Socket)) return undefined;
  const { remoteAddress: address, remotePort: port } = connection;
  return address === undefined || port === undefined ? undefined : { address, port };
}
