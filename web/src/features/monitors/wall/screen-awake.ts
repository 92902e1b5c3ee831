import { useEffect } from "react";

/** Keeps the screen on while the page is visible, if the browser can. */
export function useScreenAwake(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | undefined;
    let hasEnded = false;
    async function request() {
      // Absent without HTTPS; rejected if the battery is low. The browser releases the lock with the page's visibility.
      if (document.visibilityState !== "visible") return;
      lock = await navigator.wakeLock?.request("screen").catch(() => undefined);
      if (hasEnded) void lock?.release();
    }
    void request();
    document.addEventListener("visibilitychange", request);
    return () => {
      hasEnded = true;
      document.removeEventListener("visibilitychange", request);
      void lock?.release();
    };
  }, []);
}
