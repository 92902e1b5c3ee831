import { expect, it } from "vitest";
import { countRepeats } from "./repeats.ts";

function open() {
  const lines: string[] = [];
  const repeats = countRepeats((line) => void lines.push(line));
  return { ...repeats, shown: () => lines.splice(0) };
}

it("shows a line once and then tells how often its like came", () => {
  const { tell, minute, shown } = open();

  for (let second = 10; second < 60; second++) tell(`03:04:${second} auth warning: the bus is not ready`);
  expect(shown()).toEqual(["03:04:10 auth warning: the bus is not ready"]);
  minute();
  expect(shown()).toEqual(["03:04:59 auth warning: the bus is not ready (49 more like it in a minute)"]);
});

it("tells of what lasts ever more seldom, and of all of it", () => {
  const { tell, minute, shown } = open();
  let told = 0;
  tell("again");
  shown();

  for (let passed = 0; passed < 24 * 60; passed++) {
    tell("again");
    minute();
    told += shown().reduce((sum, line) => sum + Number(/\((\d+) more/.exec(line)?.[1]), 0);
  }
  const before = told;
  for (let passed = 0; passed < 3; passed++) minute();
  told += shown().reduce((sum, line) => sum + Number(/\((\d+) more/.exec(line)?.[1]), 0);

  expect(told).toBe(24 * 60);
  expect(before).toBeLessThan(told);
});

it("shows a line anew when it had stopped coming", () => {
  const { tell, minute, shown } = open();

  tell("disconnected from NATS");
  for (let passed = 0; passed < 3; passed++) minute();
  tell("disconnected from NATS");

  expect(shown()).toEqual(["disconnected from NATS", "disconnected from NATS"]);
});

it("keeps no more than some hundred lines in mind", () => {
  const { tell, shown } = open();

  for (let line = 0; line < 26 ** 2 * 2; line++)
    tell(`fault ${String.fromCharCode(97 + (line % 26))}${"x".repeat(line / 26)}`);

  expect(shown()).toHaveLength(26 ** 2 * 2);
});
