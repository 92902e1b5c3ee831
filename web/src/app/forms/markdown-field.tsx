import { type FieldValues, type FieldPath, useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useSettled } from "../../lib/hooks.ts";
import { FormField } from "../../ui/form-field.tsx";
import { Textarea } from "../../ui/inputs.tsx";
import { Markdown } from "../../ui/markdown/markdown.tsx";

const waitMs = 250;

type MarkdownFieldProps<Values extends FieldValues> = {
  name: FieldPath<Values>;
  label: string;
  hint?: string;
  rows: number;
  required?: boolean;
  autoFocus?: boolean;
};

export function MarkdownField<Values extends FieldValues>(props: MarkdownFieldProps<Values>) {
  const { name, label, hint, rows, required = false, autoFocus = false } = props;
  const { t } = useTranslation();
  const { control } = useFormContext<Values>();
  const text = useSettled(String(useWatch({ control, name }) ?? ""), waitMs);
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <FormField<Values> name={name} label={label} hint={hint ?? t("announcements.textHint")} required={required}>
        {(field) => <Textarea {...field} rows={rows} aria-required={required || undefined} autoFocus={autoFocus} />}
      </FormField>
      <div role="group" aria-label={t("announcements.preview")} className="flex min-w-0 flex-col gap-1.5">
        <p aria-hidden="true" className="text-[13px] font-medium">
          {t("announcements.preview")}
        </p>
        <div className="min-h-24 flex-1 rounded-md border border-dashed border-line px-3 py-2">
          {text.trim() === "" ? (
            <p className="text-faint">{t("announcements.previewEmpty")}</p>
          ) : (
            <Markdown text={text} />
          )}
        </div>
      </div>
    </div>
  );
}
