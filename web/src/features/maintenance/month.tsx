import type { MaintenanceOccurrence } from "@sonde/proto/http/status/maintenance";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { paths, windowPath } from "../../app/paths.ts";
import { MonthCalendar, useMonth } from "../../entities/calendar/month.tsx";
import { refreshed } from "../../lists/overview.tsx";
import { formatTime } from "../../lib/format.ts";
import { cx } from "../../ui/cx.ts";
import { useOccurrencesQuery } from "./api.ts";

export default function MonthView() {
  const { t } = useTranslation();
  const month = useMonth();
  const query = useOccurrencesQuery({ from: month.from, until: month.until }, refreshed);
  return (
    <MonthCalendar
      of={month}
      query={query}
      entries={query.currentData?.occurrences.map((one) => ({
        key: `${one.id} ${one.start}`,
        start: one.start,
        end: one.end,
        show: (isFirst) => <Bar one={one} isFirst={isFirst} />,
      }))}
      pathOf={(name) => `${paths.maintenance}?view=month&month=${name}`}
      none={t("maintenance.noneInMonth")}
    />
  );
}

function Bar({ one: { id, name, start, end }, isFirst }: { one: MaintenanceOccurrence; isFirst: boolean }) {
  const { i18n } = useTranslation();
  const [from, to] = [start, end].map((at) => formatTime(at, i18n.language));
  return (
    <Link
      to={windowPath(id)}
      title={`${name}, ${from} – ${to}`}
      className={cx(
        "flex min-h-6 min-w-0 items-center gap-1.5 border border-maintenance/45 bg-maintenance-soft px-1.5 text-[13px] text-maintenance-ink hover:underline",
        isFirst ? "rounded-sm" : "rounded-r-sm border-l-0",
      )}
    >
      {isFirst && <span className="tnum shrink-0">{from}</span>}
      <span className="min-w-0 truncate">{name}</span>
    </Link>
  );
}
