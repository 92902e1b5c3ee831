import { useEffect, useRef } from "react";
import { NavigationType, useLocation, useNavigationType } from "react-router-dom";

/** A new page begins at its top, and the keyboard and the screen reader begin there too. Back and forward keep their place. */
export function Arrival() {
  const { pathname } = useLocation();
  const type = useNavigationType();
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    if (type === NavigationType.Pop) return;
    scrollTo(0, 0);
    // A field that asked for the focus itself keeps it.
    if (document.activeElement?.closest("main") == null)
      document.getElementById("content")?.focus({ preventScroll: true });
  }, [pathname, type]);
  return null;
}
