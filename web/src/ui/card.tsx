import type { ReactNode } from "react";
import { cx } from "./cx.ts";

type CardProps = {
  title?: ReactNode;
  /** Controls at the right of the title. */
  actions?: ReactNode;
  /** Content up to the edge, for tables. */
  flush?: boolean;
  className?: string;
  children: ReactNode;
};

/** A bordered surface; with a title it is a section of the page. */
export function Card({ title, actions, flush = false, className, children }: CardProps) {
  const frame = cx("min-w-0 rounded-lg border border-line bg-surface", className);
  const body = flush ? children : <div className="p-4 md:p-5">{children}</div>;
  if (title === undefined) return <div className={frame}>{body}</div>;
  return (
    <section className={frame}>
      <header className="flex min-h-12 flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line px-4 py-2 md:px-5">
        <h2 className="text-[15px] font-semibold">{title}</h2>
        {actions}
      </header>
      {body}
    </section>
  );
}
