import { expect, it } from "vitest";
import { endWhenHung } from "./hang-detection.ts";

const [still, dead] = [
  "NATS has not responded for 10 s; after 30 s it is restarted.",
  "NATS does not respond: killed.",
];

function watch(isStarting?: () => boolean) {
  const lines: string[] = [];
  const add = (line: string) => void lines.push(line);
  let second = () => {};
  const eachSecond = (run: () => void) => {
    second = run;
    return () => {};
  };
  const { heard } = endWhenHung("NATS", { say: add, warn: add }, () => add("end"), { isStarting, eachSecond });
  const pass = (seconds: number) => Array.from({ length: seconds }).forEach(() => second());
  return { lines, pass, heard };
}

it("reports a silence of 10 s once, and ends the process after 30 s once", () => {
  const { lines, pass } = watch();

  pass(9);
  expect(lines).toEqual([]);
  pass(20);
  expect(lines).toEqual([still]);
  pass(100);
  expect(lines).toEqual([still, dead, "end"]);
});

it("says nothing while signs come, and reports a process that responds again", () => {
  const { lines, pass, heard } = watch();

  for (let sign = 0; sign < 20; sign++) {
    pass(9);
    heard();
  }
  expect(lines).toEqual([]);
  pass(15);
  heard();
  pass(9);
  expect(lines).toEqual([still, "NATS responds again."]);
});

it("gives a process that is still starting longer", () => {
  let isStarting = true;
  const { lines, pass } = watch(() => isStarting);

  pass(299);
  expect(lines).toEqual([]);
  isStarting = false;
  pass(1);
  expect(lines).toEqual([dead, "end"]);
});
