import type { Slo } from "@sonde/proto/http/slos";
import { useTranslation } from "react-i18next";
import { paths } from "../../app/paths.ts";
import type { ObjectPages } from "../../lists/object-pages.tsx";
import { decimals, formatSpan } from "../../lib/format.ts";
import { cx } from "../../ui/cx.ts";
import { CrossIcon, GoalIcon, WarnIcon } from "../../ui/icons.tsx";

export const pages: ObjectPages = {
  kind: "slo",
  icon: <GoalIcon />,
  list: paths.slos,
  create: paths.sloCreate,
  page: paths.slo,
  edit: paths.sloEdit,
};

type Budget = NonNullable<Slo["budget"]>;

/** Share of the budget below which it is low. */
const lowShare = 0.25;

/** Early in a window, what is allowed so far says nothing yet: the budget of the whole window is shown. */
export const shownBudget = ({ allowedMinutes, spentMinutes, leftMinutes, windowMinutes }: Budget) =>
  windowMinutes === undefined
    ? { allowedMinutes, leftMinutes }
    : { allowedMinutes: windowMinutes, leftMinutes: windowMinutes - spentMinutes };

/** The part of the budget that is left, from 0 to 1. A new budget can be too small for its minutes to be above 0. */
function leftShare(budget: Budget): number {
  const { badSlots } = budget;
  const { allowedMinutes, leftMinutes } = shownBudget(budget);
  if (badSlots === 0) return 1;
  return allowedMinutes <= 0 ? 0 : Math.min(1, Math.max(0, leftMinutes / allowedMinutes));
}

export function budgetTone(budget: Budget): "plain" | "warn" | "down" {
  const share = leftShare(budget);
  return share <= 0 ? "down" : share < lowShare ? "warn" : "plain";
}

const tones = { plain: "bg-accent", warn: "bg-warn", down: "bg-down" };
const inks = { plain: "text-muted", warn: "text-warn-ink", down: "text-down-ink" };

/** Remaining budget as a bar and in words; full and red once it is spent. */
export function BudgetBar({ budget, className }: { budget: Budget | undefined; className?: string }) {
  const { t, i18n } = useTranslation();
  if (budget === undefined || budget.seenSlots === 0) return <span className={cx("text-muted", className)}>–</span>;
  const share = leftShare(budget);
  const tone = budgetTone(budget);
  const percent = percentOf(share * 100, i18n.language, 0);
  return (
    <span className={cx("flex items-center gap-2.5", className)}>
      <span aria-hidden="true" className="block h-2 min-w-16 flex-1 overflow-hidden rounded-full bg-line/80">
        <span
          data-tone={tone}
          style={{ width: tone === "down" ? "100%" : `${Math.max(2, share * 100)}%` }}
          className={cx("block h-full rounded-full transition-[width] duration-150", tones[tone])}
        />
      </span>
      <span className={cx("tnum flex items-center gap-1 text-[13px] whitespace-nowrap", inks[tone])}>
        {tone === "warn" && <WarnIcon className="size-3.5" />}
        {tone === "down" && <CrossIcon className="size-3.5" />}
        {tone === "down" ? t("slos.spent") : t("slos.left", { percent })}
      </span>
    </span>
  );
}

/** `99.95 %` rounded down, so that a missed objective is never shown as reached. `null` is a dash. */
export function percentOf(percent: number | null | undefined, language: string, digits = 3): string {
  if (percent === null || percent === undefined) return "–";
  const unit = 10 ** digits;
  return `${decimals(Math.floor(percent * unit + 1e-6) / unit, language, digits)}\u00a0%`;
}

export const spanOf = (minutes: number, language: string) => formatSpan(Math.round(minutes * 60) * 1000, language);

/** A burn rate such as `3.2×`. */
export const rateOf = (rate: number, language: string) => `${decimals(rate, language, rate < 1 ? 2 : 1)}×`;

/** The burn rate in words. */
export function BurnText({ rate }: { rate: number | undefined }) {
  const { t, i18n } = useTranslation();
  if (rate === undefined) return "–";
  const word = rate === 0 ? "none" : rate > 1 ? "fast" : "fine";
  return (
    <span className={rate > 1 ? inks.warn : undefined}>
      {t(`slos.burn.${word}`, { rate: rateOf(rate, i18n.language) })}
    </span>
  );
}
