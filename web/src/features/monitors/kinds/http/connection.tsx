import { ipFamilies, tokenRequests } from "@sonde/proto/http/monitors/checks/connection";
import type { ReactNode } from "react";
import { useFormContext } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { FieldLocks, Lockable } from "../../../../ui/field.tsx";
import { FormField, TextField } from "../../../../ui/form-field.tsx";
import { Switch } from "../../../../ui/inputs.tsx";
import { LoginFields, SecretField } from "../server/fields.tsx";
import type { HttpForm } from "./values.ts";

const noLock = () => undefined;

/** Several fields of one value: it is locked as a whole, and not by the name of a part. */
function Part({ name, title, hint, children }: { name: string; title: string; hint: string; children: ReactNode }) {
  return (
    <Lockable name={name}>
      <FieldLocks value={noLock}>
        <div role="group" aria-label={title} className="flex flex-col gap-3">
          <p className="text-[13px] font-medium">{title}</p>
          {children}
          <p className="text-[13px] text-faint">{hint}</p>
        </div>
      </FieldLocks>
    </Lockable>
  );
}

/** How requests reach their server, and who they come from. */
export default function ConnectionFields() {
  const { t } = useTranslation();
  const { register } = useFormContext<HttpForm>();
  const label = (name: ConnectionWord) => ({ label: t(`monitorKinds.http.connection.${name}`) });
  const families = ["any", ...ipFamilies] as const;
  return (
    <div className="flex flex-col gap-5">
      <Part
        name="http.proxy"
        title={t("monitorKinds.http.connection.proxy")}
        hint={t("monitorKinds.http.connection.proxyHint")}
      >
        <TextField<HttpForm>
          name="http.proxy.url"
          {...label("proxyUrl")}
          mono
          inputMode="url"
          placeholder="http://proxy.example.com:3128"
        />
        <LoginFields kind="http.proxy" />
      </Part>
      <Part
        name="http.clientCertificate"
        title={t("monitorKinds.http.connection.clientCertificate")}
        hint={t("monitorKinds.http.connection.clientCertificateHint")}
      >
        <TextField<HttpForm> name="http.clientCertificate.cert" {...label("cert")} mono rows={3} />
        <TextField<HttpForm> name="http.clientCertificate.key" {...label("key")} mono rows={3} />
      </Part>
      <Part
        name="http.oauth"
        title={t("monitorKinds.http.connection.oauth")}
        hint={t("monitorKinds.http.connection.oauthHint")}
      >
        <TextField<HttpForm> name="http.oauth.tokenUrl" {...label("tokenUrl")} mono inputMode="url" />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField<HttpForm> name="http.oauth.clientId" {...label("clientId")} mono />
          <SecretField
            name="http.oauth.clientSecret"
            {...label("clientSecret")}
            hint={t("monitorKinds.http.connection.clientSecretHint")}
          />
          <TextField<HttpForm> name="http.oauth.scope" {...label("scope")} mono />
          <TextField<HttpForm> name="http.oauth.audience" {...label("audience")} mono />
        </div>
        <FormField<HttpForm>
          name="http.oauth.authentication"
          {...label("authentication")}
          className="max-w-72"
          options={tokenRequests.map((value) => ({
            value,
            label: t(`monitorKinds.http.connection.authentications.${value}`),
          }))}
        />
      </Part>
      <FormField<HttpForm>
        name="http.ipFamily"
        {...label("ipFamily")}
        className="max-w-72"
        options={families.map((value) => ({ value, label: t(`monitorKinds.http.connection.ipFamilies.${value}`) }))}
      />
      <TextField<HttpForm>
        name="http.servername"
        label={t("monitorKinds.tls.servername")}
        hint={t("monitorKinds.tls.servernameHint")}
        mono
      />
      <Lockable name="http.h2c">
        <Switch
          label={t("monitorKinds.http.connection.h2c")}
          hint={t("monitorKinds.http.connection.h2cHint")}
          {...register("http.h2c")}
        />
      </Lockable>
    </div>
  );
}

type ConnectionWord =
  | "proxyUrl"
  | "cert"
  | "key"
  | "tokenUrl"
  | "clientId"
  | "clientSecret"
  | "scope"
  | "audience"
  | "authentication"
  | "ipFamily";
