import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forward, type Machine, makeNetwork, serverAddresses, type TestNetwork } from "../testing/network.ts";

type Started = { child: ChildProcessByStdio<Writable, Readable, null>; lines: Interface };

const testNetwork = await makeNetwork().catch((failure: unknown) => {
  process.stderr.write(`${String(failure)}\nA runner behind a router that is gone is tried as root on Linux only.\n`);
  return null;
});

describe.skipIf(testNetwork === null)("a runner behind a router", () => {
  const network = testNetwork as TestNetwork;
  const started: Started[] = [];
  // Removing the first one would make the kernel remove all others of its network.
  const gone = serverAddresses.at(-1) ?? "";
  const others = serverAddresses.slice(0, -1);
  let runner: Started;

  function start(machine: Machine, word: string): Started {
    const program = join(import.meta.dirname, "../testing/checking-process.ts");
    const [nsenter, ...args] = [...network.enter(machine), process.execPath, program, word];
    const child = spawn(nsenter, args, { stdio: ["pipe", "pipe", "inherit"] });
    const one = { child, lines: createInterface({ input: child.stdout }) };
    started.push(one);
    return one;
  }

  beforeAll(async () => {
    const { lines } = start("server", "serve");
    await once(lines, "line");
    runner = start("runner", "check");
  });
  afterAll(async () => {
    for (const { child } of started) child.stdin.end();
    await network.remove();
  });

  /** Checks these addresses at once, each over a fresh connection; returns the distinct outcomes. */
  async function check(addresses: readonly string[]): Promise<string[]> {
    runner.child.stdin.write(`${addresses.map((address) => `http://${address}:8080/`).join(" ")}\n`);
    const [line] = (await once(runner.lines, "line")) as [string];
    return [...new Set(JSON.parse(line) as string[])];
  }
  /** Checks addresses one at a time, so that no check sees another. */
  async function checkEach(): Promise<string[]> {
    const found = new Set<string>();
    for (const address of serverAddresses.slice(-4)) for (const one of await check([address])) found.add(one);
    return [...found];
  }

  it("finds hosts up, and a single missing one down", async () => {
    expect(await check([gone])).toEqual(["up"]);
    await network.on("server", "ip", "address", "del", `${gone}/24`, "dev", "far");
    // No other host is known for comparison yet.
    expect(await check([gone])).toEqual(["down"]);
    expect(await check(others)).toEqual(["up"]);
    expect(await check([gone])).toEqual(["down"]);
    await network.on("server", "ip", "address", "add", `${gone}/24`, "dev", "far");
    expect(await checkEach()).toEqual(["up"]);
  });

  it("has no data for any host, each checked separately, while the router drops all packets", async () => {
    await forward(network, false);
    expect(await checkEach()).toEqual(["no known host answers"]);
    await forward(network, true);
    expect(await check(serverAddresses)).toEqual(["up"]);
  });

  it("has no data for any host without a router or a route", async () => {
    await network.on("router", "ip", "link", "set", "near", "down");
    const found = [...(await checkEach()), ...(await check(serverAddresses))];
    expect(found).not.toContain("up");
    expect(found).not.toContain("down");
    // The kernel eventually gives up on the router.
    await expect.poll(() => check([gone])).toEqual(["the router does not answer"]);
    await network.on("runner", "ip", "route", "del", "default");
    expect(await check([gone])).toEqual(["no route"]);
    await network.on("router", "ip", "link", "set", "near", "up");
    await network.on("runner", "ip", "route", "add", "default", "via", "10.77.0.1");
    await expect.poll(() => check([gone])).toEqual(["up"]);
  });
});
