import type { Timings } from "@sonde/proto/http/monitors/checks";

/** The phases of a check in their order; `rest` is the content, what comes after the first byte. */
export const phases = ["dns", "connect", "tls", "firstByte", "rest"] as const;
export type Phase = (typeof phases)[number];

/** How a phase looks: as an element's ground, and as a shape of a chart. */
export const phaseLooks: Record<Phase, { ground: string; fill: string; opacity: number }> = {
  dns: { ground: "bg-(--series-2)", fill: "var(--series-2)", opacity: 1 },
  connect: { ground: "bg-(--series-2)/55", fill: "var(--series-2)", opacity: 0.55 },
  tls: { ground: "bg-(--series-1)/50", fill: "var(--series-1)", opacity: 0.5 },
  firstByte: { ground: "bg-(--series-1)", fill: "var(--series-1)", opacity: 1 },
  rest: { ground: "bg-(--series-3)/70", fill: "var(--series-3)", opacity: 0.7 },
};

/**
 * The time of each phase in milliseconds. Absent phases stay absent, and so does the content of an answer that never began.
 */
export function sharesOf({ total, ...named }: Timings): [Phase, number][] {
  const { firstByte } = named;
  const known = Object.values(named).reduce((sum, each) => sum + (each ?? 0), 0);
  const shares = { ...named, rest: firstByte ? Math.max(0, total - known) : undefined };
  return phases.flatMap((phase) => (shares[phase] === undefined ? [] : [[phase, shares[phase]]]));
}

/** Where each phase ends when one stands upon the other, in milliseconds and in the phases' order; a phase that is absent has no height. */
export function stackPhases(timings: Timings | undefined): number[] | null {
  if (timings === undefined) return null;
  const shares = new Map(sharesOf(timings));
  let sum = 0;
  return phases.map((phase) => (sum += shares.get(phase) ?? 0));
}
