import { type AgentCommand, type CommandContext, Exit, agentExitCodes, help, agentVersion } from "./program.ts";

/** Loaded on demand, so that `run` uses no memory for the others. */
const commands: Record<string, () => Promise<AgentCommand>> = {
  register: async () => (await import("./commands/register.ts")).register,
  run: async () => (await import("./commands/run.ts")).run,
  status: async () => (await import("./commands/status.ts")).status,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  uninstall: async () => (await import("./commands/uninstall.ts")).uninstall,
};

/** Resolves to the exit code; never rejects. */
export async function runCommand(ctx: CommandContext): Promise<number> {
  const [name, ...args] = ctx.args;
  if (name === undefined || name === "help" || ctx.args.includes("--help") || ctx.args.includes("-h")) {
    (name === undefined ? ctx.err : ctx.out)(help.trimEnd());
    return name === undefined ? agentExitCodes.usage : agentExitCodes.success;
  }
  if (name === "--version" || name === "version") {
    ctx.out(agentVersion);
    return agentExitCodes.success;
  }
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  try {
    if (load === undefined) throw new Exit(agentExitCodes.usage, `Unknown command "${name}"; see sonde-agent --help`);
    const command = await load();
    return await command(Object.create(ctx, { args: { value: args } }) as CommandContext);
  } catch (error) {
    const wrongArguments = error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
    ctx.err(error instanceof Error ? error.message : String(error));
    if (error instanceof Exit) return error.code;
    return wrongArguments ? agentExitCodes.usage : agentExitCodes.failure;
  }
}
