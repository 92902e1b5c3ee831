import type { Assertion } from "@sonde/proto/http/monitors/assertions";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { useTranslation } from "react-i18next";
import { Entry, Verbatim } from "../../../../ui/card.tsx";

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
      <Entry name={t("monitorKinds.http.assertions")} wide>
        {assertions.length === 0 ? (
          t("common.none")
        ) : (
          <ul>
            {assertions.map((assertion, index) => (
              <AssertionLine key={index} assertion={assertion} />
            ))}
          </ul>
        )}
      </Entry>
      <Entry name={t("monitorKinds.http.headers")} wide>
        {headers.length === 0 ? (
          t("monitorKinds.http.noHeaders")
        ) : (
          <ul className="font-mono text-[13px]">
            {headers.map(({ name, value }, index) => (
              <li key={index}>
                <span className="text-muted">{name}:</span> {value}
              </li>
            ))}
          </ul>
        )}
      </Entry>
      <Entry name={t("monitorKinds.http.body")} wide>
        {body === "" ? t("monitorKinds.http.noBody") : <Verbatim>{body}</Verbatim>}
      </Entry>
    </>
  );
}

function AssertionLine({ assertion: { source, property, op, value } }: { assertion: Assertion }) {
  const { t } = useTranslation();
  return (
    <li>
      {t(`monitorKinds.http.sources.${source}`)}
      {property !== undefined && property !== "" && <code className="ml-1 font-mono text-[13px]">{property}</code>}{" "}
      <span className="text-muted">{t(`monitorKinds.http.ops.${op}`)}</span>
      {value !== undefined && op !== "exists" && <code className="ml-1 font-mono text-[13px]">{value}</code>}
    </li>
  );
}
