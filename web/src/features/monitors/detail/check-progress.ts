import { useEffect, useState } from "react";
import { subscribeChecking } from "../../../app/live/events.ts";

/** The attempt that runs or is about to, and why the one before it failed. */
export type CheckProgress = { attempt: number; attempts: number; failed?: string | undefined };

/**
 * How far a check by hand of a monitor has come, whichever user started it; null while none runs. An end that was lost on the
 * way is assumed after `limitMs`.
 */
export function useCheckProgress(id: number, limitMs: number): CheckProgress | null {
  const [progress, setProgress] = useState<CheckProgress | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = () => {
      clearTimeout(timer);
      setProgress(null);
    };
    const stop = subscribeChecking(({ id: of, attempt, attempts, failed }) => {
      if (of !== id) return;
      end();
      if (attempt === undefined || attempts === undefined) return;
      setProgress({ attempt, attempts, failed });
      timer = setTimeout(end, limitMs);
    });
    return () => {
      stop();
      end();
    };
  }, [id, limitMs]);
  return progress;
}
