import { generateSync, type JsonSchema } from "json-schema-faker";
import type { Operation } from "./document.ts";
import { brokenJson, mutationsOf, strangeIds, strangeQueries } from "./values.ts";

export type Request = {
  method: string;
  path: string;
  /** The raw body; `undefined` for none. */
  body: string | undefined;
  contentType: string;
  /** What was mutated, for reports. */
  idea: string;
  /** `true`: only the state of the installation may reject it. `false`: it must be rejected. */
  allowed: boolean | "unsure";
};

/** What schemas cannot describe: existing ids, a reachable address, unused names. */
export type Hints = {
  path: (template: string) => string;
  ids: () => (number | string)[];
  /** By field name. A value may depend on the seed and the rest of the body. */
  byName: Record<string, (at: number, body: Readonly<Record<string, unknown>>) => unknown>;
  /** Makes the fields of a body consistent. */
  together?: (body: Record<string, unknown>) => void;
};

const json = "application/json";

/** Random numbers from 0 to 1, reproducible by seed (mulberry32, public domain, by Tommy Ettinger). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Yields valid requests, then mutations with one part made invalid. */
export function* requestsOf(
  operation: Operation,
  hints: Hints,
  { seed, valid, mutations }: { seed: number; valid: number; mutations: number },
) {
  const random = createRandom(seed);
  const base = (at: number) => validRequest(operation, hints, seed + at, at);
  for (let at = 0; at < valid; at += 1) yield base(at);
  const all = [...pathMutations(operation), ...queryMutations(operation), ...bodyMutations(operation)];
  for (const [at, mutate] of shuffled(all, random).slice(0, mutations).entries()) yield mutate(base(valid + at));
}

/** The first request has every optional field, the second none. */
function validRequest(operation: Operation, hints: Hints, seed: number, at: number): Request {
  const { ids, byName, together } = hints;
  const path = hints.path(operation.path);
  const generate = (schema: JsonSchema) => {
    // The generator must not omit all optional fields if one of them is required.
    const alwaysFakeOptionals = at % 3 === 0 || (typeof schema === "object" && schema.minProperties !== undefined);
    const optionalsProbability = at % 3 === 1 ? 0 : 0.5;
    // Arrays without `maxItems` could make a body of a megabyte.
    return generateSync(schema, { seed, alwaysFakeOptionals, optionalsProbability, maxItems: 3 });
  };
  const query = new URLSearchParams();
  for (const { name, in: place, required, schema } of operation.parameters) {
    if (place !== "query" || (!required && (at + name.length) % 2 === 0)) continue;
    query.set(name, String(byName[name]?.(seed, {}) ?? generate(schema)));
  }
  const shapes = operation.body === null ? [] : shapesOf(operation.body);
  const body = shapes.length === 0 ? undefined : (generate(shapes[at % shapes.length]!) as Record<string, unknown>);
  for (const name of Object.keys(body ?? {})) if (byName[name] !== undefined) body![name] = byName[name](seed, body!);
  if (body !== undefined && "ids" in body) body["ids"] = ids();
  if (body !== undefined) together?.(body);
  const text = body === undefined ? undefined : JSON.stringify(body);
  const search = query.size === 0 ? "" : `?${query.toString()}`;
  return { method: operation.method, path: path + search, body: text, contentType: json, idea: "valid", allowed: true };
}

/** Returns the alternatives of a body schema, such as one for each kind of check. */
function shapesOf(schema: JsonSchema): JsonSchema[] {
  return typeof schema === "boolean" ? [schema] : (schema.oneOf ?? schema.anyOf ?? [schema]);
}

type Mutate = (request: Request) => Request;

function pathMutations({ path }: Operation): Mutate[] {
  if (!path.includes("{")) return [];
  return strangeIds.map((id) => (request) => ({
    ...request,
    path: path.replaceAll(/\{\w+\}/g, id),
    idea: `id ${id.slice(0, 30)}`,
    allowed: "unsure",
  }));
}

function queryMutations({ parameters, isForeign }: Operation): Mutate[] {
  const names = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
  const set = (name: string, value: string, allowed: Request["allowed"]): Mutate => {
    return (request) => {
      const [path = "", search] = request.path.split("?");
      const query = new URLSearchParams(search);
      query.set(name, value);
      return { ...request, path: `${path}?${query.toString()}`, idea: `query ${name}=${value.slice(0, 30)}`, allowed };
    };
  };
  const twice: Mutate[] = names.map((name) => (request) => ({
    ...request,
    path: `${request.path.split("?")[0]}?${name}=1&${name}=2`,
    idea: `query ${name} twice`,
    allowed: "unsure",
  }));
  const raw: Mutate = (request) => ({
    ...request,
    path: `${request.path.split("?")[0]}?%zz=%&=&[]=1`,
    idea: "query %zz",
    allowed: isForeign,
  });
  const unknown = ["unknownField", "__proto__", "constructor"].map((name) => set(name, "1", isForeign));
  return [
    ...names.flatMap((name) => strangeQueries.map((value) => set(name, value, "unsure"))),
    ...twice,
    raw,
    ...unknown,
  ];
}

function bodyMutations(operation: Operation): Mutate[] {
  const send = (body: string | undefined, idea: string, contentType = json): Mutate => {
    return (request) => ({ ...request, body, contentType, idea, allowed: false });
  };
  // Every route but GET reads a body, even if it declares none.
  if (operation.method === "GET") return [];
  const broken = brokenJson.map((text) => send(text, `body ${text.slice(0, 20)}`));
  const stowaways = [
    send('{"unknownField":1}', "unknown field alone"),
    send('{"__proto__":{"role":"admin"}}', "__proto__ field"),
  ];
  if (operation.body === null || operation.takes === null) return [...broken, ...stowaways];
  const { takes } = operation;
  const change = (idea: string, act: (body: Record<string, unknown>) => void): Mutate => {
    return (request) => {
      const body = JSON.parse(request.body ?? "{}") as Record<string, unknown>;
      act(body);
      const text = JSON.stringify(body);
      return { ...request, body: text, idea, allowed: takes(JSON.parse(text)) ? "unsure" : false };
    };
  };
  // A field with several alternatives is mutated by the first schema.
  const parts = shapesOf(operation.body).map((shape) => (typeof shape === "boolean" ? {} : (shape.properties ?? {})));
  const fields = Object.entries(Object.assign({}, ...parts.toReversed()) as Record<string, JsonSchema>).flatMap(
    ([name, part]) => [
      change(`${name} missing`, (body) => delete body[name]),
      ...mutationsOf(part).map((value) =>
        change(`${name} = ${JSON.stringify(value).slice(0, 40)}`, (body) => (body[name] = value)),
      ),
      ...nested(name, part).map(({ idea, value }) => change(idea, (body) => (body[name] = value))),
    ],
  );
  const types = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "application/json; charset=utf-16",
    "",
    "a/b/c;;",
  ];
  return [
    ...fields,
    ...broken,
    ...stowaways,
    change("unknown field beside", (body) => (body["unknownField"] = { deep: [1] })),
    change("too large", (body) => (body["unknownField"] = "x".repeat(2 ** 20))),
    ...types.map((type): Mutate => (request) => ({
      ...request,
      contentType: type,
      idea: `content type ${type}`,
      allowed: false,
    })),
    // No body counts as an empty object.
    (request) => ({ ...request, body: undefined, idea: "no body", allowed: takes({}) ? "unsure" : false }),
  ];
}

function nested(name: string, schema: JsonSchema): { idea: string; value: unknown }[] {
  if (typeof schema !== "object") return [];
  const { items } = schema;
  if (typeof items !== "object" || Array.isArray(items)) return [];
  const entry = generateSync(items, { seed: 1, alwaysFakeOptionals: true });
  const wrong = mutationsOf(items).map((value) => ({
    idea: `${name}[0] = ${JSON.stringify(value).slice(0, 30)}`,
    value: [value],
  }));
  const fields = Object.entries(items.properties ?? {}).flatMap(([field, part]) =>
    mutationsOf(part).map((value) => ({
      idea: `${name}[0].${field} = ${JSON.stringify(value).slice(0, 30)}`,
      value: [{ ...(entry as object), [field]: value }],
    })),
  );
  return [...wrong, ...fields];
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .toSorted((left, right) => left.rank - right.rank)
    .map(({ item }) => item);
}
