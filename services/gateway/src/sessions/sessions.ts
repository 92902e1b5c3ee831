import { fromBinary } from "@bufbuild/protobuf";
import { contains, parseAddress, parseCidr } from "@sonde/kit/addresses";
import type { Bus } from "@sonde/kit/bus/connect";
import { watchBucket } from "@sonde/kit/bus/follow";
import { createCache } from "@sonde/kit/cache";
import { AppError } from "@sonde/kit/errors";
import { oneOf } from "@sonde/kit/one-of";
import { counter } from "@sonde/kit/telemetry/metrics";
import { type Clock, systemClock } from "@sonde/kit/time/clock";
import { SessionSchema } from "@sonde/proto/gen/auth/v1/auth";
import { scopes } from "@sonde/proto/http/keys";
import { roles } from "@sonde/proto/http/users";
import { buckets } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import { hash as digest } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Session } from "../context.ts";
import type { Services } from "../services.ts";
import { readWritten, watchLag } from "./lag.ts";
import { createSessionRegistry } from "./registry.ts";
import { mayWrite } from "./scopes.ts";

export type Sessions = {
  /** Uses memory if that is certain to be current. @throws AppError `unavailable` */
  resolve(token: string): Promise<Session | null>;
  /** False if the session expired, must not be used from this address, or gained or lost write access. */
  keepsRights(before: RightsOf, address: string): boolean;
  hasEnded(hash: string): boolean;
  isCurrent(): boolean;
  /** Resolves when memory has everything that auth has written so far. */
  settle(): Promise<void>;
  /** Returns a function that unsubscribes. */
  onEnd(listener: (hash: string) => void): () => void;
  stop(): Promise<void>;
};

type RightsOf = Pick<Session, "hash" | "role" | "key">;
type SessionOptions = { bus: Bus; auth: Services["auth"]; clock?: Clock; heartbeatTimeoutMs?: number };

/** auth sends a heartbeat every second. After this long without one, changes may have been missed. */
const defaultHeartbeatTimeoutMs = 3000;
const maxPendingCalls = 200;
const [maxMisses, missMs] = [5_000, 1_000];
const callTimeoutMs = 2500;
const resolvedByAuth = counter("sonde_session_questions_total", "Session lookups at auth");

export const tokenHash = (token: string): string => digest("sha256", token, "hex");

/** Unknown tokens are checked with auth once; without the bus or auth's heartbeat, every request calls auth. */
export async function watchSessions({
  bus,
  auth,
  clock = systemClock,
  heartbeatTimeoutMs = defaultHeartbeatTimeoutMs,
}: SessionOptions): Promise<Sessions> {
  const registry = createSessionRegistry(() => clock.now());
  const misses = createCache<string, true>({ max: maxMisses, ttlMs: missMs, clock });
  const listeners = new Set<(hash: string) => void>();
  const pendingCalls = new Map<string, Promise<Session | null>>();
  let watched = false;
  let heartbeatAtMs = Number.NEGATIVE_INFINITY;

  const end = (hash: string) => {
    registry.end(hash);
    for (const listener of listeners) listener(hash);
  };
  const stream = `KV_${buckets.sessions}`;
  const start = await readWritten(bus, stream);
  const following = watchBucket(bus, {
    bucket: buckets.sessions,
    onEntry: ({ key, value }) => {
      const session = readSession(key, value);
      if (session === null || session.expiresAtMs <= clock.now()) end(key);
      else registry.put(session, following.created() ?? "");
    },
    onDelete: end,
    onCurrent: () => {
      registry.keepOnly(following.created() ?? "");
      watched = true;
    },
  });
  const lag = watchLag(bus, stream, following, start);
  const heartbeats = bus.nc.subscribe(subjects.authHeartbeat, {
    callback: () => void (heartbeatAtMs = clock.elapsedMs()),
  });

  const callAuth = async (hash: string): Promise<Session | null> => {
    resolvedByAuth.inc();
    try {
      const message = await auth.resolveSession({ tokenHash: hash, keys: true }, { timeoutMs: callTimeoutMs });
      return registry.hasEnded(hash) ? null : sessionOf(hash, message);
    } catch (error) {
      if (!(error instanceof AppError) || (error.code !== "not_found" && error.code !== "unauthenticated")) throw error;
      misses.set(hash, true);
      return null;
    } finally {
      pendingCalls.delete(hash);
    }
  };

  const isCurrent = () =>
    watched && bus.connected() && !lag.isLagging() && clock.elapsedMs() - heartbeatAtMs < heartbeatTimeoutMs;

  return {
    isCurrent,
    hasEnded: registry.hasEnded,
    keepsRights: (before, address) => {
      const now = registry.known(before.hash);
      // Not read yet, or ended, in which case its streams are ended separately.
      if (now === undefined) return true;
      return now.expiresAtMs > clock.now() && mayComeFrom(now, address) && mayWrite(now) === mayWrite(before);
    },
    resolve: async (token) => {
      const hash = tokenHash(token);
      const known = isCurrent() ? registry.get(hash) : null;
      if (known !== null) return known;
      if (registry.hasEnded(hash) || misses.has(hash)) return null;
      const pending = pendingCalls.get(hash);
      if (pending !== undefined) return pending;
      // Invented tokens must not pile up calls; real sessions are served from memory.
      if (pendingCalls.size >= maxPendingCalls)
        throw new AppError("too_many", "Too many requests, please try again later");
      const pendingCall = callAuth(hash);
      pendingCalls.set(hash, pendingCall);
      return pendingCall;
    },
    settle: async () => {
      if (isCurrent()) await lag.settle();
    },
    onEnd: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: async () => {
      lag.stop();
      heartbeats.unsubscribe();
      await following.stop();
    },
  };
}

/** Returns `null` for values that are not a session, such as an empty tombstone. */
function readSession(hash: string, value: Uint8Array): Session | null {
  try {
    const message = fromBinary(SessionSchema, value);
    return sessionOf(hash, { ...message, role: message.key?.role ?? message.role });
  } catch {
    return null;
  }
}

const readRole = oneOf(roles, "role");
type SessionFields = Awaited<ReturnType<Services["auth"]["resolveSession"]>>;
type KeyFields = { id: number; scopes: readonly string[]; allowFrom: readonly string[] };

function sessionOf(
  hash: string,
  message: Omit<SessionFields, "role" | "key"> & { role: string; key?: KeyFields | undefined },
): Session | null {
  if (message.userId === 0) return null;
  return {
    hash,
    userId: message.userId,
    username: message.username,
    email: message.email,
    role: readRole(message.role),
    expiresAtMs: message.expiresAtMs,
    userCreatedAt: new Date(message.userCreatedAtMs).toISOString(),
    key: message.key && keyOf(message.key),
  };
}

/** Unknown scopes of a later version grant nothing. */
function keyOf({ id, scopes: given, allowFrom }: KeyFields): Session["key"] {
  return {
    id,
    scopes: scopes.filter((scope) => given.includes(scope)),
    // An unreadable network matches nothing: dropping it could lift the restriction.
    allowFrom: allowFrom.map((text) => parseCidr(text) ?? nowhere),
  };
}
const nowhere = parseCidr("0.0.0.0/32")!;

const bearer = /^Bearer ([\w~+/.=-]{16,512})$/i;
const basic = /^Basic ([\w+/]{16,700}={0,2})$/i;

/** Tokens in the query are not accepted, because URLs are logged. Of passwords, only API keys are (RFC 7617). */
export function bearerToken({ headers: { authorization = "" } }: IncomingMessage): string | null {
  const [, encoded] = basic.exec(authorization) ?? [];
  if (encoded === undefined) return bearer.exec(authorization)?.[1] ?? null;
  return /^[^:]*:(sonde_[\w-]{10,500})$/.exec(Buffer.from(encoded, "base64").toString())?.[1] ?? null;
}

/**
 * A key used from a forbidden address is rejected like an invalid one.
 * @throws AppError `unauthenticated`; `unavailable` if the session cannot be checked
 */
export async function requireSession(request: IncomingMessage, address: string, sessions: Sessions): Promise<Session> {
  const token = bearerToken(request);
  const session = token === null ? null : await sessions.resolve(token);
  if (session === null || !mayComeFrom(session, address)) throw new AppError("unauthenticated", "Please log in");
  return session;
}

function mayComeFrom({ key }: Session, text: string): boolean {
  if (key === undefined || key.allowFrom.length === 0) return true;
  const address = parseAddress(text);
  return address !== undefined && key.allowFrom.some((network) => contains(network, address));
}
