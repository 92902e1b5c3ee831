import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * A list in a response that is sent in batches: each is written, and read by the client, before the next is requested.
 * So a page of large entries costs the memory of one batch, not of all.
 */
export class Batches<Item> {
  readonly batches: AsyncIterable<readonly Item[]>;
  constructor(batches: AsyncIterable<readonly Item[]>) {
    this.batches = batches;
  }
}

const mostRestMs = 100;

/**
 * A page whose rest is requested until nothing remains.
 * @param rest requests entries by their ids
 * @param present the public form of the entries of an answer
 */
export function inBatches<Page extends { restIds: number[] }, Item>(
  first: Page,
  rest: (ids: number[]) => Promise<Page>,
  present: (page: Page) => Item[],
): Batches<Item> {
  return new Batches(pagesOf(first, rest, present));
}

async function* pagesOf<Page extends { restIds: number[] }, Item>(
  first: Page,
  rest: (ids: number[]) => Promise<Page>,
  present: (page: Page) => Item[],
): AsyncGenerator<Item[]> {
  let page = first;
  yield present(page);
  while (page.restIds.length > 0) {
    const left = page.restIds.length;
    const startedAt = performance.now();
    page = await rest(page.restIds);
    // Half of the time is for others: what is heavy takes long, and must not slow other requests.
    await sleep(Math.min(mostRestMs, performance.now() - startedAt));
    if (page.restIds.length >= left) throw new Error("an answer brought nothing of what was asked for");
    yield present(page);
  }
}

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
