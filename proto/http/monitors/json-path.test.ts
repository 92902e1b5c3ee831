import { expect, test } from "vitest";
import { parseJsonPath } from "./json-path.ts";

test.each([
  ["$", []],
  ["$.a.b", ["a", "b"]],
  ["$[0][-1]", [0, -1]],
  ["$['it\\'s']", ["it's"]],
  ['$["a.b"].c', ["a.b", "c"]],
  ["$.größe", ["größe"]],
])("the path %s is read", (text, steps) => {
  expect(parseJsonPath(text)).toEqual(steps);
});

test.each([
  ["", ""],
  ["a", "a"],
  ["$a", "a"],
  ["$.", "."],
  ["$..a", "..a"],
  ["$.a.*", ".*"],
  ["$[*]", "[*]"],
  ["$[?(@.a)]", "[?(@.a)]"],
  ["$.b[1:2].c", "[1:2].c"],
  ["$.a[", "["],
  ["$['a]", "['a]"],
  ["$.a b", " b"],
])("the path %s is refused from %j on", (text, unread) => {
  expect(parseJsonPath(text)).toEqual({ unread });
});
