export type ReportClock = { receivedAtMs: number; newestAtMs: number; sentAtMs?: number | undefined };

/** `skewMs`: how far the agent's clock is ahead of ours. */
export type ClockSkew = { skewMs: number; receivedAtMs: number; lagMs: number };

/**
 * Smaller differences are transmission time. They are ignored, because a correction that varies would duplicate
 * samples.
 */
const toleranceMs = 5_000;
/** Without `sentAt`, a larger lead is an error in the sample. */
const unvouchedAheadMs = 5 * 60_000;

/**
 * Measures an agent's clock, exactly if the report has `sentAt`. Otherwise by the newest sample: one that is ahead
 * proves that the clock is; one that is behind may only be late, unless two reports, some time apart, are behind by
 * the same amount.
 */
export function measureSkew(clock: ReportClock, known: ClockSkew | undefined): ClockSkew {
  const { receivedAtMs, newestAtMs, sentAtMs } = clock;
  const lagMs = receivedAtMs - newestAtMs;
  const next = (skewMs: number): ClockSkew => ({ skewMs, receivedAtMs, lagMs });
  if (sentAtMs !== undefined) return next(settled(sentAtMs - receivedAtMs, known));
  if (-lagMs > toleranceMs) return next(-lagMs <= unvouchedAheadMs ? settled(-lagMs, known) : (known?.skewMs ?? 0));
  if (lagMs <= toleranceMs) return next(0);
  if (known === undefined) return next(0);
  const isSteady = Math.abs(lagMs - known.lagMs) <= toleranceMs;
  const timePassed = receivedAtMs - known.receivedAtMs >= 2 * toleranceMs;
  if (isSteady && !timePassed) return { ...known };
  return next(isSteady ? settled(-lagMs, known) : known.skewMs);
}

/** Rounds to seconds, and keeps the former value if it is close. */
function settled(measuredMs: number, known: ClockSkew | undefined): number {
  if (Math.abs(measuredMs) <= toleranceMs) return 0;
  if (known !== undefined && known.skewMs !== 0 && Math.abs(measuredMs - known.skewMs) <= toleranceMs) {
    return known.skewMs;
  }
  return Math.round(measuredMs / 1000) * 1000;
}
