import { parseAddress } from "@sonde/kit/addresses";
import { clipWhereTheyDiffer, sharedLength } from "@sonde/kit/clip";
import { codeOf, presentRecords } from "@sonde/kit/egress/name-servers";
import { sortByNumber } from "@sonde/kit/sort-by-number";
import { parseResolver, type RecordType, resolverText } from "@sonde/proto/http/monitors/checks/dns";
import { canonicalHost } from "@sonde/proto/http/monitors/checks/fields";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { NODATA, Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import { lookups, normalForm } from "../dns/records.ts";
import { referredZone } from "../dns/referral.ts";
import type { Sighting } from "../evidence.ts";
import { outcomeOf } from "../outcome.ts";
import {
  type AnyTarget,
  cancelled,
  type ProbeFailure,
  type Probe,
  type ProbeContext,
  type ProbeOutcome,
} from "../probe.ts";

export interface DnsTarget extends AnyTarget<"dns"> {
  name: string;
  recordType: RecordType;
  /** The system's name servers are used if absent. */
  resolver: { host: string; port: number } | undefined;
  expect: readonly string[];
}

const queryTimeoutMs = 1000;
const tries = 4;
const reachTestAfterMs = 400;
const maxShownBytes = 90;
const maxShownAnswers = 20;
const nothing: readonly string[] = [];

export const probe: Probe<"dns", DnsTarget> = { compile: compileDns, run: probeDns };

function compileDns({ host, recordType, resolver, expect = [] }: CheckOf<"dns">): DnsTarget {
  const canonical = canonicalHost(host) ?? host;
  const name = recordType === "PTR" && isIP(canonical) !== 0 ? reverseName(canonical) : canonical;
  const server = resolver === undefined ? undefined : (parseResolver(resolver) ?? undefined);
  return {
    kind: "dns",
    host: server === undefined ? name : resolverText(server),
    name,
    recordType,
    resolver: server,
    expect: expect.length === 0 ? nothing : expect,
  };
}

/** Returns the name to query for an address (RFC 1035 §3.5, RFC 3596 §2.5). */
function reverseName(address: string): string {
  const bytes = parseAddress(address)?.toByteArray() ?? [];
  if (bytes.length === 4) return `${[...bytes].reverse().join(".")}.in-addr.arpa`;
  const digits = Buffer.from(bytes).toString("hex");
  return `${digits.split("").reverse().join(".")}.ip6.arpa`;
}

/** Queries name servers directly, bypassing Sonde's DNS cache. */
async function probeDns(target: DnsTarget, ctx: ProbeContext): Promise<ProbeOutcome> {
  const startedMs = ctx.clock.elapsedMs();
  const seen: Sighting = {};
  const failure = await query(target, ctx, startedMs, seen);
  const total = ctx.clock.elapsedMs() - startedMs;
  const expected = target.expect.length === 0 ? undefined : target.expect.join("\n");
  return outcomeOf(failure, { timings: { dns: total, total } }, seen, () => ({ expected }));
}

async function query(
  target: DnsTarget,
  ctx: ProbeContext,
  startedMs: number,
  seen: Sighting,
): Promise<ProbeFailure | undefined> {
  const { name, recordType, resolver: server } = target;
  const { signal } = ctx;
  const refusal = server === undefined ? undefined : ctx.guard.refusal(server.host);
  if (refusal !== undefined) return { kind: "blocked", message: refusal };

  const resolver = new Resolver({ timeout: queryTimeoutMs, tries });
  if (server !== undefined) {
    resolver.setServers([resolverText(server)]);
    seen.addresses = [resolverText(server)];
  }
  seen.resolver = server === undefined ? ctx.resolver.servers() : resolverText(server);
  const root = rootTest(resolver, signal);
  // Before the timeout it must be clear whether the system's servers respond at all.
  const timer = server === undefined ? setTimeout(() => void root.isAnswered(), reachTestAfterMs).unref() : undefined;
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel);
  try {
    const querying = lookups[recordType](resolver, name);
    if (signal.aborted) cancel();
    const found = presentRecords(await querying);
    const failure = missing(target, found);
    if (failure !== undefined) seen.body = { chunks: [Buffer.from(found.join("\n"))], decode: String };
    return failure;
  } catch (error) {
    const code = signal.aborted ? "ETIMEOUT" : codeOf(error);
    const mayRefer = server !== undefined && code === NODATA;
    const zone = mayRefer ? await referredZone(server, { name, type: recordType }, signal) : undefined;
    if (signal.reason === cancelled) return { trouble: "cancelled" };
    if (zone !== undefined) return referralFailure(zone);
    if (server !== undefined) return serverFailure(target, server.host, code);
    const isAnswered = code === "ENOTFOUND" || code === "ENODATA" || code === "EBADNAME";
    const isReachable = isAnswered || ctx.resolver.answeredSince(startedMs) || (await root.isAnswered());
    if (!isReachable) return { trouble: "the resolver is out of reach" };
    return { ...failureOf(target, code), silence: { of: "name", name } };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
  }
}

/** Queries the root once, to distinguish a broken name from servers that do not respond; not after the timeout. */
function rootTest(resolver: Resolver, signal: AbortSignal) {
  let answer: Promise<boolean> | undefined;
  const isAnswer = (error: unknown) => ["ENOTFOUND", "ENODATA"].includes(codeOf(error));
  const begin = () => resolver.resolveNs(".").then(() => true, isAnswer);
  return { isAnswered: async () => (signal.aborted && answer === undefined ? false : (answer ??= begin())) };
}

const referralFailure = (zone: string): ProbeFailure => ({
  kind: "dns",
  message: `The name server is not responsible for this name; it refers to the servers of ${zone}`,
});

type Down = Extract<ProbeFailure, { kind: string }>;

/** A configured name server is part of the target, so its silence is a failure. */
function serverFailure(target: DnsTarget, address: string, code: string): ProbeFailure {
  const silence = { of: "host", addresses: [address], unrouted: false } as const;
  if (code === "ETIMEOUT") return { kind: "timeout", message: "The name server did not answer", silence };
  if (code === "ECONNREFUSED") return { kind: "connect", message: "The name server cannot be reached", silence };
  return failureOf(target, code);
}

function failureOf({ name, recordType }: DnsTarget, code: string): Down {
  switch (code) {
    case "ENOTFOUND":
      return { kind: "dns", message: `${name} does not exist (NXDOMAIN)` };
    case "ENODATA":
      return { kind: "dns", message: `There is no ${recordType} record for ${name}` };
    case "ESERVFAIL":
      return { kind: "dns", message: `The name server failed to resolve ${name} (SERVFAIL)` };
    case "EREFUSED":
      return { kind: "dns", message: `The name server refused the query for ${name} (REFUSED)` };
    case "ETIMEOUT":
      return { kind: "timeout", message: "Timed out while resolving the name" };
    default:
      return { kind: "dns", message: `${name} could not be resolved (${code})` };
  }
}

function missing({ recordType, expect }: DnsTarget, found: readonly string[]): ProbeFailure | undefined {
  if (expect.length === 0) return undefined;
  const known = new Set(found.flatMap((record) => [record, normalForm(recordType, record)]));
  const lacking = expect.find((record) => !known.has(normalForm(recordType, record)));
  if (lacking === undefined) return undefined;
  const wanted = recordType === "TXT" ? normalForm(recordType, lacking) : lacking;
  const nearest = sortByNumber(found, (record) => sharedLength(wanted, record), true);
  const seen = nearest.slice(0, maxShownAnswers).map(shown).join(", ");
  const [value, answers] = clipWhereTheyDiffer(shown(wanted), seen, maxShownBytes);
  return { kind: "assertion", message: `${value} is not among the answers; found ${answers}` };
}

const shown = (record: string) => (/^[\s\p{Cc}]*$/u.test(record) ? `"${record}"` : record);
