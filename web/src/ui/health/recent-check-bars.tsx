import { failedPart, failedParts } from "@sonde/proto/http/monitors/failed-part";
import type { RecentCheck, RecentCheckStatus, recentChecksShown } from "@sonde/proto/http/monitors/recent-checks";
import { useTranslation } from "react-i18next";
import { cx } from "../cx.ts";

// Checked against the contract's type. Importing the value would add zod, a seventh of the list's script.
const maxBars: typeof recentChecksShown = 30;
const step = 6;
const width = 4;
const height = 20;

/** Height of the pieces that bars in maintenance are cut into. */
const piece = 2;
const gap = 1.5;

/** Healthy bars are short, failed ones tall (`failedPart`), missed ones a stub, so shape shows problems too. */
const shapes: Record<RecentCheckStatus | "slow", { top: number; tall: number; fill: string }> = {
  up: { top: 6, tall: 14, fill: "fill-up" },
  slow: { top: 3, tall: 17, fill: "fill-warn" },
  down: { top: 0, tall: 20, fill: "fill-down" },
  none: { top: 15, tall: 5, fill: "fill-faint" },
};

/**
 * A monitor's newest slots as bars, newest on the right; those in maintenance are cut into pieces. Four shapes per row
 * instead of one per slot, because a page has fifty rows. `undefined` reserves the space while loading.
 */
export function RecentCheckBars({
  recentChecks,
  slowAfter = Infinity,
  className,
}: {
  recentChecks: readonly RecentCheck[] | undefined;
  slowAfter?: number | undefined;
  className: string;
}) {
  const { t } = useTranslation();
  const shown = recentChecks?.slice(-maxBars) ?? [];
  const missing = maxBars - shown.length;
  const looks = shown.map((check) => lookOf(check, slowAfter));
  const count = (status: RecentCheckStatus) => shown.filter((recentCheck) => recentCheck.status === status).length;
  const slow = looks.filter((look) => look === "slow").length;
  const summary =
    shown.length === 0
      ? t("monitors.recentChecks.noneYet")
      : t("monitors.recentChecks.summary", { down: count("down"), none: count("none"), count: shown.length });
  const covered = shown.filter(({ inMaintenance }) => inMaintenance === true).length;
  const label = [
    summary,
    slow > 0 && t("monitors.recentChecks.slow", { count: slow }),
    covered > 0 && t("monitors.recentChecks.inMaintenance", { count: covered }),
  ]
    .filter(Boolean)
    .join("; ");
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${maxBars * step} ${height}`}
      // Stretches the bars to the available width instead of clipping them.
      preserveAspectRatio="none"
      className={cx("block h-5", className)}
    >
      <title>{label}</title>
      {(Object.keys(shapes) as (keyof typeof shapes)[]).map((status) => {
        const left = (index: number) => (missing + index) * step;
        const d = shown
          .map((each, index) => (each.inMaintenance === true ? "" : drawn(each, looks[index]!, status, left(index))))
          .join("");
        return d !== "" && <path key={status} data-recent-checks={status} className={shapes[status].fill} d={d} />;
      })}
      {covered > 0 && (
        <path
          data-recent-checks="maintenance"
          className="fill-maintenance"
          d={shown
            .map(({ status, inMaintenance }, index) =>
              inMaintenance === true ? pieces((missing + index) * step, shapes[status]) : "",
            )
            .join("")}
        />
      )}
      {missing > 0 && <path className="fill-line-strong" d={stubs(missing)} />}
    </svg>
  );
}

const lookOf = ({ status, failed, responseTime = 0 }: RecentCheck, slowAfter: number): keyof typeof shapes =>
  status === "up" && failed === undefined && responseTime > slowAfter ? "slow" : status;

/** Path of a slot in the colour of a state: the whole bar, the part that failed at some locations, or the rest. */
function drawn({ failed }: RecentCheck, look: keyof typeof shapes, as: keyof typeof shapes, left: number): string {
  const bar = (top: number, tall: number) => `M${left} ${top}h${width}v${tall}h${-width}z`;
  if (failed === undefined || as === "none") return look === as ? bar(shapes[as].top, shapes[as].tall) : "";
  if (as === "slow") return "";
  const part = Math.round((failedPart(failed) / failedParts) * height);
  return as === "down" ? bar(0, part) : bar(part + gap, height - part - gap);
}

/** A bar in pieces, as tall as the slot's state requires. */
function pieces(left: number, { top, tall }: { top: number; tall: number }): string {
  const count = Math.max(1, Math.floor((tall + gap) / (piece + gap)));
  return Array.from(
    { length: count },
    (_, index) => `M${left} ${top + tall - piece - index * (piece + gap)}h${width}v${piece}h${-width}z`,
  ).join("");
}

/** Thin lines for missing slots of a new monitor. */
function stubs(count: number): string {
  return Array.from({ length: count }, (_, index) => `M${index * step} ${height - 2}h${width}v2h${-width}z`).join("");
}
