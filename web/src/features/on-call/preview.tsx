import type { NamedUser } from "@sonde/proto/http/on-call/schedules";
import { useState } from "react";
import { useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { cached } from "../../lib/format.ts";
import { useSettled } from "../../lib/hooks.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { WarnIcon } from "../../ui/icons.tsx";
import { namesIn, spansOf, usePreviewShiftsQuery } from "./api.ts";
import { checkValues, type OnCallValues, toInput } from "./form-values.ts";

const dayMs = 86_400_000;
const maxShown = 8;
const afterTypingMs = 300;

/** The next shifts and gaps of the schedule as entered, in its time zone. */
export function Preview({ people }: { people: readonly NamedUser[] }) {
  const { t, i18n } = useTranslation();
  const values = useSettled(useWatch<OnCallValues>() as OnCallValues, afterTypingMs);
  const [nowMs] = useState(Date.now);
  // The name does not matter.
  const isValid = checkValues({ ...values, name: "-" }).length === 0;
  const { name: _name, ...rotation } = toInput(values);
  const [from, to] = [nowMs, nowMs + 60 * dayMs].map((ms) => new Date(ms).toISOString());
  const {
    currentData,
    data = currentData,
    error,
  } = usePreviewShiftsQuery({ ...rotation, from: from!, to: to! }, { skip: !isValid });
  const nameOf = namesIn(people, t("onCall.deletedUser"));
  const spans = data === undefined ? [] : spansOf(data).slice(0, maxShown);
  const { timeZone } = values;
  const when = (at: string) =>
    cached(
      `shift ${i18n.language} ${timeZone}`,
      () =>
        new Intl.DateTimeFormat(i18n.language, {
          weekday: "short",
          month: "short",
          day: "numeric",
          hour: "2-digit",
          minute: "2-digit",
          hourCycle: "h23",
          timeZone,
        }),
    ).format(new Date(at));
  return (
    <Card title={t("onCall.preview")} flush className="lg:sticky lg:top-18">
      {!isValid || data === undefined ? (
        <p className="px-4 py-3 text-muted md:px-5">
          {error !== undefined && isValid ? errorText(error, "fetchData") : t("onCall.previewText")}
        </p>
      ) : (
        <ol className="divide-y divide-line" aria-live="polite">
          {spans.map(({ userId, start }, index) => (
            <li key={start} className="flex flex-wrap items-baseline justify-between gap-x-3 px-4 py-2 md:px-5">
              {userId === null ? (
                <Badge tone="down" icon={WarnIcon}>
                  {t("onCall.nobody")}
                </Badge>
              ) : (
                <span className="min-w-0 font-medium break-words">{nameOf(userId)}</span>
              )}
              <span className="tnum text-[13px] text-muted">{index === 0 ? t("onCall.now") : when(start)}</span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
