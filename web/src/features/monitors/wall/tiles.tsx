import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { paths } from "../../../app/paths.ts";
import { useMedia } from "../../../lib/hooks.ts";
import { shownState, type ShownState, StateMark } from "../../../ui/badge.tsx";
import { cx } from "../../../ui/cx.ts";
import { Reason } from "../../../ui/health/reason.tsx";
import { Time } from "../../../ui/time.tsx";

type TileGridProps = {
  monitors: readonly Monitor[];
  /** Number of further monitors that were not loaded. */
  rest: number;
  /** Maximum number of tiles on a wide screen; half on an upright one. */
  max: number;
  /** Share of the screen's height, from 0 to 1. */
  share: number;
};

/** Width of a tile in heights. */
const tileShape = 2.4;

/** Tiles of equal size that fill their share of the screen. What does not fit readably is counted. */
export function TileGrid({ monitors, rest, max, share }: TileGridProps) {
  const { t } = useTranslation();
  const isUpright = useMedia("(orientation: portrait)");
  const room = isUpright ? max / 2 : max;
  const total = monitors.length + rest;
  const shown = total > room ? monitors.slice(0, room - 1) : monitors;
  const others = total - shown.length;
  const tiles = shown.length + Math.sign(others);
  const screenShape = isUpright ? 0.4 : 1.7;
  const columns = Math.max(1, Math.round(Math.sqrt((tiles * screenShape) / share / tileShape)));
  return (
    <ul
      className="grid min-h-0 basis-0 auto-rows-fr gap-2"
      style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`, flexGrow: share }}
    >
      {shown.map((monitor) => (
        <Tile key={monitor.id} monitor={monitor} />
      ))}
      {others > 0 && (
        <li className="flex items-center justify-center text-center text-[clamp(0.8rem,1.5vw,2rem)] leading-tight text-muted">
          {t("wall.more", { count: others })}
        </li>
      )}
    </ul>
  );
}

const looks: Record<ShownState, string> = {
  up: "border-up/40 bg-up-soft text-up-ink",
  partial: "border-warn/55 bg-warn-soft text-warn-ink",
  slow: "border-warn/55 bg-warn-soft text-warn-ink",
  down: "border-down bg-danger text-on-danger",
  pending: "border-idle/45 bg-idle-soft text-idle-ink",
  paused: "border-idle/45 bg-idle-soft text-idle-ink",
  noData: "border-idle border-dashed border-2 bg-surface text-ink",
};

const Tile = memo(function Tile({ monitor }: { monitor: Monitor }) {
  const { t } = useTranslation();
  const { id, name, lastError, statusSince } = monitor;
  const state = shownState(monitor);
  const isDown = state === "down";
  return (
    <li className={cx("@container-[size] relative overflow-hidden rounded-md border", looks[state])}>
      <span className="flex h-full flex-col justify-center gap-[2cqh] px-[min(5cqw,1.5rem)] py-[3cqh]">
        <span
          className={cx(
            "flex items-center gap-[min(3cqw,0.75rem)] leading-[1.15] font-semibold",
            isDown ? "text-[clamp(0.8rem,min(8cqw,18cqh),3rem)]" : "text-[clamp(0.8rem,min(11cqw,30cqh),3rem)]",
          )}
        >
          <StateMark state={state} />
          <Link
            to={paths.monitor(id)}
            title={name}
            className="line-clamp-2 min-w-0 wrap-anywhere after:absolute after:inset-0"
          >
            {name}
          </Link>
        </span>
        {isDown && (
          <span className="line-clamp-2 text-[clamp(0.75rem,min(6cqw,12cqh),2rem)] leading-tight">
            <Reason text={lastError} />
          </span>
        )}
        {(isDown || state === "noData") && (
          <span className="tnum truncate text-[clamp(0.75rem,min(5cqw,11cqh),1.75rem)] leading-tight">
            {!isDown && `${t("status.list.noData")} · `}
            <Time at={statusSince} relative />
          </span>
        )}
      </span>
    </li>
  );
});
