import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { useTranslation } from "react-i18next";
import { Entry, Verbatim } from "../../../../ui/card.tsx";

/** How such a monitor is checked, in words. */
export function Summary({ check: { host, port, send, expect } }: { check: CheckOf<"tcp"> }) {
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
