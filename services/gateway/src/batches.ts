import { AppError } from "@sonde/kit/errors";
import { connectionClosed } from "@sonde/kit/http/connections";
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * A list of an answer that comes in batches: each is written, and read by the client, before the next is asked for. So
 * a page of heavy entries costs the memory of one batch, not of all.
 */
export class Batches<Item> {
  readonly batches: AsyncIterable<readonly Item[]>;
  constructor(batches: AsyncIterable<readonly Item[]>) {
    this.batches = batches;
  }
}

const mostRestMs = 100;

/**
 * A page whose rest is asked for as often as an answer leaves one.
 * @param rest asks for entries by their ids
 * @param present the entries of an answer as people see them
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
    // Half of the time is for others: what is heavy takes long, and nobody else is to notice.
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

const mostPerUser = 2;
const mostInAll = 20;
const silentMs = 30_000;

/** Lists that are being sent in batches, of every user and every route. */
export type Turns = ReturnType<typeof createTurns>;

/** Lists that are being sent in batches, so that readers who take their time cannot hold much between them. */
export function createTurns() {
  const underway = new Map<number, number>();
  let all = 0;
  return {
    /**
     * Counts an answer until it is over; cuts it when its reader takes nothing for half a minute.
     * @throws AppError `too_many`; `invalid` where its reader has left already
     */
    take(userId: number, response: ServerResponse): void {
      if (response.closed || response.destroyed) throw connectionClosed();
      const own = underway.get(userId) ?? 0;
      if (own >= mostPerUser || all >= mostInAll) {
        throw new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds: 2 });
      }
      underway.set(userId, own + 1);
      all += 1;
      response.setTimeout(silentMs, () => response.destroy());
      response.once("close", () => {
        all -= 1;
        const left = (underway.get(userId) ?? 1) - 1;
        if (left === 0) underway.delete(userId);
        else underway.set(userId, left);
      });
    },
  };
}
