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
import type { mcpPath } from "./sessions/scopes.ts";
import { validate } from "./validate.ts";

type Method = "GET" | "POST" | "PUT" | "DELETE";

/**
 * Who may use a route. `session`: every account. `write`: users and admins. `self`: the user that the path names, or
 * an admin. Nothing else exists: a route cannot be declared without one of them.
 */
export type Who = "anyone" | "session" | "write" | "self" | "admin";

const nothing = z.strictObject({});
type Nothing = typeof nothing;

/** The part of this installation's configuration that the API's description shows. */
export type Installation = Pick<
  Deps["config"],
  "minIntervalMinutes" | "maxStreamsPerUser" | "maxPublicStreamsPerAddress"
>;
/** The same for installations that are described alike. */
export const installationKey = (of: Installation): string =>
  [of.minIntervalMinutes, of.maxStreamsPerUser, of.maxPublicStreamsPerAddress].join(" ");
/** Sentences, or what makes them of the installation's own figures. */
type Description = string | ((installation: Installation) => string);

/** The context of every handler. `ask` is passed with each call of another service. */
export type HandlerBase = Deps & { ctx: Context; ask: AskOptions };
type SessionOf<W extends Who> = W extends "anyone" ? null : Session;

/** An id in a path: the message of a 404 for an impossible one; of a textual id, also its form. */
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

/** A success's entities, and its message before translation. */
type RouteAnswer<A extends z.ZodType> = Batched<Omit<z.input<A>, "success" | "message">> & {
  message?: Message;
  messageParams?: MessageParams;
};

/** Runs a request of a session, the reading of its body included, or refuses it before. */
type Bounds = <Result>(deps: Deps, session: Session, request: () => Promise<Result>) => Promise<Result>;

/** A method and a template of `@koa/router`: `GET /api/monitors/:id`. */
type Name = `${Method} ${`/api/${string}` | typeof mcpPath}`;

type Common<P extends PathIds, Q extends z.ZodType, B extends z.ZodType> = {
  /** For OpenAPI, in a few words. */
  summary: string;
  /** For OpenAPI: limits and other facts that schemas cannot express, in sentences. */
  description?: Description;
  /** Each id in the path, in its order. */
  params?: P;
  query?: Q;
  body?: B;
  /** Refusals beyond those that every such route has. */
  refusals?: readonly ErrorCode[];
  /** For what costs much: bounds that hold before a body is read. */
  within?: Bounds;
  /** Whether it takes an `Idempotency-Key`: the verb that it calls runs once for each key. */
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
  /** The message of each success, unless `handle` has another. */
  message?: Message;
  /** Whether it changes sessions or keys: it answers once this gateway knows them. */
  settles?: true;
  handle(input: Input<W, P, z.output<Q>, z.output<B>>): Promise<RouteAnswer<A>>;
};

/** A route that writes its own answer: a stream, a document that is no envelope. */
type RawDefinition<W extends Who, P extends PathIds, Q extends z.ZodType> = Common<P, Q, z.ZodType> & {
  /** Of one with a body, which is taken as bytes; `body` only describes it. */
  limits?: BodyLimits;
  /** A media type; of JSON that is an envelope all the same, its schema. */
  media: string | z.ZodType;
  handle(input: Input<W, P, z.output<Q>, unknown>): void | Promise<void>;
};

/** A route whose body is too large to be read on the loop. `body` only describes it; the handler gets its bytes. */
type BytesDefinition<W extends Who, P extends PathIds, Q extends z.ZodType, A extends z.ZodType> = Common<
  P,
  Q,
  z.ZodType
> & {
  limits: BodyLimits;
  answer: A;
  handle(input: Input<W, P, z.output<Q>, Uint8Array>): Promise<RouteAnswer<A>>;
};

export type Ids = Record<string, number | string>;

/** What a request brought, unchecked but for its ids. */
export type RawRequest = HandlerBase & { session: Session | null; params: Ids; query: unknown; body: unknown };
export type Result = { message?: Message; messageParams?: MessageParams } & Record<string, unknown>;

/** A route as the router, the permission table and OpenAPI read it. */
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
  status: 200 | 201;
  /** Where the body is taken as bytes, unread. */
  bytes: BodyLimits | null;
  /** The envelope that a success is; or the media type of a route that writes its own. */
  answer: z.ZodType | string;
  /** Checks query and body, then handles. @throws AppError */
  run(raw: RawRequest): Promise<Result | null>;
};

/** Declares a route that answers with an envelope. */
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

/** Declares a route whose answer is only its message. */
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

/** Declares a route that writes its own answer. */
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

/** Declares a route that takes its body as bytes and answers with an envelope. */
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
  return { ...declared, params: { ...params }, bytes: null, status: 200 as const };
}

/** The router has already refused a request without the session that `who` requires. */
function check<W extends Who, P extends PathIds, Q extends z.ZodType, B extends z.ZodType>(
  definition: Common<P, Q, B>,
  raw: RawRequest,
) {
  const query = validate(definition.query ?? nothing, raw.query);
  const body = validate(definition.body ?? nothing, raw.body ?? {});
  return { ...raw, query, body } as unknown as Input<W, P, z.output<Q>, z.output<B>>;
}
