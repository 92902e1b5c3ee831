import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { useController } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { TargetPicker } from "../../../app/targets/target-picker.tsx";
import { Field } from "../../../ui/field.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { Textarea } from "../../../ui/inputs.tsx";
import type { FormValues } from "./form-values.ts";

/** What defers its alerts, and what they hold beside the facts. `self`: the stored monitor that is edited. */
export function AlertingFields({ self }: { self: TargetRef | undefined }) {
  const { t } = useTranslation();
  const { field, fieldState } = useController<FormValues, "dependsOn">({ name: "dependsOn" });
  return (
    <>
      <Field
        label={t("alerting.dependsOn")}
        hint={`${t("alerting.dependsOnHint")} ${t("alerting.hostHint")}`}
        error={fieldState.error?.message}
      >
        {(ids) => <TargetPicker {...ids} ref={field.ref} value={field.value} onChange={field.onChange} self={self} />}
      </Field>
      <FormField<FormValues> name="note" label={t("alerting.note")} hint={t("alerting.noteHint")}>
        {(props) => <Textarea {...props} rows={3} />}
      </FormField>
    </>
  );
}
