import { type ComponentType, lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Navigate, useNavigate, useSearchParams } from "react-router-dom";
import { Changes } from "../../entities/audit/changes.tsx";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { defaultPage, settingsPath, useChosenPage } from "./pages/api.ts";
import { OpenPage, useOpenOnArrival } from "./pages/open-page.tsx";
import { PageList } from "./pages/page-list.tsx";

const contents = {
  page: lazy(() => import("./page/page-tab.tsx")),
  incidents: lazy(() => import("./announcements/announcements-tab.tsx")),
  access: lazy(() => import("./access/access-tab.tsx")),
  subscribers: lazy(() => import("./subscribers/subscribers-tab.tsx")),
  changes: PageChanges,
} satisfies Record<string, ComponentType>;
type Tab = keyof typeof contents;
const allTabs = Object.keys(contents) as Tab[];

/** The default page includes changes of all pages, because `page` was once the only target. */
function PageChanges() {
  const slug = useChosenPage();
  return <Changes key={slug} target={slug === defaultPage ? "page" : `page:${slug}`} />;
}

export default function StatusConfigScreen() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { isAdmin } = useSession();
  const tabs = allTabs.filter((tab) => tab !== "changes" || isAdmin);
  const [params] = useSearchParams();
  const tabParam = params.get("tab");
  const slug = useChosenPage();
  useOpenOnArrival();
  if (tabParam === "maintenance") {
    const rest = new URLSearchParams([...params].filter(([name]) => name !== "tab" && name !== "slug"));
    return <Navigate to={{ pathname: paths.maintenance, search: rest.toString() }} replace />;
  }
  const shown = tabs.find((tab) => tab === tabParam) ?? "page";
  const Content = contents[shown];
  return (
    <>
      <PageHeader title={t("nav.statusPage")} actions={<OpenPage slug={slug} />} />
      <PageList chosen={slug} tab={shown === "page" ? undefined : shown} />
      <Tabs
        label={t("statusPage.tabs")}
        // If unsaved changes block a tab, returning the focus to it must not select it again.
        byEnter
        value={shown}
        onChange={(tab: Tab) => void navigate(settingsPath(slug, tab === "page" ? undefined : tab))}
        tabs={tabs.map((value) => ({
          value,
          label: value === "changes" ? t("changes.title") : t(`statusPage.tab.${value}`),
          content: value === shown && (
            <Suspense fallback={<Skeleton className="h-96 w-full" />}>
              <Content />
            </Suspense>
          ),
        }))}
      />
    </>
  );
}
