import { isSecretHeader, methods } from "@sonde/proto/http/monitors/checks/http";
import { useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { FormField } from "../../../../ui/form-field.tsx";
import { Select, Switch, Textarea } from "../../../../ui/inputs.tsx";
import { KeyValueEditor } from "../../../../ui/key-value-editor.tsx";
import type { HttpForm } from "./values.ts";

const usualHeaders = ["Accept", "Authorization", "Content-Type", "User-Agent", "X-Api-Key"];

/** What is sent. */
export function RequestFields() {
  const { t } = useTranslation();
  const { register, setValue, formState } = useFormContext<HttpForm>();
  const { errors, isSubmitted } = formState;
  const headers = useWatch<HttpForm, "http.headers">({ name: "http.headers" });
  return (
    <>
      <FormField<HttpForm> name="http.method" label={t("monitorKinds.http.method")} className="max-w-48">
        {(props) => (
          <Select {...props}>
            {methods.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </Select>
        )}
      </FormField>
      <div className="flex flex-col gap-1.5">
        <p className="text-[13px] font-medium">{t("monitorKinds.http.headers")}</p>
        <KeyValueEditor
          label={t("monitorKinds.http.headers")}
          nameLabel={t("monitorKinds.http.headerName")}
          valueLabel={t("monitorKinds.http.headerValue")}
          addLabel={t("monitorKinds.http.addHeader")}
          pairs={headers}
          onChange={(pairs) => setValue("http.headers", pairs, { shouldDirty: true, shouldValidate: isSubmitted })}
          errorOf={(index, part) => errors.http?.headers?.[index]?.[part]?.message}
          isSecret={({ name }) => isSecretHeader(name)}
          suggestions={usualHeaders}
        />
        <p className="text-[13px] text-faint">{t("monitorKinds.http.headersHint")}</p>
      </div>
      <FormField<HttpForm> name="http.body" label={t("monitorKinds.http.body")}>
        {(props) => <Textarea {...props} mono rows={4} spellCheck={false} />}
      </FormField>
      <div className="grid gap-4 sm:grid-cols-2">
        <Switch label={t("monitorKinds.http.followRedirects")} {...register("http.followRedirects")} />
        <Switch
          label={t("monitorKinds.http.verifyTls")}
          hint={t("monitorKinds.http.verifyTlsHint")}
          {...register("http.verifyTls")}
        />
      </div>
    </>
  );
}
