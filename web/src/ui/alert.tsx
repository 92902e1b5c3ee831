import type { ReactNode } from "react";
import { cx } from "./cx.ts";
import { CheckIcon, InfoIcon, WarnIcon } from "./icons.tsx";
import { Lines } from "./lines.tsx";

const kinds = {
  error: { icon: WarnIcon, role: "alert", className: "border-down/45 bg-down-soft text-down-ink" },
  success: { icon: CheckIcon, role: "status", className: "border-up/45 bg-up-soft text-up-ink" },
  info: { icon: InfoIcon, role: "status", className: "border-line bg-sunken text-muted" },
} as const;

type AlertProps = { kind: keyof typeof kinds; action?: ReactNode; className?: string | undefined; children: ReactNode };

/** What a call answered, above the list or form it belongs to: errors red, successes green, announced to screen readers. */
export function Alert({ kind, action, className, children }: AlertProps) {
  const { icon: Icon, role, className: look } = kinds[kind];
  return (
    <div role={role} className={cx("fade-in flex items-start gap-2 rounded-md border px-3 py-2", look, className)}>
      <Icon className="mt-[3px] size-4" />
      <div className="min-w-0 flex-1">{typeof children === "string" ? <Lines text={children} /> : children}</div>
      {action}
    </div>
  );
}
