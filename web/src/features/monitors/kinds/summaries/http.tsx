import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { useTranslation } from "react-i18next";
import { Entry, Verbatim } from "../../../../ui/card.tsx";
import { AssertionsEntry, HeadersEntry } from "./shared/entries.tsx";

/** How such a monitor is checked, in words. */
export function Summary({ check }: { check: CheckOf<"http"> }) {
  const { t } = useTranslation();
  const { method, expectedStatus, followRedirects, verifyTls, minDaysLeft, assertions, headers, body = "" } = check;
  const { proxy, clientCertificate, oauth, ipFamily, servername, h2c } = check;
  const yesNo = (value: boolean) => (value ? t("common.yes") : t("common.no"));
  return (
    <>
      <Entry name={t("monitorKinds.http.method")}>{method}</Entry>
      <Entry name={t("monitorKinds.http.expectedStatus")}>{String(expectedStatus)}</Entry>
      <Entry name={t("monitorKinds.http.followRedirects")}>{yesNo(followRedirects)}</Entry>
      <Entry name={t("monitorKinds.http.verifyTls")}>{yesNo(verifyTls)}</Entry>
      {minDaysLeft !== undefined && <Entry name={t("monitorKinds.minDaysLeft")}>{minDaysLeft}</Entry>}
      {proxy && <Entry name={t("monitorKinds.http.connection.proxy")}>{proxy.url}</Entry>}
      {clientCertificate && <Entry name={t("monitorKinds.http.connection.clientCertificate")}>{t("common.yes")}</Entry>}
      {oauth && <Entry name={t("monitorKinds.http.connection.oauth")}>{`${oauth.clientId} · ${oauth.tokenUrl}`}</Entry>}
      {ipFamily && (
        <Entry name={t("monitorKinds.http.connection.ipFamily")}>
          {t(`monitorKinds.http.connection.ipFamilies.${ipFamily}`)}
        </Entry>
      )}
      {servername !== undefined && <Entry name={t("monitorKinds.tls.servername")}>{servername}</Entry>}
      {h2c === true && <Entry name={t("monitorKinds.http.connection.h2c")}>{t("common.yes")}</Entry>}
      <AssertionsEntry assertions={assertions} />
      <HeadersEntry headers={headers} />
      <Entry name={t("monitorKinds.http.body")} wide>
        {body === "" ? t("monitorKinds.http.noBody") : <Verbatim>{body}</Verbatim>}
      </Entry>
    </>
  );
}
