import { useEffect } from "react";

/** Keeps the screen on while the page is visible, if the browser can. */
export function useScreenAwake(): void {
  useEffect(() => {
    let lock: Promise<WakeLockSentinel | undefined> | undefined;
    // Absent without HTTPS; rejected if the battery is low. The browser releases the lock when it hides the page.
    const request = () => {
      if (document.visibilityState === "visible") lock = navigator.wakeLock?.request("screen").catch(() => undefined);
    };
    request();
    document.addEventListener("visibilitychange", request);
    return () => {
      document.removeEventListener("visibilitychange", request);
      void lock?.then((held) => held?.release());
    };
  }, []);
}
