import { readFileSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readHost } from "../collectors/host.ts";
import { rootsBelow } from "../collectors/roots.ts";
import {
  type AgentConfig,
  defaultIntervalSeconds,
  loadConfig,
  readAgentEnvironment,
  saveConfig,
  sensibleLimits,
} from "../config.ts";
import { type AgentCommand, type CommandContext, Exit, agentExitCodes, userAgent, agentVersion } from "../program.ts";
import { type AgentResponse, httpClient, parseServer } from "../http-client.ts";
import { makePrivateFolder } from "../files.ts";

const maxTokenBytes = 1000;

const options = {
  server: { type: "string" },
  interval: { type: "string" },
  name: { type: "string" },
  "ca-file": { type: "string" },
  "token-file": { type: "string" },
  "allow-http": { type: "boolean", default: false },
} as const;

/** Reads the first line of standard input, or a file. */
async function readToken(ctx: CommandContext, tokenFile: string | undefined): Promise<string> {
  if (tokenFile !== undefined) return readFileSync(tokenFile, "utf8").trim();
  if (ctx.stdin.isTTY) ctx.err("Paste the registration token and press Enter:");
  let text = "";
  for await (const chunk of ctx.stdin) {
    text += Buffer.from(chunk).toString("utf8");
    chunk.fill(0);
    if (text.trimStart().includes("\n") || text.length > maxTokenBytes) break; // Also closes the stream.
  }
  // PowerShell pipes start with a byte order mark.
  return (
    text
      .replace(/^\uFEFF/, "")
      .trim()
      .split(/\s/)[0] ?? ""
  );
}

function parseInterval(text: string | undefined, fallback: number | undefined): number {
  const seconds = text === undefined ? (fallback ?? defaultIntervalSeconds) : Number(text);
  if (seconds >= 1 && seconds <= 3600) return seconds;
  throw new Exit(agentExitCodes.usage, "--interval must be a number of seconds from 1 to 3600");
}

/** @throws Exit with the server's message */
function readResponse(answer: AgentResponse): { agentId: number; key: string; limits: unknown } {
  let body: Record<string, unknown> = {};
  try {
    body = JSON.parse(answer.body) as Record<string, unknown>;
  } catch {
    // Not a Sonde server; reported below.
  }
  const message = typeof body.message === "string" ? body.message : "this does not look like a Sonde server";
  if (answer.status === 401) throw new Exit(agentExitCodes.refused, `The server rejected the token: ${message}`);
  const { agentId, key, limits } = body;
  if (answer.status !== 201 || typeof agentId !== "number" || typeof key !== "string") {
    const faults = Array.isArray(body.details) ? `\n${JSON.stringify(body.details)}` : "";
    throw new Exit(agentExitCodes.failure, `The server responded with ${answer.status}: ${message}${faults}`);
  }
  return { agentId, key, limits };
}

function previousAgent(directory: string): number | undefined {
  try {
    return loadConfig(directory).agentId;
  } catch {
    return undefined;
  }
}

export const register: AgentCommand = async (ctx) => {
  const { values } = parseArgs({ args: ctx.args, options, strict: true });
  const settings = readAgentEnvironment(ctx.env);
  if (values.server === undefined)
    throw new Exit(agentExitCodes.usage, "--server is missing: pass the address of your Sonde server");
  const server = parseServer(values.server, values["allow-http"]);
  const intervalSeconds = parseInterval(values.interval, settings.intervalSeconds);
  const ca = values["ca-file"] === undefined ? undefined : readFileSync(values["ca-file"], "utf8");
  const token = await readToken(ctx, values["token-file"]);
  if (token === "" || token.length > maxTokenBytes) {
    throw new Exit(agentExitCodes.usage, "Pass the registration token on standard input");
  }
  // Before the token is used: an unwritable folder would lose the key.
  makePrivateFolder(settings.directory);
  const host = readHost(rootsBelow(settings.hostRoot));
  const client = httpClient(server, { ca, authorities: settings.authorities, userAgent });
  let answer: AgentResponse;
  try {
    const body = Buffer.from(
      JSON.stringify({ token, name: values.name, ...host, version: agentVersion, interval: intervalSeconds }),
    );
    const headers = { "content-type": "application/json" };
    answer = await client.send({ method: "POST", path: "/agent/v1/register", headers, body });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const hint = /certificate/.test(reason) ? ". Use --ca-file or CA_FILE to trust your own CA" : "";
    throw new Exit(agentExitCodes.failure, `${server} cannot be reached: ${reason}${hint}`);
  } finally {
    client.close();
  }
  const { agentId, key, limits } = readResponse(answer);
  // Unsent samples belong to another agent.
  if (previousAgent(settings.directory) !== agentId)
    rmSync(join(settings.directory, "spool"), { recursive: true, force: true });
  const allowHttp = values["allow-http"];
  const config: AgentConfig = { server, agentId, key, intervalSeconds, allowHttp, ca, limits: sensibleLimits(limits) };
  saveConfig(settings.directory, config);
  if (values["token-file"] !== undefined) unlinkSync(values["token-file"]);
  ctx.out(`Registered as agent ${agentId} of ${server}. Start it with: sonde-agent run`);
  return agentExitCodes.success;
};
