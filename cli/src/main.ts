import { runProgram } from "./program.ts";

/** Waits until it is written: what is piped may be longer than a pipe takes at once. */
const writer = (stream: NodeJS.WriteStream) => (text: string) => void stream.write(`${text}\n`);
// A reader that ends early, as `head` does, is no fault.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

process.exitCode = await runProgram(process.argv.slice(2), {
  env: process.env,
  out: writer(process.stdout),
  err: writer(process.stderr),
  stdin: process.stdin,
});
