import { pathWithin } from "../../lib/base-path.ts";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Outlet, useLocation, NavigationType, useNavigationType } from "react-router-dom";
import { ErrorBoundary } from "../error-boundary.tsx";
import { useSession } from "../hooks.ts";
import { Keyboard } from "../keyboard/keyboard.tsx";
import { rememberPage } from "../keyboard/recent-pages.ts";
import { paths } from "../paths.ts";
import { DownCount } from "./down-count.tsx";
import { NavBar } from "./nav-bar.tsx";
import { useConfigQuery } from "../config.ts";
import { Button } from "../../ui/button.tsx";
import { GlobeIcon } from "../../ui/icons.tsx";
import { changeLanguage, englishOffer, shouldOfferEnglish } from "../i18n.ts";
import { onPageTitle } from "../../ui/page-header.tsx";

/** Navigation bar, page and footer. Visitors without an account, who follow a link in a message, see the page only. */
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
        {firstContact.includes(pathname) && <EnglishOffer />}
        <ErrorBoundary resetKey={pathname}>
          <Outlet />
        </ErrorBoundary>
      </main>
      <Footer />
      <ScrollAndFocus />
      <Keyboard hasSession={status === "authenticated"} />
      {status === "authenticated" && <DownCount />}
    </div>
  );
}

const firstContact: readonly string[] = [paths.home, paths.login, paths.register, paths.invite];

/** Always in English: visitors whose browser prefers it may not read Chinese, the default language. */
function EnglishOffer() {
  const { i18n } = useTranslation();
  if (i18n.language === "en-US" || !shouldOfferEnglish()) return null;
  return (
    <p lang="en" className="-mt-2 mb-4 flex justify-center">
      <Button variant="ghost" size="sm" onClick={() => void changeLanguage("en-US")}>
        <GlobeIcon />
        {englishOffer}
      </Button>
    </p>
  );
}

/** Copyright with the version as a tooltip, and the three configured links. Their space is reserved while they load. */
function Footer() {
  const { t } = useTranslation();
  const { data } = useConfigQuery();
  const links = data?.footerLinks;
  return (
    <footer className="border-t border-line max-sm:in-[:has([data-bottom-bar])]:pb-20">
      <div className="container-page flex min-h-14 flex-wrap items-center justify-between gap-x-6 gap-y-1 py-3 text-[13px] text-faint">
        <p className="tnum" title={data && t("footer.version", { version: data.version })}>
          {t("footer.copyright", { year: new Date().getFullYear() })}
        </p>
        {links !== undefined && (
          <nav aria-label={t("footer.copyright", { year: "" }).trim()} className="flex flex-wrap gap-x-5">
            {(["blog", "video", "mail"] as const).map((name) => (
              <a
                key={name}
                href={safeLink(links[name])}
                target="_blank"
                rel="noopener noreferrer"
                className="inline-flex min-h-8 items-center hover:text-ink hover:underline"
              >
                {t(`footer.${name}`)}
              </a>
            ))}
          </nav>
        )}
      </div>
    </footer>
  );
}

/** Only web addresses become links, whatever the configuration contains. */
function safeLink(address: string): string | undefined {
  return /^https?:\/\//i.test(address) ? address : undefined;
}

/** After a navigation, scrolls up (except for back and forward), focuses the page and announces its title. */
function ScrollAndFocus() {
  const { pathname } = useLocation();
  const type = useNavigationType();
  const lastPath = useRef(pathname);
  const [announced, announce] = useState("");
  const { user } = useSession();
  const userId = user?.id;
  useEffect(
    () =>
      onPageTitle((name, isFirst) => {
        // Browsers announce the first page themselves.
        if (!isFirst) announce(name);
        if (userId !== undefined) rememberPage(userId, { name, to: pathWithin(location.pathname) + location.search });
      }),
    [userId],
  );
  useEffect(() => {
    if (lastPath.current === pathname) return;
    lastPath.current = pathname;
    if (type !== NavigationType.Pop) scrollTo(0, 0);
    // A field that focused itself keeps the focus. The previous page may still be there, hidden during loading.
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
