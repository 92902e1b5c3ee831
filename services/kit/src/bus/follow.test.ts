import { expect, test } from "vitest";
import type { Bus } from "./connect.ts";
import { followStream } from "./follow.ts";

type Stored = { seq: number; pending: number };

/** A bus with one stream; `pending` is what its server claims to lie behind each message. */
function busWith(lastSequence: number, stored: readonly Stored[]): Bus {
  const consumer = {
    info: async () => ({ num_pending: stored.length }),
    consume: async () => ({
      close: async () => {},
      status: async function* () {},
      [Symbol.asyncIterator]: async function* () {
        for (const { seq, pending } of stored) {
          yield { seq, subject: "facts", data: new Uint8Array(), info: { pending }, time: new Date(0) };
        }
        await new Promise(() => {}); // Nothing more comes.
      },
    }),
  };
  return {
    onReconnect: () => () => {},
    jsm: { streams: { info: async () => ({ created: "today", state: { last_seq: lastSequence } }) } },
    js: { consumers: { get: async () => consumer } },
  } as unknown as Bus;
}

/** The sequences that were handled when the follower said that it is current. */
async function handledWhenCurrent(bus: Bus): Promise<number[]> {
  const handled: number[] = [];
  const current = Promise.withResolvers<number[]>();
  const following = followStream(bus, {
    stream: "FACTS",
    from: "last-per-subject",
    onMessage: ({ sequence }) => void handled.push(sequence),
    onCurrent: () => current.resolve([...handled]),
  });
  const answer = await current.promise;
  void following.stop();
  return answer;
}

test("a follower is current after the last stored message, though the server counts replaced ones as pending", async () => {
  const bus = busWith(9, [
    { seq: 4, pending: 3 },
    { seq: 9, pending: 2 },
  ]);
  expect(await handledWhenCurrent(bus)).toEqual([4, 9]);
});

test("a follower is current when nothing is pending, though later messages of other subjects were stored", async () => {
  const bus = busWith(20, [
    { seq: 4, pending: 1 },
    { seq: 9, pending: 0 },
  ]);
  expect(await handledWhenCurrent(bus)).toEqual([4, 9]);
});
