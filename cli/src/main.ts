import { runProgram } from "./program.ts";

/** Large output to a pipe is not lost, because the process exits only after it is written. */
const writer = (stream: NodeJS.WriteStream) => (text: string) => void stream.write(`${text}\n`);
// A reader that exits early, like `head`, is not an error.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

process.exitCode = await runProgram(process.argv.slice(2), {
  env: process.env,
  out: writer(process.stdout),
  err: writer(process.stderr),
  stdin: process.stdin,
});
