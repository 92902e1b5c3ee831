import { themeModes } from "@sonde/proto/http/status/config";
import { useController, useFormContext } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Card } from "../../../ui/card.tsx";
import { Switch } from "../../../ui/inputs.tsx";
import { Segmented } from "../../../ui/choice.tsx";
import { AccentField } from "./accent-field.tsx";
import type { PageValues } from "./form-values.ts";

/** How the page looks, and how much it shows. */
export function AppearanceFields() {
  const { t } = useTranslation();
  const { register } = useFormContext<PageValues>();
  const { field } = useController<PageValues, "mode">({ name: "mode" });
  return (
    <Card title={t("statusPage.appearance.title")}>
      <div className="flex flex-col gap-5">
        <div className="flex flex-col items-start gap-1.5">
          <p aria-hidden="true" className="text-[13px] font-medium">
            {t("statusPage.appearance.mode")}
          </p>
          <Segmented
            label={t("statusPage.appearance.mode")}
            value={field.value}
            onChange={field.onChange}
            options={themeModes.map((value) => ({ value, label: t(`statusPage.appearance.modes.${value}`) }))}
          />
        </div>
        <AccentField />
        <Switch
          label={t("statusPage.appearance.responseTimes")}
          hint={t("statusPage.appearance.responseTimesHint")}
          {...register("showResponseTimes")}
        />
        <Switch
          label={t("statusPage.appearance.incidents")}
          hint={t("statusPage.appearance.incidentsHint")}
          {...register("showIncidents")}
        />
      </div>
    </Card>
  );
}
