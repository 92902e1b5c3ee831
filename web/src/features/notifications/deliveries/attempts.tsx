import type { Delivery } from "@sonde/proto/http/notifications/deliveries";
import { useTranslation } from "react-i18next";
import { useNow } from "../../../lib/hooks.ts";
import { formatDuration } from "../../../lib/format.ts";
import { ProviderAnswer } from "../provider-answer.tsx";
import { Time } from "../../../ui/time.tsx";

/** Each attempt of a delivery: when, how long it took, the status code, and the provider's answer. */
export function Attempts({ delivery: { attempts, nextAttemptAt } }: { delivery: Delivery }) {
  const { t, i18n } = useTranslation();
  return (
    <div className="py-1 text-left">
      {attempts.length === 0 ? (
        <p className="text-[13px] text-muted">{t("deliveries.noAttempts")}</p>
      ) : (
        <ol aria-label={t("deliveries.attemptsOf")} className="flex flex-col gap-2">
          {attempts.map((attempt, index) => (
            <li key={index} className="grid gap-x-4 text-[13px] md:grid-cols-[14rem_9rem_minmax(0,1fr)]">
              <span className="text-muted">
                <Time at={attempt.at} />
              </span>
              <span className="tnum text-muted">
                {attempt.statusCode !== undefined && `${t("deliveries.statusCode", { code: attempt.statusCode })} · `}
                {formatDuration(attempt.durationMs, i18n.language)}
              </span>
              <ProviderAnswer text={attempt.answer} />
            </li>
          ))}
        </ol>
      )}
      {nextAttemptAt !== undefined && (
        <p className="mt-2 text-[13px] text-muted">
          <NextAttempt at={nextAttemptAt} />
        </p>
      )}
    </div>
  );
}

/** When it is tried again; what is due is so now, however late it is. */
export function NextAttempt({ at }: { at: string }) {
  const { t } = useTranslation();
  const isDue = Date.parse(at) <= useNow();
  return (
    <>
      {t("deliveries.nextAttempt")} {isDue ? t("common.now") : <Time at={at} relative />}
    </>
  );
}
