import { runCommand } from "./cli.ts";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
// The reader of the output may exit, as in `sonde-agent doctor | head`; reporting continues.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
void runCommand({
  args: process.argv.slice(2),
  env: process.env,
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  // A getter, so that only the command that reads it opens it: standard input may be anything.
  get stdin() {
    return process.stdin;
  },
  signal: stop.signal,
}).then((code) => {
  process.exitCode = code;
});
