import { useFormContext } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { typedHost, withScheme } from "../../../lib/typed.ts";
import { FormField } from "../../../ui/form-field.tsx";
import { Input } from "../../../ui/inputs.tsx";
import { ConnectionGroup } from "./http/connection-group.tsx";
import { ExpectationFields, RequestFields } from "./http/fields.tsx";
import {
  connectionNames,
  emptyHttp,
  type HttpForm,
  type HttpValues,
  readHttp,
  showHttp,
  tidyHttp,
} from "./http/values.ts";
import type { KindForm } from "./registry.ts";

export const form: KindForm<"http", HttpValues> = {
  empty: emptyHttp,
  show: showHttp,
  read: readHttp,
  tidy: tidyHttp,
  proposeName: ({ url }) => typedHost(url),
  Address,
  advanced: {
    names: [
      "method",
      "headers",
      "body",
      "followRedirects",
      "verifyTls",
      "expectedStatus",
      "assertions",
      "minDaysLeft",
      ...connectionNames,
    ],
    Fields: AdvancedFields,
  },
};

function Address({ autoFocus }: { autoFocus?: boolean }) {
  const { t } = useTranslation();
  const { getValues, setValue } = useFormContext<HttpForm>();
  function complete() {
    const typed = getValues("http.url");
    const whole = withScheme(typed);
    if (whole !== typed) setValue("http.url", whole, { shouldDirty: true });
  }
  return (
    <FormField<HttpForm> name="http.url" label={t("monitorKinds.http.url")} required>
      {(props) => (
        <Input
          {...props}
          onBlur={(event) => {
            complete();
            void props.onBlur(event);
          }}
          autoFocus={autoFocus}
          type="url"
          inputMode="url"
          mono
          placeholder="https://api.example.com/health"
          spellCheck={false}
        />
      )}
    </FormField>
  );
}

function AdvancedFields() {
  return (
    <>
      <RequestFields />
      <ExpectationFields />
      <ConnectionGroup />
    </>
  );
}
