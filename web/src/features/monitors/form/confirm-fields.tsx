import type { Confirm, confirmAnswer } from "@sonde/proto/http/monitors/monitors";
import { useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { type AnswerOf, api } from "../../../app/api.ts";
import { errorText } from "../../../app/errors.ts";
import { useLocationsQuery } from "../../../app/locations.tsx";
import { onSuccess } from "../../../app/mutations.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/form-field.tsx";
import { Checkbox } from "../../../ui/inputs.tsx";
import { type FormValues, readConfirm } from "./form-values.ts";

type ConfirmAnswer = AnswerOf<typeof confirmAnswer>;
const { useConfirmQuery, useSetConfirmMutation } = api.injectEndpoints({
  endpoints: (build) => ({
    confirm: build.query<ConfirmAnswer, void>({ query: () => "/monitors/confirm", providesTags: ["Locations"] }),
    setConfirm: build.mutation<ConfirmAnswer, { confirm: Confirm | null }>({
      query: (body) => ({ url: "/monitors/confirm", method: "PUT", body }),
      invalidatesTags: onSuccess("Locations"),
    }),
  }),
});

/** Locations that must confirm a failure before it counts, for this monitor or as the default of all monitors. */
export default function ConfirmFields() {
  const { t, i18n } = useTranslation();
  const { register, formState, getValues } = useFormContext<FormValues>();
  const own = useWatch<FormValues, "locations">({ name: "locations" });
  const chosen = useWatch<FormValues, "confirm">({ name: "confirm" });
  const { data } = useLocationsQuery();
  const { data: forAll } = useConfirmQuery();
  const [setForAll, setting] = useSetConfirmMutation();
  // Saving must not silently remove a location without runners. A location that checks cannot confirm.
  const withRunners = (data?.locations ?? []).filter(({ runners }) => runners > 0).map(({ name }) => name);
  const offered = [...new Set([...withRunners, ...getValues("confirm.locations")])].filter(
    (name) => !own.includes(name),
  );
  const list = new Intl.ListFormat(i18n.language, { type: "conjunction" });
  const confirm = readConfirm(chosen);
  const error = formState.errors.confirm?.message;
  const shared = forAll?.confirm;
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="sr-only">{t("monitorForm.confirm")}</legend>
      <p className="text-[13px] text-faint">{t("monitorForm.confirmHint")}</p>
      {offered.length === 0 && <p className="text-[13px] text-muted">{t("monitorForm.confirmNowhere")}</p>}
      <div className="flex flex-wrap gap-x-6 gap-y-1">
        {offered.map((name) => (
          <Checkbox key={name} value={name} label={name} {...register("confirm.locations")} />
        ))}
      </div>
      {chosen.locations.length > 1 && (
        <TextField<FormValues> name="confirm.need" label={t("monitorForm.confirmNeed")} inputMode="numeric" />
      )}
      {error !== undefined && (
        <p role="alert" className="text-[13px] text-down-ink">
          {error}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-[13px] text-muted">
        <p>
          {shared
            ? t("monitorForm.confirmAll", { locations: list.format(shared.locations), need: shared.need })
            : t("monitorForm.confirmNone")}
        </p>
        <Button
          size="sm"
          saving={setting.isLoading}
          savingLabel={t("monitorForm.saving")}
          disabled={confirm === null && !shared}
          onClick={() => void setForAll({ confirm })}
        >
          {t(confirm === null ? "monitorForm.confirmClear" : "monitorForm.confirmForAll")}
        </Button>
      </div>
      {setting.error !== undefined && <Alert kind="error">{errorText(setting.error, "updateMonitor")}</Alert>}
    </fieldset>
  );
}
