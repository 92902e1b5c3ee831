import { useAppSelector } from "./hooks.ts";

const withoutLiveMs = 15_000;

/** How often a screen asks by itself: never while live events come, else now and then. For RTK Query's `pollingInterval`. */
export function usePolling(): number {
  return useAppSelector((state) => (state.live.status === "connected" ? 0 : withoutLiveMs));
}
