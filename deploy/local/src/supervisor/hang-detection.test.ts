import { expect, it } from "vitest";
import { watchForHang } from "./hang-detection.ts";

function watch(deadAfterSeconds?: () => number) {
  const told: string[] = [];
  let second = () => {};
  const hangWatch = watchForHang({
    onStill: () => told.push("still"),
    onBack: () => told.push("back"),
    onDead: () => told.push("dead"),
    ...(deadAfterSeconds ? { deadAfterSeconds } : {}),
    eachSecond: (run) => {
      second = run;
      return () => {};
    },
  });
  const pass = (seconds: number) => Array.from({ length: seconds }).forEach(() => second());
  return { told, pass, heard: hangWatch.heard };
}

it("tells of a silence of 10 s once, and of its end after 30 s once", () => {
  const { told, pass } = watch();

  pass(9);
  expect(told).toEqual([]);
  pass(20);
  expect(told).toEqual(["still"]);
  pass(100);
  expect(told).toEqual(["still", "dead"]);
});

it("says nothing while signs come, and tells who came back", () => {
  const { told, pass, heard } = watch();

  for (let sign = 0; sign < 20; sign++) {
    pass(9);
    heard();
  }
  expect(told).toEqual([]);
  pass(15);
  heard();
  pass(9);
  expect(told).toEqual(["still", "back"]);
});

it("gives who is still starting longer", () => {
  let limit = 300;
  const { told, pass } = watch(() => limit);

  pass(200);
  expect(told).toEqual(["still"]);
  limit = 30;
  pass(1);
  expect(told).toEqual(["still", "dead"]);
});
