import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type LiveEvent, dispatchLive, keepListLive, keepRefetched } from "./events.ts";

const opened: LiveEvent = { id: "1", name: "delivery", data: { id: 7, channelId: 1, status: "delivered" } };

/** A cache entry like RTK Query's, which records refetches by tag. */
function cacheEntry() {
  const invalidated: unknown[] = [];
  const data = { total: 1 };
  let remove = () => undefined as void;
  const entry = {
    dispatch: ({ payload }: { payload: unknown }) => invalidated.push(payload),
    cacheDataLoaded: Promise.resolve(),
    cacheEntryRemoved: new Promise<void>((resolve) => void (remove = resolve)),
    updateCachedData: (change: (data: { total: number }) => void) => change(data),
  };
  return { entry, data, invalidated, remove: () => remove() };
}

describe("a query with live updates", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("refetches at once, then at most once per interval, and stops when removed from the cache", async () => {
    const { entry, invalidated, remove } = cacheEntry();
    const kept = keepRefetched(
      (id: number) => ({ type: "Checks", id }),
      () => 3000,
    )(7, entry);
    await vi.advanceTimersByTimeAsync(0);
    for (let count = 0; count < 5; count++) dispatchLive([opened]);
    expect(invalidated).toEqual([[{ type: "Checks", id: 7 }]]);
    vi.advanceTimersByTime(3000);
    expect(invalidated).toHaveLength(2);
    dispatchLive([opened]);
    remove();
    await kept;
    dispatchLive([opened]);
    vi.advanceTimersByTime(10_000);
    expect(invalidated).toHaveLength(2);
  });

  it("uses the shortest interval of a batch of events; 0 refetches at once", async () => {
    const { entry, invalidated } = cacheEntry();
    void keepRefetched(
      () => "Checks",
      ({ id }) => (id === "now" ? 0 : id === "never" ? null : 3000),
    )(undefined, entry);
    await vi.advanceTimersByTimeAsync(0);
    dispatchLive([{ ...opened, id: "never" }]);
    expect(invalidated).toHaveLength(0);
    dispatchLive([opened, { ...opened, id: "now" }]);
    dispatchLive([opened, { ...opened, id: "now" }]);
    expect(invalidated).toHaveLength(2);
  });

  it("is patched without a request if the event has enough data", async () => {
    const { entry, data, invalidated } = cacheEntry();
    void keepListLive("MonitorList", (page: { total: number }, { id }) => {
      page.total += 1;
      return id === "another row";
    })(undefined, entry);
    await vi.advanceTimersByTimeAsync(0);
    dispatchLive([opened, opened]);
    expect([data.total, invalidated.length]).toEqual([3, 0]);
    dispatchLive([{ ...opened, id: "another row" }]);
    expect([data.total, invalidated.length]).toEqual([4, 1]);
  });
});
