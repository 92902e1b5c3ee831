import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { managedText } from "../../../entities/managed/managed-badge.tsx";
import { paths } from "../../../app/paths.ts";
import { formatDuration, formatPercent } from "../../../lib/format.ts";
import type { Columns } from "../../../lists/data-table.tsx";
import { NameLink } from "../../../lists/name-link.tsx";
import { useRemembered } from "../../../lists/remembered.ts";
import { TagList } from "../../../lists/tag-list.tsx";
import { shownState, StatusBadge } from "../../../ui/badge.tsx";
import { ColumnsIcon } from "../../../ui/icons.tsx";
import { isPassive } from "../../../ui/health/schedule.ts";
import { Menu } from "../../../ui/menu/menu.tsx";
import { Time } from "../../../ui/time.tsx";
import { FoldButton } from "../group/folds.tsx";
import { MonitorMenu } from "./actions.tsx";
import type { RowAct } from "./row-act.ts";
import { CertificateDays, MonitorBars, MonitorNotes, MonitorTarget, Outcome, P95 } from "./cells.tsx";
import type { MonitorList } from "./list.ts";

const choosable = [
  "target",
  "recentChecks",
  "responseTime",
  "p95",
  "uptime",
  "certificate",
  "interval",
  "locations",
  "since",
] as const;
export type ColumnName = (typeof choosable)[number];
const initialColumns: readonly ColumnName[] = ["target", "recentChecks", "responseTime", "p95", "uptime"];

export function useChosenColumns() {
  const [names, setNames] = useRemembered<readonly ColumnName[]>("monitorColumns", initialColumns);
  return {
    names,
    choose: (wanted: readonly string[]) => setNames(choosable.filter((name) => wanted.includes(name))),
    toggle: (name: ColumnName) => setNames(choosable.filter((each) => (each === name) !== names.includes(each))),
  };
}

function headsOf(t: TFunction): Record<ColumnName, string> {
  return {
    target: t("monitorList.columns.target"),
    recentChecks: t("monitors.recentChecks.title"),
    responseTime: t("monitors.responseTime"),
    p95: "p95",
    uptime: t("monitors.uptime"),
    certificate: t("monitorList.certificate.title"),
    interval: t("monitorList.columns.interval"),
    locations: t("monitorList.columns.locations"),
    since: t("monitorList.columns.since"),
  };
}

export type ChosenColumns = ReturnType<typeof useChosenColumns>;

export function ColumnsMenu({ names, toggle }: ChosenColumns) {
  const { t } = useTranslation();
  const heads = headsOf(t);
  return (
    <Menu
      entries={choosable.map((name) => ({
        kind: "check",
        checked: names.includes(name),
        onChange: () => toggle(name),
        label: heads[name],
      }))}
    >
      <ColumnsIcon />
      {t("monitorList.columns.title")}
    </Menu>
  );
}

type RowOptions = {
  /** Both must keep their identity while the list is mounted. */
  onTag: (tag: string) => void;
  onAct: RowAct;
};

/**
 * Columns of the list: status, name, the chosen columns, actions. With many columns the table scrolls sideways. Details
 * that do not fit a narrow window are on the monitor's page.
 */
export function useMonitorColumns(chosen: readonly ColumnName[], { onTag, onAct }: RowOptions) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  return useMemo((): Columns<Monitor, MonitorList> => {
    const heads = headsOf(t);
    const optional: Record<ColumnName, Columns<Monitor, MonitorList>[number]> = {
      target: {
        head: heads.target,
        sort: "target",
        from: "xl",
        headClassName: "w-40",
        cell: (monitor) => <MonitorTarget monitor={monitor} />,
      },
      recentChecks: {
        head: heads.recentChecks,
        from: "lg",
        headClassName: "w-40",
        cell: (monitor) => <MonitorBars monitor={monitor} className="w-full" />,
      },
      responseTime: {
        head: heads.responseTime,
        sort: "responseTime",
        headClassName: "w-32 lg:w-40 xl:w-44",
        cell: (monitor) => <Outcome monitor={monitor} />,
      },
      p95: {
        head: heads.p95,
        sort: "p95",
        from: "xl",
        headClassName: "w-24",
        titleOf: ({ p95 }) => {
          if (p95 === undefined) return "";
          if (p95.usual === null) return t("monitorList.p95.last");
          return t("monitorList.p95.usual", { usual: formatDuration(p95.usual, language) });
        },
        cell: ({ p95 }) => <P95 p95={p95} />,
      },
      uptime: {
        head: heads.uptime,
        sort: "uptime",
        headClassName: "w-34 text-right",
        className: "tnum text-right whitespace-nowrap",
        cell: ({ uptime }) => formatPercent(uptime.h24, language),
      },
      certificate: {
        head: heads.certificate,
        headClassName: "w-28",
        cell: ({ certificateExpiresAt }) => <CertificateDays at={certificateExpiresAt} />,
      },
      interval: {
        head: heads.interval,
        headClassName: "w-24",
        className: "tnum whitespace-nowrap",
        cell: ({ type, interval }) => (isPassive(type) ? "–" : formatDuration(interval * 60_000, language)),
      },
      locations: {
        head: heads.locations,
        headClassName: "w-32",
        className: "truncate text-muted",
        titleOf: ({ locations = [] }) => locations.join(", "),
        cell: ({ locations = [] }) => locations.join(", "),
      },
      since: {
        head: heads.since,
        sort: "statusSince",
        headClassName: "w-36",
        className: "truncate text-muted",
        cell: ({ statusSince }) => <Time at={statusSince} relative />,
      },
    };
    return [
      {
        head: t("monitors.status"),
        sort: "status",
        headClassName: "w-30",
        cell: (monitor) => <StatusBadge state={shownState(monitor)} />,
      },
      {
        head: t("monitors.name"),
        sort: "name",
        grows: true,
        cell: (monitor) => <NameCell monitor={monitor} onTag={onTag} />,
      },
      ...choosable.filter((name) => chosen.includes(name)).map((name) => optional[name]),
      {
        head: <span className="sr-only">{t("common.actions")}</span>,
        numeric: true,
        headClassName: "w-14",
        className: "pl-0!",
        cell: (monitor) => (
          <span className="relative inline-flex">
            {/* Tools cover the figures next to them, so that nothing moves. */}
            <span
              data-tools={monitor.id}
              className="absolute inset-y-0 right-full z-10 flex items-center pointer-coarse:hidden"
            />
            <MonitorMenu monitor={monitor} onAct={onAct} />
          </span>
        ),
      },
    ];
  }, [t, language, chosen, onTag, onAct]);
}

const maxTags = 2;

function NameCell({ monitor, onTag }: { monitor: Monitor; onTag: (tag: string) => void }) {
  const { t } = useTranslation();
  const { id, name, target, tags, managed } = monitor;
  const title = [name, target, managedText(managed, t)].join("\n").trimEnd();
  return (
    <span className="flex min-w-0 flex-col justify-center">
      <span className="flex min-w-0 items-center gap-x-2">
        {/* Tags give way before the name does. */}
        <NameLink to={paths.monitor(id)} name={name} title={title} />
        <FoldButton monitor={monitor} />
        <TagList
          tags={tags}
          max={maxTags}
          onTag={onTag}
          titleOf={(tag) => t("monitorList.tags.show", { tag })}
          className="flex-1 basis-0 max-lg:hidden"
        />
      </span>
      <MonitorNotes monitor={monitor} />
    </span>
  );
}
