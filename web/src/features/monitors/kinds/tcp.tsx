import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { useTranslation } from "react-i18next";
import { readNumber, hostAndPort } from "../../../lib/typed.ts";
import { Entry, Verbatim } from "../../../ui/card.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { Input, Textarea } from "../../../ui/inputs.tsx";
import type { KindForm } from "./kind-form.ts";

type TcpValues = {
  host: string;
  port: string;
  send: string;
  expect: string;
  /** What is stored as `send`. It goes back as it is while the field is not touched, whatever its line breaks are. */
  storedSend?: string | undefined;
};
type Form = { tcp: TcpValues };

/** A text as a text area shows it. */
const withoutReturns = (text: string) => text.replaceAll(/\r\n?/g, "\n");

function readSend({ send, storedSend }: TcpValues): string | null {
  if (send === "") return null;
  if (storedSend !== undefined && send === withoutReturns(storedSend)) return storedSend;
  return withoutReturns(send).replaceAll("\n", "\r\n");
}

export const form: KindForm<"tcp", TcpValues> = {
  empty: { host: "", port: "", send: "", expect: "" },
  show: ({ host, port, send, expect = "" }) => ({
    host,
    port: String(port),
    send: withoutReturns(send ?? ""),
    expect,
    storedSend: send,
  }),
  read: (values) => ({
    type: "tcp",
    host: values.host,
    // Without a port the schema reports what is missing.
    port: readNumber(values.port) ?? NaN,
    send: readSend(values),
    expect: values.expect === "" ? null : values.expect,
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
      <FormField<Form> name="tcp.host" label={t("monitorKinds.host")} required>
        {(props) => <Input {...props} autoFocus={autoFocus} mono spellCheck={false} placeholder="db.example.com" />}
      </FormField>
      <FormField<Form> name="tcp.port" label={t("monitorKinds.port")} required>
        {(props) => <Input {...props} inputMode="numeric" placeholder="5432" />}
      </FormField>
    </div>
  );
}

function Fields() {
  const { t } = useTranslation();
  return (
    <>
      <FormField<Form> name="tcp.send" label={t("monitorKinds.tcp.send")} hint={t("monitorKinds.tcp.sendHint")}>
        {(props) => <Textarea {...props} mono rows={2} spellCheck={false} />}
      </FormField>
      <FormField<Form> name="tcp.expect" label={t("monitorKinds.tcp.expect")} hint={t("monitorKinds.tcp.expectHint")}>
        {(props) => <Input {...props} mono spellCheck={false} />}
      </FormField>
    </>
  );
}

function Summary({ check: { host, port, send, expect } }: { check: CheckOf<"tcp"> }) {
  const { t } = useTranslation();
  return (
    <>
      <Entry name={t("monitorKinds.host")}>{host}</Entry>
      <Entry name={t("monitorKinds.port")}>{port}</Entry>
      <Entry name={t("monitorKinds.tcp.send")} wide>
        {send === undefined ? t("monitorKinds.tcp.nothingSent") : <Verbatim>{send}</Verbatim>}
      </Entry>
      <Entry name={t("monitorKinds.tcp.expect")} wide>
        {expect === undefined ? t("monitorKinds.tcp.anyAnswer") : <Verbatim>{expect}</Verbatim>}
      </Entry>
    </>
  );
}
