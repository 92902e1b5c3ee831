import type { Attempt, TimelineEntry } from "@sonde/proto/http/incidents/incidents";
import { explainAnswer, nothingToSend } from "@sonde/proto/http/notifications/delivery-answers";
import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import { formatDuration } from "../../lib/format.ts";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/cx.ts";
import {
  ArrowUpIcon,
  BellIcon,
  CheckIcon,
  CrossIcon,
  DashIcon,
  EyeIcon,
  PendingIcon,
  PulseIcon,
  RefreshIcon,
  SnoozeIcon,
  WarnIcon,
} from "../../ui/icons.tsx";
import { Time } from "../../ui/time.tsx";
import type { Story } from "./api.ts";

type Look = { icon: ComponentType<{ className?: string }>; className: string };

const tones = {
  plain: "border-line bg-sunken text-muted",
  accent: "border-accent/35 bg-accent-soft text-accent-strong",
  up: "border-up/40 bg-up-soft text-up-ink",
  warn: "border-warn/55 bg-warn-soft text-warn-ink",
  down: "border-down/45 bg-down-soft text-down-ink",
};
const looks: Record<TimelineEntry["type"], Look> = {
  failure: { icon: CrossIcon, className: tones.down },
  recheck: { icon: RefreshIcon, className: tones.down },
  opinion: { icon: CrossIcon, className: tones.down },
  opened: { icon: WarnIcon, className: tones.down },
  flapping: { icon: PulseIcon, className: tones.warn },
  steady: { icon: CheckIcon, className: tones.plain },
  alert: { icon: BellIcon, className: tones.plain },
  delivery: { icon: BellIcon, className: tones.plain },
  not_sent: { icon: DashIcon, className: tones.plain },
  acknowledged: { icon: EyeIcon, className: tones.accent },
  unacknowledged: { icon: EyeIcon, className: tones.plain },
  snoozed: { icon: SnoozeIcon, className: tones.accent },
  snooze_ended: { icon: SnoozeIcon, className: tones.plain },
  escalated: { icon: ArrowUpIcon, className: tones.accent },
  closed: { icon: CheckIcon, className: tones.up },
};
const deliveryLooks: Partial<Record<string, Look>> = {
  delivered: { icon: BellIcon, className: tones.up },
  failed: { icon: BellIcon, className: tones.down },
  pending: { icon: PendingIcon, className: tones.plain },
};
const isUp: Look = { icon: CheckIcon, className: tones.up };

export function TimelineCard({ story: { timeline, omitted = 0, unavailable = [] } }: { story: Story }) {
  const { t } = useTranslation();
  return (
    <Card title={t("incident.timeline")}>
      {unavailable.map((part) => (
        <p key={part} role="status" className="mb-3 text-muted">
          {t(`incident.missingPart.${part}`)}
        </p>
      ))}
      {omitted > 0 && <p className="mb-3 text-muted">{t("incident.omitted", { count: omitted })}</p>}
      {timeline.length === 0 ? (
        <p className="text-muted">{t("incident.noTimeline")}</p>
      ) : (
        <ol>
          {timeline.map((entry, index) => (
            <Entry key={index} entry={entry} isLast={index === timeline.length - 1} />
          ))}
        </ol>
      )}
    </Card>
  );
}

function Entry({ entry, isLast }: { entry: TimelineEntry; isLast: boolean }) {
  const { at, type, text, heldUntil, status, attempts } = entry;
  const isReminderLeftOut = attempts?.at(-1)?.answer === nothingToSend;
  const { icon: Icon, className } = isReminderLeftOut
    ? looks.not_sent
    : type === "opinion" && status === "up"
      ? isUp
      : ((type === "delivery" ? deliveryLooks[status ?? ""] : undefined) ?? looks[type]);
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3" data-type={type}>
      <span className="flex flex-col items-center">
        <span className={cx("flex size-7 items-center justify-center rounded-full border", className)}>
          <Icon className="size-3.5" />
        </span>
        {!isLast && <span className="w-px flex-1 bg-line" />}
      </span>
      <div className={cx("min-w-0 gap-x-4 pt-0.5 sm:flex sm:justify-between", !isLast && "pb-4")}>
        <div className="min-w-0">
          <p className="whitespace-pre-wrap">{text}</p>
          {heldUntil !== undefined && <DeferredUntil at={heldUntil} />}
          {attempts !== undefined && !isUnsent(attempts) && <Attempts attempts={attempts} />}
        </div>
        <p className="shrink-0 text-[13px] text-faint sm:text-right">
          <Time at={at} short />
        </p>
      </div>
    </li>
  );
}

/** True if no provider was called. The sentence contains the reason, and there is no status code or duration. */
const isUnsent = (attempts: readonly Attempt[]): boolean =>
  attempts.every(
    ({ statusCode, durationMs, answer }) =>
      statusCode === undefined && ((durationMs === 0 && answer !== "") || answer === nothingToSend),
  );

/** Number of attempts shown expanded. If there are more, only the last is. */
const unfolded = 3;

function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
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
          <Time at={at} short />
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

export function DeferredUntil({ at }: { at: string }) {
  const { t } = useTranslation();
  return (
    <p className="text-[13px] text-muted">
      {t("incident.heldUntil")} <Time at={at} short />
    </p>
  );
}
