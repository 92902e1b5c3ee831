import type { MaintenanceOccurrence } from "@sonde/proto/http/status/maintenance";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router-dom";
import { windowPath } from "../../app/paths.ts";
import { QueryError } from "../../app/screen.tsx";
import { refreshed } from "../../lists/overview.tsx";
import { cached, formatTime, ownTimeZone } from "../../lib/format.ts";
import { instantOf, wallTime } from "../../lib/zone-time.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/cx.ts";
import { ChevronLeftIcon, ChevronRightIcon } from "../../ui/icons.tsx";
import { useOccurrencesQuery } from "./api.ts";
import { monthPath, weeksOf } from "./month-days.ts";
import { weekdayName, weekdays } from "./recurrence.ts";

const perDay = 4;

/** A month (`?month=2026-12`) as a calendar; on phones, as a list of the days with maintenance. */
export default function MonthView() {
  const { t, i18n } = useTranslation();
  const zone = ownTimeZone();
  const today = wallTime(Date.now(), zone).slice(0, 10);
  const [showsAll, setShowsAll] = useState(false);
  const { month, before, after, days } = weeksOf(useSearchParams()[0].get("month"), today);
  const midnights = days.map((day) => new Date(instantOf(`${day}T00:00`, zone) ?? 0).toISOString());
  const query = useOccurrencesQuery({ from: midnights[0]!, until: midnights.at(-1)! }, refreshed);
  const shown = days.slice(0, -1).map((day, index) => {
    const [from, until] = [midnights[index]!, midnights[index + 1]!];
    const found = query.currentData?.occurrences.filter(({ start, end }) => start < until && end > from) ?? [];
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
          <ButtonLink size="icon" variant="ghost" to={monthPath(before)} aria-label={t("maintenance.monthBefore")}>
            <ChevronLeftIcon />
          </ButtonLink>
          <ButtonLink size="sm" to={monthPath(today.slice(0, 7))}>
            {t("maintenance.today")}
          </ButtonLink>
          <ButtonLink size="icon" variant="ghost" to={monthPath(after)} aria-label={t("maintenance.monthAfter")}>
            <ChevronRightIcon />
          </ButtonLink>
        </span>
      }
    >
      {query.error !== undefined && query.currentData === undefined ? (
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
                    found.length === 0 && "max-sm:hidden",
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
                      <li key={`${one.id} ${one.start}`} className="min-w-0">
                        <Bar one={one} isFirst={one.start >= from} />
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
          {query.currentData !== undefined && !shown.some(({ found, isInMonth }) => isInMonth && found.length > 0) && (
            <p className="px-4 py-3 text-muted">{t("maintenance.noneInMonth")}</p>
          )}
        </>
      )}
    </Card>
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
