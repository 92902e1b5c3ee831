import { useFormContext } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Card } from "../../../ui/card.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { Switch, Textarea } from "../../../ui/inputs.tsx";
import type { PageValues } from "./form-values.ts";

/** Who may list the page and show it in a frame. */
export function VisibilityFields() {
  const { t } = useTranslation();
  const { register } = useFormContext<PageValues>();
  return (
    <Card title={t("statusPage.visibility.title")}>
      <div className="flex flex-col gap-5">
        <Switch
          label={t("statusPage.visibility.searchable")}
          hint={t("statusPage.visibility.searchableHint")}
          {...register("searchable")}
        />
        <FormField<PageValues>
          name="embedOrigins"
          label={t("statusPage.visibility.origins")}
          hint={t("statusPage.visibility.originsHint")}
        >
          {(field) => <Textarea {...field} mono rows={3} spellCheck={false} placeholder="https://example.com" />}
        </FormField>
      </div>
    </Card>
  );
}
