import { isSecretHeader, methods } from "@sonde/proto/http/monitors";
import { useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Field } from "../../ui/field.tsx";
import { Select, Switch, Textarea } from "../../ui/inputs.tsx";
import { KeyValueEditor } from "../../ui/key-value-editor.tsx";
import type { FormValues } from "./form-values.ts";

const usualHeaders = ["Accept", "Authorization", "Content-Type", "User-Agent", "X-Api-Key"];

/** What is sent. */
export function RequestFields() {
  const { t } = useTranslation();
  const { register, setValue, formState } = useFormContext<FormValues>();
  const { errors, isSubmitted } = formState;
  const headers = useWatch<FormValues, "headers">({ name: "headers" });
  return (
    <>
      <Field label={t("monitorForm.method")} error={errors.method?.message} className="max-w-48">
        {(ids) => (
          <Select {...ids} {...register("method")}>
            {methods.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </Select>
        )}
      </Field>
      <div className="flex flex-col gap-1.5">
        <p className="text-[13px] font-medium">{t("monitorForm.headers")}</p>
        <KeyValueEditor
          label={t("monitorForm.headers")}
          nameLabel={t("monitorForm.headerName")}
          valueLabel={t("monitorForm.headerValue")}
          addLabel={t("monitorForm.addHeader")}
          pairs={headers}
          onChange={(pairs) => setValue("headers", pairs, { shouldDirty: true, shouldValidate: isSubmitted })}
          errorOf={(index, part) => errors.headers?.[index]?.[part]?.message}
          isSecret={({ name }) => isSecretHeader(name)}
          suggestions={usualHeaders}
        />
        <p className="text-[13px] text-faint">{t("monitorForm.headersHint")}</p>
      </div>
      <Field label={t("monitorForm.body")} error={errors.body?.message}>
        {(ids) => <Textarea {...ids} {...register("body")} mono rows={4} spellCheck={false} />}
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Switch label={t("monitorForm.followRedirects")} {...register("followRedirects")} />
        <Switch label={t("monitorForm.verifyTls")} hint={t("monitorForm.verifyTlsHint")} {...register("verifyTls")} />
      </div>
    </>
  );
}
