import { useEffect, useRef } from "react";
import { NavigationType, useLocation, useNavigationType } from "react-router-dom";

/**
 * After a navigation the page is at its top and has the focus, so that keyboard and screen reader start there. Back and
 * forward keep the scroll position.
 */
export function ScrollAndFocus() {
  const { pathname } = useLocation();
  const type = useNavigationType();
  const lastPath = useRef(pathname);
  useEffect(() => {
    if (lastPath.current === pathname) return;
    lastPath.current = pathname;
    if (type === NavigationType.Pop) return;
    scrollTo(0, 0);
    // A field that took the focus itself keeps it.
    if (document.activeElement?.closest("main") == null)
      document.getElementById("content")?.focus({ preventScroll: true });
  }, [pathname, type]);
  return null;
}
