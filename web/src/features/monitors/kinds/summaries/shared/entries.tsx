import type { Assertion } from "@sonde/proto/http/monitors/assertions";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { useTranslation } from "react-i18next";
import { Entry, Verbatim } from "../../../../../ui/card.tsx";

type Server = { host: string; port: number };
type Tls = { verifyTls: boolean; minDaysLeft?: number | undefined };
type Login = { username?: string | undefined; password?: string | undefined };

export function ServerEntries({ check: { host, port } }: { check: Server }) {
  const { t } = useTranslation();
  return (
    <>
      <Entry name={t("monitorKinds.host")}>{host}</Entry>
      <Entry name={t("monitorKinds.port")}>{port}</Entry>
    </>
  );
}

export function LoginEntries({ check: { username, password } }: { check: Login }) {
  const { t } = useTranslation();
  return (
    <>
      <Entry name={t("monitorKinds.username")}>{username ?? t("common.none")}</Entry>
      <Entry name={t("monitorKinds.password")}>{password ?? t("common.none")}</Entry>
    </>
  );
}

/** `isUsed`: whether there is TLS at all, where that is a choice of its own. */
export function TlsEntries({ check: { verifyTls, minDaysLeft }, isUsed }: { check: Tls; isUsed?: boolean }) {
  const { t } = useTranslation();
  const yesNo = (value: boolean) => (value ? t("common.yes") : t("common.no"));
  return (
    <>
      {isUsed !== undefined && <Entry name={t("monitorKinds.useTls")}>{yesNo(isUsed)}</Entry>}
      {isUsed !== false && <Entry name={t("monitorKinds.http.verifyTls")}>{yesNo(verifyTls)}</Entry>}
      {isUsed !== false && minDaysLeft !== undefined && (
        <Entry name={t("monitorKinds.minDaysLeft")}>{minDaysLeft}</Entry>
      )}
    </>
  );
}

export function HeadersEntry({ headers }: { headers: readonly { name: string; value: string }[] }) {
  const { t } = useTranslation();
  return (
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
  );
}

export function AssertionsEntry({ assertions }: { assertions: readonly Assertion[] }) {
  const { t } = useTranslation();
  return (
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

export function SqlEntries({ check }: { check: CheckOf<"postgres"> | CheckOf<"mysql"> }) {
  const { t } = useTranslation();
  return (
    <>
      <ServerEntries check={check} />
      <LoginEntries check={check} />
      <Entry name={t("monitorKinds.sql.database")}>{check.database ?? t("common.none")}</Entry>
      <TlsEntries check={check} isUsed={check.tls} />
      <Entry name={t("monitorKinds.sql.query")} wide>
        <Verbatim>{check.query}</Verbatim>
      </Entry>
      <AssertionsEntry assertions={check.assertions} />
    </>
  );
}
