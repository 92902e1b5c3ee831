import { expect, it } from "vitest";
import { stackPhases } from "./phases-bar.tsx";

it("stacks phases in order up to the total, without those that the kind does not have", () => {
  expect(stackPhases({ dns: 5, connect: 10, tls: 25, firstByte: 50, total: 100 })).toEqual([5, 15, 40, 90, 100]);
  expect(stackPhases({ dns: 5, connect: 10, total: 15 })).toEqual([5, 15, 15, 15, 15]);
  expect(stackPhases(undefined)).toBeNull();
});
