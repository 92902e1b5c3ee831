import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from "react";
import { Router } from "react-router-dom";
import type { AppHistory, Held } from "./history.ts";

type AppRouterProps = {
  history: AppHistory;
  /** The path that may be gone to at any time. */
  neverHeld: string;
  children: ReactNode;
};

const RouterContext = createContext<Pick<AppRouterProps, "history" | "neverHeld"> | null>(null);

/** react-router over the app's own history. */
export function AppRouter({ history, neverHeld, children }: AppRouterProps) {
  const { location, action } = useSyncExternalStore(history.listen, history.snapshot);
  return (
    <RouterContext value={{ history, neverHeld }}>
      <Router location={location} navigationType={action} navigator={history}>
        {children}
      </Router>
    </RouterContext>
  );
}

/** Holds navigations back while `when` is true; answers the one that waits for an answer, or null. */
export function useHeldNavigation(when: boolean): { held: Held | null; forget: () => void } {
  const { history, neverHeld } = use(RouterContext) ?? {};
  const [held, setHeld] = useState<Held | null>(null);
  useEffect(() => {
    if (!when || history === undefined) return;
    return history.block((next) => {
      if (next.to.pathname === neverHeld) next.proceed();
      else setHeld(next);
    });
  }, [history, neverHeld, when]);
  return { held, forget: () => setHeld(null) };
}
