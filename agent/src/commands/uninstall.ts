import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readAgentEnvironment } from "../config.ts";
import { type AgentCommand, Exit, agentExitCodes } from "../program.ts";
import { runningAgent } from "../files.ts";

const leftovers: Partial<Record<string, string[]>> = {
  linux: [
    "systemctl disable sonde-agent",
    "rm -f /etc/systemd/system/sonde-agent.service /usr/local/bin/sonde-agent && systemctl daemon-reload",
    "userdel sonde-agent && rmdir /var/lib/sonde-agent",
  ],
  darwin: ["sudo rm -f /Library/LaunchDaemons/sonde.agent.plist /usr/local/bin/sonde-agent"],
  win32: ["Unregister-ScheduledTask -TaskName 'Sonde agent'", 'Remove-Item -Recurse "$env:ProgramFiles\\sonde-agent"'],
};
const stopping: Partial<Record<string, string>> = {
  linux: "systemctl disable --now sonde-agent",
  darwin: "sudo launchctl bootout system/sonde.agent",
  win32: "Stop-ScheduledTask -TaskName 'Sonde agent'",
};

/** Deletes the key, spool and status; prints how to remove the files that the administrator created. */
export const uninstall: AgentCommand = async (ctx) => {
  const { values } = parseArgs({ args: ctx.args, options: { yes: { type: "boolean", default: false } }, strict: true });
  const { directory } = readAgentEnvironment(ctx.env);
  if (!values.yes)
    throw new Exit(
      agentExitCodes.usage,
      `This deletes the agent's key and all queued samples in ${directory}. Repeat with --yes`,
    );
  const running = runningAgent(directory);
  if (running !== undefined) {
    const how = stopping[process.platform];
    throw new Exit(
      agentExitCodes.failure,
      `The agent is still running (process ${running}). Stop it first${how ? `: ${how}` : ""}`,
    );
  }
  // Only the agent's own files, because the folder may contain others.
  for (const name of ["config.json", "status.json", "lock", "spool"]) {
    rmSync(join(directory, name), { recursive: true, force: true });
  }
  ctx.out(
    `Deleted the agent's key and data in ${directory}${existsSync(directory) ? "; the empty folder remains" : ""}.`,
  );
  ctx.out("Also delete the agent in the web app to revoke its key. To remove the program:");
  for (const line of leftovers[process.platform] ?? []) ctx.out(`  ${line}`);
  return agentExitCodes.success;
};
