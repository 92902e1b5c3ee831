import type { Delivery, DeliveryStatus } from "@sonde/proto/http/notifications/deliveries";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { errorText } from "../../../app/errors.ts";
import { formatDuration } from "../../../lib/format.ts";
import { Alert } from "../../../ui/alert.tsx";
import { ProviderAnswer } from "../provider-answer.tsx";
import { CrossIcon } from "../../../ui/icons.tsx";
import { Spinner } from "../../../ui/button.tsx";
import { deliveryAddress } from "../deliveries/list.ts";
import { useTestChannelMutation } from "../api.ts";

/** One test a channel: whichever user started it, its card shows what becomes of it. */
export const testKey = (channelId: number) => `test of channel ${channelId}`;

export const useChannelTest = (channelId: number) => useTestChannelMutation({ fixedCacheKey: testKey(channelId) });

const looks = { delivered: "success", failed: "error", pending: "info" } as const satisfies Record<
  DeliveryStatus,
  string
>;

/** A test of a channel: that it is under way, then whether it was delivered and the provider's answer. */
export function TestPanel({ channelId }: { channelId: number }) {
  const { t } = useTranslation();
  const [, { data, error, isLoading, reset }] = useChannelTest(channelId);
  const close = (
    <button type="button" aria-label={t("common.close")} className="-m-0.5 p-1" onClick={reset}>
      <CrossIcon />
    </button>
  );
  if (isLoading) {
    return (
      <p role="status" className="flex items-start gap-2 rounded-md border border-line bg-sunken px-3 py-2 text-muted">
        <Spinner className="mt-[3px] size-4" />
        {t("channels.test.progress")}
      </p>
    );
  }
  if (error !== undefined) {
    return (
      <Alert kind="error" action={close}>
        {errorText(error, "testChannel")}
      </Alert>
    );
  }
  if (data === undefined) return null;
  return (
    <Alert kind={looks[data.delivery.status]} action={close}>
      <TestResult delivery={data.delivery} />
    </Alert>
  );
}

function TestResult({ delivery }: { delivery: Delivery }) {
  const { t, i18n } = useTranslation();
  const attempt = delivery.attempts.at(-1);
  return (
    <>
      <p className="font-medium">{t(`channels.test.${delivery.status}`)}</p>
      {attempt !== undefined && (
        <p className="text-[13px]">
          {t("channels.test.answer")} <ProviderAnswer text={attempt.answer} />
          <span className="tnum">
            {attempt.statusCode !== undefined && ` · ${t("deliveries.statusCode", { code: attempt.statusCode })}`}
            {` · ${formatDuration(attempt.durationMs, i18n.language)}`}
          </span>
        </p>
      )}
      <Link to={deliveryAddress(delivery)} className="inline-flex min-h-6 items-center text-[13px] underline">
        {t("channels.test.show")}
      </Link>
    </>
  );
}
