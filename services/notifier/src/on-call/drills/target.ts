import type { DecisionContext } from "../../alerts/deciding.ts";
import { readRecipient } from "../recipients.ts";

/** Returns the name of what a drill notifies; `undefined` if it does not exist. Users count as known without auth. */
export async function targetName(
  { db, people }: Pick<DecisionContext, "db" | "people">,
  target: string,
): Promise<string | undefined> {
  const { kind, id } = readRecipient(target);
  if (kind === "user") {
    const person = (await people([id])).get(id);
    return person === undefined ? `#${id}` : (person?.name ?? undefined);
  }
  const rows = kind === "policy" ? db("policies") : db("channels").where({ userId: null });
  return (await rows.whereRaw("id = ?", [id]).first<{ name: string } | undefined>("name"))?.name;
}

/** Returns the users that drills notify. */
export const personsIn = (drills: readonly { target: string }[]): number[] =>
  drills.map(({ target }) => readRecipient(target)).flatMap(({ kind, id }) => (kind === "user" ? [id] : []));
