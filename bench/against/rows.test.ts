import { describe, expect, test } from "vitest";
import { rowsOf, sideBySide } from "./rows.ts";

const printed = (figure: string, bare: string) => `2 cores, load before the run 0.50

| # | what | goal | measured | held |
| --- | --- | --- | --- | --- |
| P1 | CPU of a check | ≤ 0.20 ms | ${figure} | no |
| P1 | the same against a bare request of the same run, ${bare} ms | ≤ 2.5 × | 1.80 × | yes |
`;

describe("the rows of what a benchmark printed", () => {
  test("are those of its table", () => {
    expect(rowsOf(printed("0.35 ms", "0.19"))[0]).toEqual({
      number: "P1",
      what: "CPU of a check",
      goal: "≤ 0.20 ms",
      measured: "0.35 ms",
    });
  });

  test("have all figures of a table with columns of its own, without its verdict", () => {
    const text =
      "| attack | its answers | slowest | held |\n| --- | --- | --- | --- |\n| streams | 20 × 200 | 228 ms | yes |";
    expect(rowsOf(text)).toEqual([
      { number: "–", what: "streams", goal: "–", measured: "its answers: 20 × 200; slowest: 228 ms" },
    ]);
  });
});

describe("two versions side by side", () => {
  test("have a row for each figure, with one cell of all turns of each version", () => {
    const theirs = [rowsOf(printed("0.35 ms", "0.19")), rowsOf(printed("0.36 ms", "0.2"))];
    const ours = [rowsOf(printed("0.28 ms", "0.18")), rowsOf(printed("0.29 ms", "0.21"))];
    const rows = sideBySide(theirs, ours);
    expect(rows.map(({ before, measured }) => [before, measured])).toEqual([
      ["0.35 ms · 0.36 ms", "0.28 ms · 0.29 ms"],
      ["1.80 × · 1.80 ×", "1.80 × · 1.80 ×"],
    ]);
  });

  test("keep apart what bears the same words, and show what only one of them has", () => {
    const row = (what: string, measured: string) => ({ number: "–", what, goal: "–", measured });
    const rows = sideBySide(
      [[row("max of 10", "1"), row("max of 20", "2"), row("gone", "3")]],
      [[row("max of 10", "4"), row("max of 20", "5"), row("new", "6")]],
    );
    expect(rows.map(({ what, before, measured }) => [what, before, measured])).toEqual([
      ["max of 10", "1", "4"],
      ["max of 20", "2", "5"],
      ["new", "–", "6"],
      ["gone", "3", "–"],
    ]);
  });
});
