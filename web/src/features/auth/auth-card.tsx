import type { ReactNode } from "react";
import { Logo } from "../../ui/logo.tsx";
import { usePageTitle } from "../../ui/page-header.tsx";

/** The narrow card that login and register share. */
export function AuthCard({
  title,
  note,
  footer,
  children,
}: {
  title: string;
  note?: ReactNode;
  footer?: ReactNode;
  children: ReactNode;
}) {
  usePageTitle(title);
  return (
    <div className="mx-auto flex w-full max-w-96 flex-col items-center gap-5 py-6 md:py-12">
      <Logo bare className="text-2xl" />
      <div className="text-center">
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {note !== undefined && <p className="mt-1 text-muted">{note}</p>}
      </div>
      <div className="w-full rounded-lg border border-line bg-surface p-5">{children}</div>
      {footer !== undefined && <p className="text-muted">{footer}</p>}
    </div>
  );
}
