import { expect, test } from "vitest";
import { createBodyPool } from "./body-pool.ts";

/** A pool that records dropped bodies. */
function pool(more: Partial<Parameters<typeof createBodyPool>[0]> = {}) {
  const limits = {
    service: "agents",
    maxBodies: 4,
    maxBytes: 100,
    maxUnfinished: 3,
    maxUnfinishedOfOwner: 2,
    maxBodiesOfOwner: 4,
    maxBytesOfOwner: 1000,
  };
  const dropped: string[] = [];
  const bodies = createBodyPool({ ...limits, ...more });
  const enter = (owner: string, name = owner) => {
    const reservation = bodies.enter(owner);
    reservation.onDropped = (error) => void dropped.push(`${name}: ${error.code}`);
    return reservation;
  };
  return { bodies, enter, dropped };
}

test("a new body displaces the oldest incomplete one of the owner with the most", () => {
  const { enter, dropped } = pool();
  enter("quiet");
  enter("slow", "slow, first");
  enter("slow", "slow, second");
  enter("new");
  expect(dropped).toEqual(["slow, first: too_many"]);
});

test("an owner has a limit of incomplete bodies, even if the pool has room", () => {
  const { enter, dropped } = pool();
  for (const name of ["first", "second", "third"]) enter("slow", name);
  expect(dropped).toEqual(["first: too_many"]);
});

test("a complete body is never dropped, and does not count as incomplete", () => {
  const { bodies, enter, dropped } = pool();
  for (let count = 0; count < 4; count++) enter("fleet").finish();
  expect(() => bodies.enter("another")).toThrow("The agents service is currently unavailable");
  expect(dropped).toEqual([]);
});

test("bytes above the limit displace slow bodies first, then the body that brings them", () => {
  const { bodies, enter, dropped } = pool();
  enter("slow").grow(60);
  const other = enter("other");
  other.grow(60);
  expect(dropped).toEqual(["slow: too_many"]);
  other.grow(41);
  expect(dropped).toEqual(["slow: too_many", "other: too_many"]);
  expect(bodies.reserved()).toEqual({ bodies: 0, bytes: 0 });
  const whole = enter("whole");
  whole.grow(60);
  whole.finish();
  expect(() => whole.grow(60)).toThrow("currently unavailable");
});

test("leaving releases the reservation and its bytes, once", () => {
  const { bodies, enter } = pool();
  const reservation = enter("a");
  reservation.grow(10);
  reservation.leave();
  reservation.leave();
  expect(bodies.reserved()).toEqual({ bodies: 0, bytes: 0 });
  for (let count = 0; count < 50; count++) enter(`${count}`).leave();
  expect(bodies.reserved()).toEqual({ bodies: 0, bytes: 0 });
});

test("an owner has a limit of bodies, complete or not; above it only that owner is refused", () => {
  const { bodies, enter, dropped } = pool({ maxBodiesOfOwner: 2 });
  enter("busy", "whole").finish();
  enter("busy", "slow");
  enter("busy", "newer").finish();
  expect(dropped).toEqual(["slow: too_many"]);
  const refusal = { code: "too_many", retryAfterSeconds: 2 };
  expect(() => bodies.enter("busy")).toThrow(expect.objectContaining(refusal));
  enter("another").finish();
  expect(bodies.reserved().bodies).toBe(3);
});

test("an owner has a limit of bytes; above it its slow bodies are dropped, then only that owner is refused", () => {
  const { bodies, enter, dropped } = pool({ maxBytesOfOwner: 50 });
  enter("busy", "slow").grow(20);
  const whole = enter("busy", "whole");
  whole.grow(30);
  whole.finish();
  whole.grow(20);
  expect(dropped).toEqual(["slow: too_many"]);
  expect(() => whole.grow(1)).toThrow(expect.objectContaining({ code: "too_many" }));
  enter("another").grow(50);
  whole.leave();
  expect(bodies.reserved()).toEqual({ bodies: 1, bytes: 50 });
  const again = enter("busy", "again");
  again.grow(50);
  again.grow(1);
  expect(dropped).toEqual(["slow: too_many", "again: too_many"]);
});
