import { useTranslation } from "react-i18next";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { MonthCalendar, type MonthEntry, useMonth } from "../../entities/calendar/month.tsx";
import { refreshed } from "../../lists/overview.tsx";
import { formatTime } from "../../lib/format.ts";
import { cx } from "../../ui/cx.ts";
import { SwapIcon, WarnIcon } from "../../ui/icons.tsx";
import { type NamedSchedule, namesIn, useShiftsQuery } from "./api.ts";
import type { ShownShift } from "./shift-dialog.tsx";

const wideMs = 31 * 86_400_000;
const looks = {
  mine: "border-accent/60 bg-accent-soft font-semibold text-accent-strong",
  layer: "border-line-strong bg-sunken text-ink",
  override: "border-maintenance/45 bg-maintenance-soft text-maintenance-ink",
  gap: "border-dashed border-down/60 text-down-ink",
  pastGap: "border-dashed border-line-strong text-muted",
};

export function ShiftCalendar({ schedule, onOpen }: { schedule: NamedSchedule; onOpen: (shift: ShownShift) => void }) {
  const { t, i18n } = useTranslation();
  const { user } = useSession();
  const month = useMonth();
  // Wider than the month, so that shifts at its ends are whole.
  const [from, to] = [Date.parse(month.from) - wideMs, Date.parse(month.until) + wideMs].map((ms) =>
    new Date(ms).toISOString(),
  );
  const query = useShiftsQuery({ id: schedule.id, from: from!, to: to! }, refreshed);
  const data = query.currentData;
  const nameOf = namesIn(data?.people ?? [], t("onCall.deletedUser"));
  const bar = (kind: keyof typeof looks, isFirst: boolean, start: string) => ({
    className: cx(
      "flex min-h-6 w-full min-w-0 items-center gap-1.5 border px-1.5 text-left text-[13px]",
      isFirst ? "rounded-sm" : "rounded-r-sm border-l-0",
      looks[kind],
    ),
    time: isFirst && <span className="tnum shrink-0">{formatTime(start, i18n.language)}</span>,
  });
  const shifts = data?.shifts.map(({ userId, start, end, source }): MonthEntry => ({
    key: `${start} ${userId}`,
    start,
    end,
    show: (isFirst) => {
      const kind = source === "override" ? "override" : userId === user?.id ? "mine" : "layer";
      const { className, time } = bar(kind, isFirst, start);
      const shown = { schedule: { ...schedule, nameOf }, userId, start, end, source };
      return (
        <button type="button" className={cx(className, "hover:underline")} onClick={() => onOpen(shown)}>
          {time}
          {source === "override" && <SwapIcon className="size-3.5 shrink-0" />}
          <span className="min-w-0 truncate">{nameOf(userId)}</span>
          {source === "override" && <span className="sr-only">({t("onCall.override")})</span>}
        </button>
      );
    },
  }));
  const gaps = data?.gaps.map(({ start, end }): MonthEntry => ({
    key: `gap ${start}`,
    start,
    end,
    show: (isFirst) => {
      const { className, time } = bar(Date.parse(end) > Date.now() ? "gap" : "pastGap", isFirst, start);
      return (
        <span className={className}>
          {time}
          <WarnIcon className="size-3.5 shrink-0" />
          <span className="min-w-0 truncate">{t("onCall.nobody")}</span>
        </span>
      );
    },
  }));
  const entries = shifts && [...shifts, ...(gaps ?? [])].sort((one, other) => one.start.localeCompare(other.start));
  return (
    <MonthCalendar
      of={month}
      query={query}
      entries={entries}
      pathOf={(name) => `${paths.onCall}?schedule=${schedule.id}&month=${name}`}
      none={t("onCall.noShifts")}
      startsToday
    />
  );
}
