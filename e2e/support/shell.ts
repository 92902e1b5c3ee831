import { type ChildProcess, spawn } from "node:child_process";

/** What a shell was given to do: what it said so far, and how it ends. */
export type Session = {
  output(): string;
  /** The exit code of the last command; null where a signal ended it. */
  ended: Promise<number | null>;
  process: ChildProcess;
};

/** Starts a program that gets `text` as if it were pasted into it, in an environment that holds nothing else. */
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
  // A shell that ended before it read everything has said why.
  child.stdin.on("error", () => {});
  child.stdin.end(text);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { output: () => output, ended, process: child };
}
