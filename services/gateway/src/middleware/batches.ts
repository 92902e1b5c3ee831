import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Context, Session } from "../context.ts";
import type { Deps } from "../deps.ts";

/**
 * A list in a response that is sent in batches: each is written, and read by the client, before the next is requested.
 * So a page of large entries costs the memory of one batch, not of all.
 */
export class Batches<Item> {
  readonly batches: AsyncIterable<readonly Item[]>;
  constructor(batches: AsyncIterable<readonly Item[]>) {
    this.batches = batches;
  }
  map<Other>(change: (item: Item) => Other): Batches<Other> {
    const { batches } = this;
    async function* changed() {
      for await (const batch of batches) yield batch.map(change);
    }
    return new Batches(changed());
  }
}

/** A page of which one message of the bus holds a part; the entries of `restIds` are to be requested. */
type Page = { restIds: number[] };

const maxRestMs = 100;

/**
 * The entries of a page: at once where one answer held them all, else in batches.
 * @param list requests entries by their ids
 * @param present the public form of the entries of an answer
 * @throws AppError `too_many`; `invalid` where the client has left already
 */
export function readInBatches<P extends Page, Item>(
  { takeBatches, session, ctx }: Pick<Deps, "takeBatches"> & { session: Session; ctx: Context },
  first: P,
  list: (query: { ids: number[]; pageSize: number }) => Promise<P>,
  present: (page: P) => Item[],
): Item[] | Batches<Item> {
  if (first.restIds.length === 0) return present(first);
  takeBatches(session.userId, ctx.res);
  return new Batches(partsOf(first, list, present));
}

export async function* partsOf<P extends Page, Item>(
  first: P,
  list: (query: { ids: number[]; pageSize: number }) => Promise<P>,
  present: (page: P) => Item[],
): AsyncGenerator<Item[]> {
  let page = first;
  yield present(page);
  while (page.restIds.length > 0) {
    const ids = page.restIds;
    const startedAt = performance.now();
    page = await list({ ids, pageSize: ids.length });
    // Half of the time is for others: what is heavy takes long, and must not slow other requests.
    await sleep(Math.min(maxRestMs, performance.now() - startedAt));
    if (page.restIds.length >= ids.length) throw new Error("an answer brought nothing of what was asked for");
    yield present(page);
  }
}

type ListQuery = { page?: number; pageSize: number; ids?: number[] };

const pageSize = 200;

/**
 * Every entry of a list, as many at a time as one message of the bus can contain. The first page is read before
 * anything is sent, so that an unavailable service is reported by the status.
 * @param list reads a page, or entries by their ids
 */
export async function allOf<P extends Page & { total: number }, Item>(
  list: (query: ListQuery) => Promise<P>,
  present: (page: P) => Item[],
): Promise<Batches<Item>> {
  const first = await list({ page: 1, pageSize });
  async function* batches() {
    yield* partsOf(first, list, present);
    for (let page = 2; (page - 1) * pageSize < first.total; page += 1) {
      yield* partsOf(await list({ page, pageSize }), list, present);
    }
  }
  return new Batches(batches());
}

/** Every entry of a list, all in memory. */
export const readWhole = async <P extends Page & { total: number }, Item>(
  ...[list, present]: Parameters<typeof allOf<P, Item>>
): Promise<Item[]> => (await Array.fromAsync((await allOf(list, present)).batches)).flat();

/** The JSON of an answer some of whose entities are batches; each batch is a piece. */
export function streamJson(entities: Record<string, unknown>): Readable {
  return Readable.from(jsonOf(entities), { objectMode: false, highWaterMark: 1 });
}

async function* jsonOf(entities: Record<string, unknown>): AsyncGenerator<string> {
  let separator = "{";
  for (const [name, value] of Object.entries(entities)) {
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    separator = ",";
    if (!(value instanceof Batches)) {
      yield JSON.stringify(value);
      continue;
    }
    yield "[";
    let between = "";
    for await (const batch of value.batches) {
      // One entry a piece: the largest holds a megabyte, and a loop that serves others is not held up for longer.
      for (const item of batch) {
        yield between + JSON.stringify(item);
        between = ",";
      }
    }
    yield "]";
  }
  yield "}";
}
