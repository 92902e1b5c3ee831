import { useEffect, useState } from "react";
import { useLocation, useNavigate } from "react-router-dom";

/**
 * What the page before left to be said here (`state.notice` of a navigation), such as 'Monitor created'. It is taken out of the
 * history at once: a reload or a step back does not say it again.
 */
export function useNotice(): string | undefined {
  const { pathname, search, hash, state } = useLocation();
  const navigate = useNavigate();
  const given = (state as { notice?: string } | null)?.notice;
  const [notice] = useState(given);
  useEffect(() => {
    if (given === undefined) return;
    const { notice: _said, ...rest } = state as { notice?: string };
    void navigate(pathname + search + hash, { replace: true, state: rest });
  }, [given, state, navigate, pathname, search, hash]);
  return notice;
}
