import type { ReactNode } from "react";

/** Icon above the label, so that four buttons of a `BottomBar` fit on a phone. */
export const onPhones =
  "max-sm:h-14 max-sm:min-w-0 max-sm:flex-1 max-sm:flex-col max-sm:gap-0.5 max-sm:px-1 max-sm:text-[12px]";

/** Actions of a page: in its header, and on a phone fixed at the bottom, within reach of a thumb. */
export function BottomBar({ children }: { children: ReactNode }) {
  return (
    <div
      data-bottom-bar
      className="flex flex-wrap gap-2 max-sm:fixed max-sm:inset-x-0 max-sm:bottom-0 max-sm:z-20 max-sm:flex-nowrap max-sm:border-t max-sm:border-line max-sm:bg-surface max-sm:p-2 max-sm:pb-[max(0.5rem,env(safe-area-inset-bottom))]"
    >
      {children}
    </div>
  );
}
