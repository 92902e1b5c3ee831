import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { usePolling } from "../../../app/hooks.ts";
import { QueryError } from "../../../app/screen.tsx";
import { paths } from "../../../app/paths.ts";
import { formatPercent } from "../../../lib/format.ts";
import { MaintenanceBadge, shownState, StatusBadge } from "../../../ui/badge.tsx";
import { KindIcon } from "../../../ui/icons.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { useMonitorsQuery } from "../api.ts";
import { FoldButton, useIsUnfolded } from "./folds.tsx";

const maxShown = 200;

/** The members of a group, those that are down first. Groups among them unfold in turn. */
export default function GroupMembers({ id, name }: { id: number; name: string }) {
  const { t } = useTranslation();
  const request = { group: id, page: 1, pageSize: maxShown, sort: "status" } as const;
  const query = useMonitorsQuery(request, { pollingInterval: usePolling() });
  const { data, error } = query;
  if (data === undefined)
    return error === undefined ? (
      <Skeleton className="h-16 w-full" />
    ) : (
      <QueryError query={query} fallback="fetchMonitors" />
    );
  if (data.total === 0) return <p className="py-2 text-muted">{t("groups.none")}</p>;
  return (
    <>
      <ul aria-label={t("groups.membersOf", { name })} className="divide-y divide-line">
        {data.monitors.map((member) => (
          <Member key={member.id} member={member} />
        ))}
      </ul>
      {data.total > maxShown && <p className="py-2 text-[13px] text-muted">{t("groups.more", { count: maxShown })}</p>}
    </>
  );
}

function Member({ member }: { member: Monitor }) {
  const { i18n } = useTranslation();
  const isUnfolded = useIsUnfolded();
  const { id, name, type, uptime, inMaintenance } = member;
  return (
    <li className="py-1">
      <span className="flex min-h-8 min-w-0 items-center gap-x-2 max-sm:flex-wrap">
        <span className="flex min-w-0 items-center gap-2 max-sm:flex-[1_1_8rem]">
          <KindIcon type={type} className="size-4 text-muted" />
          <Link to={paths.monitor(id)} title={name} className="min-w-0 truncate py-0.5 font-medium hover:underline">
            {name}
          </Link>
        </span>
        <FoldButton monitor={member} />
        <MaintenanceBadge when={inMaintenance} />
        <span className="tnum ml-auto w-16 text-right text-[13px] text-muted max-sm:hidden">
          {formatPercent(uptime.h24, i18n.language)}
        </span>
        <span className="w-24 shrink-0 max-sm:ml-auto max-sm:w-auto">
          <StatusBadge state={shownState(member)} />
        </span>
      </span>
      {isUnfolded(member) && (
        <div className="ml-2 border-l border-line pl-3">
          <GroupMembers id={id} name={name} />
        </div>
      )}
    </li>
  );
}
