/**
 * How every bar of checks shows how much of it failed: on the page of a monitor, in lists, and on the public page. A bar
 * without a failure is low, any other one is tall. From the top of a tall one hangs what failed, in so many sixths of its
 * height, apart from the rest by a gap; a bar of nothing else has no gap. So height and gap say it where colours do not.
 * Sixths rather than exact shares: one failed check of a thousand is seen, and so is one good one.
 */
export const failedParts = 6;

const limits = [1, 5, 20, 50];

/** How many sixths of a bar hang from its top as failed. `failed`: percent of what was checked. */
export function failedPart(failed: number): number {
  if (failed <= 0) return 0;
  return failed >= 100 ? failedParts : 1 + limits.filter((limit) => failed > limit).length;
}
