import { lazy } from "react";
import { useTranslation } from "react-i18next";
import { usePolling, useSession } from "../../../app/hooks.ts";
import { LostLocations } from "../../../app/locations.tsx";
import { paths } from "../../../app/paths.ts";
import { useMedia } from "../../../lib/hooks.ts";
import { AddLink } from "../../../lists/add-link.tsx";
import { useRetainedRows } from "../../../lists/retained-rows.ts";
import { ListEmpty } from "../../../lists/list-empty.tsx";
import { ListFilters } from "../../../lists/list-filters.tsx";
import { ListPage } from "../../../lists/list-page.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { BookmarkIcon, PulseIcon, TagIcon } from "../../../ui/icons.tsx";
import { Select } from "../../../ui/inputs.tsx";
import { Menu } from "../../../ui/menu/menu.tsx";
import { useMonitorsQuery } from "../api.ts";
import { useMonitorsByIds } from "./monitors-by-ids.ts";
import { type MonitorList, useMonitorList } from "./list.ts";
import { MonitorTable } from "./monitor-table.tsx";
import { ColumnsMenu, useChosenColumns } from "./rows.tsx";
import { StateStrip } from "./state-strip.tsx";
import { TagGroups } from "./tag-groups.tsx";
import { TagFilter, TagSilence } from "./tags.tsx";

const ViewsPanel = lazy(() => import("./views-panel.tsx"));

export default function ListScreen() {
  const { t } = useTranslation();
  const list = useMonitorList();
  const query = useMonitorsQuery(list.query, { pollingInterval: usePolling() });
  const isNarrow = useMedia("(width < 48rem)");
  const columns = useChosenColumns();
  const { search, status, tag, type, slower, group } = list.params;
  const isGrouped = group === "tag";
  const kept = useRetainedRows(
    (query.currentData ?? query.data)?.monitors,
    JSON.stringify(list.query),
    useMonitorsByIds,
  );
  const add = (
    <>
      <ImportLink />
      <AddLink noun="monitors" to={paths.monitorCreate} />
    </>
  );
  return (
    <ListPage
      noun="monitors"
      list={list}
      query={query}
      fallback="fetchMonitors"
      pageless={isGrouped}
      actions={add}
      banner={<LostLocations className="mb-4" />}
      filters={
        <>
          <StateStrip list={list} />
          <ListFilters
            noun="monitors"
            list={list}
            after={
              <span className="ml-auto inline-flex gap-2">
                <Menu panelOf={(frame) => <ViewsPanel columns={columns} {...frame} />}>
                  <BookmarkIcon />
                  <span className="max-sm:sr-only">{t("views.title")}</span>
                </Menu>
                <Button
                  aria-pressed={isGrouped}
                  className="aria-pressed:border-accent aria-pressed:bg-accent-soft"
                  onClick={() => list.change({ group: isGrouped ? undefined : "tag" })}
                >
                  <TagIcon />
                  <span className="max-sm:sr-only">{t("monitorList.groups.byTag")}</span>
                </Button>
                {!isNarrow && <ColumnsMenu {...columns} />}
              </span>
            }
          >
            <TagFilter tag={tag} onTag={(next) => list.change({ tag: next })} />
            <TagSilence tag={tag} />
            {isNarrow && <Order list={list} />}
          </ListFilters>
        </>
      }
      empty={kept.count === 0 ? <ListEmpty noun="monitors" list={list} icon={<PulseIcon />} action={add} /> : undefined}
    >
      {(page) => {
        const shared = { columns: columns.names, isNarrow };
        return isGrouped ? (
          <TagGroups list={list} {...shared} />
        ) : (
          <MonitorTable
            {...shared}
            label={t("monitors.title")}
            kept={kept}
            filter={{ search, status, tag, type, slower }}
            total={page?.total ?? 0}
            list={list}
          />
        );
      }}
    </ListPage>
  );
}

const orders = {
  status: "status",
  name: "name",
  "-responseTime": "slow",
  "-p95Change": "slower",
  uptime: "uptime",
  "-createdAt": "newest",
} as const;
type Order = keyof typeof orders;

function Order({ list }: { list: MonitorList }) {
  const { t } = useTranslation();
  const { sort } = list.params;
  const isNamed = sort in orders;
  return (
    <Select
      className="flex-1 basis-28 sm:flex-none"
      aria-label={t("monitorList.order.label")}
      value={isNamed ? sort : ""}
      onChange={({ target }) => target.value in orders && list.change({ sort: target.value as Order })}
    >
      {!isNamed && <option value="">{t("monitorList.order.other")}</option>}
      {(Object.keys(orders) as Order[]).map((each) => (
        <option key={each} value={each}>
          {t(`monitorList.order.${orders[each]}`)}
        </option>
      ))}
    </Select>
  );
}

function ImportLink() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  return mayChange ? <ButtonLink to={paths.monitorImport}>{t("monitors.import")}</ButtonLink> : null;
}
