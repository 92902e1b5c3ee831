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

test("what comes while some are decided is decided together behind them, in order", async () => {
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

test("what fails is tried again, and nothing overtakes it", async () => {
  const given: number[][] = [];
  let away = true;
  const { clock, inbox } = open(async (events) => {
    given.push(ids(events));
    if (away) throw new Error("away");
    return 0;
  });
  void inbox.push(event(1));
  await vi.waitFor(() => expect(given).toEqual([[1]]));
  void inbox.push(event(2));
  away = false;
  await vi.waitFor(() => {
    clock.advance(500);
    expect(given).toEqual([[1], [1, 2]]);
  });
});

test("whoever brings events waits while there are too many", async () => {
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

test("it stops at once while it waits to try again", async () => {
  const { inbox } = open(async () => {
    throw new Error("away");
  });
  void inbox.push(event(1));
  await expect(inbox.stop()).resolves.toBeUndefined();
});

test("once it stops, nobody who brings events waits for room", async () => {
  let finish = () => {};
  const { inbox } = open(() => new Promise((resolve) => (finish = () => resolve(0))));
  for (let id = 1; id <= 5_000; id++) void inbox.push(event(id));
  const stopping = inbox.stop();
  finish();
  await stopping;
  expect(inbox.push(event(5_001))).toBeUndefined();
});
