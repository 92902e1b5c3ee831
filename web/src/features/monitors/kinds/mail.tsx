import {
  type MailProtocol,
  mailProtocols,
  mailSecurities,
  type MailSecurity,
} from "@sonde/proto/http/monitors/checks/mail";
import { useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { hostAndPort, readNumber } from "../../../lib/typed.ts";
import { FormField } from "../../../ui/form-field.tsx";
import type { KindForm } from "./registry.ts";
import { CertificateFields, LoginFields, ServerAddress } from "./server/fields.tsx";
import { emptyLogin, emptyTls, readLogin, readTls, showLogin, showTls } from "./server/values.ts";

const empty = {
  protocol: "smtp" as MailProtocol,
  host: "",
  port: "",
  security: "tls" as MailSecurity,
  ...emptyLogin,
  ...emptyTls,
};
type MailValues = typeof empty;
type Form = { mail: MailValues };

/** The ports of IANA, by how TLS begins. */
const usualPorts: Record<MailProtocol, Record<MailSecurity, number>> = {
  smtp: { tls: 465, starttls: 587, none: 25 },
  imap: { tls: 993, starttls: 143, none: 143 },
  pop3: { tls: 995, starttls: 110, none: 110 },
};
const usualPort = ({ protocol, security }: Pick<MailValues, "protocol" | "security">) => usualPorts[protocol][security];

export const form: KindForm<"mail", MailValues> = {
  empty,
  show: (check) => ({
    protocol: check.protocol,
    host: check.host,
    port: String(check.port),
    security: check.security,
    ...showLogin(check),
    ...showTls(check),
  }),
  read: (values) => ({
    type: "mail",
    protocol: values.protocol,
    host: values.host,
    port: readNumber(values.port) ?? usualPort(values),
    security: values.security,
    ...readLogin(values),
    ...readTls(values),
  }),
  proposeName: (values) =>
    values.host.trim() === "" ? "" : hostAndPort(values.host, values.port || String(usualPort(values))),
  Address,
  Fields,
};

function Address({ autoFocus }: { autoFocus?: boolean }) {
  const { t } = useTranslation();
  const [protocol, security] = useWatch<Form, ["mail.protocol", "mail.security"]>({
    name: ["mail.protocol", "mail.security"],
  });
  const protocols = mailProtocols.map((value) => ({ value, label: t(`monitorKinds.mail.protocols.${value}`) }));
  const securities = mailSecurities.map((value) => ({ value, label: t(`monitorKinds.mail.securities.${value}`) }));
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField<Form> name="mail.protocol" label={t("monitorKinds.mail.protocol")} options={protocols} />
        <FormField<Form> name="mail.security" label={t("monitorKinds.mail.security")} options={securities} />
      </div>
      <ServerAddress
        kind="mail"
        hostExample="mail.example.com"
        portExample={String(usualPort({ protocol, security }))}
        autoFocus={autoFocus}
      />
    </>
  );
}

function Fields() {
  const security = useWatch<Form, "mail.security">({ name: "mail.security" });
  return (
    <>
      <LoginFields kind="mail" />
      {security !== "none" && <CertificateFields kind="mail" />}
    </>
  );
}
