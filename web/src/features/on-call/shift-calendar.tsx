import { useTranslation } from "react-i18next";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { MonthCalendar, type MonthEntry, useMonth } from "../../entities/calendar/month.tsx";
import { refreshed } from "../../lists/overview.tsx";
import { formatTime } from "../../lib/format.ts";
import { cx } from "../../ui/cx.ts";
import { SwapIcon, WarnIcon } from "../../ui/icons.tsx";
import { type NamedSchedule, namesIn, spansOf, useShiftsQuery } from "./api.ts";
import type { OpenedShift } from "./shift-dialog.tsx";

const wideMs = 31 * 86_400_000;
const looks = {
  mine: "border-accent/60 bg-accent-soft font-semibold text-accent-strong",
  layer: "border-line-strong bg-sunken text-ink",
  override: "border-maintenance/45 bg-maintenance-soft text-maintenance-ink",
  gap: "border-dashed border-down/60 text-down-ink",
  pastGap: "border-dashed border-line-strong text-muted",
};

export function ShiftCalendar({ schedule, onOpen }: { schedule: NamedSchedule; onOpen: (shift: OpenedShift) => void }) {
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
  const entries =
    data &&
    spansOf(data).map((span): MonthEntry => {
      const { userId, start, end, source } = span;
      const show = (isFirst: boolean) => {
        const kind =
          userId === null
            ? Date.parse(end) > Date.now()
              ? "gap"
              : "pastGap"
            : source === "override"
              ? source
              : userId === user?.id
                ? "mine"
                : "layer";
        const className = cx(
          "flex min-h-6 w-full min-w-0 items-center gap-1.5 border px-1.5 text-left text-[13px]",
          isFirst ? "rounded-sm" : "rounded-r-sm border-l-0",
          looks[kind],
        );
        const Icon = userId === null ? WarnIcon : SwapIcon;
        const content = (
          <>
            {isFirst && <span className="tnum shrink-0">{formatTime(start, i18n.language)}</span>}
            {source !== "layer" && <Icon className="size-3.5 shrink-0" />}
            <span className="min-w-0 truncate">{userId === null ? t("onCall.nobody") : nameOf(userId)}</span>
            {source === "override" && <span className="sr-only">({t("onCall.override")})</span>}
          </>
        );
        if (userId === null) return <span className={className}>{content}</span>;
        const shown = { schedule: { ...schedule, nameOf }, userId, start, end, source };
        return (
          <button type="button" className={cx(className, "hover:underline")} onClick={() => onOpen(shown)}>
            {content}
          </button>
        );
      };
      return { key: `${start} ${userId ?? "gap"}`, start, end, show };
    });
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
