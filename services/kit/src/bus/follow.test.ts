import { expect, test } from "vitest";
import type { Bus } from "./connect.ts";
import { followStream } from "./follow.ts";

type Stored = { seq: number; pending: number };

/** A bus with one stream; `pending` is the number of pending messages that the server reports after each message. */
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
        await new Promise(() => {}); // No more messages.
      },
    }),
  };
  return {
    nc: {},
    onReconnect: () => () => {},
    jsm: { streams: { info: async () => ({ created: "today", state: { last_seq: lastSequence } }) } },
    js: { consumers: { get: async () => consumer } },
  } as unknown as Bus;
}

/** Sequences handled before the follower reported that it is current. */
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

test("a follower is current after the last stored message, although the server counts replaced ones as pending", async () => {
  const bus = busWith(9, [
    { seq: 4, pending: 3 },
    { seq: 9, pending: 2 },
  ]);
  expect(await handledWhenCurrent(bus)).toEqual([4, 9]);
});

test("a follower is current when nothing is pending, although later messages of other subjects are stored", async () => {
  const bus = busWith(20, [
    { seq: 4, pending: 1 },
    { seq: 9, pending: 0 },
  ]);
  expect(await handledWhenCurrent(bus)).toEqual([4, 9]);
});

test("a follower that lost its consumer's server continues with a new consumer after the last message", async () => {
  const asked: object[] = [];
  const consumerOf = (sequence: number, statuses: object[]) => {
    const closed = Promise.withResolvers<void>();
    return {
      info: async () => ({ num_pending: 1 }),
      consume: async () => ({
        close: async () => closed.resolve(),
        status: async function* () {
          yield* statuses;
          await closed.promise;
        },
        [Symbol.asyncIterator]: async function* () {
          yield { seq: sequence, subject: "facts", data: new Uint8Array(), info: { pending: 0 }, time: new Date(0) };
          await closed.promise;
        },
      }),
    };
  };
  const consumers = [
    consumerOf(4, [
      { type: "heartbeats_missed", count: 1 },
      { type: "heartbeats_missed", count: 2 },
    ]),
    consumerOf(5, [{ type: "heartbeats_missed", count: 1 }]),
  ];
  const bus = {
    ...busWith(9, []),
    js: { consumers: { get: async (_stream: string, options: object) => (asked.push(options), consumers.shift()) } },
  } as unknown as Bus;
  const handled: number[] = [];
  const both = Promise.withResolvers<void>();
  const following = followStream(bus, {
    stream: "FACTS",
    from: "first",
    onMessage: ({ sequence }) => void (handled.push(sequence) === 2 && both.resolve()),
  });
  await both.promise;
  expect(handled).toEqual([4, 5]);
  expect(asked[1]).toMatchObject({ opt_start_seq: 5 });
  await following.stop();
});

test("a missed heartbeat triggers a check for a recreated stream, an unused pull does not", async () => {
  const told: string[] = [];
  const closed = Promise.withResolvers<void>();
  const consumer = {
    info: async () => ({ num_pending: 0 }),
    consume: async () => ({
      close: async () => closed.resolve(),
      status: async function* () {
        for (const status of [{ type: "discard" }, { type: "heartbeats_missed", count: 1 }]) {
          told.push(status.type);
          yield status;
        }
        await closed.promise;
      },
      [Symbol.asyncIterator]: () => ({
        next: () => closed.promise.then(() => ({ done: true, value: undefined })),
      }),
    }),
  };
  const asked = Promise.withResolvers<string[]>();
  const info = async () => {
    if (told.length > 0) asked.resolve([...told]);
    return { created: "today", state: { last_seq: 9 } };
  };
  const bus = {
    ...busWith(9, []),
    jsm: { streams: { info } },
    js: { consumers: { get: async () => consumer } },
  } as unknown as Bus;
  const following = followStream(bus, { stream: "FACTS", from: "new", onMessage: () => {} });
  expect(await asked.promise).toEqual(["discard", "heartbeats_missed"]);
  await following.stop();
});

test("a follower of new messages reads a recreated stream from its first message, even on a second attempt", async () => {
  const lives = [
    { created: "yesterday", state: { last_seq: 9 } },
    { created: "today", state: { last_seq: 2 } },
  ];
  const asked: object[] = [];
  const reading = Promise.withResolvers<void>();
  const consumers = [
    { info: async () => Promise.reject(new Error("no answer")) },
    { info: async () => Promise.reject(new Error("no answer")) },
    {
      info: async () => (reading.resolve(), { num_pending: 2 }),
      consume: async () => ({
        close: async () => {},
        status: async function* () {},
        [Symbol.asyncIterator]: async function* () {},
      }),
    },
  ];
  const bus = {
    ...busWith(9, []),
    connected: () => false,
    nc: { isClosed: () => false },
    jsm: { streams: { info: async () => (lives.length > 1 ? lives.shift() : lives[0]) } },
    js: {
      consumers: {
        get: async (_stream: string, options: object) => (
          asked.push(options),
          consumers.shift() ?? new Promise(() => {})
        ),
      },
    },
  } as unknown as Bus;
  const following = followStream(bus, { stream: "FACTS", from: "new", onMessage: () => {} });
  await reading.promise;
  expect(asked).toMatchObject([{ opt_start_seq: 10 }, { opt_start_seq: 1 }, { opt_start_seq: 1 }]);
  await following.stop();
});

test.each([
  ["alone", {}, 30_000],
  ["in a cluster", { cluster: "three" }, 5_000],
])("a follower requests heartbeats from a server that is %s", async (_, info, idleHeartbeatMs) => {
  const asked = Promise.withResolvers<object>();
  const consume = async (options: object) => {
    asked.resolve(options);
    return { close: async () => {}, status: async function* () {}, [Symbol.asyncIterator]: async function* () {} };
  };
  const consumers = { get: async () => ({ info: async () => ({ num_pending: 0 }), consume }) };
  const bus = { ...busWith(9, []), nc: { info }, js: { consumers } } as unknown as Bus;
  const following = followStream(bus, { stream: "FACTS", from: "first", onMessage: () => {} });
  expect(await asked.promise).toMatchObject({ idle_heartbeat: idleHeartbeatMs });
  void following.stop();
});
