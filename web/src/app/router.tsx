import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from "react";
import { Router } from "react-router-dom";
import type { AppHistory, Held } from "./history.ts";

const HistoryContext = createContext<AppHistory | null>(null);

/** react-router over the app's own history. */
export function AppRouter({ history, children }: { history: AppHistory; children: ReactNode }) {
  const { location, action } = useSyncExternalStore(history.listen, history.snapshot);
  return (
    <HistoryContext value={history}>
      <Router location={location} navigationType={action} navigator={history}>
        {children}
      </Router>
    </HistoryContext>
  );
}

/** Holds navigations back while `when` is true; answers the one that waits for an answer, or null. */
export function useHeldNavigation(when: boolean, except: string): { held: Held | null; forget: () => void } {
  const history = use(HistoryContext);
  const [held, setHeld] = useState<Held | null>(null);
  useEffect(() => {
    if (!when || history === null) return;
    return history.block((next) => {
      if (next.to.pathname === except) next.proceed();
      else setHeld(next);
    });
  }, [history, when, except]);
  return { held, forget: () => setHeld(null) };
}
