import type { ReactNode } from "react";
import { cx } from "./cx.ts";

type TileProps = {
  label: ReactNode;
  value: ReactNode;
  /** A line below the figure. */
  note?: ReactNode;
  tone?: "plain" | "up" | "warn" | "down";
};

const tones = {
  plain: "border-line",
  up: "border-up/45",
  warn: "border-warn/60",
  down: "border-down/55",
};

/** One figure with its name; the outline takes the pale colour of its state. Belongs in a `TileRow`. */
export function Tile({ label, value, note, tone = "plain" }: TileProps) {
  return (
    <div className={cx("flex min-w-0 flex-col rounded-lg border bg-surface px-4 py-3", tones[tone])}>
      <dt className="text-[13px] text-muted">{label}</dt>
      <dd className="flex flex-col">
        <span className="tnum mt-0.5 flex min-h-9 items-center text-2xl font-semibold tracking-tight text-ink">
          {value}
        </span>
        <span className="min-h-5 text-[13px] text-faint">{note}</span>
      </dd>
    </div>
  );
}

export function TileRow({ className, children }: { className?: string | undefined; children: ReactNode }) {
  return <dl className={cx("grid grid-cols-2 gap-3", className)}>{children}</dl>;
}
