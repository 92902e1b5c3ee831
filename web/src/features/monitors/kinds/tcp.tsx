import { useTranslation } from "react-i18next";
import { hostAndPort, readNumber } from "../../../lib/typed.ts";
import { TextField } from "../../../ui/form-field.tsx";
import type { KindForm } from "./registry.ts";

const empty = {
  host: "",
  port: "",
  send: "",
  expect: "",
  /** What is stored as `send`. It is sent back as it is while the field is not touched, whatever its line breaks are. */
  storedSend: undefined as string | undefined,
};
type TcpValues = typeof empty;
type Form = { tcp: TcpValues };

/** A text as a text area shows it. */
const withoutReturns = (text: string) => text.replaceAll(/\r\n?/g, "\n");

function readSend({ send, storedSend }: TcpValues): string | null {
  if (send === "") return null;
  if (storedSend !== undefined && send === withoutReturns(storedSend)) return storedSend;
  return withoutReturns(send).replaceAll("\n", "\r\n");
}

export const form: KindForm<"tcp", TcpValues> = {
  empty,
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
};

function Address({ autoFocus }: { autoFocus?: boolean }) {
  const { t } = useTranslation();
  const host = { label: t("monitorKinds.host"), placeholder: "db.example.com", autoFocus };
  const port = { label: t("monitorKinds.port"), placeholder: "5432", inputMode: "numeric" } as const;
  return (
    <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_8rem]">
      <TextField<Form> name="tcp.host" {...host} required mono />
      <TextField<Form> name="tcp.port" {...port} required />
    </div>
  );
}

function Fields() {
  const { t } = useTranslation();
  const send = { label: t("monitorKinds.tcp.send"), hint: t("monitorKinds.tcp.sendHint") };
  const expect = { label: t("monitorKinds.tcp.expect"), hint: t("monitorKinds.tcp.expectHint") };
  return (
    <>
      <TextField<Form> name="tcp.send" {...send} mono rows={2} />
      <TextField<Form> name="tcp.expect" {...expect} mono />
    </>
  );
}
