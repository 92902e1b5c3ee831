import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Separate machines on one link each: a runner, its router, and a server with many addresses behind it. */
export interface TestNetwork {
  /** Runs a program on a machine. @throws its output if it fails */
  on(machine: Machine, ...command: string[]): Promise<void>;
  enter(machine: Machine): [string, ...string[]];
  remove(): Promise<void>;
}

export type Machine = "runner" | "router" | "server";

const machines = ["runner", "router", "server"] as const;
export const serverAddresses = Array.from({ length: 12 }, (_, at) => `10.78.0.${at + 11}`);

/** Uses Linux namespaces (root), which end with this process. @throws Error with what was refused */
export async function makeNetwork(): Promise<TestNetwork> {
  const holders = new Map<Machine, ChildProcess>();
  const remove = async () => {
    for (const holder of holders.values()) {
      const ended = holder.exitCode === null && holder.pid !== undefined ? once(holder, "close") : undefined;
      holder.stdin?.end();
      await ended;
    }
  };
  const pidOf = (machine: Machine) => String(holders.get(machine)?.pid);
  const enter = (machine: Machine): [string, ...string[]] => ["nsenter", `--target=${pidOf(machine)}`, "--net"];
  const on = async (machine: Machine, ...command: string[]) => {
    const [program, ...args] = [...enter(machine), ...command];
    await run(program, args);
  };
  try {
    for (const machine of machines) {
      const holder = spawn("unshare", ["--net", "sh", "-c", "echo ready; exec cat"], {
        stdio: ["pipe", "pipe", "pipe"],
      });
      holders.set(machine, holder);
      const [output] = (await Promise.race([
        once(holder.stdout!, "data"),
        once(holder, "close"),
        once(holder, "error"),
      ])) as unknown[];
      if (String(output).trim() !== "ready") throw new Error(`Cannot create a test network: ${String(output)}`);
    }
    const wire = (one: Machine, two: Machine, name: string) =>
      run("ip", ["link", "add", name, "netns", pidOf(one), "type", "veth", "peer", "name", name, "netns", pidOf(two)]);
    await wire("router", "runner", "near");
    await wire("router", "server", "far");
    const up = async (machine: Machine, device: string, ...addresses: string[]) => {
      for (const address of addresses) await on(machine, "ip", "address", "add", address, "dev", device);
      await on(machine, "ip", "link", "set", device, "up");
    };
    for (const machine of machines) await up(machine, "lo");
    await up("router", "near", "10.77.0.1/24");
    await up("router", "far", "10.78.0.1/24");
    await up("runner", "near", "10.77.0.2/24");
    await up("server", "far", ...serverAddresses.map((address) => `${address}/24`));
    await on("runner", "ip", "route", "add", "default", "via", "10.77.0.1");
    await on("server", "ip", "route", "add", "default", "via", "10.78.0.1");
    await forward({ on }, true);
    return { on, enter, remove };
  } catch (failure) {
    await remove();
    throw failure;
  }
}

/** Makes the router forward packets, or drop them silently. */
export function forward({ on }: Pick<TestNetwork, "on">, passes: boolean): Promise<void> {
  return on("router", "sh", "-c", `echo ${passes ? 1 : 0} > /proc/sys/net/ipv4/ip_forward`);
}
