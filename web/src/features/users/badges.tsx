import type { Role, UserStatus } from "@sonde/proto/http/users";
import { useTranslation } from "react-i18next";
import { Badge } from "../../ui/badge.tsx";
import { CheckIcon, LockIcon, PendingIcon } from "../../ui/icons.tsx";

/** What an account may do. */
export function RoleBadge({ role }: { role: Role }) {
  const { t } = useTranslation();
  return (
    <Badge tone={role === "admin" ? "accent" : "plain"} className="whitespace-nowrap">
      {t(`users.roles.${role}`)}
    </Badge>
  );
}

const looks = {
  active: { tone: "up", icon: CheckIcon },
  pending: { tone: "warn", icon: PendingIcon },
  disabled: { tone: "plain", icon: LockIcon },
} as const;

/** Whether an account may log in: icon and word. */
export function UserStatusBadge({ status }: { status: UserStatus }) {
  const { t } = useTranslation();
  const { tone, icon: Icon } = looks[status];
  return (
    <Badge tone={tone} className="whitespace-nowrap">
      <Icon className="size-3" />
      {t(`users.statuses.${status}`)}
    </Badge>
  );
}
