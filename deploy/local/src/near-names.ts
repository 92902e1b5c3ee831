/** What only Sonde's variables begin with, mostly. Not AGENT_, AUTH_ or GATEWAY_: machines of a CI set many such. */
const prefixes = ["PROBE_", "MONITOR_", "RETENTION_", "SONDE_"];
/** Read by the agent, which may run on this machine with the same environment. */
const agents = "SONDE_AGENT_";

/**
 * A sentence for each name of the environment that is unknown but near a known one: mistyped by one or two letters, or
 * with a prefix of ours.
 */
export function doubtfulNames(found: readonly string[], known: readonly string[]): string[] {
  const isKnown = new Set(known);
  return found
    .filter((name) => !isKnown.has(name) && !name.startsWith(agents))
    .flatMap((name) => {
      const nearest = known
        .filter((other) => Math.abs(other.length - name.length) <= 2)
        .map((other) => ({ other, edits: edits(name, other) }))
        .sort((one, another) => one.edits - another.edits)[0];
      if (nearest && nearest.edits <= allowedEdits(nearest.other)) {
        return `${name} is no variable of Sonde's and has no effect. Did you mean ${nearest.other}?`;
      }
      const ours = prefixes.some((prefix) => name.startsWith(prefix));
      return ours ? `${name} is no variable of Sonde's and has no effect.` : [];
    });
}

/** Short names have innocent neighbours: HOME and HOST, PWD and PORT. */
const allowedEdits = (name: string) => (name.length < 6 ? 1 : 2);

/**
 * How many letters must be added, dropped, replaced or swapped with their neighbour to make one text of the other:
 * optimal string alignment (Damerau 1964, restricted).
 */
export function edits(one: string, another: string): number {
  const rows: number[][] = [Array.from({ length: another.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row++) {
    const line = [row];
    for (let column = 1; column <= another.length; column++) {
      const same = one[row - 1] === another[column - 1];
      const swapped = one[row - 1] === another[column - 2] && one[row - 2] === another[column - 1];
      line[column] = Math.min(
        at(rows, row - 1, column) + 1,
        (line[column - 1] ?? 0) + 1,
        at(rows, row - 1, column - 1) + (same ? 0 : 1),
        swapped && row > 1 && column > 1 ? at(rows, row - 2, column - 2) + 1 : Infinity,
      );
    }
    rows.push(line);
  }
  return at(rows, one.length, another.length);
}

const at = (rows: number[][], row: number, column: number) => rows[row]?.[column] ?? Infinity;
