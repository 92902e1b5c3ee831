import type { RecentCheck } from "@sonde/proto/http/recent-checks";
import type { Monitor } from "@sonde/proto/http/monitors";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { formatDuration, formatPercent } from "../../lib/format.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { EditIcon, EyeIcon, TrashIcon } from "../../ui/icons.tsx";
import { Checkbox } from "../../ui/inputs.tsx";
import { shownState, StatusBadge } from "../../ui/status-badge.tsx";
import { Cell, Row } from "../../ui/table.tsx";
import { RecentCheckBars } from "./recent-check-bars.tsx";

type MonitorRowProps = {
  monitor: Monitor;
  recentChecks: readonly RecentCheck[] | undefined;
  selected: boolean;
  onToggle: () => void;
  onDelete: () => void;
  onTag: (tag: string) => void;
};

export function MonitorRow({ monitor, recentChecks, selected, onToggle, onDelete, onTag }: MonitorRowProps) {
  const { t, i18n } = useTranslation();
  const { mayChange } = useSession();
  const { id, name, url, status, stale, responseTime, uptime, tags } = monitor;
  const badge = <StatusBadge state={shownState(status, stale)} />;
  return (
    <Row className={selected ? "bg-accent-soft/60" : "hover:bg-sunken/60"}>
      {mayChange && (
        <Cell>
          <Checkbox aria-label={t("monitors.select", { name })} checked={selected} onChange={onToggle} />
        </Cell>
      )}
      <Cell className="min-w-40 max-md:w-full max-md:max-w-0">
        <span className="flex flex-wrap items-center gap-x-2">
          <Link to={paths.monitor(id)} className="inline-flex min-h-6 items-center font-medium hover:underline">
            {name}
          </Link>
          {tags.map((tag) => (
            <button
              key={tag}
              type="button"
              onClick={() => onTag(tag)}
              className="inline-flex min-h-6 items-center rounded-sm"
            >
              <Badge className="hover:text-ink">{tag}</Badge>
            </button>
          ))}
        </span>
        <span className="block truncate font-mono text-[12px] text-faint md:max-w-72 lg:hidden">{url}</span>
        <RecentCheckBars recentChecks={recentChecks} className="mt-1.5 xl:hidden" />
        {/* On a phone the row's figures stand below its name: nothing of weight is scrolled out of sight. */}
        <span className="tnum mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px] text-muted md:hidden">
          {badge}
          {formatDuration(responseTime, i18n.language)}
          <span>{formatPercent(uptime.h24, i18n.language)}</span>
        </span>
      </Cell>
      <Cell className="hidden max-w-80 lg:table-cell">
        <span title={url} className="block truncate font-mono text-[13px] text-muted">
          {url}
        </span>
      </Cell>
      <Cell className="hidden md:table-cell">{badge}</Cell>
      <Cell className="hidden xl:table-cell">
        <RecentCheckBars recentChecks={recentChecks} />
      </Cell>
      <Cell numeric className="hidden md:table-cell">
        {formatDuration(responseTime, i18n.language)}
      </Cell>
      <Cell numeric className="hidden md:table-cell">
        {formatPercent(uptime.h24, i18n.language)}
      </Cell>
      <Cell numeric className="w-px">
        <RowActions monitor={monitor} onDelete={onDelete} />
      </Cell>
    </Row>
  );
}

function RowActions({ monitor: { id, name }, onDelete }: { monitor: Monitor; onDelete: () => void }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  return (
    <span className="inline-flex items-center">
      <ButtonLink
        title={t("common.view")}
        className="max-sm:hidden"
        to={paths.monitor(id)}
        variant="ghost"
        size="icon"
        aria-label={`${t("common.view")}: ${name}`}
      >
        <EyeIcon />
      </ButtonLink>

      {mayChange && (
        <>
          <ButtonLink
            title={t("common.edit")}
            to={paths.monitorEdit(id)}
            variant="ghost"
            size="icon"
            aria-label={`${t("common.edit")}: ${name}`}
          >
            <EditIcon />
          </ButtonLink>

          <Button
            title={t("common.delete")}
            variant="ghost"
            size="icon"
            aria-label={`${t("common.delete")}: ${name}`}
            onClick={onDelete}
          >
            <TrashIcon />
          </Button>
        </>
      )}
    </span>
  );
}
