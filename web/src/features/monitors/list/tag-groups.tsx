import { useTranslation } from "react-i18next";
import { usePolling } from "../../../app/hooks.ts";
import { Loaded, QueryError } from "../../../app/screen.tsx";
import { useRetainedRows } from "../../../lists/retained-rows.ts";
import { useRemembered } from "../../../lists/remembered.ts";
import { Button } from "../../../ui/button.tsx";
import { ChevronDownIcon, ChevronRightIcon } from "../../../ui/icons.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { useMonitorCountsQuery, useMonitorsQuery, useTagsQuery } from "../api.ts";
import { useMonitorsByIds } from "./monitors-by-ids.ts";
import type { MonitorList } from "./list.ts";
import { MonitorTable, type MonitorRowsLook } from "./monitor-table.tsx";
import { TagSilence } from "./tags.tsx";

type TagGroup = { tag: string | undefined; monitors: number; down: number };

/** Maximum number of initially expanded groups. They start with those that have monitors down. */
const maxUnfolded = 4;

export function TagGroups({ list, ...look }: MonitorRowsLook & { list: MonitorList }) {
  const { t } = useTranslation();
  const { search, tag, type } = list.params;
  const tags = useTagsQuery("");
  const untagged = useMonitorCountsQuery({ search, type, untagged: "true" });
  const [folds, setFolds] = useRemembered<Readonly<Record<string, boolean>>>("monitorTagFolds", {});
  return (
    <Loaded query={tags} header={null} placeholder={<Skeleton className="h-96 w-full" />}>
      {({ tags: known, more }) => {
        const counts = untagged.data?.counts;
        const groups: TagGroup[] = [
          ...known
            .filter(({ name }) => tag === undefined || name === tag)
            .map(({ name, ...rest }) => ({ tag: name, ...rest })),
          ...(counts !== undefined && counts.total > 0 && tag === undefined
            ? [{ tag: undefined, monitors: counts.total, down: counts.down }]
            : []),
        ];
        const initiallyUnfolded = new Set(groups.filter(({ down }) => down > 0).slice(0, maxUnfolded));
        return (
          <>
            {groups.map((group) => {
              const key = group.tag ?? "";
              const isUnfolded = folds[key] ?? initiallyUnfolded.has(group);
              return (
                <Group
                  key={key}
                  group={group}
                  isUnfolded={isUnfolded}
                  onFold={() => setFolds({ ...folds, [key]: !isUnfolded })}
                  list={list}
                  {...look}
                />
              );
            })}
            {more && (
              <p className="border-t border-line px-4 py-3 text-[13px] text-muted">{t("monitorList.groups.more")}</p>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

type GroupProps = MonitorRowsLook & { group: TagGroup; isUnfolded: boolean; onFold: () => void; list: MonitorList };

function Group({ group: { tag, monitors, down }, isUnfolded, onFold, list, ...look }: GroupProps) {
  const { t } = useTranslation();
  const Chevron = isUnfolded ? ChevronDownIcon : ChevronRightIcon;
  return (
    <section className="border-t border-line first:border-t-0">
      <div className="flex items-center bg-sunken/60">
        <h2 className="min-w-0 flex-1">
          <button
            type="button"
            aria-expanded={isUnfolded}
            onClick={onFold}
            className="flex min-h-11 w-full items-center gap-2 px-4 text-left hover:bg-sunken"
          >
            <Chevron className="size-4 text-muted" />
            <span className="min-w-0 truncate font-semibold">{tag ?? t("monitorList.groups.untagged")}</span>{" "}
            <span className="tnum text-[13px] whitespace-nowrap text-muted">
              {t("monitorList.groups.monitors", { count: monitors })}
            </span>{" "}
            {down > 0 && (
              <span className="tnum text-[13px] font-medium whitespace-nowrap text-down-ink">
                {t("monitorList.groups.down", { count: down })}
              </span>
            )}
          </button>
        </h2>
        <TagSilence tag={tag} variant="ghost" size="icon" className="mr-3 shrink-0" />
      </div>
      {isUnfolded && <GroupRows tag={tag} list={list} {...look} />}
    </section>
  );
}

function GroupRows({ tag, list, ...look }: MonitorRowsLook & { tag: string | undefined; list: MonitorList }) {
  const { t } = useTranslation();
  const { search, status, type, slower } = list.params;
  const filter = { search, status, type, slower, tag, ...(tag === undefined ? { untagged: "true" as const } : {}) };
  const request = { ...list.query, ...filter, page: 1 };
  const query = useMonitorsQuery(request, { pollingInterval: usePolling() });
  const kept = useRetainedRows((query.currentData ?? query.data)?.monitors, JSON.stringify(request), useMonitorsByIds);
  const total = query.data?.total ?? 0;
  if (query.error !== undefined && query.data === undefined)
    return <QueryError query={query} fallback="fetchMonitors" />;
  if (query.data !== undefined && total === 0 && kept.count === 0)
    return <p className="px-4 py-3 text-muted">{t("monitorList.groups.none")}</p>;
  return (
    <>
      <MonitorTable
        {...look}
        label={tag ?? t("monitorList.groups.untagged")}
        kept={kept}
        filter={filter}
        total={total}
        list={list}
      />
      {tag !== undefined && total > list.pageSize && (
        <Button variant="ghost" size="sm" className="m-2" onClick={() => list.change({ group: undefined, tag })}>
          {t("monitorList.groups.showAll", { count: total })}
        </Button>
      )}
    </>
  );
}
