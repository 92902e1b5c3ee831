import type { FlowStep } from "@sonde/proto/http/monitors/checks/flow";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { useTranslation } from "react-i18next";
import { Entry, Verbatim } from "../../../../ui/card.tsx";
import { AssertionsEntry, HeadersEntry, TlsEntries } from "./shared/entries.tsx";

/** How such a monitor is checked, in words: what all steps share, and the steps in their order. */
export function Summary({ check }: { check: CheckOf<"flow"> }) {
  const { t } = useTranslation();
  return (
    <>
      <Entry name={t("monitorKinds.http.followRedirects")}>
        {t(check.followRedirects ? "common.yes" : "common.no")}
      </Entry>
      <TlsEntries check={check} />
      <Entry name={t("monitorKinds.flow.steps")} wide>
        <ol className="flex flex-col gap-3">
          {check.steps.map((step, index) => (
            <li key={index}>
              <Step step={step} number={index + 1} />
            </li>
          ))}
        </ol>
      </Entry>
    </>
  );
}

function Step({ step, number }: { step: FlowStep; number: number }) {
  const { t } = useTranslation();
  const { name, method, url, expectedStatus, headers, body = "", assertions, extract } = step;
  return (
    <>
      <p>
        {number}. {name} <code className="font-mono text-[13px] break-all">{`${method} ${url}`}</code>{" "}
        <span className="text-muted">→ {expectedStatus}</span>
      </p>
      <dl className="ml-5 flex flex-col gap-2">
        {headers.length > 0 && <HeadersEntry headers={headers} />}
        {body !== "" && (
          <Entry name={t("monitorKinds.http.body")} wide>
            <Verbatim>{body}</Verbatim>
          </Entry>
        )}
        {assertions.length > 0 && <AssertionsEntry assertions={assertions} />}
        {extract.length > 0 && (
          <Entry name={t("monitorKinds.flow.extract")} wide>
            <ul className="font-mono text-[13px]">
              {extract.map(({ name: taken, source, property = "" }, index) => (
                <li key={index}>
                  {taken} = {t(`monitorKinds.flow.sources.${source}`)} {property}
                </li>
              ))}
            </ul>
          </Entry>
        )}
      </dl>
    </>
  );
}
