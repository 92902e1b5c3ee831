import { type ReactNode, useEffect } from "react";
import { setPageTitle } from "../lib/page-title.ts";

type PageHeaderProps = {
  title: string;
  /** Stands before the title: a state. */
  badge?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
};

/** The name of the page (also in the browser's tab) and what can be done with it. */
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
        <div data-page-actions className="flex min-w-0 flex-wrap items-center gap-2 max-sm:has-[>.grid]:w-full">
          {actions}
        </div>
      )}
    </header>
  );
}

/** Names the page in the browser's tab. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    setPageTitle(title);
  }, [title]);
}
