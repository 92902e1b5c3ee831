import { AppError } from "@sonde/kit/errors";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { OpenToken } from "@sonde/proto/http/agents/agents";
import type { Context } from "../context.ts";
import { deleteTokensOf, type OpenTokenRow, openTokens } from "./store.ts";

/** The newest ones are listed up to this number. */
const mostTokens = 200;

/**
 * Tokens that may still be used, newest first, without their text. Those whose creator was deleted are deleted here.
 */
export async function listTokens({
  db,
  clock,
  creators,
}: Pick<Context, "db" | "clock" | "creators">): Promise<{ tokens: OpenToken[]; total: number }> {
  const read = () => orUnavailable(() => openTokens(db, clock.now(), mostTokens));
  const { rows, total } = await read();
  const gone = await creators.gone(rows.flatMap(({ created_by }) => created_by ?? [])).catch(unlessAway);
  if (gone.size === 0) return { tokens: rows.map(present), total };
  await orUnavailable(() => deleteTokensOf(db, [...gone]));
  // Read again: deleted ones may have ended meanwhile, or were beyond the newest.
  const left = await read();
  return { tokens: left.rows.map(present), total: left.total };
}

/** While users are not known the list is shown unfiltered: an invalid token cannot be used meanwhile. */
function unlessAway(error: unknown): Set<number> {
  if (error instanceof AppError && error.code === "unavailable") return new Set();
  throw error;
}

const present = (row: OpenTokenRow): OpenToken => ({
  id: row.id,
  ...(row.name === null ? {} : { name: row.name }),
  ...(row.agent_id === null ? {} : { agent: { id: row.agent_id, name: row.agent_name ?? "" } }),
  ...(row.created_by_name === null ? {} : { createdBy: row.created_by_name }),
  createdAt: new Date(row.created_at_ms).toISOString(),
  expiresAt: new Date(row.expires_at_ms).toISOString(),
});
