import { expect, test } from "vitest";
import { readOptions } from "./options.ts";
import { lossless, table } from "./report.ts";
import { overlay } from "./sonde/chart.ts";
import { sumOf } from "./sonde/pod-metrics.ts";
import { countSince } from "./sonde/trouble.ts";
import { ofItsMode } from "./sonde/values.ts";

test("a row passes only without losses, and summarises them", () => {
  expect(lossless("a", "b", "c", [])).toMatchObject({ held: true, lost: "nothing" });
  expect(lossless("a", "b", "c", ["slot 1", "slot 2"])).toMatchObject({ held: false, lost: "2, first: slot 1" });
});

test("values omit the sections of the chart's other mode", () => {
  const values = { services: {}, allInOne: {}, image: {} };
  expect(Object.keys(ofItsMode({ ...values, mode: "all-in-one" }))).toEqual(["allInOne", "image", "mode"]);
  expect(Object.keys(ofItsMode(values))).toEqual(["services", "image"]);
});

test("program output cannot break the table", () => {
  const row = { scenario: "install", ...lossless("a | b", "c", "two\nlines", []) };
  expect(table([row]).split("\n").at(-1)).toBe("| install | a \\| b | c | two lines | nothing | yes |");
});

test("scenarios are chosen by name and run in their fixed order", () => {
  const names = ["install", "story", "kills"];
  expect(readOptions(["kills", "install", "--quick"], names)).toMatchObject({
    chosen: ["install", "kills"],
    quick: true,
  });
  expect(readOptions([], names).chosen).toEqual(names);
  expect(() => readOptions(["instal"], names)).toThrow("unknown scenario instal; choose from install, story, kills");
});

test("values are merged as Helm does", () => {
  const base = { image: { tag: "1" }, list: [1, 2] };
  expect(overlay(base, { image: { pullPolicy: "Never" }, list: [3] })).toEqual({
    image: { tag: "1", pullPolicy: "Never" },
    list: [3],
  });
  expect(base.image).toEqual({ tag: "1" });
});

test("a metric is summed over the series with matching labels, and is NaN without any", () => {
  const text = '# HELP a b\na_total{stream="X"} 2\na_total{stream="Y"} 3\na_total_more 9\nb 1e2\n';
  expect(sumOf(text, "a_total")).toBe(5);
  expect(sumOf(text, "a_total", 'stream="Y"')).toBe(3);
  expect(sumOf(text, /^(a_total|b)$/)).toBe(105);
  expect(sumOf(text, "c")).toBeNaN();
});

test("slots that a runner gave up count once, whether its process continues, exits or starts", async () => {
  let counts = new Map([
    ["a", 5],
    ["b", 1],
  ]);
  const trouble = await countSince(async () => counts);
  counts = new Map([
    ["a", 7],
    ["b", 4],
  ]);
  await trouble.look();
  counts = new Map([
    ["b", 4],
    ["c", 2],
  ]);
  expect(await trouble.sum()).toBe(2 + 3 + 2);
});
