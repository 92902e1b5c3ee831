import type { ReactNode } from "react";

type QuietNoteProps = { icon: ReactNode; action?: ReactNode; children: ReactNode };

export function QuietNote({ icon, action, children }: QuietNoteProps) {
  return (
    <div
      role="status"
      className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 rounded-md border border-maintenance/45 bg-maintenance-soft px-3 py-1.5 text-maintenance-ink"
    >
      {icon}
      <p className="min-w-0 flex-1">{children}</p>
      {action}
    </div>
  );
}
