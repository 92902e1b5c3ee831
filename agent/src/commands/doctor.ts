import { parseArgs } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Collected } from "../collectors/collector.ts";
import { type AgentConfig, loadConfig, readAgentEnvironment } from "../config.ts";
import { type AgentCommand, type CommandContext, Exit, agentExitCodes, userAgent, agentVersion } from "../program.ts";
import { httpClient } from "../http-client.ts";
import { collectorFor } from "../collectors/linux.ts";

const gibibyte = 1024 ** 3;
const maxSkewMs = 30_000;

const percent = (value: number | null | undefined) => (value == null ? "not available yet" : `${value.toFixed(1)}%`);
const rate = (value: number | null | undefined) => (value == null ? "no rate" : `${(value / 1000).toFixed(1)} kB/s`);

function printFigures(out: CommandContext["out"], found: Collected): void {
  out(`Measurements of this ${found.scope}:`);
  out(
    `  CPU           ${percent(found.cpu?.usage)} of ${found.cpu?.cores ?? "?"} cores, ${found.cpu?.model ?? "model unknown"}`,
  );
  const { memory, load } = found;
  out(
    memory
      ? `  Memory        ${percent(memory.usage)} of ${(memory.total / gibibyte).toFixed(1)} GiB`
      : "  Memory        unknown",
  );
  for (const disk of found.disks) {
    out(
      `  Disk          ${disk.mountPoint} ${percent(disk.usage)} of ${(disk.total / gibibyte).toFixed(1)} GiB (${disk.fsType})`,
    );
  }
  for (const entry of found.network) {
    out(`  Network       ${entry.interface} in ${rate(entry.receiveRate)}, out ${rate(entry.sendRate)}`);
  }
  if (load) out(`  Load          ${load.one} ${load.five} ${load.fifteen}`);
  if (found.temperatures.length > 0) out(`  Temperatures  ${found.temperatures.length} sensors`);
  for (const gpu of found.gpus) out(`  GPU           ${gpu.name} ${percent(gpu.usage)}`);
  if (found.containers !== undefined) out(`  Containers    ${found.containers}`);
}

/** @returns problems */
async function checkServer(
  out: CommandContext["out"],
  config: AgentConfig,
  authorities: string | undefined,
): Promise<string[]> {
  const client = httpClient(config.server, { ca: config.ca, authorities, userAgent, describesTls: true });
  try {
    const startMs = Date.now();
    const answer = await client.send({ method: "GET", path: "/api/config" });
    const endMs = Date.now();
    out(`Server ${config.server}: responded with ${answer.status} in ${endMs - startMs} ms`);
    if (answer.tls)
      out(`  ${answer.tls.protocol}, certificate by ${answer.tls.issuer}, valid to ${answer.tls.validTo}`);
    else out("  Plain HTTP: reports are not encrypted");
    const skewMs = (startMs + endMs) / 2 - Date.parse(answer.headers.date ?? "");
    if (Number.isNaN(skewMs)) return answer.status < 500 ? [] : [`the server responded with ${answer.status}`];
    // The header is in whole seconds.
    out(
      `  Clock: ${Math.abs(skewMs) < 1500 ? "in sync with the server" : `${(skewMs / 1000).toFixed(0)} s ahead of the server's`}`,
    );
    const faults =
      Math.abs(skewMs) > maxSkewMs
        ? ["this machine's clock is wrong: samples are corrected, but you should fix it"]
        : [];
    return answer.status < 500 ? faults : [...faults, `the server responded with ${answer.status}`];
  } catch (error) {
    return [`${config.server} cannot be reached: ${error instanceof Error ? error.message : String(error)}`];
  } finally {
    client.close();
  }
}

function checkFiles(directory: string): string[] {
  if (process.platform === "win32") return [];
  const open = [directory, join(directory, "config.json")].filter((path) => (statSync(path).mode & 0o077) !== 0);
  return open.map((path) => `${path} is readable by other users, but contains the agent's key`);
}

/** Exit code 1 if there is a problem. */
export const doctor: AgentCommand = async (ctx) => {
  parseArgs({ args: ctx.args, options: {}, strict: true });
  const settings = readAgentEnvironment(ctx.env);
  const collector = collectorFor(settings);
  await collector.collect();
  await sleep(1000);
  const found = await collector.collect();
  const host = await collector.host();
  ctx.out(
    `sonde-agent ${agentVersion} on ${host.hostname} (${host.os}), ${host.ipAddresses.join(", ") || "no address"}`,
  );
  printFigures(ctx.out, found);
  const skipped = collector.skipped();
  if (skipped.length > 0) ctx.out("Skipped:");
  // A path repeats if one file system is mounted over another.
  for (const line of new Set(skipped.map(({ what, reason }) => `  ${what}: ${reason}`))) ctx.out(line);
  const faults: string[] = [];
  try {
    const config = loadConfig(settings.directory);
    faults.push(...checkFiles(settings.directory), ...(await checkServer(ctx.out, config, settings.authorities)));
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    faults.push(error.message);
  }
  for (const fault of faults) ctx.out(`Problem: ${fault}`);
  return faults.length === 0 ? agentExitCodes.success : agentExitCodes.failure;
};
