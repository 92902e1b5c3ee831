import { expect, it } from "vitest";
import { dialectIn } from "./dialect.ts";
import { exportedTypeNames } from "./type-names.ts";

it("finds words of the dialect in comments and exported names, and nowhere else in code", () => {
  const code =
    '/** Nobody is\n * told. */\nexport type ToldAlert = "told";\nconst nobody = "https://goes"; // It stands.';
  expect(dialectIn("a.ts", code)).toEqual(["Nobody", "told", "stands", "Told"]);
});

it("passes over the code of a document", () => {
  expect(dialectIn("a.md", "It stands.\n\n```\ntell\n```\n`nobody` goes")).toEqual(["stands", "goes"]);
});

it("names the types that a file declares and exports, not those that it passes on or keeps", () => {
  expect(
    exportedTypeNames('export type A = 1;\nexport interface B {}\nexport type { C } from "c";\ntype D = 1;'),
  ).toEqual(["A", "B"]);
});
