import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { useTranslation } from "react-i18next";
import { Entry, Verbatim } from "../../../../ui/card.tsx";
import { AssertionsEntry, HeadersEntry } from "./shared/entries.tsx";

/** How such a monitor is checked, in words. */
export function Summary({ check }: { check: CheckOf<"http"> }) {
  const { t } = useTranslation();
  const { method, expectedStatus, followRedirects, verifyTls, minDaysLeft, assertions, headers, body = "" } = check;
  const yesNo = (value: boolean) => (value ? t("common.yes") : t("common.no"));
  return (
    <>
      <Entry name={t("monitorKinds.http.method")}>{method}</Entry>
      <Entry name={t("monitorKinds.http.expectedStatus")}>{String(expectedStatus)}</Entry>
      <Entry name={t("monitorKinds.http.followRedirects")}>{yesNo(followRedirects)}</Entry>
      <Entry name={t("monitorKinds.http.verifyTls")}>{yesNo(verifyTls)}</Entry>
      {minDaysLeft !== undefined && <Entry name={t("monitorKinds.minDaysLeft")}>{minDaysLeft}</Entry>}
      <AssertionsEntry assertions={assertions} />
      <HeadersEntry headers={headers} />
      <Entry name={t("monitorKinds.http.body")} wide>
        {body === "" ? t("monitorKinds.http.noBody") : <Verbatim>{body}</Verbatim>}
      </Entry>
    </>
  );
}
