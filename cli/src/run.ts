import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { fetchFailure } from "./api.ts";
import { failed, type Terminal } from "./terminal.ts";

/** Maximum output that a heartbeat stores. */
const keptBytes = 10_000;
const retryMs = 15 * 60_000;
const attemptMs = 10_000;
const maxPauseMs = 60_000;

/**
 * Runs a command unchanged, and sends its start, exit code and last output to a heartbeat. Returns the command's exit
 * code even if the heartbeat is unreachable.
 * @throws Ending for an invalid address
 */
export async function run(command: string[], { ping }: { ping: string }, { err }: Terminal): Promise<number> {
  if (!URL.canParse(ping) || !/^https?:/.test(ping)) throw failed("The heartbeat's address must start with https://");
  const runId = randomUUID();
  const send = (event: string, stopped: AbortSignal, body?: Uint8Array) => {
    const url = new URL(ping);
    url.pathname = `${url.pathname.replace(/\/+$/, "")}/${event}`;
    url.searchParams.set("rid", runId);
    return sendUntil(url, stopped, body);
  };
  // A start that was not accepted before the end is dropped: afterwards it would start a run that never ends.
  const ended = new AbortController();
  const start = send("start", ended.signal);
  const { code, tail } = await runCommand(command, err);
  ended.abort();
  await start;
  // Exit codes of Windows can be larger.
  const event = code >= 0 && code <= 255 ? String(code) : "fail";
  const fault = await send(event, AbortSignal.timeout(retryMs), tail);
  if (fault !== null) err(`sonde: this run was not reported to the heartbeat: ${fault}`);
  return code;
}

async function runCommand([program = "", ...args]: string[], err: Terminal["err"]) {
  let tail = Buffer.alloc(0);
  const child = spawn(program, args, { stdio: ["inherit", "pipe", "pipe"] });
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (chunk: Buffer) => {
      process[name].write(chunk);
      tail = Buffer.concat([tail, chunk]).subarray(-keptBytes);
    });
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  // A terminal sends Ctrl-C to the command directly; forwarding would send it twice.
  const isFromTerminal = (signal: NodeJS.Signals) => signal === "SIGINT" && process.stdin.isTTY;
  const forward = (signal: NodeJS.Signals) => void (isFromTerminal(signal) || child.kill(signal));
  for (const signal of signals) process.on(signal, forward);
  const code = await new Promise<number>((done) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      err(`sonde: ${program} cannot be run (${error.code === "ENOENT" ? "command not found" : error.code})`);
      done(error.code === "ENOENT" ? 127 : 126);
    });
    child.once("close", (exitCode, signal) => done(exitCode ?? 128 + (constants.signals[signal!] ?? 0)));
  });
  for (const signal of signals) process.off(signal, forward);
  return { code, tail: new Uint8Array(tail) };
}

/**
 * Retries until the event is accepted, rejected or `stopped`; a running attempt may finish. Returns the reason if it
 * was not accepted, otherwise `null`.
 */
async function sendUntil(url: URL, stopped: AbortSignal, body?: Uint8Array): Promise<string | null> {
  for (let pauseMs = 1000; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    let reason;
    let waitMs = pauseMs;
    try {
      const signal = AbortSignal.timeout(attemptMs);
      const response = await fetch(url, { method: "POST", signal, ...(body === undefined ? {} : { body }) });
      await response.body?.cancel();
      if (response.ok) return null;
      reason = `status ${response.status}`;
      if (response.status < 500 && response.status !== 429) return reason;
      waitMs = Math.max(waitMs, (Number(response.headers.get("Retry-After")) || 0) * 1000);
    } catch (error) {
      reason = `no response${fetchFailure(error)}`;
    }
    if (stopped.aborted) return reason;
    await sleep(waitMs, undefined, { signal: stopped }).catch(() => {});
    if (stopped.aborted) return reason;
  }
}
