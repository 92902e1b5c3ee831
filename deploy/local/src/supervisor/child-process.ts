import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { launchOf } from "@sonde/kit/service/launch";
import { restartWaits } from "./keep-running.ts";
import type { ProcessName } from "./processes.ts";
import { StartupError } from "@sonde/kit/service/startup-error";
import type { Registry } from "prom-client";
import { watchForHang } from "./hang-detection.ts";
import type { EachSecond } from "./seconds.ts";
import type { Terminal } from "../terminal.ts";

/** From a service process. `waiting`: ready except for the gateway, which waits for `open`. `alive`: sent every 2 s. */
export type ChildMessage = { ready: string } | { waiting: true } | { alive: true } | { metrics: MetricValues };
/** To a service process. `open`: every other process is ready, so the gateway may listen. `metrics`: requests metrics. */
export type ParentMessage = { open: true } | { metrics: true };
export type MetricValues = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

export type Child = {
  /** Resolves when the process is first ready (`core`: waiting); rejects if it cannot start. */
  ready: Promise<void>;
  /** Allows the gateway to listen, now and after each restart. Resolves when it listens. */
  open: () => Promise<void>;
  /** False until the process is ready, initially and after each restart. */
  isUp: () => boolean;
  metrics: () => Promise<MetricValues | undefined>;
  stop: () => Promise<void>;
  kill: () => void;
};

export type ChildOptions = {
  name: ProcessName;
  environment: NodeJS.ProcessEnv;
  terminal: Terminal;
  onStarted: (pid: number) => void;
  program?: string;
  eachSecond?: EachSecond;
};

const drainMs = 28_000;
/** Longer than a service needs for the metrics that it computes at each scrape. */
const metricsLimitMs = 4_000;

/**
 * Runs a service process. Restarts it with growing delays if it dies after it was ready, and kills it if it hangs. It has
 * its own process group, so Ctrl-C reaches only the supervisor. It exits when its channel to the supervisor closes.
 */
export function startChild({ name, environment, terminal, onStarted, program, eachSecond }: ChildOptions): Child {
  const nextWaitMs = restartWaits();
  const up = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  // A failure is reported through the promise that is awaited; the other one must not count as unhandled.
  up.promise.catch(() => {});
  opened.promise.catch(() => {});
  let child: ChildProcess;
  let isUp = false;
  let isUpNow = false;
  let mayOpen = false;
  let stopping = false;
  let restart: NodeJS.Timeout | undefined;
  let receiveMetrics = (_metrics: MetricValues) => {};

  const { nodeFlags, environment: ownVariables } = launchOf(name);
  const launch = () => {
    const launched = fork(program ?? join(import.meta.dirname, "child.ts"), [name], {
      detached: true,
      execArgv: [...process.execArgv, ...nodeFlags],
      env: { ...ownVariables, ...environment },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    child = launched;
    let hasStarted = false;
    const hangWatch = watchForHang(`The ${name} process`, terminal, () => launched.kill("SIGKILL"), {
      isStarting: () => !hasStarted,
      eachSecond,
    });
    const lastWords: string[] = [];
    forEachLine(child.stdout, (line) => terminal.service(name, line));
    forEachLine(child.stderr, (line) => {
      terminal.service(name, line);
      lastWords.push(line);
      if (lastWords.length > 50) lastWords.shift();
    });
    child.on("message", (message: ChildMessage) => {
      hangWatch.confirmAlive();
      if ("alive" in message) return;
      if ("metrics" in message) return receiveMetrics(message.metrics);
      isUp = isUpNow = true;
      hasStarted = true;
      up.resolve();
      if ("ready" in message) opened.resolve();
      else if (mayOpen) sendOpen();
    });
    child.on("error", (fault) => lastWords.push(fault.message));
    child.once("close", (code, signal) => {
      hangWatch.stop();
      isUpNow = false;
      if (stopping) return;
      const isOutOfMemory = signal === "SIGKILL" && !launched.killed;
      const end = isOutOfMemory ? "was killed, possibly because memory ran out" : `ended (${signal ?? `code ${code}`})`;
      const reason = findStartError(lastWords) ?? `it ${end}`;
      const fault = new StartupError(`${name} could not start: ${reason}`);
      if (!isUp) return up.reject(fault);
      if (mayOpen) opened.reject(fault);
      const waitMs = nextWaitMs();
      terminal.warn(`The ${name} process ${end}; restarting in ${waitMs / 1000} s.`);
      restart = setTimeout(launch, waitMs);
    });
    // Last, so that the process is watched even if this callback throws.
    if (child.pid !== undefined) onStarted(child.pid);
  };
  const sendOpen = () => child.connected && child.send({ open: true } satisfies ParentMessage, () => {});
  launch();

  return {
    ready: up.promise,
    open() {
      mayOpen = true;
      sendOpen();
      return opened.promise;
    },
    isUp: () => isUpNow && child.connected,
    metrics() {
      const metrics = new Promise<MetricValues>((resolve) => (receiveMetrics = resolve));
      if (child.connected) child.send({ metrics: true } satisfies ParentMessage, () => {});
      return Promise.race([metrics, sleep(metricsLimitMs, undefined, { ref: false })]);
    },
    async stop() {
      stopping = true;
      clearTimeout(restart);
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      const deadline = setTimeout(() => child.kill("SIGKILL"), drainMs);
      await ended;
      clearTimeout(deadline);
    },
    kill() {
      stopping = true;
      clearTimeout(restart);
      child.kill("SIGKILL");
    },
  };
}

function forEachLine(stream: NodeJS.ReadableStream | null, run: (line: string) => void): void {
  if (stream) createInterface({ input: stream }).on("line", run);
}

/** Returns the relevant part of a dead process's output: why it could not start, or its last error. */
export function findStartError(lines: readonly string[]): string | undefined {
  const own = lines.findIndex((line) => line.includes(" could not start: "));
  // If a source location follows, a module could not be loaded, and the error is further down.
  if (own >= 0 && !lines[own]?.includes(" could not start: file:")) {
    const isDetail = (line: string) => /^ {2}\S/.test(line);
    const details = lines.slice(own + 1);
    const end = details.findIndex((line) => !isDetail(line));
    const sentence = lines[own]?.split(" could not start: ")[1]?.replace(/^\w*error: /i, "");
    return [sentence, ...details.slice(0, end < 0 ? undefined : end)].join("\n");
  }
  return lines.findLast((line) => /^\w*Error\b/.test(line));
}
