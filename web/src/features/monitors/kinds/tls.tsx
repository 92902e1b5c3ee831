import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { type StartTls, startTlsProtocols } from "@sonde/proto/http/monitors/checks/tls";
import { useTranslation } from "react-i18next";
import { readNumber, hostAndPort } from "../../../lib/typed.ts";
import { Entry } from "../../../ui/card.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { Input, Select } from "../../../ui/inputs.tsx";
import type { KindForm } from "./kind-form.ts";

type TlsValues = {
  host: string;
  port: string;
  servername: string;
  minDaysLeft: string;
  starttls: StartTls | "";
};
type Form = { tls: TlsValues };

export const form: KindForm<"tls", TlsValues> = {
  empty: { host: "", port: "443", servername: "", minDaysLeft: "14", starttls: "" },
  show: ({ host, port, servername = "", minDaysLeft, starttls }) => ({
    host,
    port: String(port),
    servername,
    minDaysLeft: String(minDaysLeft),
    starttls: starttls ?? "",
  }),
  read: ({ host, port, servername, minDaysLeft, starttls }) => ({
    type: "tls",
    host,
    port: readNumber(port) ?? 443,
    servername: servername.trim() === "" ? null : servername,
    minDaysLeft: readNumber(minDaysLeft) ?? 14,
    starttls: starttls === "" ? null : starttls,
  }),
  proposeName: ({ host, port }) => hostAndPort(host, port),
  Address,
  Fields,
  Summary,
};

function Address({ autoFocus }: { autoFocus?: boolean }) {
  const { t } = useTranslation();
  return (
    <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_8rem]">
      <FormField<Form> name="tls.host" label={t("monitorKinds.host")} required>
        {(props) => <Input {...props} autoFocus={autoFocus} mono spellCheck={false} placeholder="example.com" />}
      </FormField>
      <FormField<Form> name="tls.port" label={t("monitorKinds.port")}>
        {(props) => <Input {...props} inputMode="numeric" placeholder="443" />}
      </FormField>
    </div>
  );
}

function Fields() {
  const { t } = useTranslation();
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField<Form>
          name="tls.minDaysLeft"
          label={t("monitorKinds.minDaysLeft")}
          hint={t("monitorKinds.minDaysLeftHint")}
        >
          {(props) => <Input {...props} inputMode="numeric" placeholder="14" />}
        </FormField>
        <FormField<Form>
          name="tls.starttls"
          label={t("monitorKinds.tls.starttls")}
          hint={t("monitorKinds.tls.starttlsHint")}
        >
          {(props) => (
            <Select {...props}>
              <option value="">{t("monitorKinds.tls.atOnce")}</option>
              {startTlsProtocols.map((each) => (
                <option key={each} value={each}>
                  {t(`monitorKinds.tls.protocols.${each}`)}
                </option>
              ))}
            </Select>
          )}
        </FormField>
      </div>
      <FormField<Form>
        name="tls.servername"
        label={t("monitorKinds.tls.servername")}
        hint={t("monitorKinds.tls.servernameHint")}
      >
        {(props) => <Input {...props} mono spellCheck={false} />}
      </FormField>
    </>
  );
}

function Summary({ check: { host, port, servername, minDaysLeft, starttls } }: { check: CheckOf<"tls"> }) {
  const { t } = useTranslation();
  return (
    <>
      <Entry name={t("monitorKinds.host")}>{host}</Entry>
      <Entry name={t("monitorKinds.port")}>{port}</Entry>
      <Entry name={t("monitorKinds.tls.servername")}>{servername ?? host}</Entry>
      <Entry name={t("monitorKinds.minDaysLeft")}>{minDaysLeft}</Entry>
      <Entry name={t("monitorKinds.tls.starttls")}>
        {starttls === undefined ? t("monitorKinds.tls.atOnce") : t(`monitorKinds.tls.protocols.${starttls}`)}
      </Entry>
    </>
  );
}
