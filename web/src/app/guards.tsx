import type { ReactNode } from "react";
import { Navigate, Outlet, useLocation } from "react-router-dom";
import { LoadingText } from "../ui/states.tsx";
import { useConfigQuery } from "./config.ts";
import { useSession } from "./hooks.ts";
import { paths } from "./paths.ts";

/** Where to go after the login. Stored in the history state, so that no link can set it. */
export type LoginState = { from?: string; expired?: boolean } | null;

export function RequireSession() {
  const { status } = useSession();
  const { pathname, search, hash } = useLocation();
  if (status === "restoring") return <LoadingText />;
  if (status === "anonymous") {
    return <Navigate to={paths.login} replace state={{ from: pathname + search + hash } satisfies LoginState} />;
  }
  return <Outlet />;
}

/** Shows the page to administrators only, and explains this to others. The server enforces the rule. */
export function RequireAdmin({ otherwise }: { otherwise: ReactNode }) {
  const { isAdmin } = useSession();
  return isAdmin ? <Outlet /> : otherwise;
}

export function RequireChange({ otherwise }: { otherwise: ReactNode }) {
  const { mayChange } = useSession();
  return mayChange ? <Outlet /> : otherwise;
}

/** Redirects to the setup while no account exists. */
export function SetupFirst() {
  const { status } = useSession();
  const { data } = useConfigQuery();
  const { state } = useLocation();
  const isFresh = data?.setup.firstAccount === true;
  if (isFresh && status === "anonymous") return <Navigate to={paths.register} replace state={state} />;
  return <Outlet />;
}

export function VisitorsOnly() {
  const { status } = useSession();
  const state = useLocation().state as LoginState;
  if (status === "restoring") return <LoadingText />;
  if (status === "authenticated") return <Navigate to={state?.from ?? paths.dashboard} replace />;
  return <Outlet />;
}
