import { failedPart, failedParts } from "@sonde/proto/http/monitors/failed-part";
import type { RecentCheck, RecentCheckStatus, recentChecksShown } from "@sonde/proto/http/monitors/recent-checks";
import { useTranslation } from "react-i18next";
import { cx } from "../cx.ts";

// The contract's number, checked against it: importing the value would bring zod along, a seventh of the list's script.
const maxBars: typeof recentChecksShown = 30;
const step = 6;
const width = 4;
const height = 20;

/** Bars of slots in maintenance are cut into pieces of this height, with gaps between them. */
const piece = 2;
const gap = 1.5;

/** Good ones are low and bad ones tall (`failedPart`), checks that did not run are a stub: the eye finds trouble before it reads a colour. */
const shapes: Record<RecentCheckStatus, { top: number; tall: number; fill: string }> = {
  up: { top: 6, tall: 14, fill: "fill-up" },
  down: { top: 0, tall: 20, fill: "fill-down" },
  none: { top: 15, tall: 5, fill: "fill-faint" },
};

/**
 * A monitor's newest slots as bars, the newest at the right; those in maintenance in pieces. Four shapes a row rather than one a slot, since a page
 * has fifty rows. Undefined: they are on their way, and their place is kept.
 */
export function RecentCheckBars({
  recentChecks,
  className,
}: {
  recentChecks: readonly RecentCheck[] | undefined;
  className: string;
}) {
  const { t } = useTranslation();
  const shown = recentChecks?.slice(-maxBars) ?? [];
  const missing = maxBars - shown.length;
  const count = (status: RecentCheckStatus) => shown.filter((recentCheck) => recentCheck.status === status).length;
  const summary =
    shown.length === 0
      ? t("monitors.recentChecks.noneYet")
      : t("monitors.recentChecks.summary", { down: count("down"), none: count("none"), count: shown.length });
  const covered = shown.filter(({ inMaintenance }) => inMaintenance === true).length;
  const label = covered === 0 ? summary : `${summary}; ${t("monitors.recentChecks.inMaintenance", { count: covered })}`;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${maxBars * step} ${height}`}
      // As wide as its place: bars may be wider than drawn here, never cut off.
      preserveAspectRatio="none"
      className={cx("block h-5", className)}
    >
      <title>{label}</title>
      {(Object.keys(shapes) as RecentCheckStatus[]).map((status) => {
        const d = shown
          .map((each, index) => (each.inMaintenance === true ? "" : drawn(each, status, (missing + index) * step)))
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

/** What a slot draws in the colour of a state: its bar, or the part of it that failed at some of its locations, or the rest. */
function drawn({ status, failed }: RecentCheck, as: RecentCheckStatus, left: number): string {
  const bar = (top: number, tall: number) => `M${left} ${top}h${width}v${tall}h${-width}z`;
  if (failed === undefined || as === "none") return status === as ? bar(shapes[as].top, shapes[as].tall) : "";
  const part = Math.round((failedPart(failed) / failedParts) * height);
  return as === "down" ? bar(0, part) : bar(part + gap, height - part - gap);
}

/** A bar as tall as the slot's own state would be, in pieces. */
function pieces(left: number, { top, tall }: { top: number; tall: number }): string {
  const count = Math.max(1, Math.floor((tall + gap) / (piece + gap)));
  return Array.from(
    { length: count },
    (_, index) => `M${left} ${top + tall - piece - index * (piece + gap)}h${width}v${piece}h${-width}z`,
  ).join("");
}

/** Thin lines where a young monitor has no slots yet. */
function stubs(count: number): string {
  return Array.from({ length: count }, (_, index) => `M${index * step} ${height - 2}h${width}v2h${-width}z`).join("");
}
