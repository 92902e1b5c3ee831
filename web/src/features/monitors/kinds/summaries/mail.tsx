import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { useTranslation } from "react-i18next";
import { Entry } from "../../../../ui/card.tsx";
import { LoginEntries, ServerEntries, TlsEntries } from "./shared/entries.tsx";

/** How such a monitor is checked, in words. */
export function Summary({ check }: { check: CheckOf<"mail"> }) {
  const { t } = useTranslation();
  return (
    <>
      <Entry name={t("monitorKinds.mail.protocol")}>{t(`monitorKinds.mail.protocols.${check.protocol}`)}</Entry>
      <ServerEntries check={check} />
      <Entry name={t("monitorKinds.mail.security")}>{t(`monitorKinds.mail.securities.${check.security}`)}</Entry>
      <LoginEntries check={check} />
      {check.security !== "none" && <TlsEntries check={check} />}
    </>
  );
}
