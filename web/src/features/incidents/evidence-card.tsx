import type { Evidence } from "@sonde/proto/http/incidents/evidence";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type CurlRequest, curlOf } from "../../entities/targets/curl.ts";
import { formatDuration } from "../../lib/format.ts";
import { Card, Entry, Verbatim } from "../../ui/card.tsx";
import { Segmented } from "../../ui/choice.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Reason } from "../../ui/health/reason.tsx";
import { Time } from "../../ui/time.tsx";
import type { Story } from "./api.ts";

type EvidenceProps = { story: Story; request: CurlRequest | undefined; isLoading: boolean };

export function EvidenceCard({ story, request, isLoading }: EvidenceProps) {
  const { evidence, latestEvidence } = story;
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<"first" | "latest">("first");
  const kept = { first: evidence ?? latestEvidence, latest: latestEvidence ?? evidence };
  const shown = kept[chosen];
  if (shown === undefined) return null;
  return (
    <Card
      title={t("evidence.title")}
      actions={
        <span className="flex flex-wrap items-center gap-2">
          {request !== undefined && <CopyButton text={curlOf(request)} label={t("evidence.curl")} />}
          {/* Only HTTP has a status. */}
          {isLoading && shown.status !== undefined && (
            <span className="invisible">
              <CopyButton text="" label={t("evidence.curl")} />
            </span>
          )}
          {evidence !== undefined && latestEvidence !== undefined && (
            <Segmented
              label={t("evidence.which")}
              value={chosen}
              onChange={setChosen}
              options={(["first", "latest"] as const).map((value) => ({ value, label: t(`evidence.${value}`) }))}
            />
          )}
        </span>
      }
    >
      <EvidenceFacts evidence={shown} />
    </Card>
  );
}

export function EvidenceFacts({ evidence }: { evidence: Evidence }) {
  const { t, i18n } = useTranslation();
  const { at, location, status, headers = [], body, expected, addresses = [], certificate, steps = [] } = evidence;
  return (
    <div className="flex flex-col gap-4">
      <dl className="grid grid-cols-1 gap-x-6 gap-y-3 sm:grid-cols-2">
        {status !== undefined && (
          <Entry name={t("evidence.status")}>
            <span className="font-medium text-down-ink">{status.line ?? status.code}</span>
          </Entry>
        )}
        {expected !== undefined && (
          <Entry name={t("evidence.expected")}>
            <span className="whitespace-pre-line">{expected}</span>
          </Entry>
        )}
        {addresses.length > 0 && (
          <Entry name={t("evidence.addresses")}>
            <span className="font-mono text-[13px] break-all">{addresses.join(", ")}</span>
          </Entry>
        )}
        <Entry name={t("evidence.from")}>
          {location} · <Time at={at} short />
        </Entry>
        {steps.length > 0 && (
          <Entry name={t("evidence.steps")} wide>
            <ol className="tabular-nums">
              {steps.map(({ name, status: code, ms }, index) => (
                <li key={index}>
                  {[`${index + 1}.`, name, code, formatDuration(ms, i18n.language)].filter(Boolean).join(" ")}
                </li>
              ))}
            </ol>
          </Entry>
        )}
        {certificate !== undefined && <Certificate certificate={certificate} />}
      </dl>
      {body !== undefined && (
        <div>
          <h3 className="mb-1 text-[13px] text-muted">{t("evidence.body")}</h3>
          <Verbatim>{body}</Verbatim>
        </div>
      )}
      {headers.length > 0 && (
        <details>
          <summary className="inline-flex min-h-6 items-center text-[13px] text-accent-strong">
            {t("evidence.headers", { count: headers.length })}
          </summary>
          <dl className="mt-2 grid grid-cols-[minmax(0,auto)_minmax(0,1fr)] gap-x-4 gap-y-1 font-mono text-[13px]">
            {headers.map(({ name, value }, index) => (
              <div key={index} className="contents">
                <dt className="text-muted">{name}</dt>
                <dd className="break-all">{value}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </div>
  );
}

function Certificate({ certificate }: { certificate: NonNullable<Evidence["certificate"]> }) {
  const { t } = useTranslation();
  const { subject, issuer, validFrom, validTo, problem } = certificate;
  return (
    <Entry name={t("evidence.certificate")} wide>
      <span className="block break-words">{subject}</span>
      <span className="block text-[13px] text-muted">
        {t("evidence.issuer", { issuer })} · <Time at={validFrom} /> – <Time at={validTo} />
      </span>
      {problem !== undefined && (
        <span className="block text-down-ink">
          <Reason text={problem} />
        </span>
      )}
    </Entry>
  );
}
