/** The messages in flight in this process, by channel. */
type InFlight = {
  /** Takes up to `most` slots of a channel; returns how many. Unused ones are given back. */
  take(channelId: number, most: number): number;
  giveBack(channelId: number, places: number): void;
  total(): number;
};

/**
 * Limits of messages in flight: `total`, of which `reserved` are for the first of each channel. So a channel without
 * any always finds a slot while there are at most `reserved` channels, however many others hang.
 */
export function createInFlight({ total, reserved }: { total: number; reserved: number }): InFlight {
  const byChannel = new Map<number, number>();
  let sum = 0;
  let beyondFirst = 0;
  const set = (channelId: number, places: number) => {
    const before = byChannel.get(channelId) ?? 0;
    sum += places - before;
    beyondFirst += Math.max(0, places - 1) - Math.max(0, before - 1);
    if (places === 0) byChannel.delete(channelId);
    else byChannel.set(channelId, places);
  };
  return {
    take(channelId, most) {
      const has = byChannel.get(channelId) ?? 0;
      const first = has === 0 ? 1 : 0;
      const room = Math.min(first + total - reserved - beyondFirst, total - sum);
      const taken = Math.max(0, Math.min(most - has, room));
      set(channelId, has + taken);
      return taken;
    },
    giveBack: (channelId, places) => set(channelId, Math.max(0, (byChannel.get(channelId) ?? 0) - places)),
    total: () => sum,
  };
}
