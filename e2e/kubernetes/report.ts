/** One row of the table: what was promised, what came of it, and what was lost. */
export interface Row {
  what: string;
  goal: string;
  result: string;
  /** In words; "nothing" where nothing was, "–" where nothing could be. */
  lost: string;
  /** null: a figure without a goal. */
  held: boolean | null;
}

export interface Reported extends Row {
  scenario: string;
}

/** A row that holds where nothing was lost; otherwise it counts what was. */
export function lossless(what: string, goal: string, result: string, losses: readonly string[]): Row {
  return { what, goal, result, lost: inShort(losses), held: losses.length === 0 };
}

/** A figure that has no goal of its own. */
export const figure = (what: string, result: string): Row => ({ what, goal: "–", result, lost: "–", held: null });

function inShort(losses: readonly string[]): string {
  if (losses.length === 0) return "nothing";
  return losses.length === 1 ? losses[0]! : `${losses.length}, first: ${losses[0]}`;
}

/** Markdown of some rows; a cell holds one line. */
export function table(rows: readonly Reported[]): string {
  const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ");
  const lines = rows.map(({ scenario, what, goal, result, lost, held }) => {
    const word = held === null ? "–" : held ? "yes" : "no";
    return `| ${[scenario, what, goal, result, lost, word].map(cell).join(" | ")} |`;
  });
  return ["| scenario | what | goal | result | lost | held |", "| --- | --- | --- | --- | --- | --- |", ...lines].join(
    "\n",
  );
}
