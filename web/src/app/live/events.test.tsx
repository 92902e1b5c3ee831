import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type LiveEvent, dispatchLive, keepListLive, keepRefetched } from "./events.ts";

const opened: LiveEvent = { id: "1", name: "delivery", data: { id: 7, channelId: 1, status: "delivered" } };

/** A cached answer as RTK Query keeps it, with what was fetched again by tag. */
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

describe("an answer that is kept live", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is asked for anew at once, then at most once in its time, and no more after it left the cache", async () => {
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

  it("takes the soonest of what a batch of events wants, 0 without any wait", async () => {
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

  it("moves in place where events tell enough, without being asked for", async () => {
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
