import type { Role, User, UserStatus } from "@sonde/proto/http/users";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import type { Columns } from "../../lists/data-table.tsx";
import { RowAction, RowActions } from "../../lists/row-actions.tsx";
import { Badge, type BadgeLook } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CheckIcon, LockIcon, PendingIcon } from "../../ui/icons.tsx";
import { Time } from "../../ui/time.tsx";
import type { UserList } from "./list.ts";

type Doings = {
  activatingId: number | null;
  onActivate: (user: User) => void;
  onDisable: (user: User) => void;
  onDelete: (user: User) => void;
};

export function useUserColumns(doings: Doings): Columns<User, UserList> {
  const { t } = useTranslation();
  return [
    {
      head: t("users.id"),
      from: "md",
      headClassName: "w-px",
      className: "tnum text-muted",
      cell: ({ id }) => id,
    },
    {
      head: t("users.fields.username"),
      sort: "username",
      className: "min-w-40 max-md:w-full max-md:py-2.5",
      cell: (user) => <NameCell user={user} {...doings} />,
    },
    {
      head: t("users.fields.email"),
      from: "md",
      className: "text-muted",
      cell: ({ email }) => email ?? t("users.noEmail"),
    },
    { head: t("users.fields.role"), sort: "role", from: "md", cell: ({ role }) => <RoleBadge role={role} /> },
    {
      head: t("users.fields.status"),
      sort: "status",
      from: "md",
      cell: ({ status }) => <UserStatusBadge status={status} />,
    },
    {
      head: t("users.createdAt"),
      sort: "createdAt",
      from: "lg",
      className: "whitespace-nowrap text-muted",
      cell: ({ createdAt }) => <Time at={createdAt} relative />,
    },
    {
      head: t("common.actions"),
      numeric: true,
      className: "w-px max-md:align-top",
      cell: (user) => <ActionsCell user={user} {...doings} />,
    },
  ];
}

type CellProps = Doings & { user: User };

function NameCell({ user, ...doings }: CellProps) {
  const { t } = useTranslation();
  const isSelf = useSession().user?.id === user.id;
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-2">
        <span className="tnum text-[13px] text-faint md:hidden">#{user.id}</span>
        <Link to={paths.user(user.id)} className="font-medium hover:underline">
          {user.username}
        </Link>
        {isSelf && <Badge>{t("users.you")}</Badge>}
      </span>
      {/* Narrow windows hide the other columns. */}
      <span className="block text-[13px] text-muted empty:hidden md:hidden">{user.email}</span>
      <span className="mt-1 flex flex-wrap items-center gap-1.5 md:hidden">
        <RoleBadge role={user.role} />
        <UserStatusBadge status={user.status} />
      </span>
      <span className="mt-2 block empty:hidden md:hidden">
        <ActivateButton user={user} {...doings} />
      </span>
    </>
  );
}

function ActionsCell({ user, ...doings }: CellProps) {
  const { t } = useTranslation();
  // Prevents administrators from locking themselves out. The server also protects the last administrator.
  const refusal = useSession().user?.id === user.id ? t("users.notYourself") : undefined;
  return (
    <span className="inline-flex items-center">
      <span className="mr-1.5 empty:hidden max-md:hidden">
        <ActivateButton user={user} {...doings} />
      </span>
      {user.status === "active" && (
        <RowAction
          label={t("users.disable")}
          name={user.username}
          refusal={refusal}
          onClick={() => doings.onDisable(user)}
        >
          <LockIcon />
        </RowAction>
      )}
      <RowActions
        name={user.username}
        editAt={paths.user(user.id)}
        deleteRefusal={refusal}
        onDelete={() => doings.onDelete(user)}
      />
    </span>
  );
}

function ActivateButton({ user, activatingId, onActivate }: CellProps) {
  const { t } = useTranslation();
  if (user.status === "active") return null;
  const label = user.status === "pending" ? t("users.approve") : t("users.enable");
  return (
    <Button
      size="sm"
      saving={activatingId === user.id}
      aria-label={`${label}: ${user.username}`}
      onClick={() => onActivate(user)}
    >
      <CheckIcon />
      {label}
    </Button>
  );
}

function RoleBadge({ role }: { role: Role }) {
  const { t } = useTranslation();
  return (
    <Badge tone={role === "admin" ? "accent" : "plain"} className="whitespace-nowrap">
      {t(`users.roles.${role}`)}
    </Badge>
  );
}

const looks: Record<UserStatus, BadgeLook> = {
  active: { tone: "up", icon: CheckIcon },
  pending: { tone: "warn", icon: PendingIcon },
  disabled: { tone: "plain", icon: LockIcon },
};

export function UserStatusBadge({ status }: { status: UserStatus }) {
  const { t } = useTranslation();
  return (
    <Badge {...looks[status]} className="whitespace-nowrap">
      {t(`users.statuses.${status}`)}
    </Badge>
  );
}
