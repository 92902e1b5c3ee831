import { expect, it } from "vitest";
import { dialectIn } from "./dialect.ts";
import { exportedTypeNames } from "./type-names.ts";

it("finds words in comments, but not in code", () => {
  const code =
    '/** Held back until\n * whoever asks. */\nexport type HeardAlert = "heard";\nconst anew = "https://anew"; // Sent anew.';
  expect(dialectIn("a.ts", code)).toEqual(["whoever", "anew"]);
});

it.each([
  ["/** Of a threshold: the value. */", ["Of"]],
  ["/**\n * Of a threshold.\n */", ["Of"]],
  ["// Of channels.", ["Of"]],
  ["// The owner of a part. None is known, and none are kept.", ["None is"]],
  ["// What is wrong in a service's part is named.", ["What is wrong in a service's part is"]],
  ["// What is stored? It is a row.", []],
  ["// For users alone, by a key alone.", ["alone", "alone"]],
  ["// It never runs alone on one machine.", []],
  ["// It answers null, or answers `null`.", ["answers null", "answers `null"]],
])("finds phrases of a literal translation: %s", (comment, found) => {
  expect(dialectIn("a.ts", `${comment}\nconst text = "None is left alone.";`)).toEqual(found);
});

it("ignores code in documents", () => {
  expect(dialectIn("a.md", "Sent anew.\n\n```\nanew\n```\n`whoever` heard")).toEqual(["anew", "heard"]);
});

it("lists the types that a file declares and exports, without re-exports", () => {
  expect(
    exportedTypeNames('export type A = 1;\nexport interface B {}\nexport type { C } from "c";\ntype D = 1;'),
  ).toEqual(["A", "B"]);
});
