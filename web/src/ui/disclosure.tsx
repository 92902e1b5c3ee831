import type { ReactNode } from "react";
import { cx } from "./cx.ts";
import { ChevronRightIcon } from "./icons.tsx";

type DisclosureProps = {
  title: string;
  hint?: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  className?: string;
  children: ReactNode;
};

/** A part of a form that users rarely need. Its content is rendered only while it is open. */
export function Disclosure({ title, hint, open, onOpenChange, className, children }: DisclosureProps) {
  return (
    <details
      open={open}
      onToggle={(event) => onOpenChange(event.currentTarget.open)}
      className={cx("group/folded min-w-0", className)}
    >
      <summary className="flex min-h-6 list-none flex-wrap items-center gap-x-2 rounded-md [&::-webkit-details-marker]:hidden">
        <ChevronRightIcon className="size-4 text-muted transition-transform group-open/folded:rotate-90" />
        <span className="text-[13px] font-semibold text-muted">{title}</span>
        {hint !== undefined && <span className="text-[13px] text-faint">{hint}</span>}
      </summary>
      {open && <div className="pt-4">{children}</div>}
    </details>
  );
}
