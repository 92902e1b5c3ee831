const minuteMs = 60_000;
/** Processor time of the documents of one target, of which all pages together take a thirtieth: two seconds a minute. */
const renderMs = 1.8;
const renderShare = 1 / 30;
const longestMs = 300_000;

/**
 * How often pages of so many targets together are rendered while figures and times alone change. 0: whenever they do, for
 * each minute is within the share.
 */
export function figuresEveryMs(targets: number): number {
  const neededMs = Math.min(longestMs, (targets * renderMs) / renderShare);
  return neededMs <= minuteMs ? 0 : neededMs;
}
