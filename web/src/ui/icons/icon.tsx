import type { LucideIcon } from "lucide-react";
import { memo } from "react";

/** Line icons in the colour of the text around them. Decoration: the word is beside them. */
export function icon(Drawing: LucideIcon) {
  // A list has hundreds of them, which never change.
  return memo(function Icon({ className = "size-4" }: { className?: string }) {
    return <Drawing strokeWidth={2.25} aria-hidden focusable={false} className={`shrink-0 ${className}`} />;
  });
}
