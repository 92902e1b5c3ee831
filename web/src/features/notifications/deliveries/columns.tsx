import type { Delivery, DeliveryStatus } from "@sonde/proto/http/notifications/deliveries";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { paths } from "../../../app/paths.ts";
import { formatDuration } from "../../../lib/format.ts";
import { useNow } from "../../../lib/hooks.ts";
import type { Columns } from "../../../lists/data-table.tsx";
import { expandColumn } from "../../../lists/expand-column.tsx";
import { ProviderAnswer } from "../provider-answer.tsx";
import { Badge, type BadgeLook } from "../../../ui/badge.tsx";
import { ChannelIcon } from "../../../ui/icons/channel-icon.tsx";
import { CheckIcon, CrossIcon, PendingIcon } from "../../../ui/icons.tsx";
import { Time } from "../../../ui/time.tsx";
import type { DeliveryList } from "./list.ts";

const looks: Record<DeliveryStatus, BadgeLook> = {
  pending: { tone: "warn", icon: PendingIcon },
  delivered: { tone: "up", icon: CheckIcon },
  failed: { tone: "down", icon: CrossIcon },
};

export function useDeliveryColumns(list: DeliveryList): Columns<Delivery, DeliveryList> {
  const { t } = useTranslation();
  return [
    expandColumn({
      head: t("deliveries.attemptsOf"),
      title: t("deliveries.showAttempts"),
      className: "max-md:align-top",
      openId: list.params.open === undefined ? undefined : Number(list.params.open),
      onOpen: (id) => list.change({ open: id === undefined ? undefined : String(id) }),
      labelOf: ({ attempts }) =>
        `${t("deliveries.showAttempts")}: ${t("deliveries.attempts", { count: attempts.length })}`,
    }),
    {
      head: t("deliveries.time"),
      from: "md",
      className: "whitespace-nowrap text-muted",
      cell: ({ createdAt }) => <Time at={createdAt} short />,
    },
    {
      head: t("deliveries.message"),
      className: "min-w-52 max-md:w-full max-md:py-2.5",
      cell: (delivery) => <MessageCell delivery={delivery} />,
    },
    {
      head: t("deliveries.channel"),
      from: "lg",
      className: "min-w-40",
      cell: (delivery) => <ChannelName delivery={delivery} />,
    },
    {
      head: t("deliveries.status"),
      from: "md",
      className: "w-px whitespace-nowrap",
      cell: (delivery) => <StatusCell delivery={delivery} />,
    },
  ];
}

type CellProps = { delivery: Delivery };

function MessageCell({ delivery }: CellProps) {
  const { t } = useTranslation();
  const { kind, target, incidentId, reminder, grouped, createdAt } = delivery;
  const notes = [
    ...(reminder === undefined ? [] : [t("deliveries.reminder", { number: reminder })]),
    ...(grouped === undefined || grouped < 2 ? [] : [t("deliveries.grouped", { count: grouped - 1 })]),
  ];
  return (
    <>
      <TargetLinks {...{ kind, target, incidentId }} />
      {notes.length > 0 && <span className="block text-[13px] text-muted">{notes.join(" · ")}</span>}
      {/* Narrow windows hide the other columns. */}
      <span className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-[13px] text-muted lg:hidden">
        <span className="contents md:hidden">
          <StatusCell delivery={delivery} />
        </span>
        <ChannelName delivery={delivery} />
        <span className="contents md:hidden">
          <Time at={createdAt} short />
        </span>
      </span>
    </>
  );
}

/** Kind of an alert, with links to its target and incident. */
export function TargetLinks({ kind, target, incidentId }: Pick<Delivery, "kind" | "target" | "incidentId">) {
  const { t } = useTranslation();
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <span>{t(`notifications.kinds.${kind}`)}</span>
      {target !== undefined && (
        <Link
          to={paths[target.type](target.id)}
          className="inline-flex min-h-6 items-center font-medium break-words hover:underline"
        >
          {target.name}
        </Link>
      )}
      {incidentId !== undefined && (
        <Link
          to={paths.incident(incidentId)}
          className="inline-flex min-h-6 items-center text-[13px] text-muted underline decoration-line-strong hover:text-ink"
        >
          {t("deliveries.incident")}
        </Link>
      )}
    </span>
  );
}

function ChannelName({ delivery: { channelType, channelName } }: CellProps) {
  return (
    <span className="inline-flex items-center gap-2">
      <ChannelIcon type={channelType} className="size-4 text-muted" />
      {channelName}
    </span>
  );
}

function StatusCell({ delivery: { status, nextAttemptAt } }: CellProps) {
  const { t } = useTranslation();
  return (
    <>
      <Badge {...looks[status]}>{t(`deliveries.statuses.${status}`)}</Badge>
      {status === "pending" && nextAttemptAt !== undefined && (
        <span className="text-[13px] text-muted md:ml-2">
          <NextAttempt at={nextAttemptAt} />
        </span>
      )}
    </>
  );
}

export function Attempts({ delivery: { attempts, nextAttemptAt } }: CellProps) {
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
                <Time at={attempt.at} short />
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

function NextAttempt({ at }: { at: string }) {
  const { t } = useTranslation();
  if (Date.parse(at) <= useNow()) return t("deliveries.due");
  return (
    <>
      {t("deliveries.nextAttempt")} <Time at={at} relative />
    </>
  );
}
