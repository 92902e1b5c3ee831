import type { DiskUsage, NetworkRates, SampleFigures } from "./read-sample.ts";

/** The figures of a sample that lists show and sort by. Percent, bytes a second; undefined: not in the sample. */
export type ListedFigures<Disk = DiskUsage, Network = NetworkRates> = {
  cpu: number | undefined;
  memory: number | undefined;
  disk: Disk | undefined;
  network: Network | undefined;
  load: number | undefined;
};
type Measured<Disk, Network> = Pick<SampleFigures, "cpu" | "memory" | "load"> & {
  disks: readonly Disk[];
  network: readonly Network[];
};

/** The fullest disk and the busiest interface represent all of them. */
export const figuresOf = <Disk extends DiskUsage, Network extends NetworkRates>({
  cpu,
  memory,
  disks,
  network,
  load,
}: Measured<Disk, Network>): ListedFigures<Disk, Network> => ({
  cpu: cpu?.usage,
  memory: memory?.usage,
  disk: greatest(disks, ({ usage }) => usage),
  network: greatest(network, rateOf),
  load: load?.one,
});

/** Bytes a second in both directions; undefined where neither is known. */
export function rateOf({ receiveRate, sendRate }: NetworkRates): number | undefined {
  return receiveRate === undefined && sendRate === undefined ? undefined : (receiveRate ?? 0) + (sendRate ?? 0);
}

/** The first one with the greatest figure; those without a figure do not count. */
function greatest<Item>(items: readonly Item[], figureOf: (item: Item) => number | undefined): Item | undefined {
  let best: { item: Item; figure: number } | undefined;
  for (const item of items) {
    const figure = figureOf(item);
    if (figure !== undefined && (best === undefined || figure > best.figure)) best = { item, figure };
  }
  return best?.item;
}
