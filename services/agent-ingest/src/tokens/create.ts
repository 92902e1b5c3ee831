import { orUnavailable } from "@sonde/kit/postgres/database";
import type { Actor } from "@sonde/kit/bus/rpc";
import type { createTokenInput } from "@sonde/proto/http/agents/agents";
import type { z } from "zod";
import { findAgent } from "../agents/store.ts";
import type { Context } from "../context.ts";
import { newSecret, secretHash } from "../keys/secret.ts";
import { insertToken } from "./store.ts";

const hourMs = 3_600_000;

/**
 * Makes a token that registers one agent once, while its creator is permitted to. It is returned only this once.
 * @throws AppError not_found
 */
export async function createToken(
  { db, clock }: Pick<Context, "db" | "clock">,
  { name, expiresInHours, agentId }: z.infer<typeof createTokenInput>,
  creator?: Pick<Actor, "id" | "username">,
): Promise<{ token: string; expiresAt: string }> {
  const token = newSecret();
  const nowMs = clock.now();
  const expiresAtMs = Math.round(nowMs + expiresInHours * hourMs);
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
  return { token, expiresAt: new Date(expiresAtMs).toISOString() };
}
