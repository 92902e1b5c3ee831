import { unzipLines, zipLines } from "@sonde/kit/managed/lines";
import type { ApplyPart, ConfigLine, ConfigOutcome } from "@sonde/proto/rpc/apply";

/** A service that makes all of its part, but what it has already. Settings and the page are always there. */
export async function applyNew(
  { lines }: ApplyPart,
  idOf: (line: ConfigLine) => number | undefined = () => undefined,
): Promise<{ lines: string; writes: number }> {
  const entries = (await unzipLines(lines)).map((text) => JSON.parse(text) as ConfigLine);
  const outcomes = entries.map((line): ConfigOutcome => {
    const { kind, key } = line;
    const id = idOf(line);
    if (id !== undefined) return { kind, key, id, outcome: "same" };
    const isThere = kind === "settings" || kind === "notify" || kind === "page";
    return isThere ? { kind, key, outcome: "update", changes: [{ path: "x", from: 1, to: 2 }] } : { kind, key, outcome: "create" };
  });
  return { lines: await zipLines(outcomes), writes: outcomes.filter(({ outcome }) => outcome !== "same").length };
}
