import type { ReactNode } from "react";
import { cx } from "./cx.ts";

type CardProps = {
  title?: ReactNode;
  actions?: ReactNode;
  /** Content reaches the edge, for tables. */
  flush?: boolean;
  /** Lays out the content as a column with this gap (`gap-4`). */
  gap?: string;
  className?: string;
  children: ReactNode;
};

export function Card({ title, actions, flush = false, gap, className, children }: CardProps) {
  const frame = cx("min-w-0 rounded-lg border border-line bg-surface", className);
  const body = flush ? children : <div className={cx("p-4 md:p-5", gap && `flex flex-col ${gap}`)}>{children}</div>;
  if (title === undefined) return <div className={frame}>{body}</div>;
  return (
    <section className={frame}>
      <header className="flex min-h-12 flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line px-4 py-2 md:px-5">
        <h2 className="text-[15px] font-semibold">{title}</h2>
        {actions}
      </header>
      {body}
    </section>
  );
}

type TileProps = {
  label: ReactNode;
  value: ReactNode;
  note?: ReactNode;
  tone?: "plain" | "up" | "warn" | "down";
};

const tones = {
  plain: "border-line",
  up: "border-up/45",
  warn: "border-warn/60",
  down: "border-down/55",
};

/** One figure with its name, outlined in the colour of its state. Use inside a `TileRow`. */
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

export function Entry({ name, wide = false, children }: { name: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={wide ? "order-last col-span-full min-w-0" : "min-w-0"}>
      <dt className="text-[13px] text-muted">{name}</dt>
      <dd className="tnum break-words">{children}</dd>
    </div>
  );
}

/** Text with its line breaks and spaces. */
export function Verbatim({ children }: { children: string }) {
  return (
    <pre
      tabIndex={0}
      className="max-h-64 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-[13px] whitespace-pre-wrap"
    >
      {children}
    </pre>
  );
}
