/** What a report shows about its agent's clock. */
export type ReportClock = { receivedAtMs: number; newestAtMs: number; sentAtMs?: number | undefined };

/** What is known of an agent's clock. `skewMs`: how far it is ahead of ours, as samples are corrected by. */
export type KnownSkew = { skewMs: number; receivedAtMs: number; lagMs: number };

/** Less than this is the way of a report, not a wrong clock; and a correction that trembled would double samples. */
const toleranceMs = 5_000;
/** A clock further ahead than this, that no `sentAt` vouches for, is a mistake in the sample. */
const unvouchedAheadMs = 5 * 60_000;

/**
 * Measures an agent's clock, exactly if the report has `sentAt`. Otherwise by the newest sample: samples are never from
 * the future, so one that is ahead shows a clock that is; one that is behind may merely be late, unless two reports in
 * a row, some time apart, are behind by the same.
 */
export function measureSkew(heard: ReportClock, known: KnownSkew | undefined): KnownSkew {
  const { receivedAtMs, newestAtMs, sentAtMs } = heard;
  const lagMs = receivedAtMs - newestAtMs;
  const next = (skewMs: number): KnownSkew => ({ skewMs, receivedAtMs, lagMs });
  if (sentAtMs !== undefined) return next(settled(sentAtMs - receivedAtMs, known));
  if (-lagMs > toleranceMs) return next(-lagMs <= unvouchedAheadMs ? settled(-lagMs, known) : (known?.skewMs ?? 0));
  if (lagMs <= toleranceMs) return next(0);
  if (known === undefined) return next(0);
  const isSteady = Math.abs(lagMs - known.lagMs) <= toleranceMs;
  const timePassed = receivedAtMs - known.receivedAtMs >= 2 * toleranceMs;
  if (isSteady && !timePassed) return { ...known };
  return next(isSteady ? settled(-lagMs, known) : known.skewMs);
}

/** Whole seconds, and the same as before where it is about the same. */
function settled(measuredMs: number, known: KnownSkew | undefined): number {
  if (Math.abs(measuredMs) <= toleranceMs) return 0;
  if (known !== undefined && known.skewMs !== 0 && Math.abs(measuredMs - known.skewMs) <= toleranceMs) {
    return known.skewMs;
  }
  return Math.round(measuredMs / 1000) * 1000;
}
