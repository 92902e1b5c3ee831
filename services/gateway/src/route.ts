import type { AskOptions } from "@sonde/kit/bus/rpc";
import type { BodyLimits } from "@sonde/kit/http/request-body";
import { messageAnswer } from "@sonde/proto/http/auth";
import type { ErrorCode } from "@sonde/proto/http/envelope";
import type { MessageParams } from "@sonde/proto/http/fill";
import type { Message } from "@sonde/proto/http/messages";
import * as z from "zod";
import type { Batches } from "./middleware/batches.ts";
import type { Context, Session } from "./context.ts";
import type { Deps } from "./deps.ts";
import type { kumaMetricsPath, mcpPath } from "./sessions/scopes.ts";
import { validate } from "./validate.ts";

type Method = "GET" | "POST" | "PUT" | "DELETE";

/** `session`: every account. `write`: users and admins. `self`: the user whose id is in the path, and admins. */
export type Who = "anyone" | "session" | "write" | "self" | "admin";

const nothing = z.strictObject({});
type Nothing = typeof nothing;

export type Installation = Pick<
  Deps["config"],
  "minIntervalMinutes" | "maxStreamsPerUser" | "maxPublicStreamsPerAddress"
>;
/** Equal for installations with equal descriptions. */
export const installationKey = (of: Installation): string =>
  [of.minIntervalMinutes, of.maxStreamsPerUser, of.maxPublicStreamsPerAddress].join(" ");
type Description = string | ((installation: Installation) => string);

/** Pass `ask` to each call of another service. */
export type HandlerBase = Deps & { ctx: Context; ask: AskOptions };
type SessionOf<W extends Who> = W extends "anyone" ? null : Session;

/** The message for an impossible id (404); for textual ids also their schema. */
export type PathId = Message | { missing: Message; schema: z.ZodType<string> };
type PathIds = Readonly<Record<string, PathId>>;
type IdsOf<P extends PathIds> = { [Name in keyof P]: P[Name] extends string ? number : string };

type Input<W extends Who, P extends PathIds, Q, B> = HandlerBase & {
  session: SessionOf<W>;
  params: IdsOf<P>;
  query: Q;
  body: B;
};

type Batched<Entities> = {
  [Name in keyof Entities]: Entities[Name] extends (infer Item)[] ? Item[] | Batches<Item> : Entities[Name];
};

type RouteAnswer<A extends z.ZodType> = Batched<Omit<z.input<A>, "success" | "message">> & {
  message?: Message;
  messageParams?: MessageParams;
};

type Bounds = <Result>(deps: Deps, session: Session, request: () => Promise<Result>) => Promise<Result>;

type Name = `${Method} ${`/api/${string}` | typeof mcpPath | typeof kumaMetricsPath}`;

type Common<P extends PathIds, Q extends z.ZodType, B extends z.ZodType> = {
  summary: string;
  /** For OpenAPI: limits and other facts that schemas cannot express. */
  description?: Description;
  /** In path order. */
  params?: P;
  query?: Q;
  body?: B;
  /** Error codes in addition to those that all such routes have. */
  refusals?: readonly ErrorCode[];
  /** Limits for expensive routes, applied before the body is read. */
  within?: Bounds;
  /** Accepts an `Idempotency-Key`: the called verb runs once per key. */
  idempotent?: true;
};

type Definition<
  W extends Who,
  P extends PathIds,
  Q extends z.ZodType,
  B extends z.ZodType,
  A extends z.ZodType,
> = Common<P, Q, B> & {
  answer: A;
  status?: 200 | 201;
  message?: Message;
  /** The response waits until this gateway knows the changed sessions or keys. */
  settles?: true;
  handle(input: Input<W, P, z.output<Q>, z.output<B>>): Promise<RouteAnswer<A>>;
};

type RawDefinition<W extends Who, P extends PathIds, Q extends z.ZodType> = Common<P, Q, z.ZodType> & {
  /** If set, the handler gets the body as bytes, and `body` only describes it. */
  limits?: BodyLimits;
  /** The media type, or a schema if the response is an envelope after all. */
  media: string | z.ZodType;
  handle(input: Input<W, P, z.output<Q>, unknown>): void | Promise<void>;
};

/** For bodies that the handler parses. `body` only describes them. */
type BytesDefinition<W extends Who, P extends PathIds, Q extends z.ZodType, A extends z.ZodType> = Common<
  P,
  Q,
  z.ZodType
> & {
  limits: BodyLimits;
  answer: A;
  status?: 200 | 202;
  /** Limits for anonymous clients, applied before the body is read. The result ends the request. @throws AppError */
  admit?: (deps: Deps, params: IdsOf<P>, address: string) => Promise<() => void>;
  handle(input: Input<W, P, z.output<Q>, Uint8Array>): Promise<RouteAnswer<A>>;
};

export type Ids = Record<string, number | string>;

/** Before validation of query and body. */
export type RawRequest = HandlerBase & { session: Session | null; params: Ids; query: unknown; body: unknown };
export type Result = { message?: Message; messageParams?: MessageParams } & Record<string, unknown>;

export type Route = {
  method: Method;
  path: string;
  who: Who;
  summary: string;
  description: Description | null;
  params: PathIds;
  query: z.ZodType;
  body: z.ZodType | null;
  refusals: readonly ErrorCode[];
  within: Bounds | null;
  idempotent: boolean;
  admit: ((deps: Deps, params: Ids, address: string) => Promise<() => void>) | null;
  status: 200 | 201 | 202;
  /** If set, the body is passed on as bytes. */
  bytes: BodyLimits | null;
  /** The schema of the envelope, or the media type of a route that writes its own response. */
  answer: z.ZodType | string;
  /** @throws AppError */
  run(raw: RawRequest): Promise<Result | null>;
};

export function route<
  W extends Who,
  A extends z.ZodType,
  P extends PathIds = Record<never, PathId>,
  Q extends z.ZodType = Nothing,
  B extends z.ZodType = Nothing,
>(name: Name, who: Who & W, definition: Definition<W, P, Q, B, A>): Route {
  const { answer, status = 200, message, settles } = definition;
  return {
    ...described(name, who, definition),
    answer,
    status,
    run: async (raw) => {
      const result = await definition.handle(check<W, P, Q, B>(definition, raw));
      if (settles) await raw.sessions.settle();
      return { message, ...result } as Result;
    },
  };
}

export function command<
  W extends Who,
  P extends PathIds = Record<never, PathId>,
  Q extends z.ZodType = Nothing,
  B extends z.ZodType = Nothing,
>(
  name: Name,
  who: Who & W,
  definition: Common<P, Q, B> & {
    message: Message;
    settles?: true;
    handle(input: Input<W, P, z.output<Q>, z.output<B>>): Promise<unknown>;
  },
): Route {
  const handle = async (input: Input<W, P, z.output<Q>, z.output<B>>) => {
    await definition.handle(input);
    return {};
  };
  return route<W, typeof messageAnswer, P, Q, B>(name, who, { ...definition, answer: messageAnswer, handle });
}

export function rawRoute<W extends Who, P extends PathIds = Record<never, PathId>, Q extends z.ZodType = Nothing>(
  name: Name,
  who: Who & W,
  { body, limits, ...definition }: RawDefinition<W, P, Q>,
): Route {
  return {
    ...described(name, who, { ...definition, ...(body && { body }) }),
    bytes: limits ?? null,
    answer: definition.media,
    run: async (raw) => {
      if (limits === undefined) await definition.handle(check(definition, raw));
      else
        await definition.handle({
          ...check<W, P, Q, Nothing>(definition, { ...raw, body: undefined }),
          body: raw.body,
        });
      return null;
    },
  };
}

export function bytesRoute<
  W extends Who,
  A extends z.ZodType,
  P extends PathIds = Record<never, PathId>,
  Q extends z.ZodType = Nothing,
>(name: Name, who: Who & W, { body, limits, ...definition }: BytesDefinition<W, P, Q, A>): Route {
  return {
    ...described(name, who, { ...definition, body }),
    bytes: limits,
    answer: definition.answer,
    status: definition.status ?? 200,
    admit: (definition.admit ?? null) as Route["admit"],
    run: async (raw) => {
      const checked = check<W, P, Q, Nothing>(definition, { ...raw, body: undefined });
      return (await definition.handle({ ...checked, body: (raw.body ?? new Uint8Array()) as Uint8Array })) as Result;
    },
  };
}

function described<P extends PathIds, Q extends z.ZodType, B extends z.ZodType>(
  name: Name,
  who: Who,
  definition: Common<P, Q, B>,
) {
  const [method, path] = name.split(" ") as [Method, string];
  const { summary, description = null, params, query = nothing, body = null } = definition;
  const { refusals = [], within = null, idempotent = false } = definition;
  const declared = { method, path, who, summary, description, query, body, refusals, within, idempotent };
  return { ...declared, params: { ...params }, bytes: null, admit: null, status: 200 as const };
}

function check<W extends Who, P extends PathIds, Q extends z.ZodType, B extends z.ZodType>(
  definition: Common<P, Q, B>,
  raw: RawRequest,
) {
  const query = validate(definition.query ?? nothing, raw.query);
  const body = validate(definition.body ?? nothing, raw.body ?? {});
  return { ...raw, query, body } as unknown as Input<W, P, z.output<Q>, z.output<B>>;
}
