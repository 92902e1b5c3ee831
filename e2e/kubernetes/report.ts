export interface Row {
  what: string;
  goal: string;
  result: string;
  /** Summary of the losses: "nothing" without any, "–" if not applicable. */
  lost: string;
  /** `null` for a figure without a goal. */
  held: boolean | null;
}

export interface Reported extends Row {
  scenario: string;
}

export function lossless(what: string, goal: string, result: string, losses: readonly string[]): Row {
  return { what, goal, result, lost: inShort(losses), held: losses.length === 0 };
}

export const figure = (what: string, result: string): Row => ({ what, goal: "–", result, lost: "–", held: null });

function inShort(losses: readonly string[]): string {
  if (losses.length === 0) return "nothing";
  return losses.length === 1 ? losses[0]! : `${losses.length}, first: ${losses[0]}`;
}

export function table(rows: readonly Reported[]): string {
  const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ");
  const lines = rows.map(({ scenario, what, goal, result, lost, held }) => {
    const word = held === null ? "–" : held ? "yes" : "no";
    return `| ${[scenario, what, goal, result, lost, word].map(cell).join(" | ")} |`;
  });
  return [
    "| scenario | what | goal | result | lost | passed |",
    "| --- | --- | --- | --- | --- | --- |",
    ...lines,
  ].join("\n");
}
