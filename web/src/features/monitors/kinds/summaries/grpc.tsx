import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { useTranslation } from "react-i18next";
import { Entry } from "../../../../ui/card.tsx";
import { ServerEntries, TlsEntries } from "./shared/entries.tsx";

/** How such a monitor is checked, in words. */
export function Summary({ check }: { check: CheckOf<"grpc"> }) {
  const { t } = useTranslation();
  return (
    <>
      <ServerEntries check={check} />
      <Entry name={t("monitorKinds.grpc.service")}>{check.service ?? t("monitorKinds.grpc.wholeServer")}</Entry>
      <TlsEntries check={check} isUsed={check.tls} />
    </>
  );
}
