import { useEffect, useState } from "react";
import { useLocation, useNavigate } from "react-router";

/**
 * The message that the page before passed on (`state.notice` of a navigation), such as 'Monitor created'. It is taken out
 * of the history at once, so that a reload or a step back does not show it again.
 */
export function useNotice(): string | undefined {
  const { pathname, search, hash, state } = useLocation();
  const navigate = useNavigate();
  const given = (state as { notice?: string } | null)?.notice;
  const [notice] = useState(given);
  useEffect(() => {
    if (given === undefined) return;
    const { notice: _shown, ...rest } = state as { notice?: string };
    void navigate(pathname + search + hash, { replace: true, state: rest });
  }, [given, state, navigate, pathname, search, hash]);
  return notice;
}
