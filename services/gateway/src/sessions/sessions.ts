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
  /** The session of a token, or null. From memory where that is sure to be current. @throws AppError `unavailable` */
  resolve(token: string): Promise<Session | null>;
  /**
   * False if a session's present rights are not those that it had: it expired, is not meant for the address any more, or may
   * write now, or no longer.
   */
  keepsRights(before: RightsOf, address: string): boolean;
  hasEnded(hash: string): boolean;
  /** Whether memory equals auth's state. */
  isCurrent(): boolean;
  /** Resolves once memory knows what auth has written by now: what was just changed holds for the next request. */
  settle(): Promise<void>;
  /** Calls with the hash of each session that ends; answers how to stop that. */
  onEnd(listener: (hash: string) => void): () => void;
  stop(): Promise<void>;
};

type RightsOf = Pick<Session, "hash" | "role" | "key">;
type SessionOptions = { bus: Bus; auth: Services["auth"]; clock?: Clock; silentMs?: number };

/** Auth sends a heartbeat once a second; after this much silence its word may have been missed. */
const beatSilenceMs = 3000;
const maxQuestions = 200;
const [maxMisses, missMs] = [5_000, 1_000];
const askTimeoutMs = 2500;
const asked = counter("sonde_session_questions_total", "Session lookups at auth");

export const tokenHash = (token: string): string => digest("sha256", token, "hex");

/**
 * Returns the owner of a token. The bucket `sessions` is watched into memory; a miss calls auth once, and so does every
 * request while the bus or auth's heartbeat is missing.
 */
export async function watchSessions({
  bus,
  auth,
  clock = systemClock,
  silentMs = beatSilenceMs,
}: SessionOptions): Promise<Sessions> {
  const registry = createSessionRegistry(() => clock.now());
  /** Tokens that are no session: repeating one does not ask auth each time. */
  const misses = createCache<string, true>({ max: maxMisses, ttlMs: missMs, clock });
  const listeners = new Set<(hash: string) => void>();
  const questions = new Map<string, Promise<Session | null>>();
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

  const ask = async (hash: string): Promise<Session | null> => {
    asked.inc();
    try {
      const message = await auth.resolveSession({ tokenHash: hash, keys: true }, { timeoutMs: askTimeoutMs });
      return registry.hasEnded(hash) ? null : sessionOf(hash, message);
    } catch (error) {
      if (!(error instanceof AppError) || (error.code !== "not_found" && error.code !== "unauthenticated")) throw error;
      misses.set(hash, true);
      return null;
    } finally {
      questions.delete(hash);
    }
  };

  const isCurrent = () =>
    watched && bus.connected() && !lag.isLagging() && clock.elapsedMs() - heartbeatAtMs < silentMs;

  return {
    isCurrent,
    hasEnded: registry.hasEnded,
    keepsRights: (before, address) => {
      const now = registry.known(before.hash);
      // Not read yet, or its end was published, which ends its streams at once.
      if (now === undefined) return true;
      return now.expiresAtMs > clock.now() && mayComeFrom(now, address) && mayWrite(now) === mayWrite(before);
    },
    resolve: async (token) => {
      const hash = tokenHash(token);
      const known = isCurrent() ? registry.get(hash) : null;
      if (known !== null) return known;
      if (registry.hasEnded(hash) || misses.has(hash)) return null;
      const underway = questions.get(hash);
      if (underway !== undefined) return underway;
      // Made-up tokens must not pile up questions; real sessions are answered from memory.
      if (questions.size >= maxQuestions) throw new AppError("too_many", "Too many requests, please try again later");
      const question = ask(hash);
      questions.set(hash, question);
      return question;
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

/** A bucket's value; null where it cannot be a session, as with an empty tombstone. */
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

/** A scope of a later version allows nothing here. */
function keyOf({ id, scopes: given, allowFrom }: KeyFields): Session["key"] {
  return {
    id,
    scopes: scopes.filter((scope) => given.includes(scope)),
    // What cannot be read matches nothing: a network is never left out.
    allowFrom: allowFrom.map((text) => parseCidr(text) ?? nowhere),
  };
}
const nowhere = parseCidr("0.0.0.0/32")!;

/** The bearer token of a request, or null. A token in a query is none: addresses are written into logs. */
function bearerToken(request: IncomingMessage): string | null {
  return /^Bearer ([\w~+/.=-]{16,512})$/i.exec(request.headers.authorization ?? "")?.[1] ?? null;
}

/**
 * The session of a request from an address. A key from elsewhere is answered as one that is none.
 * @throws AppError `unauthenticated`; `unavailable` if that is not known
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
