import type { ReactNode } from "react";

export function Key({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-flex h-6 min-w-6 items-center justify-center rounded-sm border border-line-strong bg-sunken px-1.5 font-mono text-[12px] text-muted">
      {children}
    </kbd>
  );
}
