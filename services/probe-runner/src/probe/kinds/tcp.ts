import type { Addresses } from "@sonde/kit/egress/name-servers";
import type { Timings } from "@sonde/proto/http/monitors/checks";
import { canonicalHost, hostAndPort } from "@sonde/proto/http/monitors/checks/fields";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import type { Sighting } from "../evidence.ts";
import { closedSilently } from "../failures.ts";
import { openLink, routeTo } from "../link.ts";
import { outcomeOf } from "../outcome.ts";
import { type AnyTarget, type ProbeFailure, type Probe, type ProbeContext, type ProbeOutcome } from "../probe.ts";
import { excerpt } from "../texts.ts";
import { dialPlain } from "../tls/dial.ts";

const maxBytes = 4096;
const nothing = Buffer.alloc(0);

export interface TcpTarget extends AnyTarget<"tcp"> {
  name: string;
  port: number;
  send: string | undefined;
  expect: Buffer | undefined;
}

export const probe: Probe<"tcp", TcpTarget> = { compile: compileTcp, run: probeTcp };

function compileTcp({ host, port, send, expect }: CheckOf<"tcp">): TcpTarget {
  const name = canonicalHost(host) ?? host;
  const bytes = expect === undefined ? undefined : Buffer.from(expect);
  return { kind: "tcp", host: hostAndPort(name, port), name, port, send, expect: bytes };
}

/** Connects, sends the configured text, and waits for the expected text within the first 4 KiB. */
async function probeTcp(target: TcpTarget, ctx: ProbeContext): Promise<ProbeOutcome> {
  const startedMs = ctx.clock.elapsedMs();
  const timings = { dns: 0, connect: 0, ...(target.expect !== undefined && { firstByte: 0 }), total: 0 };
  const route = await routeTo(target.name, ctx, timings);
  const seen: Sighting = {};
  const failure = "addresses" in route ? await converse(target, route.addresses, ctx, timings, seen) : route;
  timings.total = ctx.clock.elapsedMs() - startedMs;
  return outcomeOf(failure, { timings }, seen, () => ({ expected: target.expect?.toString() }));
}

async function converse(
  { name, port, send, expect }: TcpTarget,
  addresses: Addresses,
  ctx: ProbeContext,
  timings: Timings,
  seen: Sighting,
): Promise<ProbeFailure | undefined> {
  seen.addresses = addresses;
  seen.host = name;
  let got: Buffer = nothing;
  const second = expect === undefined ? "body" : "firstByte";
  const open = () => dialPlain(name, port, addresses, ctx.timeoutMs);
  const found = await openLink<undefined>(
    { addresses, port },
    ctx,
    timings,
    second,
    open,
    ({ socket, lap, settle }) => {
      const end = (failure: ProbeFailure | undefined) => {
        settle(failure);
        socket.destroy();
      };
      socket.once("connect", () => {
        if (send !== undefined) socket.write(send, () => expect === undefined && end(undefined));
        else if (expect === undefined) end(undefined);
      });
      if (expect === undefined) return;
      socket.on("data", (chunk: Buffer) => {
        if (got.length === 0) lap("body");
        // The expected text may begin in earlier data.
        const from = Math.max(0, got.length - expect.length + 1);
        got = Buffer.concat([got, chunk.subarray(0, maxBytes - got.length)]);
        if (got.includes(expect, from)) end(undefined);
        else if (got.length === maxBytes) end(unmet(expect, got));
      });
      socket.once("end", () => end(got.length === 0 ? closedSilently : unmet(expect, got)));
    },
  );
  seen.body = { chunks: [got], decode: String };
  // A server that was still sending at the timeout did answer, but not as expected.
  const ranOut = found !== undefined && "kind" in found && found.kind === "timeout";
  return ranOut && expect !== undefined && got.length > 0 ? unmet(expect, got) : found;
}

function unmet(expect: Buffer, got: Buffer): ProbeFailure {
  return { kind: "assertion", message: `Expected the response to contain ${excerpt(expect)}, got ${excerpt(got)}` };
}
