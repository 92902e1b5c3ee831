import type { Maintenance } from "@sonde/proto/http/status/maintenance";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useSession } from "../../../app/hooks.ts";
import { windowPath } from "../../../app/paths.ts";
import { targetKey } from "../../../app/targets/api.ts";
import { TargetIcon, useTargetName } from "../../../app/targets/target-line.tsx";
import { useRecurrenceText } from "./recurrence-text.ts";
import { When } from "./when.tsx";
import { RowAction } from "../../../lists/row-actions.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { CheckIcon, PauseIcon, PendingIcon, RefreshIcon, TrashIcon } from "../../../ui/icons.tsx";
import { Time } from "../../../ui/time.tsx";

const looks = {
  running: { tone: "accent", icon: PauseIcon },
  scheduled: { tone: "plain", icon: PendingIcon },
  ended: { tone: "plain", icon: CheckIcon },
} as const;
/** Each asks for its target: of hundreds only some are shown. */
const mostShown = 3;

type WindowRowProps = { window: Maintenance; onDelete: () => void; onEnd: () => void };

/** One window of the list: when it runs, or comes next, and what it covers. */
export function WindowRow({ window, onDelete, onEnd }: WindowRowProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const recurs = useRecurrenceText(window);
  const { id, name, status, next, start, end, timeZone } = window;
  const { tone, icon: Icon } = looks[status];
  return (
    <li data-row className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5 md:px-5">
      <div className="flex min-w-0 flex-1 basis-64 flex-col gap-0.5">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            to={windowPath(id)}
            className="inline-flex min-h-6 min-w-0 items-center font-medium break-words hover:underline"
          >
            {name}
          </Link>
          <Badge tone={tone}>
            <Icon className="size-3" />
            {t(`maintenance.states.${status}`)}
          </Badge>
          {recurs !== "" && (
            <Badge>
              <RefreshIcon className="size-3" />
              {recurs}
            </Badge>
          )}
          {!window.public && <Badge>{t("maintenance.hidden")}</Badge>}
        </p>
        <p className="flex flex-wrap gap-x-3 text-[13px] text-muted">
          {next === undefined ? (
            <>
              {recurs !== "" && <span>{t("maintenance.first")}</span>}
              <When start={start} end={end} timeZone={timeZone} />
            </>
          ) : (
            <>
              <span>
                {t(status === "running" ? "maintenance.endsIn" : "maintenance.startsIn")}
                <Time at={status === "running" ? next.end : next.start} relative />
              </span>
              <When start={next.start} end={next.end} timeZone={timeZone} />
            </>
          )}
        </p>
        <Covered window={window} />
      </div>
      {mayChange && (
        <span className="inline-flex items-center gap-1">
          {status === "running" && (
            <Button size="sm" onClick={onEnd} aria-label={`${t("maintenance.endNow")}: ${name}`}>
              {t("maintenance.endNow")}
            </Button>
          )}
          <RowAction label={t("common.delete")} name={name} onClick={onDelete}>
            <TrashIcon />
          </RowAction>
        </span>
      )}
    </li>
  );
}

function Covered({ window: { monitors, agents } }: { window: Maintenance }) {
  const { t } = useTranslation();
  const targets: TargetRef[] = [
    ...monitors.map((id) => ({ type: "monitor" as const, id })),
    ...agents.map((id) => ({ type: "agent" as const, id })),
  ];
  const more = targets.length - mostShown;
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-0.5 text-[13px] text-faint">
      {targets.slice(0, mostShown).map((target) => (
        <Name key={targetKey(target)} target={target} />
      ))}
      {more > 0 && <span>{t("maintenance.more", { count: more })}</span>}
    </p>
  );
}

function Name({ target }: { target: TargetRef }) {
  const { name = "…" } = useTargetName(target);
  return (
    <span className="inline-flex min-w-0 items-center gap-1">
      <TargetIcon type={target.type} className="size-3.5" />
      <span className="min-w-0 truncate">{name}</span>
    </span>
  );
}
