import { useTranslation } from "react-i18next";
import { hostAndPort, readNumber } from "../../../lib/typed.ts";
import { TextField } from "../../../ui/form-field.tsx";
import type { KindForm } from "./registry.ts";
import { ServerAddress, TlsFields } from "./server/fields.tsx";
import { emptyTls, readTls, showTls } from "./server/values.ts";

const empty = { host: "", port: "", service: "", tls: false, ...emptyTls };

export const form: KindForm<"grpc", typeof empty> = {
  empty,
  show: (check) => ({
    host: check.host,
    port: String(check.port),
    service: check.service ?? "",
    tls: check.tls,
    ...showTls(check),
  }),
  read: (values) => ({
    type: "grpc",
    host: values.host,
    // Without a port the schema reports what is missing.
    port: readNumber(values.port) ?? NaN,
    service: values.service.trim() === "" ? null : values.service,
    tls: values.tls,
    ...readTls(values),
  }),
  proposeName: ({ host, port }) => hostAndPort(host, port),
  Address: ({ autoFocus }) => (
    <ServerAddress
      kind="grpc"
      hostExample="orders.example.com"
      portExample="50051"
      portRequired
      autoFocus={autoFocus}
    />
  ),
  Fields,
};

function Fields() {
  const { t } = useTranslation();
  const service = { label: t("monitorKinds.grpc.service"), hint: t("monitorKinds.grpc.serviceHint") };
  return (
    <>
      <TextField<{ grpc: typeof empty }> name="grpc.service" {...service} mono />
      <TlsFields kind="grpc" />
    </>
  );
}
