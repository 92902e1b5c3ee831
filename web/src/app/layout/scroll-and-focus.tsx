import { useEffect, useRef, useState } from "react";
import { NavigationType, useLocation, useNavigationType } from "react-router";
import { onPageTitle } from "../../ui/page-header.tsx";

/**
 * After a navigation the page is at its top and has the focus, so that keyboard and screen reader start there, and its
 * name is read out. Back and forward keep the scroll position.
 */
export function ScrollAndFocus() {
  const { pathname } = useLocation();
  const type = useNavigationType();
  const lastPath = useRef(pathname);
  const [announced, announce] = useState("");
  useEffect(() => onPageTitle(announce), []);
  useEffect(() => {
    if (lastPath.current === pathname) return;
    lastPath.current = pathname;
    if (type !== NavigationType.Pop) scrollTo(0, 0);
    // A field that took the focus itself keeps it. The page before may still be there, hidden while this one is loaded.
    const focused = document.activeElement?.closest("main *");
    if (focused == null || focused.checkVisibility?.() === false)
      document.getElementById("content")?.focus({ preventScroll: true });
  }, [pathname, type]);
  return (
    <span aria-live="polite" className="sr-only">
      {announced}
    </span>
  );
}
