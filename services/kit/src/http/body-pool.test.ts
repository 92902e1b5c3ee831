import { expect, test } from "vitest";
import { createBodyPool } from "./body-pool.ts";

/** A pool, and who was turned out of it. */
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
  const turnedOut: string[] = [];
  const bodies = createBodyPool({ ...limits, ...more });
  const enter = (owner: string, name = owner) => {
    const reservation = bodies.enter(owner);
    reservation.onTurnedOut = (error) => void turnedOut.push(`${name}: ${error.code}`);
    return reservation;
  };
  return { bodies, enter, turnedOut };
}

test("a newcomer takes the reservation of the oldest unfinished body of whoever holds most of them", () => {
  const { enter, turnedOut } = pool();
  enter("quiet");
  enter("slow", "slow, first");
  enter("slow", "slow, second");
  enter("new");
  expect(turnedOut).toEqual(["slow, first: too_many"]);
});

test("one owner has few unfinished bodies at a time, though there is room for others", () => {
  const { enter, turnedOut } = pool();
  for (const name of ["first", "second", "third"]) enter("slow", name);
  expect(turnedOut).toEqual(["first: too_many"]);
});

test("a whole body is never turned out, and does not count as its owner's unfinished one", () => {
  const { bodies, enter, turnedOut } = pool();
  for (let count = 0; count < 4; count++) enter("fleet").finish();
  expect(() => bodies.enter("another")).toThrow("The agents service is currently unavailable");
  expect(turnedOut).toEqual([]);
});

test("bytes beyond the bound turn out slow bodies first, then whoever brings them", () => {
  const { bodies, enter, turnedOut } = pool();
  enter("slow").grow(60);
  const other = enter("other");
  other.grow(60);
  expect(turnedOut).toEqual(["slow: too_many"]);
  other.grow(41);
  expect(turnedOut).toEqual(["slow: too_many", "other: too_many"]);
  expect(bodies.held()).toEqual({ bodies: 0, bytes: 0 });
  const whole = enter("whole");
  whole.grow(60);
  whole.finish();
  expect(() => whole.grow(60)).toThrow("currently unavailable");
});

test("what left gives back its reservation and its bytes, once", () => {
  const { bodies, enter } = pool();
  const reservation = enter("a");
  reservation.grow(10);
  reservation.leave();
  reservation.leave();
  expect(bodies.held()).toEqual({ bodies: 0, bytes: 0 });
  for (let count = 0; count < 50; count++) enter(`${count}`).leave();
  expect(bodies.held()).toEqual({ bodies: 0, bytes: 0 });
});

test("an owner has so many bodies, whole or not; beyond them it alone is refused", () => {
  const { bodies, enter, turnedOut } = pool({ maxBodiesOfOwner: 2 });
  enter("busy", "whole").finish();
  enter("busy", "slow");
  enter("busy", "newer").finish();
  expect(turnedOut).toEqual(["slow: too_many"]);
  const refusal = { code: "too_many", retryAfterSeconds: 2 };
  expect(() => bodies.enter("busy")).toThrow(expect.objectContaining(refusal));
  enter("another").finish();
  expect(bodies.held().bodies).toBe(3);
});

test("an owner has so many bytes; beyond them its slow bodies go first, then it alone is refused", () => {
  const { bodies, enter, turnedOut } = pool({ maxBytesOfOwner: 50 });
  enter("busy", "slow").grow(20);
  const whole = enter("busy", "whole");
  whole.grow(30);
  whole.finish();
  whole.grow(20);
  expect(turnedOut).toEqual(["slow: too_many"]);
  expect(() => whole.grow(1)).toThrow(expect.objectContaining({ code: "too_many" }));
  enter("another").grow(50);
  whole.leave();
  expect(bodies.held()).toEqual({ bodies: 1, bytes: 50 });
  const again = enter("busy", "again");
  again.grow(50);
  again.grow(1);
  expect(turnedOut).toEqual(["slow: too_many", "again: too_many"]);
});
