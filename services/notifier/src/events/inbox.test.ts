import { create } from "@bufbuild/protobuf";
import { silentLog } from "@sonde/kit/service/log";
import { fakeClock } from "@sonde/kit/time/clock";
import { type Event, EventSchema } from "@sonde/proto/gen/events/v1/events";
import { expect, test, vi } from "vitest";
import type { EventContext } from "./handle.ts";
import { openInbox } from "./start.ts";

const event = (id: number) => create(EventSchema, { id: String(id) });
const ids = (events: readonly Event[]) => events.map(({ id }) => Number(id));

function open(handle: (events: readonly Event[]) => Promise<number>) {
  const clock = fakeClock();
  const inbox = openInbox({ clock, log: silentLog } as unknown as EventContext, (_, events) => handle(events));
  return { clock, inbox };
}

test("decides events that arrive during a decision together afterwards, in order", async () => {
  const batches: number[][] = [];
  let settle = () => {};
  const { inbox } = open((events) => {
    batches.push(ids(events));
    return new Promise((resolve) => (settle = () => resolve(0)));
  });
  for (const id of [1, 2, 3]) void inbox.push(event(id));
  settle();
  await vi.waitFor(() => expect(batches).toEqual([[1], [2, 3]]));
  settle();
  await vi.waitFor(() => {
    settle();
    void inbox.push(event(4));
    expect(batches.flat().slice(0, 4)).toEqual([1, 2, 3, 4]);
  });
});

test("retries a failure, and nothing overtakes it", async () => {
  const given: number[][] = [];
  let isUnavailable = true;
  const { clock, inbox } = open(async (events) => {
    given.push(ids(events));
    if (isUnavailable) throw new Error("unavailable");
    return 0;
  });
  void inbox.push(event(1));
  await vi.waitFor(() => expect(given).toEqual([[1]]));
  void inbox.push(event(2));
  isUnavailable = false;
  await vi.waitFor(() => {
    clock.advance(500);
    expect(given).toEqual([[1], [1, 2]]);
  });
});

test("pushes wait while the queue is full", async () => {
  let finish = () => {};
  const { inbox } = open(() => new Promise((resolve) => (finish = () => resolve(0))));
  for (let id = 1; id < 5_000; id++) expect(inbox.push(event(id))).toBeUndefined();
  let goesOn = false;
  void Promise.resolve(inbox.push(event(5_000))).then(() => (goesOn = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(goesOn).toBe(false);
  finish();
  await vi.waitFor(() => expect(goesOn).toBe(true));
});

test("stops at once while it waits for a retry", async () => {
  const { inbox } = open(async () => {
    throw new Error("unavailable");
  });
  void inbox.push(event(1));
  await expect(inbox.stop()).resolves.toBeUndefined();
});

test("after a stop, no push waits for room", async () => {
  let finish = () => {};
  const { inbox } = open(() => new Promise((resolve) => (finish = () => resolve(0))));
  for (let id = 1; id <= 5_000; id++) void inbox.push(event(id));
  const stopping = inbox.stop();
  finish();
  await stopping;
  expect(inbox.push(event(5_001))).toBeUndefined();
});
