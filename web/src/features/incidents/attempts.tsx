import type { Attempt } from "@sonde/proto/http/incidents/incidents";
import { explainAnswer } from "@sonde/proto/http/notifications/delivery-answers";
import { useTranslation } from "react-i18next";
import { formatDuration } from "../../lib/format.ts";
import { Time } from "../../ui/time.tsx";

/** As many as stand there unfolded; of more the last one does. */
const unfolded = 3;

/** Each attempt of a delivery: when, the status code, and the provider's answer. */
export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  const { t } = useTranslation();
  if (attempts.length <= unfolded) return <AttemptList attempts={attempts} />;
  return (
    <>
      <AttemptList attempts={attempts.slice(-1)} />
      <details className="mt-1">
        <summary className="inline-flex min-h-6 items-center text-[13px] text-accent-strong">
          {t("incident.allAttempts", { count: attempts.length })}
        </summary>
        <AttemptList attempts={attempts} />
      </details>
    </>
  );
}

function AttemptList({ attempts }: { attempts: readonly Attempt[] }) {
  const { t, i18n } = useTranslation();
  return (
    <ul className="mt-1 flex flex-col gap-1 text-[13px] text-muted">
      {attempts.map(({ at, statusCode, answer, durationMs }) => (
        <li key={at} className="flex flex-wrap gap-x-3">
          <Time at={at} />
          {statusCode !== undefined && <span className="tnum">{statusCode}</span>}
          <span className="min-w-0 break-words">
            {answer === ""
              ? t("incident.noAnswerYet")
              : explainAnswer(answer, i18n.language === "zh-CN" ? "zh-CN" : "en-US")}
          </span>
          <span className="tnum text-faint">{formatDuration(durationMs, i18n.language)}</span>
        </li>
      ))}
    </ul>
  );
}
