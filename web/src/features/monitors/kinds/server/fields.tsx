import { secretMask } from "@sonde/proto/http/secrets";
import { type ReactNode } from "react";
import { useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { FormField, TextField } from "../../../../ui/form-field.tsx";
import { PasswordInput, Switch } from "../../../../ui/inputs.tsx";
import { AssertionsField } from "../http/fields.tsx";

/** Forms whose fields stand under the type of the kind. */
type Form = Record<string, Record<string, string | boolean>>;

type AddressProps = { kind: string; hostExample: string; portExample: string; portRequired?: boolean };

export function ServerAddress(props: AddressProps & { autoFocus?: boolean | undefined }) {
  const { kind, hostExample, portExample, portRequired, autoFocus } = props;
  const { t } = useTranslation();
  const host = { label: t("monitorKinds.host"), placeholder: hostExample, autoFocus: autoFocus === true };
  const port = { label: t("monitorKinds.port"), placeholder: portExample, inputMode: "numeric" } as const;
  return (
    <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_8rem]">
      <TextField<Form> name={`${kind}.host`} {...host} required mono />
      <TextField<Form> name={`${kind}.port`} {...port} required={portRequired === true} />
    </div>
  );
}

export function LoginFields({ kind, isRequired = false }: { kind: string; isRequired?: boolean }) {
  const { t } = useTranslation();
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField<Form> name={`${kind}.username`} label={t("monitorKinds.username")} required={isRequired} mono />
      <SecretField name={`${kind}.password`} label={t("monitorKinds.password")} hint={t("monitorKinds.passwordHint")} />
    </div>
  );
}

/** A secret on one line, unseen while it is typed. */
export function SecretField({ name, label, hint }: { name: `${string}.${string}`; label: string; hint: string }) {
  const { t } = useTranslation();
  const typed: unknown = useWatch<Form>({ name });
  const isStored = typed === secretMask;
  return (
    <FormField<Form> name={name} label={label} hint={isStored ? t("monitorKinds.passwordKept") : hint}>
      {(control) => (
        <PasswordInput
          {...control}
          mono
          autoComplete="new-password"
          spellCheck={false}
          canShow={typed !== "" && !isStored}
          labels={{ show: t("monitorKinds.showTyped"), hide: t("monitorKinds.hideTyped") }}
          // Typing into a mask means a new value, not a mask with letters in it.
          onFocus={(event) => isStored && event.target.select()}
        />
      )}
    </FormField>
  );
}

/** `tlsSwitch`: whether TLS is used is chosen by a switch. */
export function TlsFields({ kind, tlsSwitch = true }: { kind: string; tlsSwitch?: boolean }) {
  const { t } = useTranslation();
  const { register } = useFormContext<Form>();
  const tls: unknown = useWatch<Form>({ name: `${kind}.tls` });
  return (
    <>
      {tlsSwitch && <Switch label={t("monitorKinds.useTls")} {...register(`${kind}.tls`)} />}
      {(!tlsSwitch || tls === true) && <CertificateFields kind={kind} />}
    </>
  );
}

export function CertificateFields({ kind }: { kind: string }) {
  const { t } = useTranslation();
  const { register } = useFormContext<Form>();
  const days = { label: t("monitorKinds.minDaysLeft"), hint: t("monitorKinds.http.minDaysLeftHint") };
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField<Form> name={`${kind}.minDaysLeft`} {...days} inputMode="numeric" />
      <Switch
        label={t("monitorKinds.http.verifyTls")}
        hint={t("monitorKinds.http.verifyTlsHint")}
        {...register(`${kind}.verifyTls`)}
      />
    </div>
  );
}

export function SqlFields({ kind }: { kind: "postgres" | "mysql" }): ReactNode {
  const { t } = useTranslation();
  const database = { label: t("monitorKinds.sql.database"), hint: t(`monitorKinds.${kind}.databaseHint`) };
  const query = { label: t("monitorKinds.sql.query"), hint: t("monitorKinds.sql.queryHint") };
  const sources = ["json", "latency"] as const;
  return (
    <>
      <LoginFields kind={kind} isRequired />
      <TextField<Form> name={`${kind}.database`} {...database} mono />
      <TextField<Form> name={`${kind}.query`} {...query} mono rows={2} />
      <AssertionsField kind={kind} sources={sources} hint={t("monitorKinds.sql.assertionsHint")} />
      <TlsFields kind={kind} />
    </>
  );
}
