import type { Clock } from "@sonde/kit/time/clock";
import { canonicalHost } from "@sonde/proto/http/monitors/checks/fields";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { findRegistration, type Registration } from "../domain/rdap.ts";
import type { Sighting } from "../evidence.ts";
import { noTimings } from "../http/fetch.ts";
import { outcomeOf } from "../outcome.ts";
import {
  type AnyTarget,
  type ProbeFailure,
  noExpiration,
  type Probe,
  type ProbeContext,
  type ProbeOutcome,
} from "../probe.ts";

const dayMs = 86_400_000;

export interface DomainTarget extends AnyTarget<"domain"> {
  name: string;
  minDaysLeft: number;
}

export const probe: Probe<"domain", DomainTarget> = {
  compile: compileDomain,
  // The registry's server is not the target.
  run: async (target, ctx) => ({ ...(await probeDomain(target, ctx)), traces: undefined }),
};

/** `host` is the top-level domain, so that the per-host limit applies to a registry. */
function compileDomain({ domain, minDaysLeft }: CheckOf<"domain">): DomainTarget {
  const name = (canonicalHost(domain) ?? domain).replace(/\.$/, "");
  return { kind: "domain", host: name.slice(name.lastIndexOf(".") + 1), name, minDaysLeft };
}

/** Queries the registry for the registrable domain of a name, according to the Public Suffix List. */
async function probeDomain({ name, minDaysLeft }: DomainTarget, ctx: ProbeContext): Promise<ProbeOutcome> {
  const timings = noTimings();
  const seen: Sighting = {};
  // The list takes 4 MiB, so load it only for the first check.
  const { getDomain } = await import("tldts");
  const domain = getDomain(name);
  const found: Registration | ProbeFailure =
    domain === null
      ? { kind: "assertion", message: `${name} is a public suffix, under which domains are registered` }
      : await findRegistration(domain, ctx, timings, seen);
  if (!("expiresAtMs" in found)) return outcomeOf(found, { timings }, seen, () => ({}));
  const { expiresAtMs } = found;
  const facts = { timings, ...(expiresAtMs !== undefined && { certificateExpiresAtMs: expiresAtMs }) };
  return outcomeOf(judge(found, minDaysLeft, ctx.clock), facts, seen, () => ({}));
}

function judge({ expiresAtMs, ended }: Registration, minDaysLeft: number, clock: Clock): ProbeFailure | undefined {
  const failed = (message: string): ProbeFailure => ({ kind: "assertion", message });
  if (ended !== undefined) return failed(`The domain has the status ${ended}`);
  if (expiresAtMs === undefined) return { trouble: noExpiration };
  const days = Math.floor((expiresAtMs - clock.now()) / dayMs);
  const date = new Date(expiresAtMs).toISOString().slice(0, 10);
  if (days < 0) return failed(`The domain expired on ${date}`);
  if (days >= minDaysLeft) return undefined;
  const left = `${days} ${days === 1 ? "day" : "days"}`;
  return failed(`The domain expires on ${date}, in ${left} (minimum ${minDaysLeft})`);
}
