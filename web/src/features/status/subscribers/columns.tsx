import type { Subscriber } from "@sonde/proto/http/status/subscribers";
import { useTranslation } from "react-i18next";
import type { Column } from "../../../lists/data-table.tsx";
import { RowAction } from "../../../lists/row-actions.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { CheckIcon, PendingIcon, TrashIcon } from "../../../ui/icons.tsx";
import { Time } from "../../../ui/time.tsx";
import { useServiceNames } from "./service-names.ts";

/** So many services are named; a tooltip names all. */
const named = 3;

/** Address, status, services, since when and deletion. On a phone the address carries what matters. */
export function useSubscriberColumns(
  subscribers: readonly Subscriber[],
  onDelete: (subscriber: Subscriber) => void,
): Column<Subscriber, "createdAt">[] {
  const { t } = useTranslation();
  const nameOf = useServiceNames(subscribers.some(({ services }) => services.length > 0));
  const list = (services: readonly string[]) => services.map(nameOf).join(t("subscribers.comma"));
  const brief = ({ services }: Subscriber) => {
    if (services.length === 0) return t("subscribers.all");
    const more = services.length - named;
    const names = list(services.slice(0, named));
    return more > 0 ? t("subscribers.andMore", { names, count: more }) : names;
  };
  return [
    {
      head: t("subscribers.email"),
      className: "min-w-40 break-all max-md:w-full max-md:py-2.5",
      cell: (subscriber) => (
        <>
          <span className="font-medium">{subscriber.email}</span>
          <span className="mt-1 flex flex-wrap items-center gap-1.5 text-[13px] break-normal text-muted md:hidden">
            <StatusBadge status={subscriber.status} />
            {brief(subscriber)}
          </span>
        </>
      ),
    },
    { head: t("subscribers.status"), from: "md", cell: ({ status }) => <StatusBadge status={status} /> },
    {
      head: t("subscribers.services"),
      from: "md",
      className: "text-muted",
      titleOf: ({ services }) => list(services),
      cell: brief,
    },
    {
      head: t("subscribers.since"),
      from: "lg",
      className: "whitespace-nowrap text-muted",
      cell: ({ createdAt }) => <Time at={createdAt} relative />,
    },
    {
      head: t("common.actions"),
      numeric: true,
      className: "w-px max-md:align-top",
      cell: (subscriber) => (
        <RowAction label={t("common.delete")} name={subscriber.email} onClick={() => onDelete(subscriber)}>
          <TrashIcon />
        </RowAction>
      ),
    },
  ];
}

const looks = {
  confirmed: { tone: "up", icon: CheckIcon },
  pending: { tone: "warn", icon: PendingIcon },
} as const;

/** Whether the address was confirmed: icon and word. */
function StatusBadge({ status }: Pick<Subscriber, "status">) {
  const { t } = useTranslation();
  const { tone, icon: Icon } = looks[status];
  return (
    <Badge tone={tone} className="whitespace-nowrap">
      <Icon className="size-3" />
      {t(`subscribers.statuses.${status}`)}
    </Badge>
  );
}
