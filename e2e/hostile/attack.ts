import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { launchOf } from "@sonde/kit/service/launch";
import { randomOf } from "./random.ts";
import { startServer } from "./server.ts";
import { targetOf } from "./targets.ts";
import type { Order, Report } from "./victim.ts";

export interface AttackOptions {
  seed: number;
  first: number;
  hasNext(done: number): boolean;
  log(line: string): void;
}

const concurrency = 6;
const casesBetweenMeasures = 600;
const maxGrowthMiB = 64;
/** A check may take one second, and loading its libraries another. */
const patienceMs = 20_000;

/** Runs cases of hostile servers. Returns the problems, each with the seed and the cases that were running. */
export async function attack({ seed, first, hasNext, log }: AttackOptions) {
  const problems: string[] = [];
  const outcomes = new Map<string, number>();
  const running = new Map<number, { name: string; settle: () => void; close: () => void }>();
  let baseline: { heapMiB: number; anonymousMiB: number } | undefined;
  let measured = () => {};
  let victim: ChildProcess;
  let done = 0;
  let next = first;

  const report = (problem: string) => {
    const cases = [...running].map(([id, { name }]) => `${id} (${name})`).join(", ");
    problems.push(`${problem}\n  seed ${seed}, running: ${cases}`);
    log(problems.at(-1)!);
  };
  const onReport = (message: Report) => {
    if ("trouble" in message) report(message.trouble);
    else if ("id" in message) {
      const ended = running.get(message.id);
      if (message.outcome.startsWith("REJECTED")) report(message.outcome);
      const key = `${ended?.name}: ${message.outcome.slice(0, 70)}`;
      outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
      ended?.settle();
    } else if ("measured" in message) {
      const { heapMiB, anonymousMiB, open } = message;
      baseline ??= { heapMiB, anonymousMiB };
      const [heap, anonymous] = [heapMiB - baseline.heapMiB, anonymousMiB - baseline.anonymousMiB];
      log(
        `${done} cases, ${problems.length} problems, heap ${heapMiB.toFixed(0)} MiB (${heap.toFixed(0)} more), anonymous memory ${anonymousMiB.toFixed(0)} MiB (${anonymous.toFixed(0)} more)`,
      );
      if (Math.max(heap, anonymous) > maxGrowthMiB)
        report(`memory grew by ${Math.max(heap, anonymous).toFixed(0)} MiB`);
      if (open > 0) report(`${open} connections were left open`);
      measured();
    }
  };
  const start = async () => {
    const { nodeFlags, environment } = launchOf("probe-runner");
    victim = fork(new URL("victim.ts", import.meta.url), {
      execArgv: [...nodeFlags, "--expose-gc"],
      env: { ...process.env, ...environment },
      silent: true,
    });
    const printed = (chunk: Buffer) => report(`printed: ${chunk.toString().slice(0, 500)}`);
    victim.stdout!.on("data", printed);
    victim.stderr!.on("data", printed);
    const [ready] = (await once(victim, "message")) as [Report];
    if (!("ready" in ready)) throw new Error("The attacked process did not start");
    victim.on("message", onReport);
    victim.once("exit", (code, signal) => {
      if (code !== 0) report(`the process exited (${code ?? signal})`);
      for (const { settle } of running.values()) settle();
      measured();
    });
  };
  const send = (order: Order) => victim.connected && victim.send(order);
  const replace = async () => {
    victim.kill("SIGKILL");
    await once(victim, "exit");
  };

  const runCase = async (id: number) => {
    const random = randomOf(Math.imul(seed, 0x9e3779b1) ^ Math.imul(id + 1, 0x85ebca6b));
    const target = targetOf(random);
    const plan = target.plan(random);
    const server = await startServer(plan, random);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        report(`case ${id} (${target.name}) did not end`);
        resolve();
      }, patienceMs);
      const settle = () => (clearTimeout(timer), resolve());
      running.set(id, { name: target.name, settle, close: server.close });
      if (!send({ id, work: target.work(server.port, plan.secure, random) })) settle();
    });
    running.delete(id);
    server.close();
    done++;
  };
  const measureNow = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        report("the process does not respond");
        resolve();
      }, patienceMs);
      measured = () => (clearTimeout(timer), resolve());
      if (!send({ measure: done })) measured();
    });

  await start();
  while (hasNext(done)) {
    const until = next + casesBetweenMeasures;
    const work = async () => {
      while (next < until && hasNext(next - first)) await runCase(next++);
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    const before = problems.length;
    await measureNow();
    // Replace a process that hangs or exited, so the remaining cases still run.
    if (!victim!.connected || problems.slice(before).some((problem) => problem.includes("does not respond"))) {
      if (victim!.connected) await replace();
      baseline = undefined;
      await start();
    }
  }
  victim!.removeAllListeners("exit");
  victim!.disconnect();
  return { done, problems, outcomes };
}
