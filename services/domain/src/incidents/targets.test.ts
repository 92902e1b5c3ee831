import { expect, test } from "vitest";
import { readDependsOn } from "./targets.ts";

const monitor = (id: number) => ({ type: "monitor", id });

test("dependencies are parsed and deduplicated", () => {
  const given = [monitor(2), { type: "agent", id: 2 }, monitor(2)];
  expect(readDependsOn(given, { type: "monitor", id: 9 })).toEqual([monitor(2), { type: "agent", id: 2 }]);
  expect(readDependsOn([])).toEqual([]);
});

test.each([
  ["itself", [monitor(3), monitor(9)], "dependsOn.1"],
  ["a target of an unknown type", [{ type: "user", id: 1 }], "dependsOn.0.type"],
  ["an invalid id", [monitor(0)], "dependsOn.0.id"],
  ["more than ten", Array.from({ length: 11 }, (_, at) => monitor(20 + at)), "dependsOn"],
])("a target cannot depend on %s", (_what, given, path) => {
  expect(() => readDependsOn(given, { type: "monitor", id: 9 })).toThrow(
    expect.objectContaining({ code: "invalid", details: [expect.objectContaining({ path })] }),
  );
});

test("an agent may depend on a monitor with the same id", () => {
  expect(readDependsOn([monitor(9)], { type: "agent", id: 9 })).toEqual([monitor(9)]);
});
