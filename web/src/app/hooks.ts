import { useDispatch, useSelector } from "react-redux";
import type { AppDispatch, RootState } from "./store.ts";

export const useAppDispatch = useDispatch.withTypes<AppDispatch>();
export const useAppSelector = useSelector.withTypes<RootState>();

export function useSession() {
  const session = useAppSelector((state) => state.session);
  const role = session.user?.role;
  return { ...session, isAdmin: role === "admin", mayChange: role === "admin" || role === "user" };
}

const withoutLiveMs = 15_000;

/** Polling interval for RTK Query's `pollingInterval`: none while live events arrive, otherwise a slow one. */
export function usePolling(): number {
  return useAppSelector((state) => (state.live.status === "connected" ? 0 : withoutLiveMs));
}
