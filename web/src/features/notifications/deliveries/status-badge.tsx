import type { DeliveryStatus } from "@sonde/proto/http/notifications/deliveries";
import { useTranslation } from "react-i18next";
import { Badge } from "../../../ui/badge.tsx";
import { CheckIcon, CrossIcon, PendingIcon } from "../../../ui/icons.tsx";

const looks = {
  pending: { tone: "warn", icon: PendingIcon },
  delivered: { tone: "up", icon: CheckIcon },
  failed: { tone: "down", icon: CrossIcon },
} as const satisfies Record<DeliveryStatus, unknown>;

/** What became of a delivery, as icon and word. */
export function DeliveryBadge({ status }: { status: DeliveryStatus }) {
  const { t } = useTranslation();
  const { tone, icon: Icon } = looks[status];
  return (
    <Badge tone={tone}>
      <Icon className="size-3" />
      {t(`deliveries.statuses.${status}`)}
    </Badge>
  );
}
