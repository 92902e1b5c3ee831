import type { OpenToken as TokenMessage } from "@sonde/proto/gen/agents/v1/agents";
import type { OpenToken } from "@sonde/proto/http/agents";
import { instantOf } from "./instant.ts";

/** An open registration token as people see it. */
export function presentToken(token: TokenMessage): OpenToken {
  const { id, name, agentId, agentName, createdBy, createdAtMs, expiresAtMs } = token;
  return {
    id,
    name,
    agent: agentId === undefined ? undefined : { id: agentId, name: agentName ?? "" },
    createdBy,
    createdAt: instantOf(createdAtMs),
    expiresAt: instantOf(expiresAtMs),
  };
}
