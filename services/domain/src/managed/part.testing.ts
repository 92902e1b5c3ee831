import type { ManagedKind } from "@sonde/proto/http/config/managed";
import type { ApplyPart, ConfigLine, ConfigOutcome } from "@sonde/proto/rpc/apply";
import { unzipLines, zipLines } from "./lines.ts";

/** Entries by `<kind> <key>`; `adopt` and `place` are not fields. */
export type TestEntries = Record<string, Record<string, unknown> & { adopt?: boolean; place?: string }>;
export type TestPart = Partial<Pick<ApplyPart, "source" | "generation"> & { ids: Partial<ApplyPart["ids"]> }>;

/** Only planned unless it has a generation. */
export const partOf = async (
  entries: TestEntries,
  { source = "git", generation = null, ids = {} }: TestPart = {},
): Promise<ApplyPart> => ({
  source,
  generation,
  ids: { monitors: {}, agents: {}, channels: {}, templates: {}, schedules: {}, policies: {}, users: {}, ...ids },
  lines: await zipLines(
    Object.entries(entries).map(([name, { adopt = false, place, ...fields }]): ConfigLine => {
      const [kind, key] = name.split(" ") as [ManagedKind, string];
      return { kind, key, adopt, place, fields };
    }),
  ),
});

/** `create` etc., the changes of an update, or the faults. */
export async function outcomesOf({ lines }: { lines: string }): Promise<Record<string, unknown>> {
  const outcomes = (await unzipLines(lines)).map((text) => JSON.parse(text) as ConfigOutcome);
  return Object.fromEntries(
    outcomes.map(({ kind, key, outcome, changes, faults }) => [
      `${kind} ${key}`,
      outcome === "update" ? changes : outcome === "fault" || outcome === "conflict" ? faults : outcome,
    ]),
  );
}
