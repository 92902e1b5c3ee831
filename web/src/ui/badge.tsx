import type { ReactNode } from "react";
import { cx } from "./cx.ts";

const tones = {
  plain: "border-line bg-sunken text-muted",
  accent: "border-accent/35 bg-accent-soft text-accent-strong",
  up: "border-up/40 bg-up-soft text-up-ink",
  warn: "border-warn/55 bg-warn-soft text-warn-ink",
  down: "border-down/45 bg-down-soft text-down-ink",
  maintenance: "border-maintenance/45 bg-maintenance-soft text-maintenance-ink",
};

/** A short word about a thing: a tag, a method, a role. */
export function Badge({
  tone = "plain",
  className,
  children,
}: {
  tone?: keyof typeof tones;
  className?: string;
  children: ReactNode;
}) {
  return (
    <span
      className={cx(
        "inline-flex min-h-5 max-w-full items-center gap-1 rounded-sm border px-1.5 text-[12px] leading-5 font-medium",
        tones[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}
