import { type ChildProcess, spawn } from "node:child_process";

export type Session = {
  output(): string;
  /** Exit code of the last command, `null` after a signal. */
  ended: Promise<number | null>;
  process: ChildProcess;
};

/** Starts a program with `text` on standard input and only the given environment. */
export function paste(
  command: readonly [string, ...string[]],
  text: string,
  options: { cwd?: string; env: Record<string, string> },
): Session {
  const [program, ...args] = command;
  let output = "";
  const child = spawn(program, args, { ...options, stdio: ["pipe", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (words: string) => (output += words));
  }
  // A shell that exits before it read everything prints the reason.
  child.stdin.on("error", () => {});
  child.stdin.end(text);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { output: () => output, ended, process: child };
}
