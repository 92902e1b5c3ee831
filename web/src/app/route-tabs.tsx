import { Outlet, useLocation, useNavigate } from "react-router-dom";
import { PageHeader } from "../ui/page-header.tsx";
import { Tabs } from "../ui/tabs.tsx";

type RouteTabsProps = {
  label: string;
  tabs: readonly [{ to: string; label: string }, ...{ to: string; label: string }[]];
};

/** Routes as tabs of one page, whose title is the shown tab. */
export function RouteTabs({ label, tabs }: RouteTabsProps) {
  const navigate = useNavigate();
  const pathname = useLocation().pathname.replace(/\/$/, "");
  const shown = tabs.find(({ to }) => to === pathname) ?? tabs[0];
  return (
    <>
      <PageHeader title={shown.label} />
      <Tabs
        label={label}
        // If unsaved changes block a tab, returning the focus to it must not select it again.
        byEnter
        value={shown.to}
        onChange={(to) => void navigate(to)}
        tabs={tabs.map((tab) => ({ value: tab.to, label: tab.label, content: tab === shown && <Outlet /> }))}
      />
    </>
  );
}
