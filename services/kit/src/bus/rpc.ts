import { headers, type Msg, type MsgHdrs, RequestError, TimeoutError } from "@nats-io/nats-core";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import { roles } from "@sonde/proto/http/users";
import type { Contract } from "@sonde/proto/rpc/contract";
import { subjects } from "@sonde/proto/subjects";
import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { Bus } from "./connect.ts";
import { decodeError, encodeError } from "../error-reply.ts";
import { AppError, type ErrorCode, invalid, toAppError, unavailable } from "../errors.ts";
import type { Service } from "../service/lifecycle.ts";
import type { Log } from "../service/log.ts";
import { largestMessageBytes } from "./pack.ts";
import { histogram } from "../telemetry/metrics.ts";

const actorShape = z.object({
  id: z.number(),
  username: z.string(),
  role: z.enum(roles),
  keyId: z.number().optional(),
});
/** As authenticated by the gateway. */
export type Actor = z.infer<typeof actorShape>;

const idempotencyShape = z.object({ id: z.string(), request: z.string(), sealKey: z.base64url().length(43) });
/** `request` is a hash of the request; `sealKey` seals the stored response. */
export type Idempotency = z.infer<typeof idempotencyShape>;

export type Call = {
  requestId: string;
  actor?: Actor;
  address?: string;
  idempotency?: Idempotency;
  traceparent?: string;
  timeoutMs: number;
  /** Aborts when the caller has timed out. */
  signal: AbortSignal;
};

const callStorage = new AsyncLocalStorage<Call>();
/** `undefined` in background work. */
export const currentCall = (): Call | undefined => callStorage.getStore();
export const withCall = <Answer>(call: Call, run: () => Answer): Answer => callStorage.run(call, run);

export type Handlers<S extends Contract> = {
  [M in keyof S["methods"]]: (
    request: z.output<S["methods"][M]["input"]>,
    call: Call,
  ) => Promise<z.input<S["methods"][M]["answer"]>>;
};

export type Verbs<S extends Contract, Context> = {
  [M in keyof S["methods"]]: (
    ctx: Context,
    request: z.output<S["methods"][M]["input"]>,
    call: Call,
  ) => Promise<z.input<S["methods"][M]["answer"]>>;
};

/** Other properties of `verbs` are ignored, so it may be spread from whole modules. */
export const bindVerbs = <S extends Contract, Context>(
  { methods }: S,
  ctx: Context,
  verbs: Verbs<S, Context>,
): Handlers<S> =>
  Object.fromEntries(
    Object.keys(methods).map((name: keyof S["methods"]) => [
      name,
      (request: never, call: Call) => verbs[name](ctx, request, call),
    ]),
  ) as Handlers<S>;

export type AskOptions = {
  call?: Partial<Pick<Call, "requestId" | "actor" | "address" | "idempotency" | "traceparent">>;
  scope?: string;
  timeoutMs?: number;
};

export type Client<S extends Contract> = {
  [M in keyof S["methods"]]: (
    request: z.input<S["methods"][M]["input"]>,
    options?: AskOptions,
  ) => Promise<z.output<S["methods"][M]["answer"]>>;
};

/** Ignores unknown keys at any depth, even in strict objects: a newer sender may add some. */
function readKnown<S extends z.ZodType>(schema: S, value: unknown): z.ZodSafeParseResult<z.output<S>> {
  for (;;) {
    const read = schema.safeParse(value);
    const unknown = read.error?.issues.filter((issue) => issue.code === "unrecognized_keys") ?? [];
    if (unknown.length === 0) return read;
    let isChanged = false;
    for (const { path, keys } of unknown) {
      const holder = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
      for (const key of keys)
        if (Reflect.has(Object(holder), key)) isChanged = delete (holder as Record<string, unknown>)[key];
    }
    // Deleting has no effect if the schema checks a transformed copy.
    if (!isChanged) return read;
  }
}

/** Ignores unknown keys. @throws AppError `invalid` with every error */
export function parseInput<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const read = readKnown(schema, value);
  if (!read.success) throw invalid(faultsOf(read.error.issues));
  return read.data;
}

const names = {
  requestId: "Sonde-Request-Id",
  actor: "Sonde-Actor",
  address: "Sonde-Address",
  idempotency: "Sonde-Idempotency",
  timeoutMs: "Sonde-Timeout-Ms",
  traceparent: "traceparent",
  failed: "Sonde-Failed",
} as const;

const defaultTimeoutMs = 5000;
const buckets = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10];
const served = histogram(
  "sonde_rpc_server_seconds",
  "Duration of calls that a service answers, by result code",
  buckets,
  ["service", "method", "code"],
);
const calls = histogram(
  "sonde_rpc_client_seconds",
  "Duration of calls to a service until the response or the timeout",
  buckets,
  ["service", "method", "code"],
);
/** A caller may send any name as a method's. */
const unknownMethod = "other";

export type ServeOptions = {
  scope?: string;
  log?: Log;
  /** Maps an error for the caller, for example if the database is unavailable. */
  explain?: (thrown: unknown) => unknown;
};

/**
 * One server of the scope (such as a location) responds. Errors other than AppErrors are logged and sent as `internal`.
 */
export async function serve<S extends Contract>(
  bus: Bus,
  service: S,
  handlers: Handlers<S>,
  { scope, log = bus.log, explain = (thrown) => thrown }: ServeOptions = {},
): Promise<Service> {
  const underway = new Set<Promise<void>>();

  const answer = async (message: Msg) => {
    const name = message.subject.split(".").at(scope === undefined ? -1 : -2) ?? "";
    if (bus.spans === null) return void (await answerCall(message, name));
    const traceparent = message.headers?.get(names.traceparent) || undefined;
    await bus.spans.run({ ...describe(service.name, name), kind: "server", traceparent }, async (span) => {
      const code = await answerCall(message, name);
      if (code !== "ok") span.refuse(code);
    });
  };

  const answerCall = async (message: Msg, name: string): Promise<ErrorCode | "ok"> => {
    const requestId = message.headers?.get(names.requestId) || randomUUID();
    const method = Object.hasOwn(service.methods, name) ? service.methods[name] : undefined;
    const end = served.startTimer({ service: service.name, method: method === undefined ? unknownMethod : name });
    try {
      if (method === undefined) throw new Error(`${service.name} has no method ${name}`);
      const handle = handlers[name as keyof Handlers<S>];
      const input = parseInput(method.input, message.json());
      const call = readCall(requestId, message.headers);
      const answered = JSON.stringify(await withCall(call, () => handle(input as never, call)));
      const bytes = Buffer.byteLength(answered);
      // Verbs limit their lists by bytes, so a larger response is a bug.
      if (bytes > largestMessageBytes(bus.nc))
        throw new Error(`a response of ${bytes} bytes exceeds the maximum message size`);
      message.respond(answered);
      end({ code: "ok" });
      return "ok";
    } catch (thrown) {
      const error = toAppError(explain(thrown));
      if (error.code === "internal") log.error({ err: error.cause ?? error, method: name, requestId }, "RPC failed");
      const failed = headers();
      failed.set(names.failed, error.code);
      message.respond(encodeError(error), { headers: failed });
      end({ code: error.code });
      return error.code;
    }
  };

  const subscription = bus.nc.subscribe(subjects.rpc(service.name, "*", scope), {
    queue: "servers",
    callback: (error, message) => {
      if (error) return log.error({ err: error, service: service.name }, "RPC subscription failed");
      const work = answer(message).catch((thrown: unknown) =>
        log.error({ err: thrown }, "sending an RPC response failed"),
      );
      underway.add(work);
      void work.finally(() => underway.delete(work));
    },
  });
  await bus.nc.flush();
  return {
    stop: async () => {
      await subscription.drain().catch(() => subscription.unsubscribe());
      await Promise.all(underway);
    },
  };
}

function readCall(requestId: string, head: MsgHdrs | undefined): Call {
  // Timers need whole milliseconds.
  const timeoutMs = Math.ceil(Number(head?.get(names.timeoutMs))) || defaultTimeoutMs;
  const actor = head?.get(names.actor);
  const address = head?.get(names.address);
  const idempotency = head?.get(names.idempotency);
  const traceparent = head?.get(names.traceparent);
  return {
    requestId,
    actor: actor ? actorShape.parse(JSON.parse(decodeURIComponent(actor))) : undefined,
    address: address || undefined,
    idempotency: idempotency ? idempotencyShape.parse(JSON.parse(idempotency)) : undefined,
    traceparent: traceparent || undefined,
    timeoutMs,
    signal: AbortSignal.timeout(timeoutMs),
  };
}

/** Methods reject with the AppError of the handler, or with `unavailable` after a timeout. */
export function client<S extends Contract>(
  bus: Bus,
  service: S,
  defaults: Pick<AskOptions, "scope" | "timeoutMs"> = {},
): Client<S> {
  const methods = Object.entries(service.methods).map(([name, { answer }]) => {
    const send = async (
      request: unknown,
      { call, scope = defaults.scope, timeoutMs = defaults.timeoutMs ?? defaultTimeoutMs }: AskOptions,
      traceparent: string | undefined,
    ) => {
      const head = headers();
      head.set(names.requestId, call?.requestId ?? randomUUID());
      head.set(names.timeoutMs, String(timeoutMs));
      if (call?.actor) head.set(names.actor, encodeURIComponent(JSON.stringify(call.actor)));
      if (call?.address) head.set(names.address, call.address);
      if (call?.idempotency) head.set(names.idempotency, JSON.stringify(call.idempotency));
      if (traceparent) head.set(names.traceparent, traceparent);
      const asked = JSON.stringify(request);
      if (!bus.connected()) throw unavailable("bus");
      if (Buffer.byteLength(asked) > largestMessageBytes(bus.nc)) throw tooLarge();
      const subject = subjects.rpc(service.name, name, scope);
      const reply = await bus.nc
        .request(subject, asked, { timeout: timeoutMs, headers: head })
        .catch((error: unknown) => {
          throw unavailable(service.name, error);
        });
      if (reply.headers?.has(names.failed)) throw decodeError(reply.string());
      const read = readKnown(answer, reply.json());
      if (!read.success)
        throw new Error(`${service.name}/${name} returned an unexpected response`, { cause: read.error });
      return read.data;
    };
    const timed: typeof send = async (request, options, traceparent) => {
      const end = calls.startTimer({ service: service.name, method: name });
      try {
        const reply = await send(request, options, traceparent);
        end({ code: "ok" });
        return reply;
      } catch (thrown) {
        end({ code: toAppError(thrown).code });
        throw thrown;
      }
    };
    const { spans } = bus;
    const start = { ...describe(service.name, name), kind: "client" } as const;
    const ask = (request: unknown, options: AskOptions = {}) => {
      const traceparent = options.call?.traceparent;
      if (spans === null) return timed(request, options, traceparent);
      return spans.run({ ...start, traceparent }, (span) => timed(request, options, span.traceparent));
    };
    return [name, ask] as const;
  });
  return Object.fromEntries(methods) as unknown as Client<S>;
}

const tooLarge = () =>
  new AppError("too_large", "The body is too large (maximum {limit})", { params: { limit: "1 MiB" } });

const describe = (service: string, method: string) => ({
  name: `${service}/${method}`,
  attributes: { "rpc.system": "nats", "rpc.service": service, "rpc.method": method },
});

export function hasNoResponder(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  return cause instanceof RequestError && cause.isNoResponders();
}

export function timedOut(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  return cause instanceof TimeoutError || (cause instanceof RequestError && cause.cause instanceof TimeoutError);
}
