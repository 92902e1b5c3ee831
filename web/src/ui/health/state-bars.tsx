import { failedPart, failedParts } from "@sonde/proto/http/monitors/failed-part";
import { type KeyboardEvent, type MouseEvent, type PointerEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "../cx.ts";
import { MaintenanceMark } from "../badge.tsx";

/**
 * `noData`: slots were due but not run. `notDue`: nothing was due, because the monitor did not exist or was paused.
 * `maintenance`: in maintenance, so nothing counts.
 */
export type CellState = "up" | "slow" | "partial" | "down" | "noData" | "notDue" | "maintenance";

/** One group of slots. `when`, `figures` and `detail` describe it: time, uptime and failures. */
export type StateCell = {
  key: string;
  /** Duration in any unit. Bars are as wide as their time. */
  length: number;
  state: CellState;
  /** Share of failed checks in percent. */
  failed: number;
  when: string;
  figures: string;
  detail?: string | undefined;
  /** Part of it was in maintenance. */
  inMaintenance?: boolean;
};

type StateBarsProps = {
  label: string;
  cells: readonly StateCell[];
  from: string;
  to: string;
  /** Called with Enter or a click on a bar. `hint` describes it. */
  onChoose?: (index: number) => void;
  hint?: string;
  chosen?: number | undefined;
};

/** Looks of all states. `failedPart` adds the failed part of checked cells. */
const looks: Record<CellState, { ground: string; height: string }> = {
  up: { ground: "bg-up", height: "h-[26px]" },
  slow: { ground: "bg-warn", height: "h-[30px]" },
  partial: { ground: "bg-down", height: "h-9" },
  down: { ground: "bg-down", height: "h-9" },
  noData: { ground: "hatched", height: "h-4" },
  notDue: { ground: "bg-line-strong", height: "h-0.5" },
  maintenance: { ground: "striped", height: "h-5" },
};

/** True if a cell needs a maintenance mark in addition to its state. */
const isPartly = ({ state, inMaintenance = false }: StateCell) => inMaintenance && state !== "maintenance";

/**
 * Bars of state over time. Failures hang from the top of a tall bar (`failedPart`); bars without failures are lower. No
 * data is hatched and half as tall, maintenance is striped, not due is a thin line, and partial maintenance has a mark
 * below, so that nothing depends on colour. One tab stop: arrows, Home and End move between cells like on a slider, and
 * Enter selects one.
 */
export function StateBars({ label, cells, from, to, onChoose, hint, chosen }: StateBarsProps) {
  const { t } = useTranslation();
  const hintId = useId();
  const [active, setActive] = useState<number | null>(null);
  const [focused, setFocused] = useState<number>(Math.max(0, cells.length - 1));
  const at = Math.min(focused, Math.max(0, cells.length - 1));
  const describe = (cell: StateCell | undefined) =>
    cell === undefined
      ? ""
      : [cell.when, t(`cells.${cell.state}`), cell.figures, isPartly(cell) && t("cells.partlyMaintenance"), cell.detail]
          .filter(Boolean)
          .join(", ");
  const whole = cells.reduce((sum, { length }) => sum + length, 0);
  /** End of each cell as a share of the width. */
  const ends = cells.reduce<number[]>((all, { length }) => [...all, (all.at(-1) ?? 0) + length / whole], []);

  function move(next: number) {
    const bounded = Math.min(cells.length - 1, Math.max(0, next));
    setFocused(bounded);
    setActive(bounded);
  }
  function onKeyDown(event: KeyboardEvent) {
    const to: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: cells.length - 1 };
    const next = to[event.key];
    if (event.key === "Escape") return setActive(null);
    if (event.key === "Enter" && cells.length > 0) onChoose?.(at);
    if (next === undefined) return;
    event.preventDefault();
    move(next);
  }
  function indexAt(event: PointerEvent<HTMLDivElement> | MouseEvent<HTMLDivElement>) {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const index = ends.findIndex((end) => end > (event.clientX - left) / width);
    return index === -1 ? cells.length - 1 : index;
  }
  function onPointer(event: PointerEvent<HTMLDivElement>) {
    // Lifting a finger also fires pointerleave. What it touched stays shown until something else is touched, and the
    // focus moves there.
    if (event.type === "pointerdown" && event.pointerType === "touch") event.currentTarget.focus();
    setActive(indexAt(event));
  }
  function onClick(event: MouseEvent<HTMLDivElement>) {
    const index = indexAt(event);
    setFocused(index);
    onChoose?.(index);
  }

  const shown = active === null ? undefined : cells[active];
  return (
    <div className="relative">
      <div
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-describedby={hint && hintId}
        aria-readonly="true"
        aria-valuemin={1}
        aria-valuemax={Math.max(1, cells.length)}
        aria-valuenow={at + 1}
        aria-valuetext={describe(cells[at])}
        onKeyDown={onKeyDown}
        onFocus={(event) => event.target.matches(":focus-visible") && setActive(at)}
        onBlur={() => setActive(null)}
        onPointerMove={onPointer}
        onPointerDown={onPointer}
        onPointerLeave={({ pointerType }) => pointerType !== "touch" && setActive(null)}
        onClick={cells.length > 0 ? onClick : undefined}
        className={cx("flex h-11 touch-pan-y items-stretch rounded-sm", onChoose !== undefined && "cursor-pointer")}
      >
        {cells.map((cell, index) => (
          <Bar key={cell.key} cell={cell} marked={index === active || index === chosen} dense={cells.length > 40} />
        ))}
      </div>
      {hint !== undefined && (
        <span id={hintId} hidden>
          {hint}
        </span>
      )}
      <div className="tnum mt-1 flex justify-between text-[12px] text-faint">
        <span>{from}</span>
        {cells.some((cell) => cell.state === "maintenance" || isPartly(cell)) && <MaintenanceMark />}
        <span>{to}</span>
      </div>
      {shown !== undefined && active !== null && (
        <CellTip cell={shown} position={((ends[active - 1] ?? 0) + (ends[active] ?? 1)) / 2} />
      )}
    </div>
  );
}

function Bar({ cell, marked, dense }: { cell: StateCell; marked: boolean; dense: boolean }) {
  const { state, failed, length } = cell;
  const { ground, height } = looks[state];
  const part = failedPart(failed);
  return (
    <span
      data-cell={state}
      data-failed={part || undefined}
      style={{ flexGrow: length }}
      className={cx("flex min-w-0 basis-0 flex-col justify-end", dense ? "px-[0.5px] sm:px-px" : "px-px")}
    >
      <span
        className={cx(
          "flex w-full flex-col gap-0.5 rounded-[2px]",
          height,
          // A bar of one kind is a single element.
          part === 0 || part === failedParts ? ground : undefined,
          marked && "opacity-65 outline-1 outline-ink",
        )}
      >
        {part > 0 && part < failedParts && (
          <>
            <span className="rounded-[2px] bg-down" style={{ height: `${(part / failedParts) * 100}%` }} />
            <span className="grow rounded-[2px] bg-up" />
          </>
        )}
      </span>
      <span className="mt-1 flex h-1 w-full">
        {isPartly(cell) && <span data-mark="maintenance" className="h-full grow rounded-full bg-maintenance" />}
      </span>
    </span>
  );
}

/** Tooltip of the hovered or focused cell. The slider's value text announces the same. */
function CellTip({ cell, position }: { cell: StateCell; position: number }) {
  const { t } = useTranslation();
  const side = position < 0.25 ? "left" : position > 0.75 ? "right" : "middle";
  return (
    <div
      aria-hidden="true"
      style={side === "right" ? { right: `${(1 - position) * 100}%` } : { left: `${position * 100}%` }}
      className={cx(
        "pointer-events-none absolute bottom-full z-20 mb-1.5 w-max max-w-72 rounded-md border border-line bg-raised px-2.5 py-1.5 text-[13px] shadow-lifted",
        side === "middle" && "-translate-x-1/2",
      )}
    >
      <p className="tnum text-muted">{cell.when}</p>
      <p className="flex items-center gap-1.5 font-medium">
        <span className={cx("size-2.5 rounded-[2px]", looks[cell.state].ground)} />
        {t(`cells.${cell.state}`)}
        {cell.figures !== "" && <span className="tnum font-normal text-muted">{cell.figures}</span>}
      </p>
      {isPartly(cell) && <p className="text-maintenance-ink">{t("cells.partlyMaintenance")}</p>}
      {cell.detail !== undefined && <p className="line-clamp-3 text-down-ink">{cell.detail}</p>}
    </div>
  );
}
