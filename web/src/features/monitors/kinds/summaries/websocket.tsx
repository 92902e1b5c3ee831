import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { useTranslation } from "react-i18next";
import { Entry, Verbatim } from "../../../../ui/card.tsx";
import { HeadersEntry, TlsEntries } from "./shared/entries.tsx";

/** How such a monitor is checked, in words. */
export function Summary({ check }: { check: CheckOf<"websocket"> }) {
  const { t } = useTranslation();
  const { send, expect } = check;
  return (
    <>
      <TlsEntries check={check} />
      <Entry name={t("monitorKinds.tcp.send")} wide>
        {send === undefined ? t("monitorKinds.tcp.nothingSent") : <Verbatim>{send}</Verbatim>}
      </Entry>
      <Entry name={t("monitorKinds.tcp.expect")} wide>
        {expect === undefined ? t("monitorKinds.tcp.anyAnswer") : <Verbatim>{expect}</Verbatim>}
      </Entry>
      <HeadersEntry headers={check.headers} />
    </>
  );
}
