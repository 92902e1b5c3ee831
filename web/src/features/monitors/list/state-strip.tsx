import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import { FilterStrip } from "../../../lists/filter-strip.tsx";
import {
  CertificateIcon,
  CheckIcon,
  CrossIcon,
  DashIcon,
  GroupIcon,
  PauseIcon,
  PendingIcon,
  PulseIcon,
  TrendUpIcon,
  WarnIcon,
} from "../../../ui/icons.tsx";
import { useMonitorCountsQuery } from "../api.ts";
import { monitorFilters, type MonitorList } from "./list.ts";

type Filter = (typeof monitorFilters)[number];

const looks: Record<Filter, { icon: ComponentType<{ className?: string }>; ink: string }> = {
  down: { icon: CrossIcon, ink: "text-down-ink" },
  slow: { icon: WarnIcon, ink: "text-warn-ink" },
  stale: { icon: DashIcon, ink: "text-idle-ink" },
  pending: { icon: PendingIcon, ink: "text-idle-ink" },
  up: { icon: CheckIcon, ink: "text-up-ink" },
  paused: { icon: PauseIcon, ink: "text-idle-ink" },
  active: { icon: PulseIcon, ink: "text-accent" },
  expiring: { icon: CertificateIcon, ink: "text-warn-ink" },
};
/** Always shown. Others only if there are any, or if the list is filtered by them. */
const always: ReadonlySet<Filter> = new Set(["down", "up", "expiring"]);

export function StateStrip({ list }: { list: MonitorList }) {
  const { t } = useTranslation();
  const { search, tag, status, type, slower, sort } = list.params;
  const isSlower = slower !== undefined;
  // Slower monitors are sorted by their change while the filter is chosen.
  const unsorted = sort === "-p95Change" ? ({ sort: "status" } as const) : {};
  const choose = (next: Filter | undefined) => list.change({ status: next, slower: undefined, ...unsorted });
  const { data } = useMonitorCountsQuery({ search, tag, type });
  const counts = data?.counts;
  const countOf = (filter: Filter) => (filter === "expiring" ? undefined : counts?.[filter]);
  const nameOf = (filter: Filter) =>
    filter === "active" || filter === "expiring"
      ? t(`monitors.filters.${filter}`)
      : t(`status.list.${filter === "stale" ? "noData" : filter}`);
  const shown = monitorFilters.filter(
    (filter) => always.has(filter) || filter === status || (filter !== "active" && (countOf(filter) ?? 0) > 0),
  );
  const all = {
    key: "all",
    name: t("monitorList.strip.all"),
    count: counts?.total,
    isChosen: status === undefined && !isSlower,
    onChoose: () => choose(undefined),
  };
  const choices = shown.map((filter) => ({
    key: filter,
    name: nameOf(filter),
    count: countOf(filter),
    ...looks[filter],
    isChosen: filter === status,
    onChoose: () => choose(filter === status ? undefined : filter),
  }));
  const slow = {
    key: "slower",
    name: t("monitorList.strip.slower"),
    icon: TrendUpIcon,
    ink: "text-warn-ink",
    isChosen: isSlower,
    onChoose: () =>
      isSlower ? choose(undefined) : list.change({ status: undefined, slower: "true", sort: "-p95Change" }),
  };
  const isGroups = type === "group";
  const groups = {
    key: "group",
    name: t("monitorList.strip.groups"),
    count: counts?.groups,
    icon: GroupIcon,
    isChosen: isGroups,
    onChoose: () => list.change({ type: isGroups ? undefined : "group" }),
  };
  const hasGroups = isGroups || (counts?.groups ?? 0) > 0;
  return (
    <FilterStrip
      label={t("monitorList.strip.label")}
      choices={[all, ...choices, slow, ...(hasGroups ? [groups] : [])]}
    />
  );
}
