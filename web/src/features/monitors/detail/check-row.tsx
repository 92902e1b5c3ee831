import type { CheckResult } from "@sonde/proto/http/monitors/checks";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { PhasesBar } from "../../../charts/phases-bar.tsx";
import { formatDateTime, formatDuration } from "../../../lib/format.ts";
import { Badge, MaintenanceBadge, StatusBadge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { cx } from "../../../ui/cx.ts";
import { Entry } from "../../../ui/card.tsx";
import { ChevronRightIcon } from "../../../ui/icons.tsx";
import { Reason } from "../../../ui/health/reason.tsx";
import { Cell, Row } from "../../../lists/table.tsx";
import { Time } from "../../../ui/time.tsx";

type CheckRowProps = { check: CheckResult; isOpen: boolean; onToggle: () => void };

/** One check; opened it shows its phases, and how it came about. */
export function CheckRow({ check, isOpen, onToggle }: CheckRowProps) {
  const { t, i18n } = useTranslation();
  const details = useId();
  return (
    <>
      <Row>
        <Cell className="pr-0">
          <Button
            variant="ghost"
            size="icon"
            aria-expanded={isOpen}
            aria-controls={isOpen ? details : undefined}
            aria-label={t("monitorDetail.detailsOf", { when: formatDateTime(check.startedAt, i18n.language) })}
            onClick={onToggle}
          >
            <ChevronRightIcon className={cx("size-4 transition-transform", isOpen && "rotate-90")} />
          </Button>
        </Cell>
        <Cell className="whitespace-nowrap">
          <Time at={check.startedAt} /> {check.manual && <Badge>{t("monitor.manual")}</Badge>}{" "}
          <MaintenanceBadge when={check.inMaintenance} />
        </Cell>
        <Cell>
          <StatusBadge state={check.status} wording="detail" />
        </Cell>
        <Cell numeric>{formatDuration(check.responseTime, i18n.language)}</Cell>
        <Cell numeric>{check.statusCode ?? "–"}</Cell>
        <Cell>{check.location}</Cell>
        <Cell className="min-w-48 text-down-ink">
          <Reason text={check.error?.message} />
        </Cell>
      </Row>
      {isOpen && (
        <tr id={details} className="bg-sunken/60">
          <td colSpan={7} className="px-4 py-4 md:px-5">
            <CheckDetails check={check} />
          </td>
        </tr>
      )}
    </>
  );
}

function CheckDetails({ check }: { check: CheckResult }) {
  const { t, i18n } = useTranslation();
  const { timings, attempt, failures, lateness, location, slot, manual } = check;
  return (
    // The table scrolls sideways on a phone; this stays in sight.
    <div className="sticky left-4 flex max-w-[calc(100vw-5rem)] flex-col gap-4 md:left-5">
      <PhasesBar timings={timings} />
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
        <Entry name={t("monitorDetail.attempt")}>{attempt}</Entry>
        {failures > 0 && <Entry name={t("monitorDetail.failuresInRow")}>{failures}</Entry>}
        {/* A check by hand was not due at an instant. */}
        {!manual && (
          <>
            <Entry name={t("monitorDetail.due")}>
              <Time at={slot} />
            </Entry>
            <Entry name={t("monitorDetail.lateness")}>{formatDuration(lateness, i18n.language)}</Entry>
          </>
        )}
        <Entry name={t("monitor.location")}>{location}</Entry>
      </dl>
    </div>
  );
}
