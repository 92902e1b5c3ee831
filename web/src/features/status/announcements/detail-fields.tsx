import { useController, useFormContext } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { usePageContentsQuery } from "../../../app/announcements/api.ts";
import { TargetPicker } from "../../../app/targets/target-picker.tsx";
import { Field } from "../../../ui/field.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { Input, Select } from "../../../ui/inputs.tsx";
import { type DetailValues, impacts } from "./form-values.ts";

const mostTargets = 500;

/** Title, impact, and what is affected. */
export function DetailFields() {
  const { t } = useTranslation();
  const { control, watch } = useFormContext<DetailValues>();
  const { field, fieldState } = useController({ control, name: "targets" });
  const impact = watch("impact");
  const { data: page } = usePageContentsQuery(undefined, { refetchOnMountOrArgChange: true });
  const hidden = page === undefined ? 0 : field.value.filter(({ type, id }) => !page[`${type}s`].includes(id)).length;
  return (
    <>
      <FormField<DetailValues>
        name="title"
        label={t("announcements.title")}
        hint={t("announcements.titleHint")}
        required
      >
        {(props) => <Input {...props} aria-required />}
      </FormField>
      <FormField<DetailValues>
        name="impact"
        label={t("announcements.impact")}
        hint={t(`announcements.impactHints.${impact}`)}
      >
        {(props) => (
          <Select {...props} className="w-full sm:w-64">
            {impacts.map((each) => (
              <option key={each} value={each}>
                {t(`announcements.impacts.${each}`)}
              </option>
            ))}
          </Select>
        )}
      </FormField>
      <div className="flex flex-col gap-1.5">
        <Field
          label={t("announcements.affected")}
          hint={t("announcements.affectedHint")}
          error={fieldState.error?.message}
        >
          {(ids) => (
            <TargetPicker {...ids} ref={field.ref} value={field.value} onChange={field.onChange} max={mostTargets} />
          )}
        </Field>
        <p role="status" className="text-[13px] text-warn-ink empty:hidden">
          {hidden > 0 && t("announcements.notShown", { count: hidden })}
        </p>
      </div>
    </>
  );
}
