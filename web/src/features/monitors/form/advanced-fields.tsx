import type { CheckType } from "@sonde/proto/http/monitors/kinds";
import { useTranslation } from "react-i18next";
import { FieldGroup } from "../../../ui/field.tsx";
import { ChevronRightIcon } from "../../../ui/icons.tsx";
import { AlertingFields } from "./alerting-fields.tsx";
import { formOf } from "../kinds/registry.ts";
import { ScheduleFields } from "./schedule-fields.tsx";

type AdvancedFieldsProps = {
  type: CheckType;
  /** The stored monitor that is edited. */
  monitorId: number | undefined;
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

/** Everything with a good default, folded away until it is wanted. */
export function AdvancedFields({ type, monitorId, open, onOpenChange }: AdvancedFieldsProps) {
  const { t } = useTranslation();
  const { advanced } = formOf(type);
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
        {advanced !== undefined && <advanced.Fields />}
        <FieldGroup title={t("monitorForm.schedule")}>
          <ScheduleFields />
        </FieldGroup>
        <FieldGroup title={t("monitorForm.alerting")}>
          <AlertingFields self={monitorId === undefined ? undefined : { type: "monitor", id: monitorId }} />
        </FieldGroup>
      </div>
    </details>
  );
}
