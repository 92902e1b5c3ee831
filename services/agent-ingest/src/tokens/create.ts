import { orUnavailable } from "@sonde/kit/postgres/database";
import type { Actor } from "@sonde/kit/bus/rpc";
import type { CreateTokenRequest } from "@sonde/proto/gen/agents/v1/agents";
import { findAgent } from "../agents/store.ts";
import type { Context } from "../context.ts";
import { newSecret, secretHash } from "../keys/secret.ts";
import { insertToken } from "./store.ts";

const hourMs = 3_600_000;
const defaultHours = 24;

/** Makes a token that registers one agent once, while its creator may make some. It is told now and never again. @throws AppError not_found */
export async function createToken(
  { db, clock }: Pick<Context, "db" | "clock">,
  { name, expiresInHours, agentId }: CreateTokenRequest,
  creator?: Pick<Actor, "id" | "username">,
): Promise<{ token: string; expiresAtMs: number }> {
  const token = newSecret();
  const nowMs = clock.now();
  const expiresAtMs = Math.round(nowMs + (expiresInHours > 0 ? expiresInHours : defaultHours) * hourMs);
  await orUnavailable(async () => {
    if (agentId !== undefined) await findAgent(db, agentId);
    await insertToken(db, {
      hash: secretHash(token),
      name: name ?? null,
      agent_id: agentId ?? null,
      created_by: creator?.id ?? null,
      created_by_name: creator?.username ?? null,
      created_at_ms: nowMs,
      expires_at_ms: expiresAtMs,
    });
  });
  return { token, expiresAtMs };
}
