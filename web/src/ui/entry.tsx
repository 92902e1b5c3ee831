import type { ReactNode } from "react";

/** One name and value of a description list; a wide one takes a row of its own, below the others. */
export function Entry({ name, wide = false, children }: { name: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={wide ? "order-last col-span-full min-w-0" : "min-w-0"}>
      <dt className="text-[13px] text-muted">{name}</dt>
      <dd className="tnum break-words">{children}</dd>
    </div>
  );
}

/** Text as it stands, line breaks and spaces included. */
export function Verbatim({ children }: { children: string }) {
  return (
    <pre
      tabIndex={0}
      className="max-h-64 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-[13px] whitespace-pre-wrap"
    >
      {children}
    </pre>
  );
}
