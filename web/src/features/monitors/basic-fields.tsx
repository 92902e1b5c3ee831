import { useFormContext } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/inputs.tsx";
import type { FormValues } from "./form-values.ts";

/** The two that suffice. */
export function BasicFields({ isNew }: { isNew: boolean }) {
  const { t } = useTranslation();
  const { register, formState } = useFormContext<FormValues>();
  const { errors } = formState;
  return (
    <div className="grid gap-4 md:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <Field label={t("monitorForm.name")} error={errors.name?.message} required>
        {(ids) => (
          <Input
            {...ids}
            {...register("name")}
            placeholder={t("monitorForm.namePlaceholder")}
            autoComplete="off"
            autoFocus={isNew}
          />
        )}
      </Field>
      <Field label={t("monitorForm.url")} error={errors.url?.message} required>
        {(ids) => (
          <Input
            {...ids}
            {...register("url")}
            type="url"
            inputMode="url"
            mono
            placeholder="https://api.example.com/health"
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Field>
    </div>
  );
}
