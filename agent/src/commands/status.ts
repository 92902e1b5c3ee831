import { parseArgs } from "node:util";
import { loadConfig, readAgentEnvironment } from "../config.ts";
import { type AgentCommand, agentExitCodes } from "../program.ts";
import { readStatus, runningAgent } from "../files.ts";

const ago = (instant: string, nowMs: number) =>
  `${Math.max(0, Math.round((nowMs - Date.parse(instant)) / 1000))} s ago`;

/** Exit code 1 if the agent does not run or its reports fail. */
export const status: AgentCommand = async (ctx) => {
  const { values } = parseArgs({
    args: ctx.args,
    options: { json: { type: "boolean", default: false } },
    strict: true,
  });
  const { directory } = readAgentEnvironment(ctx.env);
  const { server, agentId } = loadConfig(directory);
  const running = runningAgent(directory) !== undefined;
  const last = readStatus(directory);
  const healthy = running && last !== undefined && last.lastError === undefined;
  if (values.json) {
    ctx.out(JSON.stringify({ server, agentId, running, ...last }));
    return healthy ? agentExitCodes.success : agentExitCodes.failure;
  }
  const now = Date.now();
  ctx.out(`Agent ${agentId} of ${server}: ${running ? `running (process ${last?.pid ?? "unknown"})` : "not running"}`);
  ctx.out(`Last report: ${last?.lastReportAt === undefined ? "none yet" : ago(last.lastReportAt, now)}`);
  if (last !== undefined) {
    ctx.out(`Queued samples: ${last.queued}${last.lost > 0 ? `, lost since start: ${last.lost}` : ""}`);
    ctx.out(`Interval: ${last.intervalSeconds} s; memory: ${(last.rssBytes / 1024 / 1024).toFixed(0)} MiB`);
    if (last.clockSkewMs !== undefined)
      ctx.out(`Clock: ${(last.clockSkewMs / 1000).toFixed(1)} s ahead of the server's`);
    if (last.lastError !== undefined) ctx.out(`Last error: ${last.lastError}`);
  }
  return healthy ? agentExitCodes.success : agentExitCodes.failure;
};
