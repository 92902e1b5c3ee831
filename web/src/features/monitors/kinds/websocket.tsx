import { useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { typedHost } from "../../../lib/typed.ts";
import { TextField } from "../../../ui/form-field.tsx";
import type { KeyValue } from "../../../ui/key-value-editor.tsx";
import { HeadersField } from "./http/fields.tsx";
import { filledHeaders } from "./http/values.ts";
import type { KindForm } from "./registry.ts";
import { CertificateFields } from "./server/fields.tsx";
import { emptyTls, readTls, showTls } from "./server/values.ts";

const empty = { url: "", headers: [] as KeyValue[], send: "", expect: "", ...emptyTls };
type SocketValues = typeof empty;
type Form = { websocket: SocketValues };

export const form: KindForm<"websocket", SocketValues> = {
  empty,
  show: (check) => ({
    url: check.url,
    headers: check.headers.map(({ name, value }) => ({ name, value })),
    send: check.send ?? "",
    expect: check.expect ?? "",
    ...showTls(check),
  }),
  read: ({ url, headers, send, expect, ...tls }) => ({
    type: "websocket",
    url,
    headers,
    send: send === "" ? null : send,
    expect: expect === "" ? null : expect,
    ...readTls(tls),
  }),
  tidy: ({ headers }) => ({ headers: filledHeaders(headers) }),
  proposeName: ({ url }) => typedHost(url),
  Address,
  Fields,
  advanced: { names: ["headers", "verifyTls", "minDaysLeft"], Fields: AdvancedFields },
};

function Address({ autoFocus }: { autoFocus?: boolean }) {
  const { t } = useTranslation();
  const url = { label: t("monitorKinds.http.url"), placeholder: "wss://live.example.com/feed", autoFocus } as const;
  return <TextField<Form> name="websocket.url" {...url} inputMode="url" required mono />;
}

function Fields() {
  const { t } = useTranslation();
  const send = { label: t("monitorKinds.tcp.send"), hint: t("monitorKinds.websocket.sendHint") };
  const expect = { label: t("monitorKinds.tcp.expect"), hint: t("monitorKinds.websocket.expectHint") };
  return (
    <>
      <TextField<Form> name="websocket.send" {...send} mono rows={2} />
      <TextField<Form> name="websocket.expect" {...expect} mono />
    </>
  );
}

function AdvancedFields() {
  const url = useWatch<Form, "websocket.url">({ name: "websocket.url" });
  return (
    <>
      <HeadersField kind="websocket" />
      {!/^ws:/i.test(url.trim()) && <CertificateFields kind="websocket" />}
    </>
  );
}
