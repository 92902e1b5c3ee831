import {
  type EscalationPolicy,
  maxSteps,
  type PolicyAnswer,
  type PolicyInput,
} from "@sonde/proto/http/on-call/policies";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { useSession } from "../../../app/hooks.ts";
import { OrderedFields } from "../../../app/forms/ordered-fields.tsx";
import { FormButtons, SaveForm, useSaveForm } from "../../../app/forms/save-form.tsx";
import { UnsavedGuard } from "../../../app/forms/unsaved-guard.tsx";
import { paths } from "../../../app/paths.ts";
import { useSettingsInForceQuery } from "../../../entities/notifications/api.ts";
import type { RehearsalDraft } from "../../../entities/rehearsal/rehearsal.tsx";
import { RehearseButton } from "../../../entities/rehearsal/rehearse-button.tsx";
import { useCreatePolicyMutation, useUpdatePolicyMutation } from "../../../entities/on-call/api.ts";
import { Alert } from "../../../ui/alert.tsx";
import { ButtonLink } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { Lockable } from "../../../ui/field.tsx";
import { FormField, TextField } from "../../../ui/form-field.tsx";
import { checkValues, emptyPolicy, newStep, pathOf, type PolicyValues, readInput, toValues } from "./form-values.ts";
import { RecipientsField } from "./recipients.tsx";

/** A new policy is rehearsed as if it were selected for all monitors. */
const newId = 2_147_483_647;

/** @param policy absent for a new one */
export function PolicyForm({ policy }: { policy?: EscalationPolicy }) {
  const { t, i18n } = useTranslation();
  const { mayChange } = useSession();
  const navigate = useNavigate();
  const [warnings, setWarnings] = useState<PolicyAnswer["warnings"]>([]);
  const [create] = useCreatePolicyMutation();
  const [update] = useUpdatePolicyMutation();
  // Only the API sets monitors of low urgency. They are kept.
  const { data: all } = useSettingsInForceQuery(undefined, { skip: policy !== undefined || !mayChange });
  const lowMonitors = policy?.lowUrgency?.monitors ?? [];
  const toList = (notice?: string) => void navigate(paths.policies, { state: { notice }, replace: true });
  const saveForm = useSaveForm<PolicyValues>({
    initial: policy === undefined ? emptyPolicy : toValues(policy),
    check: (values) => checkValues(values, t),
    fieldOf: pathOf,
    fallback: "savePolicy",
    onSave: async (values) => {
      const input = readInput(values, lowMonitors);
      const saving =
        policy === undefined
          ? create(input)
          : update({ id: policy.id, input: { ...input, lowUrgency: input.lowUrgency ?? null } });
      const answer = await saving.unwrap();
      if (answer.warnings.length === 0) return () => toList(answer.message);
      form.reset(values);
      setWarnings(answer.warnings);
    },
    invalidText: () => i18n.t("policies.fixErrors"),
  });
  const { form, unsaved } = saveForm;
  const draftOf = (input: PolicyInput): RehearsalDraft => ({
    policies: [{ ...input, id: policy?.id ?? newId }],
    settings: policy === undefined && all ? { globalMonitor: { ...all.globalMonitor, policyId: newId } } : undefined,
  });
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
          {mayChange && (
            <>
              <div className="flex flex-wrap items-center justify-end gap-2">
                <RehearseButton
                  draftOf={() => {
                    const values = form.getValues();
                    return checkValues(values, t).length > 0 ? null : draftOf(readInput(values, lowMonitors));
                  }}
                />
              </div>
              <FormButtons
                of={saveForm}
                submit={t(policy === undefined ? "policies.create" : "common.saveChanges")}
                saving={t("common.saving")}
                onCancel={() => toList()}
              />
            </>
          )}
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
