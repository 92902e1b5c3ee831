import { type ComponentType, lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router";
import { Changes } from "../../app/audit/changes.tsx";
import { useSession } from "../../app/hooks.ts";
import { paths, publicPage } from "../../app/paths.ts";
import { buttonClass } from "../../ui/button.tsx";
import { ExternalIcon } from "../../ui/icons.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";

// Each tab is a chunk of its own, fetched when it is first shown.
const contents = {
  page: lazy(() => import("./page/page-tab.tsx")),
  incidents: lazy(() => import("./announcements/announcements-tab.tsx")),
  maintenance: lazy(() => import("./maintenance/maintenance-tab.tsx")),
  subscribers: lazy(() => import("./subscribers/subscribers-tab.tsx")),
  changes: () => <Changes target="page" />,
} satisfies Record<string, ComponentType>;
type Tab = keyof typeof contents;
const allTabs = Object.keys(contents) as Tab[];

/** What the public page shows, and what is announced to its readers. `?tab=` names the part that is shown. */
export default function StatusConfigScreen() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { isAdmin } = useSession();
  const tabs = allTabs.filter((tab) => tab !== "changes" || isAdmin);
  const asked = useSearchParams()[0].get("tab");
  const shown = tabs.find((tab) => tab === asked) ?? "page";
  const Content = contents[shown];
  return (
    <>
      <PageHeader
        title={t("nav.statusPage")}
        actions={
          <a href={publicPage} className={buttonClass()}>
            <ExternalIcon />
            {t("statusPage.open")}
          </a>
        }
      />
      <Tabs
        label={t("statusPage.tabs")}
        // A tab that unsaved work keeps closed must not be asked for again by the focus that returns to it.
        byEnter
        value={shown}
        onChange={(tab: Tab) => void navigate(tab === "page" ? paths.statusConfig : `${paths.statusConfig}?tab=${tab}`)}
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
