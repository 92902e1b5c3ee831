import type { AgentBuild } from "@sonde/proto/http/agents/downloads";

export type FaultReason = Extract<AgentBuild, { status: "failed" }>["reason"];

/** Why a build failed, as far as a person can do something about it. */
export class BuildFault extends Error {
  override readonly name = "BuildFault";
  readonly reason: FaultReason;
  /** The program that is missing. */
  readonly tool: string | undefined;

  constructor(reason: FaultReason, message: string, options: { tool?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.reason = reason;
    this.tool = options.tool;
  }
}

/** Any thrown value as a BuildFault. */
export function toBuildFault(thrown: unknown): BuildFault {
  if (thrown instanceof BuildFault) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (/ENOSPC|No space left/.test(message))
    return new BuildFault("disk", "No space is left on the disk", { cause: thrown });
  return new BuildFault("fault", message, { cause: thrown });
}
