import { useTranslation } from "react-i18next";
import { Outlet, useLocation } from "react-router-dom";
import { paths } from "../paths.ts";
import { ErrorBoundary } from "../error-boundary.tsx";
import { Keyboard } from "../keyboard/keyboard.tsx";
import { Footer } from "./footer.tsx";
import { NavBar } from "./nav-bar.tsx";
import { ScrollAndFocus } from "./scroll-and-focus.tsx";

/** Navigation bar, page, footer; without them for people without an account, who came by a link in a message. */
export function Layout() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
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
    </div>
  );
}
