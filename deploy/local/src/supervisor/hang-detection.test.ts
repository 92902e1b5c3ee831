import { expect, it } from "vitest";
import { watchForHang } from "./hang-detection.ts";

const [reported, killed] = [
  "NATS has not responded for 10 s; it will be restarted after 30 s.",
  "NATS does not respond and was killed.",
];

function watch(isStarting?: () => boolean) {
  const lines: string[] = [];
  const add = (line: string) => void lines.push(line);
  let second = () => {};
  const eachSecond = (run: () => void) => {
    second = run;
    return () => {};
  };
  const { confirmAlive } = watchForHang("NATS", { info: add, warn: add }, () => add("end"), { isStarting, eachSecond });
  const pass = (seconds: number) => Array.from({ length: seconds }).forEach(() => second());
  return { lines, pass, confirmAlive };
}

it("reports 10 s without a sign of life once, and ends the process once after 30 s", () => {
  const { lines, pass } = watch();

  pass(9);
  expect(lines).toEqual([]);
  pass(20);
  expect(lines).toEqual([reported]);
  pass(100);
  expect(lines).toEqual([reported, killed, "end"]);
});

it("reports nothing while the process is alive, and reports when it responds again", () => {
  const { lines, pass, confirmAlive } = watch();

  for (let sign = 0; sign < 20; sign++) {
    pass(9);
    confirmAlive();
  }
  expect(lines).toEqual([]);
  pass(15);
  confirmAlive();
  pass(9);
  expect(lines).toEqual([reported, "NATS responds again."]);
});

it("waits longer for a starting process", () => {
  let isStarting = true;
  const { lines, pass } = watch(() => isStarting);

  pass(299);
  expect(lines).toEqual([]);
  isStarting = false;
  pass(1);
  expect(lines).toEqual([killed, "end"]);
});
