import { type StartTls, startTlsProtocols } from "@sonde/proto/http/monitors/checks/tls";
import { useTranslation } from "react-i18next";
import { hostAndPort, readNumber } from "../../../lib/typed.ts";
import { FormField, TextField } from "../../../ui/form-field.tsx";
import { Select } from "../../../ui/inputs.tsx";
import type { KindForm } from "./registry.ts";

const empty = { host: "", port: "443", servername: "", minDaysLeft: "14", starttls: "" as StartTls | "" };
type Form = { tls: typeof empty };

export const form: KindForm<"tls", typeof empty> = {
  empty,
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
};

function Address({ autoFocus }: { autoFocus?: boolean }) {
  const { t } = useTranslation();
  const host = { label: t("monitorKinds.host"), placeholder: "example.com", autoFocus };
  const port = { label: t("monitorKinds.port"), placeholder: "443", inputMode: "numeric" } as const;
  return (
    <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_8rem]">
      <TextField<Form> name="tls.host" {...host} required mono />
      <TextField<Form> name="tls.port" {...port} />
    </div>
  );
}

function Fields() {
  const { t } = useTranslation();
  const days = { label: t("monitorKinds.minDaysLeft"), hint: t("monitorKinds.minDaysLeftHint"), placeholder: "14" };
  const starttls = { label: t("monitorKinds.tls.starttls"), hint: t("monitorKinds.tls.starttlsHint") };
  const servername = { label: t("monitorKinds.tls.servername"), hint: t("monitorKinds.tls.servernameHint") };
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField<Form> name="tls.minDaysLeft" {...days} inputMode="numeric" />
        <FormField<Form> name="tls.starttls" {...starttls}>
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
      <TextField<Form> name="tls.servername" {...servername} mono />
    </>
  );
}
