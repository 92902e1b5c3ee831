import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ChevronRightIcon } from "../../ui/icons.tsx";
import { ExpectationFields } from "./expectation-fields.tsx";
import { RequestFields } from "./request-fields.tsx";
import { ScheduleFields } from "./schedule-fields.tsx";

/** The fields below 'advanced'. */
export const advancedFields: ReadonlySet<string> = new Set([
  "method",
  "interval",
  "timeout",
  "expectedStatus",
  "headers",
  "body",
  "followRedirects",
  "verifyTls",
  "retries",
  "assertions",
  "tags",
  "locations",
]);

/** Everything with a good default, folded away until somebody wants it. */
export function AdvancedFields({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { t } = useTranslation();
  return (
    <details
      open={open}
      onToggle={(event) => onOpenChange(event.currentTarget.open)}
      className="group rounded-lg border border-line bg-surface"
    >
      <summary className="flex min-h-12 list-none flex-wrap items-center gap-x-2 rounded-lg px-4 py-2 md:px-5 [&::-webkit-details-marker]:hidden">
        <ChevronRightIcon className="size-4 text-muted transition-transform group-open:rotate-90" />
        <span className="text-[15px] font-semibold">{t("monitorForm.advanced")}</span>
        <span className="text-[13px] text-faint">{t("monitorForm.advancedHint")}</span>
      </summary>
      <div className="flex flex-col divide-y divide-line border-t border-line">
        <Group title={t("monitorForm.schedule")}>
          <ScheduleFields />
        </Group>
        <Group title={t("monitorForm.request")}>
          <RequestFields />
        </Group>
        <Group title={t("monitorForm.expectation")}>
          <ExpectationFields />
        </Group>
      </div>
    </details>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
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
