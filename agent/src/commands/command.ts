/** What a command sees of the world, so that tests can give it another. */
export interface CommandContext {
  args: string[];
  env: NodeJS.ProcessEnv;
  out: (line: string) => void;
  err: (line: string) => void;
  stdin: AsyncIterable<Uint8Array> & { isTTY?: boolean };
  /** Aborts when the process is to stop. */
  signal: AbortSignal;
}

/** Runs to its end and returns the exit code, or throws Exit. */
export type AgentCommand = (ctx: CommandContext) => Promise<number>;
