import { type ReactNode, useEffect } from "react";

type PageHeaderProps = {
  title: string;
  badge?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
};

export function PageHeader({ title, badge, description, actions }: PageHeaderProps) {
  usePageTitle(title);
  return (
    <header className="mb-5 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
          {badge}
        </div>
        {description !== undefined && <div className="mt-0.5 text-muted">{description}</div>}
      </div>
      {actions !== undefined && (
        <div
          data-page-actions
          className="flex min-w-0 flex-wrap items-center gap-2 max-sm:has-[>.grid]:w-full max-sm:has-[>[data-bottom-bar]]:contents"
        >
          {actions}
        </div>
      )}
    </header>
  );
}

export function usePageTitle(title: string): void {
  useEffect(() => {
    setPageTitle(title);
  }, [title]);
}

let title: string | null = null;
let downCount = 0;
type Listener = (title: string, isFirst: boolean) => void;
const listeners = new Set<Listener>();

export function setPageTitle(name: string): void {
  const next = name === "Sonde" ? name : `${name} · Sonde`;
  const isFirst = title === null;
  if (next !== title) for (const listener of listeners) listener(name, isFirst);
  title = next;
  write();
}

/** Sets the number of problems shown before the title: `(3) Dashboard · Sonde`. */
export function setDownCount(count: number): void {
  downCount = count;
  write();
}

export function onPageTitle(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function write() {
  document.title = downCount > 0 ? `(${downCount}) ${title ?? "Sonde"}` : (title ?? "Sonde");
}
