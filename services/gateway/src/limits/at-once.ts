import { AppError } from "@sonde/kit/errors";
import type { Message } from "@sonde/proto/http/messages";

/** Runs work where there is room for one more. @throws AppError `too_many`; what the work throws */
export type AtOnce = <Answer>(key: number, work: () => Promise<Answer>) => Promise<Answer>;

/** Lets `most` pieces of work of each key run at once; whoever comes beyond that is told `message`. */
export function createAtOnce(most: number, message: Message): AtOnce {
  const running = new Map<number, number>();
  return async (key, work) => {
    const own = running.get(key) ?? 0;
    if (own >= most) throw new AppError("too_many", message, { retryAfterSeconds: 2 });
    running.set(key, own + 1);
    try {
      return await work();
    } finally {
      const left = (running.get(key) ?? 1) - 1;
      if (left === 0) running.delete(key);
      else running.set(key, left);
    }
  };
}

/** Changes of all monitors that match a filter, by user: each takes seconds of the database. */
export const createBulkChanges = (): AtOnce =>
  createAtOnce(1, "Another change of many monitors is running, please wait for it to end");
