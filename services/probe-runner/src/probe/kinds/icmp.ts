import { execFile } from "node:child_process";
import type { Addresses } from "@sonde/kit/egress/name-servers";
import { canonicalHost } from "@sonde/proto/http/monitors/checks/fields";
import { pingsTakeMs } from "@sonde/proto/http/monitors/checks/icmp";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { routeTo } from "../link.ts";
import { outcomeOf } from "../outcome.ts";
import {
  type AnyTarget,
  cancelled,
  type ProbeFailure,
  noPing,
  type Probe,
  type ProbeContext,
  type ProbeOutcome,
} from "../probe.ts";

const maxOutputBytes = 16_384;
const secondsBetween = 0.2;

export interface IcmpTarget extends AnyTarget<"icmp"> {
  count: number;
  maxLoss: number;
  maxRtt: number | undefined;
}

export const probe: Probe<"icmp", IcmpTarget> = { compile: compileIcmp, run: probeIcmp };

function compileIcmp({ host, count, maxLoss, maxRtt }: CheckOf<"icmp">): IcmpTarget {
  return { kind: "icmp", host: canonicalHost(host) ?? host, count, maxLoss, maxRtt };
}

/** Sends pings with the system's `ping` (iputils) to an address that the guard allowed. */
async function probeIcmp(target: IcmpTarget, ctx: ProbeContext): Promise<ProbeOutcome> {
  const timings = { dns: 0, firstByte: 0, total: 0 };
  const endMs = ctx.clock.elapsedMs() + (ctx.timeoutMs ?? 10_000);
  const route = await routeTo(target.host, ctx, timings);
  const startedMs = ctx.clock.elapsedMs();
  const found = "addresses" in route ? await pingAny(target, route.addresses, ctx, endMs) : route;
  const rttMs = "lost" in found ? found.rttMs : undefined;
  // Use the round trip as response time: the pauses between pings do not count.
  timings.firstByte = rttMs ?? ctx.clock.elapsedMs() - startedMs;
  timings.total = timings.dns + timings.firstByte;
  const failure = "lost" in found ? judge(found, target) : found;
  const addresses = "addresses" in route ? route.addresses : undefined;
  return outcomeOf(failure, { timings }, addresses === undefined ? {} : { addresses, host: target.host }, () => ({}));
}

/** `lost`: percentage without a reply. `rttMs`: average round trip of the others. */
type Pings = { lost: number; rttMs: number };

function judge({ lost, rttMs }: Pings, { maxLoss, maxRtt }: IcmpTarget): ProbeFailure | undefined {
  if (lost > maxLoss) {
    return { kind: "assertion", message: `${round(lost)}% of the pings got no reply (maximum ${maxLoss}%)` };
  }
  if (maxRtt !== undefined && rttMs > maxRtt) {
    return { kind: "assertion", message: `The round trip took ${round(rttMs)} ms on average (maximum ${maxRtt} ms)` };
  }
  return undefined;
}

const round = (value: number) => Math.round(value * 10) / 10;

async function pingAny(target: IcmpTarget, addresses: Addresses, ctx: ProbeContext, endMs: number) {
  let found: Pings | ProbeFailure = { kind: "connect", message: "The network is unreachable" };
  for (const [at, address] of addresses.entries()) {
    const leftMs = endMs - ctx.clock.elapsedMs();
    const fitting = Math.floor(leftMs / pingsTakeMs(target.count));
    if (at > 0 && fitting < 1) break;
    const tries = Math.max(1, Math.min(fitting, addresses.length - at));
    found = await ping(target, address, ctx, leftMs / tries);
    if (!("silence" in found && found.silence?.of === "host")) return found;
    found.silence = { ...found.silence, addresses: addresses.slice(0, at + 1) };
  }
  return found;
}

function ping(
  { count }: IcmpTarget,
  address: string,
  { signal }: ProbeContext,
  timeMs: number,
): Promise<Pings | ProbeFailure> {
  const silent = (message: string, unrouted: boolean): ProbeFailure => ({
    kind: unrouted ? "connect" : "timeout",
    message,
    silence: { of: "host", addresses: [address], unrouted },
  });
  // Stop waiting for the last reply slightly early, so that ping can still print its summary.
  const waitSeconds = Math.max(0.1, timeMs / 1000 - (count - 1) * secondsBetween - 0.3);
  const args = ["-n", "-q", "-c", `${count}`, "-i", `${secondsBetween}`, "-W", waitSeconds.toFixed(1), address];
  const options = {
    signal,
    killSignal: "SIGKILL",
    maxBuffer: maxOutputBytes,
    env: { ...process.env, LC_ALL: "C" },
  } as const;
  return new Promise((resolve) => {
    execFile("ping", args, options, (error, output, errors) => {
      if (signal.aborted) {
        return resolve(signal.reason === cancelled ? { trouble: "cancelled" } : silent("No ping got a reply", false));
      }
      const lost = Number(/([\d.]+)% packet loss/.exec(output)?.[1] ?? NaN);
      const rttMs = Number(/= [\d.]+\/([\d.]+)\//.exec(output)?.[1] ?? NaN);
      if (lost < 100 && !Number.isNaN(rttMs)) {
        return resolve({ lost, rttMs });
      }
      if (lost === 100) return resolve(silent("No ping got a reply", false));
      if (/unreachable|family not supported/i.test(errors)) return resolve(silent("The network is unreachable", true));
      // ping is missing, may not open its socket, or does not support the options.
      resolve({ trouble: error === null ? "ping gave no summary" : noPing });
    });
  });
}
