import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Context, Session } from "../context.ts";
import type { Deps } from "../deps.ts";

/** The client reads each batch before the next is requested: a page of large entries needs the memory of one batch. */
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

/** A page of which a bus message contains a part; `restIds` must be requested separately. */
type Page = { restIds: number[] };

const maxRestMs = 100;

/**
 * Returns a plain list if one response contains the whole page. @param list requests entries by id
 * @throws AppError `too_many`; `invalid` if the client has disconnected
 */
export function readInBatches<P extends Page, Item>(
  { takeBatches, session, ctx }: Pick<Deps, "takeBatches"> & { session: Session; ctx: Context },
  first: P,
  list: (query: { ids: number[]; pageSize: number }) => Promise<P>,
  present: (page: P) => Item[],
): Item[] | Batches<Item> {
  if (first.restIds.length === 0) return present(first);
  takeBatches(session.userId, ctx.res);
  return new Batches(readParts(first, list, present));
}

export async function* readParts<P extends Page, Item>(
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
    // Sleep as long as the call took: heavy pages must not slow down other requests.
    await sleep(Math.min(maxRestMs, performance.now() - startedAt));
    if (page.restIds.length >= ids.length) throw new Error("the response has none of the requested entries");
    yield present(page);
  }
}

type ListQuery = { page?: number; pageSize: number; ids?: number[] };

const pageSize = 200;

/** The first page is read before the response starts: an unavailable service can still set the status. */
export async function allOf<P extends Page & { total: number }, Item>(
  list: (query: ListQuery) => Promise<P>,
  present: (page: P) => Item[],
): Promise<Batches<Item>> {
  const first = await list({ page: 1, pageSize });
  async function* batches() {
    yield* readParts(first, list, present);
    for (let page = 2; (page - 1) * pageSize < first.total; page += 1) {
      yield* readParts(await list({ page, pageSize }), list, present);
    }
  }
  return new Batches(batches());
}

export const readWhole = async <P extends Page & { total: number }, Item>(
  ...[list, present]: Parameters<typeof allOf<P, Item>>
): Promise<Item[]> => (await Array.fromAsync((await allOf(list, present)).batches)).flat();

/** Each entry of a batch is a separate chunk. */
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
      // An entry can be a megabyte: longer chunks would block the event loop.
      for (const item of batch) {
        yield between + JSON.stringify(item);
        between = ",";
      }
    }
    yield "]";
  }
  yield "}";
}
