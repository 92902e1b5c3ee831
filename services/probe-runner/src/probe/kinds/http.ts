import type { Sighting } from "../evidence.ts";
import { requestFollowingRedirects, expectedOf } from "../http/ask.ts";
import { noTimings } from "../http/fetch.ts";
import { compileHttp, type HttpTarget } from "../http/target.ts";
import { keptToken, requestToken } from "../http/token.ts";
import { outcomeOf } from "../outcome.ts";
import { type Probe, type ProbeContext, type ProbeOutcome } from "../probe.ts";

export const probe: Probe<"http", HttpTarget> = { compile: compileHttp, run: probeHttp };

/** Checks an HTTP target once, with a token where it needs one. Never throws; any failure is the outcome. */
function probeHttp(target: HttpTarget, ctx: ProbeContext): Promise<ProbeOutcome> {
  return target.connection?.tokenRequest === undefined ? probeOnce(target, ctx) : probeWithToken(target, ctx);
}

/** A token that was kept may have been taken back: after 401 another one is requested, once. */
async function probeWithToken(target: HttpTarget, ctx: ProbeContext): Promise<ProbeOutcome> {
  const kept = keptToken(target, ctx.clock);
  if (kept !== undefined) {
    const outcome = await probeOnce(kept, ctx);
    if (outcome.status !== "down" || outcome.statusCode !== 401) return outcome;
  }
  const timings = noTimings();
  const found = await requestToken(target, ctx, timings);
  if ("destination" in found) return probeOnce(found, ctx);
  return outcomeOf(found, { timings }, {}, () => target);
}

/** Checks an HTTP target once, with what is known of a token. */
async function probeOnce(target: HttpTarget, ctx: ProbeContext): Promise<ProbeOutcome> {
  const timings = noTimings();
  const seen: Sighting = {};
  const { fault, answer, tookMs, certificateExpiresAtMs } = await requestFollowingRedirects(target, ctx, timings, seen);
  timings.total = tookMs;
  const facts = {
    ...(answer !== undefined && { statusCode: answer.statusCode }),
    timings,
    ...(certificateExpiresAtMs !== undefined && { certificateExpiresAtMs }),
  };
  return outcomeOf(fault, facts, seen, (kind) => ({
    ...target,
    passwords: [...target.passwords, ...(seen.cookies?.secrets() ?? [])],
    expected: expectedOf(target, kind),
  }));
}
