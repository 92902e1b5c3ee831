import { useTranslation } from "react-i18next";
import { formatDuration, formatPercent } from "../../lib/format.ts";
import { Badge, StatusBadge } from "../../ui/badge.tsx";
import { cx } from "../../ui/cx.ts";

/** `u` up, `p` partly down, `d` down, `n` no data. Invented, and marked as such. */
const rows = [
  { key: "checkout", state: "up", percent: 100, ms: 84, bars: "uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu" },
  { key: "search", state: "up", percent: 99.94, ms: 212, bars: "uuuuuuuuuuuupduuuuuuuuuuuuuuuuuuuuuu" },
  { key: "mailer", state: "down", percent: 97.21, ms: 3000, bars: "uuuuuuuunnnuuuuuuuuuuuuuuuuuuuupdddd" },
] as const;

const looks: Record<string, string> = { u: "h-6 bg-up", p: "h-6 bg-warn", d: "h-6 bg-down", n: "h-3 hatched" };
const phases = [
  { key: "dns", width: "w-[9%]", look: "bg-accent/35" },
  { key: "connect", width: "w-[16%]", look: "bg-accent/55" },
  { key: "tls", width: "w-[27%]", look: "bg-accent/75" },
  { key: "firstByte", width: "w-[48%]", look: "bg-accent" },
] as const;

/** A drawing of the product, marked as an example. */
export function SampleScreen() {
  const { t, i18n } = useTranslation();
  return (
    <figure className="min-w-0">
      <div aria-hidden="true" className="rounded-lg border border-line bg-surface">
        <div className="flex items-center justify-between border-b border-line px-4 py-2.5">
          <span className="font-semibold">{t("nav.monitors")}</span>
          <Badge tone="accent">{t("home.example")}</Badge>
        </div>
        {rows.map((row) => (
          <div
            key={row.key}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3"
          >
            <span className="flex items-center gap-3">
              <StatusBadge state={row.state} />
              <span className="truncate font-medium">{t(`home.sample.${row.key}`)}</span>
            </span>
            <span className="tnum text-[13px] text-muted">
              {formatDuration(row.ms, i18n.language)} · {formatPercent(row.percent, i18n.language)}
            </span>
            <span className="col-span-2 flex h-6 items-end gap-[2px]">
              {Array.from(row.bars, (bar, index) => (
                <span key={index} className={cx("flex-1 rounded-[2px]", looks[bar])} />
              ))}
            </span>
          </div>
        ))}
        <div className="px-4 py-3">
          <p className="text-[13px] text-muted">{t("home.sample.phases")}</p>
          <div className="mt-2 flex gap-[2px]">
            {phases.map(({ key, width, look }) => (
              <span key={key} className={cx("flex min-w-0 flex-col gap-1", width)}>
                <span className={cx("h-2.5 rounded-[2px]", look)} />
                <span className="truncate text-[12px] text-faint">{t(`monitor.phases.${key}`)}</span>
              </span>
            ))}
          </div>
        </div>
      </div>
      <figcaption className="mt-2 text-[13px] text-faint">{t("home.exampleNote")}</figcaption>
    </figure>
  );
}
