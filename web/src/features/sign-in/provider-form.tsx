import {
  createProviderInput,
  type ProviderReport,
  type SignInProvider,
  updateProviderInput,
} from "@sonde/proto/http/sign-in";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { FormButtons, ownField, SaveForm, useSaveForm } from "../../app/forms/save-form.tsx";
import { UnsavedGuard } from "../../app/forms/unsaved-guard.tsx";
import { schemaErrors } from "../../lib/form-errors.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/field.tsx";
import { FormField, TextField } from "../../ui/form-field.tsx";
import { Checkbox, PasswordInput, Textarea } from "../../ui/inputs.tsx";
import { useCreateProviderMutation, useTestProviderMutation, useUpdateProviderMutation } from "./api.ts";
import { Report } from "./report.tsx";
import { emptyValues, type ProviderValues, readInput, toValues } from "./values.ts";

const fieldOf = (path: string) => ownField(path, emptyValues);

type ProviderFormProps = { provider: SignInProvider | undefined; onDone: (notice?: string) => void };

export function ProviderForm({ provider, onDone }: ProviderFormProps) {
  const { t } = useTranslation();
  const isNew = provider === undefined;
  const [create] = useCreateProviderMutation();
  const [update] = useUpdateProviderMutation();
  const [test, { isLoading: isTesting }] = useTestProviderMutation();
  const [report, setReport] = useState<ProviderReport | null>(null);
  const [claims, setClaims] = useState("");
  const [claimsError, setClaimsError] = useState(false);
  const saveForm = useSaveForm<ProviderValues>({
    initial: isNew ? emptyValues : toValues(provider),
    check: (values) => {
      const input = readInput(values);
      const errors = isNew
        ? schemaErrors(createProviderInput, { slug: values.slug.trim(), ...input })
        : schemaErrors(updateProviderInput, input);
      // All rules are in one field, one per line.
      return errors.map((error) => ({ ...error, path: fieldOf(error.path) ?? error.path }));
    },
    fieldOf,
    fallback: "saveProvider",
    onSave: async (values) => {
      const input = readInput(values);
      const { message } = isNew
        ? await create({ slug: values.slug.trim(), ...input }).unwrap()
        : await update({ slug: provider.slug, input }).unwrap();
      return () => onDone(message ?? t("signIn.saved"));
    },
  });
  const runTest = saveForm.sendWith(async (values) => {
    setReport(null);
    const given = readClaims(claims);
    setClaimsError(given === null);
    if (given === null) return;
    const input = { provider: readInput(values), ...(given !== undefined && { claims: given }) };
    const answer = await test({ slug: isNew ? values.slug.trim() : provider.slug, input }).unwrap();
    setReport(answer.report);
  }, "testProvider");

  return (
    <SaveForm of={saveForm}>
      <Card>
        <div className="grid gap-4 md:grid-cols-2">
          <TextField<ProviderValues>
            name="name"
            label={t("signIn.name")}
            hint={t("signIn.nameHint")}
            required
            autoFocus
          />
          {isNew && (
            <TextField<ProviderValues>
              name="slug"
              label={t("signIn.fields.slug")}
              hint={t("signIn.slugHint")}
              required
              mono
            />
          )}
          <TextField<ProviderValues>
            name="issuer"
            label={t("signIn.fields.issuer")}
            placeholder="https://id.example.com/realms/main"
            required
            mono
            className="md:col-span-2"
          />
          <TextField<ProviderValues> name="clientId" label={t("signIn.fields.clientId")} required mono />
          <FormField<ProviderValues>
            name="clientSecret"
            label={t("common.optional", { label: t("signIn.fields.clientSecret") })}
            hint={t(isNew ? "signIn.secretHint" : "signIn.secretKept")}
          >
            {(control) => <PasswordInput {...control} autoComplete="new-password" canShow={isNew} />}
          </FormField>
          <FormField<ProviderValues>
            name="tokenAuth"
            label={t("signIn.fields.tokenAuth")}
            hint={t("signIn.tokenAuthHint")}
            options={[
              { value: "", label: t("signIn.tokenAuths.auto") },
              { value: "basic", label: t("signIn.tokenAuths.basic") },
              { value: "post", label: t("signIn.tokenAuths.post") },
            ]}
          />
          <TextField<ProviderValues>
            name="scopes"
            label={t("signIn.fields.scopes")}
            hint={t("signIn.scopesHint")}
            mono
          />
          <TextField<ProviderValues>
            name="roleClaim"
            label={t("signIn.fields.roleClaim")}
            hint={t("signIn.claimHint")}
            mono
          />
          <TextField<ProviderValues>
            name="roles"
            label={t("signIn.fields.roles")}
            hint={t("signIn.rolesHint")}
            placeholder={t("signIn.rolesExample")}
            rows={4}
            mono
          />
          <div className="flex flex-col gap-4">
            <FormField<ProviderValues>
              name="otherwise"
              label={t("signIn.fields.otherwise")}
              options={[
                { value: "none", label: t("signIn.noRole") },
                { value: "viewer", label: t("users.roles.viewer") },
                { value: "user", label: t("users.roles.user") },
              ]}
            />
            <div className="flex flex-col gap-1">
              <Checkbox {...saveForm.form.register("linkByMail")} label={t("signIn.fields.linkByMail")} />
              <p className="text-[13px] text-muted">{t("signIn.linkHint")}</p>
            </div>
          </div>
        </div>
      </Card>
      <Card title={t("signIn.testTitle")} gap="gap-3">
        <Field
          label={t("common.optional", { label: t("signIn.claims") })}
          hint={t("signIn.claimsHint")}
          error={claimsError ? t("signIn.claimsFault") : undefined}
        >
          {(ids) => (
            <Textarea
              {...ids}
              mono
              rows={4}
              spellCheck={false}
              placeholder={t("signIn.claimsExample")}
              value={claims}
              onChange={({ target }) => setClaims(target.value)}
            />
          )}
        </Field>
        <div>
          <Button saving={isTesting} savingLabel={t("signIn.testing")} onClick={(event) => void runTest(event)}>
            {t("signIn.test")}
          </Button>
        </div>
        <div aria-live="polite">{report !== null && <Report report={report} />}</div>
      </Card>
      <FormButtons of={saveForm} submit={t(isNew ? "signIn.create" : "signIn.save")} onCancel={() => onDone()} />
      <UnsavedGuard unsaved={saveForm.unsaved} />
    </SaveForm>
  );
}

/** Parses sample claims. `undefined` if empty, `null` if not a JSON object. */
function readClaims(text: string): Record<string, unknown> | undefined | null {
  if (text.trim() === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
