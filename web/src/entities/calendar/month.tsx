import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router-dom";
import { QueryError, type QueryState } from "../../app/screen.tsx";
import { cached, ownTimeZone } from "../../lib/format.ts";
import { weekdayName, weekdays } from "../../lib/weekdays.ts";
import { instantOf, wallTime } from "../../lib/zone-time.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/cx.ts";
import { ChevronLeftIcon, ChevronRightIcon } from "../../ui/icons.tsx";
import { weeksOf } from "./month-days.ts";

const perDay = 4;

/** The month in the address (`?month=2026-12`), with the midnights of its weeks in the user's zone. */
export function useMonth() {
  const zone = ownTimeZone();
  const today = wallTime(Date.now(), zone).slice(0, 10);
  const weeks = weeksOf(useSearchParams()[0].get("month"), today);
  const midnights = weeks.days.map((day) => new Date(instantOf(`${day}T00:00`, zone) ?? 0).toISOString());
  return { ...weeks, today, midnights, from: midnights[0]!, until: midnights.at(-1)! };
}

export type MonthEntry = {
  key: string;
  start: string;
  end: string;
  /** @param isFirst on the day of its start */
  show: (isFirst: boolean) => ReactNode;
};

type MonthCalendarProps = {
  of: ReturnType<typeof useMonth>;
  query: QueryState;
  /** `undefined` while they load. */
  entries: readonly MonthEntry[] | undefined;
  pathOf: (month: string) => string;
  none: string;
  /** On phones, the current month starts with today. */
  startsToday?: boolean;
};

/** A month as a calendar; on phones, as a list of the days with entries. */
export function MonthCalendar({ of, query, entries, pathOf, none, startsToday = false }: MonthCalendarProps) {
  const { t, i18n } = useTranslation();
  const { month, before, after, days, today, midnights } = of;
  const [showsAll, setShowsAll] = useState(false);
  const shown = days.slice(0, -1).map((day, index) => {
    const [from, until] = [midnights[index]!, midnights[index + 1]!];
    const found = entries?.filter(({ start, end }) => start < until && end > from) ?? [];
    return { day, from, found, isInMonth: day.startsWith(month) };
  });
  const format = (day: string, options: Intl.DateTimeFormatOptions) =>
    cached(
      `month ${i18n.language} ${JSON.stringify(options)}`,
      () => new Intl.DateTimeFormat(i18n.language, { ...options, timeZone: "UTC" }),
    ).format(new Date(day));
  return (
    <Card
      flush
      className="overflow-hidden"
      title={<span aria-live="polite">{format(month, { year: "numeric", month: "long" })}</span>}
      actions={
        <span className="inline-flex items-center gap-1">
          <ButtonLink size="icon" variant="ghost" to={pathOf(before)} aria-label={t("maintenance.monthBefore")}>
            <ChevronLeftIcon />
          </ButtonLink>
          <ButtonLink size="sm" to={pathOf(today.slice(0, 7))}>
            {t("maintenance.today")}
          </ButtonLink>
          <ButtonLink size="icon" variant="ghost" to={pathOf(after)} aria-label={t("maintenance.monthAfter")}>
            <ChevronRightIcon />
          </ButtonLink>
        </span>
      }
    >
      {query.error !== undefined && entries === undefined ? (
        <QueryError query={query} fallback="fetchData" />
      ) : (
        <>
          <div
            aria-hidden="true"
            className="grid grid-cols-7 border-b border-line text-center text-[13px] text-muted max-sm:hidden"
          >
            {weekdays.map((day) => (
              <span key={day} className="py-1.5">
                {weekdayName(day, i18n.language, "short")}
              </span>
            ))}
          </div>
          <ol className="grid gap-px bg-line max-sm:min-h-64 max-sm:bg-surface sm:grid-cols-7">
            {shown.map(({ day, from, found, isInMonth }) => {
              const wholeDay = format(day, { weekday: "long", month: "long", day: "numeric" });
              const visible = showsAll ? found : found.slice(0, perDay);
              return (
                <li
                  key={day}
                  className={cx(
                    "min-w-0 p-1.5 max-sm:border-b max-sm:border-line max-sm:px-4 max-sm:py-2.5 sm:min-h-24",
                    (found.length === 0 || (startsToday && day < today && today.startsWith(month))) && "max-sm:hidden",
                    isInMonth ? "bg-surface" : "bg-sunken max-sm:hidden",
                  )}
                >
                  <time
                    dateTime={day}
                    aria-label={wholeDay}
                    aria-current={day === today ? "date" : undefined}
                    className="tnum inline-flex min-h-6 min-w-6 items-center justify-center rounded-full text-[13px] text-muted aria-[current]:bg-accent aria-[current]:px-1.5 aria-[current]:text-on-accent"
                  >
                    <span className="max-sm:hidden">{Number(day.slice(8))}</span>
                    <span className="sm:hidden">{wholeDay}</span>
                  </time>
                  <ul className="mt-1 flex flex-col gap-1">
                    {visible.map((one) => (
                      <li key={one.key} className="min-w-0">
                        {one.show(one.start >= from)}
                      </li>
                    ))}
                  </ul>
                  {found.length > visible.length && (
                    <Button size="sm" variant="ghost" onClick={() => setShowsAll(true)}>
                      {t("maintenance.more", { count: found.length - visible.length })}
                    </Button>
                  )}
                </li>
              );
            })}
          </ol>
          {entries !== undefined && !shown.some(({ found, isInMonth }) => isInMonth && found.length > 0) && (
            <p className="px-4 py-3 text-muted">{none}</p>
          )}
        </>
      )}
    </Card>
  );
}
