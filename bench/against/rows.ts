/** A row of a benchmark's table. */
export interface Row {
  /** Its number in the goals, or a dash. */
  number: string;
  what: string;
  goal: string;
  measured: string;
}

/** Columns that say nothing about a figure itself. */
const judged = ["held", "lost"];
const cellsOf = (line: string) =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

/**
 * The rows of all Markdown tables in what a benchmark printed. The column `what`, else the first, names a row; `measured` or
 * `result` is its figure, else all columns that are no goal and no verdict.
 */
export function rowsOf(printed: string): Row[] {
  const lines = printed.split("\n").map((line) => line.trim());
  const rows: Row[] = [];
  let heads: string[] = [];
  lines.forEach((line, index) => {
    if (!/^\|.*\|$/.test(line)) return;
    if (lines[index + 1]?.startsWith("| ---")) heads = cellsOf(line);
    else if (!line.startsWith("| ---")) rows.push(rowOf(heads, cellsOf(line)));
  });
  return rows;
}

function rowOf(heads: readonly string[], cells: readonly string[]): Row {
  const at = (...names: string[]) => heads.findIndex((head) => names.includes(head));
  const cell = (index: number) => cells[index] ?? "–";
  const [number, goal, figure] = [at("#", "scenario"), at("goal"), at("measured", "result")];
  const what = Math.max(0, at("what"));
  const others = heads.flatMap((head, index) =>
    [number, what, goal].includes(index) || judged.includes(head) ? [] : [`${head}: ${cell(index)}`],
  );
  return {
    number: cell(number),
    what: cell(what),
    goal: cell(goal),
    measured: figure < 0 ? others.join("; ") : cell(figure),
  };
}

/** What a row is known by in every run: its words without their figures, since some name what was measured beside it. */
const keyOf = ({ number, what }: Row) => `${number} ${what.replaceAll(/\d[\d,.]*/g, "#")}`;

/** The rows of several runs side by side: of each row, in this tree's order, the figure of every run that has it. */
export function sideBySide(theirs: readonly Row[][], ours: readonly Row[][]): (Row & { before: string })[] {
  const figures = (runs: readonly Row[][]) => {
    const found = new Map<string, { row: Row; measured: string[] }>();
    for (const run of runs) {
      const seen = new Map<string, number>();
      for (const row of run) {
        const times = (seen.get(keyOf(row)) ?? 0) + 1;
        seen.set(keyOf(row), times);
        const key = `${keyOf(row)} ${times}`;
        const known = found.get(key);
        if (known === undefined) found.set(key, { row, measured: [row.measured] });
        else known.measured.push(row.measured);
      }
    }
    return found;
  };
  const [before, now] = [figures(theirs), figures(ours)];
  const shown = (measured: string[] | undefined) => measured?.join(" · ") ?? "–";
  return [...new Set([...now.keys(), ...before.keys()])].map((key) => ({
    ...(now.get(key) ?? before.get(key))!.row,
    before: shown(before.get(key)?.measured),
    measured: shown(now.get(key)?.measured),
  }));
}
