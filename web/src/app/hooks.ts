import { useDispatch, useSelector } from "react-redux";
import type { AppDispatch, RootState } from "./store.ts";

export const useAppDispatch = useDispatch.withTypes<AppDispatch>();
export const useAppSelector = useSelector.withTypes<RootState>();

/** The session, and what its role may do. A viewer reads everything and changes nothing. */
export function useSession() {
  const session = useAppSelector((state) => state.session);
  const role = session.user?.role;
  return { ...session, isAdmin: role === "admin", mayChange: role === "admin" || role === "user" };
}
