import type { MessageInitShape } from "@bufbuild/protobuf";
import { AppError } from "@sonde/kit/errors";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { ListTokensResponseSchema } from "@sonde/proto/gen/agents/v1/agents";
import type { Context } from "../context.ts";
import { deleteTokensOf, type OpenTokenRow, openTokens } from "./store.ts";

/** Nobody reads more of them at once; the newest come first. */
const mostTokens = 200;

/** Tokens that may still be used, newest first, without their text. Those whose creator is gone are deleted here. */
export async function listTokens({
  db,
  clock,
  creators,
}: Pick<Context, "db" | "clock" | "creators">): Promise<MessageInitShape<typeof ListTokensResponseSchema>> {
  const read = () => orUnavailable(() => openTokens(db, clock.now(), mostTokens));
  const { rows, total } = await read();
  const gone = await creators.gone(rows.flatMap(({ created_by }) => created_by ?? [])).catch(unlessAway);
  if (gone.size === 0) return { tokens: rows.map(present), total };
  await orUnavailable(() => deleteTokensOf(db, [...gone]));
  // Read anew: what was deleted may have had its end meanwhile, or stood beyond the newest.
  const left = await read();
  return { tokens: left.rows.map(present), total: left.total };
}

/** While nobody knows of users the list is shown as it is: no dead token can be used meanwhile. */
function unlessAway(error: unknown): Set<number> {
  if (error instanceof AppError && error.code === "unavailable") return new Set();
  throw error;
}

const present = (row: OpenTokenRow) => ({
  id: row.id,
  createdAtMs: row.created_at_ms,
  expiresAtMs: row.expires_at_ms,
  name: row.name ?? undefined,
  agentId: row.agent_id ?? undefined,
  agentName: row.agent_name ?? undefined,
  createdBy: row.created_by_name ?? undefined,
});
