import { maxSteps, type PolicyAnswer, type PolicyInput } from "@sonde/proto/http/on-call/policies";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { useSession } from "../../../app/hooks.ts";
import { OrderedFields } from "../../../app/forms/ordered-fields.tsx";
import { FormButtons, SaveForm, useSaveForm } from "../../../app/forms/save-form.tsx";
import { UnsavedGuard } from "../../../app/forms/unsaved-guard.tsx";
import { paths } from "../../../app/paths.ts";
import { Alert } from "../../../ui/alert.tsx";
import { ButtonLink } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { Lockable } from "../../../ui/field.tsx";
import { FormField, TextField } from "../../../ui/form-field.tsx";
import { checkValues, newStep, pathOf, type PolicyValues, readInput } from "./form-values.ts";
import { RecipientsField } from "./recipients.tsx";

type PolicyFormProps = {
  initial: PolicyValues;
  /** Low urgency for monitors, which only the API sets. */
  lowMonitors: readonly number[];
  labels: { submit: string; saving: string };
  /** @throws the error of the request */
  onSave: (input: PolicyInput) => Promise<Pick<PolicyAnswer, "warnings"> & { message?: string | undefined }>;
  saved: string;
};

export function PolicyForm({ initial, lowMonitors, labels, onSave, saved }: PolicyFormProps) {
  const { t, i18n } = useTranslation();
  const { mayChange } = useSession();
  const navigate = useNavigate();
  const [warnings, setWarnings] = useState<PolicyAnswer["warnings"]>([]);
  const toList = (notice?: string) => void navigate(paths.policies, { state: { notice }, replace: true });
  const saveForm = useSaveForm<PolicyValues>({
    initial,
    check: (values) => checkValues(values, t),
    fieldOf: pathOf,
    fallback: "savePolicy",
    onSave: async (values) => {
      const answer = await onSave(readInput(values, lowMonitors));
      if (answer.warnings.length === 0) return () => toList(answer.message ?? saved);
      form.reset(values);
      setWarnings(answer.warnings);
    },
    invalidText: () => i18n.t("policies.fixErrors"),
  });
  const { form, unsaved } = saveForm;
  if (warnings.length > 0) {
    return (
      <div className="flex flex-col items-start gap-3">
        <Alert kind="info">
          <p>{t("policies.warnings")}</p>
          <ul className="mt-1 list-disc pl-5">
            {warnings.map(({ step, message }, index) => (
              <li key={index}>
                {t("policies.step.item", { number: step })}: {message}
              </li>
            ))}
          </ul>
        </Alert>
        <ButtonLink to={paths.policies}>{t("policies.toList")}</ButtonLink>
      </div>
    );
  }
  return (
    <>
      <UnsavedGuard unsaved={unsaved} />
      <SaveForm of={saveForm} draft="policy">
        <fieldset disabled={!mayChange} className="flex min-w-0 flex-col gap-4">
          <Card gap="gap-4">
            <TextField<PolicyValues> name="name" label={t("policies.name")} required className="max-w-96" />
          </Card>
          <Lockable name="steps">
            <Card title={t("policies.stepList")} gap="gap-3">
              <OrderedFields
                name="steps"
                label={t("policies.stepList")}
                min={1}
                max={maxSteps}
                added={newStep}
                wordOf={(what, number) => t(`policies.step.${what}`, { number })}
              >
                {(index) => <StepFields index={index} />}
              </OrderedFields>
            </Card>
          </Lockable>
          <Card gap="gap-4">
            <TextField<PolicyValues>
              name="repeat"
              label={t("policies.repeat")}
              hint={t("policies.repeatHint")}
              inputMode="numeric"
              className="max-w-48"
            />
            <FormField<PolicyValues>
              name="lowTags"
              label={t("policies.lowTags")}
              hint={
                lowMonitors.length === 0
                  ? t("policies.lowTagsHint")
                  : `${t("policies.lowTagsHint")} ${t("policies.lowMonitors", { count: lowMonitors.length })}`
              }
              className="max-w-xl"
              input={{ spellCheck: false, placeholder: "batch, staging" }}
            />
          </Card>
          {mayChange && <FormButtons of={saveForm} {...labels} onCancel={() => toList()} />}
        </fieldset>
      </SaveForm>
    </>
  );
}

function StepFields({ index }: { index: number }) {
  const { t } = useTranslation();
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField<PolicyValues>
          name={`steps.${index}.after`}
          label={t(index === 0 ? "policies.afterFirst" : "policies.after")}
          inputMode="numeric"
        />
        <TextField<PolicyValues>
          name={`steps.${index}.needs`}
          label={t("policies.needs")}
          hint={t("policies.needsHint")}
          inputMode="numeric"
        />
      </div>
      <RecipientsField index={index} />
    </div>
  );
}
