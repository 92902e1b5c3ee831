import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Outlet, useLocation } from "react-router";
import { ErrorBoundary } from "../error-boundary.tsx";
import { useSession } from "../hooks.ts";
import { Keyboard } from "../keyboard/keyboard.tsx";
import { paths } from "../paths.ts";
import { Footer } from "./footer.tsx";
import { NavBar } from "./nav-bar.tsx";
import { ScrollAndFocus } from "./scroll-and-focus.tsx";

// The first page does without; where it cannot be loaded, so does every other.
const DownCount = lazy(() => import("../down-count/down-count.tsx").catch(() => ({ default: () => null })));

/** Navigation bar, page, footer; without them for people without an account, who came by a link in a message. */
export function Layout() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const { status } = useSession();
  if (pathname === paths.acknowledge) return <Outlet />;
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#content"
        className="sr-only rounded-md bg-raised px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:px-3 focus:py-2"
      >
        {t("common.skipToContent")}
      </a>
      <NavBar />
      <main id="content" tabIndex={-1} className="container-page flex-1 py-6 outline-none md:py-8">
        <ErrorBoundary resetKey={pathname}>
          <Outlet />
        </ErrorBoundary>
      </main>
      <Footer />
      <ScrollAndFocus />
      <Keyboard />
      <Suspense>{status === "authenticated" && <DownCount />}</Suspense>
    </div>
  );
}
