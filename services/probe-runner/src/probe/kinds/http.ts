import type { Sighting } from "../evidence.ts";
import { requestFollowingRedirects, expectedOf } from "../http/ask.ts";
import { noTimings } from "../http/fetch.ts";
import { compileHttp, type HttpTarget } from "../http/target.ts";
import { cachedToken, requestToken } from "../http/token.ts";
import { outcomeOf } from "../outcome.ts";
import { type Probe, type ProbeContext, type ProbeOutcome } from "../probe.ts";

export const probe: Probe<"http", HttpTarget> = { compile: compileHttp, run: probeHttp };

function probeHttp(target: HttpTarget, ctx: ProbeContext): Promise<ProbeOutcome> {
  return target.connection?.tokenRequest === undefined ? probeOnce(target, ctx) : probeWithToken(target, ctx);
}

/** Uses the cached token first. It may have been revoked, so a 401 leads to one attempt with a new token. */
async function probeWithToken(target: HttpTarget, ctx: ProbeContext): Promise<ProbeOutcome> {
  const cached = cachedToken(target, ctx.clock);
  if (cached !== undefined) {
    const outcome = await probeOnce(cached, ctx);
    if (outcome.status !== "down" || outcome.statusCode !== 401) return outcome;
  }
  const timings = noTimings();
  const found = await requestToken(target, ctx, timings);
  if ("destination" in found) return probeOnce(found, ctx);
  return outcomeOf(found, { timings }, {}, () => target);
}

async function probeOnce(target: HttpTarget, ctx: ProbeContext): Promise<ProbeOutcome> {
  const timings = noTimings();
  const seen: Sighting = { secrets: target };
  const { failure, answer, tookMs, certificateExpiresAtMs } = await requestFollowingRedirects(
    target,
    ctx,
    timings,
    seen,
  );
  timings.total = tookMs;
  const facts = {
    ...(answer !== undefined && { statusCode: answer.statusCode }),
    timings,
    ...(certificateExpiresAtMs !== undefined && { certificateExpiresAtMs }),
  };
  return outcomeOf(failure, facts, seen, (kind) => ({
    ...target,
    passwords: [...target.passwords, ...(seen.cookies?.secrets() ?? [])],
    expected: expectedOf(target, kind),
  }));
}
