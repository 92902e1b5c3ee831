import type { LucideIcon } from "lucide-react";
import { memo } from "react";

/** Line icons in the text colour. Decorative: a label is next to them. */
export function icon(Drawing: LucideIcon) {
  // Lists contain hundreds of them, and they never change.
  return memo(function Icon({ className = "size-4" }: { className?: string }) {
    return <Drawing strokeWidth={2.25} aria-hidden focusable={false} className={`shrink-0 ${className}`} />;
  });
}
