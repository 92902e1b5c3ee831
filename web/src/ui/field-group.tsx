import type { ReactNode } from "react";

/** Fields that belong together, with what they are about above them. */
export function FieldGroup({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-4 px-4 py-4 md:px-5">
      <legend className="sr-only">{title}</legend>
      <p aria-hidden="true" className="text-[13px] font-semibold text-muted">
        {title}
      </p>
      {children}
    </fieldset>
  );
}
