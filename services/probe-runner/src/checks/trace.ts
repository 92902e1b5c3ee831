import { create } from "@bufbuild/protobuf";
import type { Clock } from "@sonde/kit/time/clock";
import { HopSchema, type Path, PathSchema } from "@sonde/proto/gen/checks/v1/checks";
import { execFile } from "node:child_process";
import { isIP } from "node:net";

export type TraceRequest = { monitorId: number; slotMs: number; address: string; recovered: boolean };

type FoundHop = { ttl: number; address?: string; roundTripMs?: number; isEnd: boolean };

const maxHops = 20;
/** With a second for each, three batches stay within five seconds. */
const hopsAtOnce = 7;
const waitSeconds = 1;
/** For a `ping` that does not end by itself. */
const hardLimitMs = 5_000;
/** When many targets time out at once, their routes are alike. */
const maxWaiting = 20;

/** Traces routes one after another with the system's `ping` (iputils); stops for good if it is missing or not permitted. */
export function createTracer(clock: Clock, location: string, publish: (path: Path) => void) {
  const waiting: TraceRequest[] = [];
  let isRunning = false;
  let isAvailable = true;

  async function run() {
    isRunning = true;
    for (let next = waiting.shift(); next !== undefined && isAvailable; next = waiting.shift()) {
      const tracedAtMs = clock.now();
      const hops = await traceRoute(next.address);
      isAvailable = hops !== undefined;
      if (hops !== undefined && hops.length > 0) publish(create(PathSchema, { ...next, location, tracedAtMs, hops }));
    }
    isRunning = false;
  }

  return {
    /** @param request `address` was allowed by the egress guard for the check that timed out */
    trace(request: TraceRequest): void {
      if (!isAvailable || waiting.length >= maxWaiting || isIP(request.address) === 0) return;
      waiting.push(request);
      if (!isRunning) void run();
    },
  };
}

export type Tracer = ReturnType<typeof createTracer>;

/** Returns the hops up to the target or the last router that answered; `undefined` if `ping` cannot be used. */
async function traceRoute(address: string) {
  const found: FoundHop[] = [];
  for (let from = 1; from <= maxHops && !found.some(({ isEnd }) => isEnd); from += hopsAtOnce) {
    const ttls = Array.from({ length: Math.min(hopsAtOnce, maxHops + 1 - from) }, (_, at) => from + at);
    const hops = await Promise.all(ttls.map((ttl) => ping(address, ttl)));
    if (hops.includes(undefined)) return undefined;
    found.push(...hops.filter((hop) => hop !== undefined));
  }
  const final = found.find(({ isEnd }) => isEnd) ?? found.findLast((hop) => hop.address !== undefined);
  // A router that reports an unreachable target, perhaps later than it takes to try more hops, is an earlier hop.
  const last = found.findIndex((hop) => hop.address !== undefined && hop.address === final?.address);
  return found.slice(0, last + 1).map(({ isEnd: _isEnd, ...hop }) => create(HopSchema, hop));
}

function ping(address: string, ttl: number): Promise<FoundHop | undefined> {
  const args = ["-n", "-c", "1", "-W", String(waitSeconds), "-t", String(ttl), address];
  const env = { ...process.env, LC_ALL: "C" };
  const options = { timeout: hardLimitMs, killSignal: "SIGKILL", maxBuffer: 4_096, env } as const;
  return new Promise((resolve) => {
    execFile("ping", args, options, (error, output) => {
      const isUnusable = error !== null && (typeof error.code === "string" || (error.code !== 1 && !error.killed));
      resolve(isUnusable ? undefined : { ttl, ...readReply(output) });
    });
  });
}

/** `ping` shows the round trip to the target, not that to a router. */
export function readReply(output: string): Omit<FoundHop, "ttl"> {
  const [, target, time] = /bytes from (\S+): icmp_seq=\d+ .*?time=([\d.]+)/.exec(output) ?? [];
  if (target !== undefined) return { address: target, roundTripMs: Number(time), isEnd: true };
  const [, router, reason = ""] = /^From (\S+?):? icmp_seq=\d+ (.+)$/m.exec(output) ?? [];
  return router === undefined ? { isEnd: false } : { address: router, isEnd: !/exceeded/i.test(reason) };
}
