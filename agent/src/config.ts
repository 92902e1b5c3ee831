import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { sampleScopes } from "@sonde/proto/samples/fields";
import type { Scope } from "./collectors/collector.ts";
import { Exit, agentExitCodes } from "./program.ts";
import { writePrivateFile } from "./files.ts";

/** No setting is secret. */
export interface AgentEnvironment {
  directory: string;
  hostRoot: string;
  networkMounts: boolean;
  scope: Scope | undefined;
  /** Default: the registered interval. */
  intervalSeconds: number | undefined;
  spoolBytes: number;
  /** Additional authorities to trust, as PEM. */
  authorities: string | undefined;
}

/** Stored by the registration; `key` is secret. */
export interface AgentConfig {
  server: string;
  agentId: number;
  key: string;
  intervalSeconds: number;
  allowHttp: boolean;
  /** PEM of the authority that signed the server's certificate, if it is not public. */
  ca?: string;
  limits: { maxBatchSamples: number; maxBodyBytes: number; reportsPerMinute: number };
}

export const defaultIntervalSeconds = 10;
const mebibyte = 1024 * 1024;

function defaultDirectory(env: NodeJS.ProcessEnv, platform: string, isRoot: boolean): string {
  if (platform === "win32") return join(env.ProgramData ?? "C:\\ProgramData", "sonde-agent");
  if (platform === "darwin") return isRoot ? "/usr/local/var/sonde-agent" : join(homedir(), ".sonde-agent");
  if (isRoot) return "/var/lib/sonde-agent";
  return join(env.XDG_STATE_HOME ?? join(homedir(), ".local/state"), "sonde-agent");
}

/** @throws Exit that lists every error */
export function readAgentEnvironment(env: NodeJS.ProcessEnv, platform: string = process.platform): AgentEnvironment {
  const faults: string[] = [];
  const number = (name: string, min: number, max: number) => {
    const text = env[name];
    if (text === undefined || text === "") return undefined;
    const value = Number(text);
    if (!(value >= min && value <= max)) faults.push(`${name} must be a number from ${min} to ${max}`);
    return value;
  };
  const scope = sampleScopes.find((name) => name === env.SONDE_AGENT_SCOPE);
  if (env.SONDE_AGENT_SCOPE && scope === undefined) faults.push("SONDE_AGENT_SCOPE must be host or container");
  const hostRoot = (env.SONDE_AGENT_HOST_ROOT ?? "").replace(/\/+$/, "");
  const settings: AgentEnvironment = {
    directory: env.SONDE_AGENT_DIR || defaultDirectory(env, platform, process.getuid?.() === 0),
    hostRoot,
    networkMounts: ["1", "true", "yes"].includes(env.SONDE_AGENT_NETWORK_MOUNTS ?? ""),
    // Mounting the host's files implies its figures.
    scope: scope ?? (hostRoot === "" ? undefined : "host"),
    intervalSeconds: number("SONDE_AGENT_INTERVAL", 0.1, 3600),
    authorities: env.CA_FILE ? readAuthorities(env.CA_FILE, faults) : undefined,
    spoolBytes: (number("SONDE_AGENT_SPOOL_MIB", 1, 1024) ?? 16) * mebibyte,
  };
  if (faults.length > 0) throw new Exit(agentExitCodes.usage, faults.join("\n"));
  return settings;
}

function readAuthorities(path: string, faults: string[]): string | undefined {
  // Loaded on demand to save memory.
  const { X509Certificate } = process.getBuiltinModule("node:crypto");
  try {
    const text = readFileSync(path, "utf8");
    for (const [pem] of text.matchAll(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g)) {
      new X509Certificate(pem);
    }
    if (text.includes("-----BEGIN CERTIFICATE-----")) return text;
    faults.push(`CA_FILE: ${path} contains no PEM certificate`);
  } catch (error) {
    const isSystem = error instanceof Error && "syscall" in error && "code" in error;
    faults.push(
      `CA_FILE: ${path} ${isSystem ? `cannot be read (${String(error.code)})` : "contains a damaged certificate"}`,
    );
  }
  return undefined;
}

const configPath = (directory: string) => join(directory, "config.json");

/** Replaces missing or absurd limits of the server by safe ones. */
export function sensibleLimits(limits: unknown): AgentConfig["limits"] {
  const given = (typeof limits === "object" && limits !== null ? limits : {}) as Record<string, unknown>;
  const positive = (name: string, fallback: number) => {
    const value = given[name];
    return typeof value === "number" && value >= 1 ? value : fallback;
  };
  return {
    maxBatchSamples: Math.min(1000, Math.floor(positive("maxBatchSamples", 100))),
    maxBodyBytes: Math.min(mebibyte, positive("maxBodyBytes", mebibyte / 4)),
    reportsPerMinute: positive("reportsPerMinute", 60),
  };
}

/** @throws Exit if the agent is not registered, or the file cannot be read */
export function loadConfig(directory: string): AgentConfig {
  const path = configPath(directory);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    const hints: Record<string, string> = {
      ENOENT: "This agent is not registered: run `sonde-agent register` first",
      EACCES: "The agent's configuration belongs to another user: run this as root",
    };
    const hint = hints[reason] ?? reason;
    throw new Exit(agentExitCodes.notConfigured, `${hint} (${path})`);
  }
  try {
    const file = JSON.parse(text) as Partial<AgentConfig>;
    const { server, agentId, key, intervalSeconds, ca } = file;
    if (typeof server !== "string" || typeof agentId !== "number" || typeof key !== "string")
      throw new Error("a field is missing");
    const interval =
      typeof intervalSeconds === "number" && intervalSeconds >= 1 ? intervalSeconds : defaultIntervalSeconds;
    const allowHttp = file.allowHttp === true;
    return { server, agentId, key, intervalSeconds: interval, allowHttp, ca, limits: sensibleLimits(file.limits) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Exit(agentExitCodes.notConfigured, `${path} is damaged (${reason}): register again with a new token`);
  }
}

/** Readable only by its owner. A crash leaves either the old or the new file. */
export function saveConfig(directory: string, config: AgentConfig): void {
  writePrivateFile(directory, "config.json", `${JSON.stringify(config, undefined, 2)}\n`, { durable: true });
}
