import type { Agent } from "@sonde/proto/http/agents/agents";
import type { KnownAgent } from "@sonde/proto/rpc/agents";

/** @param inMaintenance whether it is in maintenance now */
export const presentAgent = (
  { statusSince: _since, ...agent }: KnownAgent,
  inMaintenance: true | undefined,
): Agent => ({
  ...agent,
  inMaintenance,
});
