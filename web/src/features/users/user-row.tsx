import type { User } from "@sonde/proto/http/users";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { CheckIcon, EditIcon, LockIcon, TrashIcon } from "../../ui/icons.tsx";
import { Cell, Row } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { RoleBadge, UserStatusBadge } from "./badges.tsx";

type UserRowProps = {
  user: User;
  /** The approval or the enabling is under way. */
  activating: boolean;
  onActivate: () => void;
  onDisable: () => void;
  onDelete: () => void;
};

export function UserRow(props: UserRowProps) {
  const { t } = useTranslation();
  const { id, username, email, role, status, createdAt } = props.user;
  const isSelf = useSession().user?.id === id;
  return (
    <Row className="hover:bg-sunken/60">
      <Cell className="tnum hidden text-muted md:table-cell">{id}</Cell>
      <Cell className="min-w-40 max-md:w-full max-md:py-2.5">
        <span className="flex flex-wrap items-center gap-x-2">
          <span className="tnum text-[13px] text-faint md:hidden">#{id}</span>
          <Link to={paths.user(id)} className="font-medium hover:underline">
            {username}
          </Link>
          {isSelf && <Badge>{t("users.you")}</Badge>}
        </span>
        {/* On a phone the row's other cells stand below its name. */}
        <span className="block text-[13px] text-muted md:hidden">{email ?? t("users.noEmail")}</span>
        <span className="mt-1 flex flex-wrap items-center gap-1.5 md:hidden">
          <RoleBadge role={role} />
          <UserStatusBadge status={status} />
        </span>
        <span className="mt-2 block empty:hidden md:hidden">
          <ActivateButton {...props} />
        </span>
      </Cell>
      <Cell className="hidden text-muted md:table-cell">{email ?? t("users.noEmail")}</Cell>
      <Cell className="hidden md:table-cell">
        <RoleBadge role={role} />
      </Cell>
      <Cell className="hidden md:table-cell">
        <UserStatusBadge status={status} />
      </Cell>
      <Cell className="hidden whitespace-nowrap text-muted lg:table-cell">
        <Time at={createdAt} relative />
      </Cell>
      <Cell numeric className="w-px max-md:align-top">
        <span className="inline-flex items-center">
          <span className="mr-1.5 empty:hidden max-md:hidden">
            <ActivateButton {...props} />
          </span>
          <RowActions {...props} isSelf={isSelf} />
        </span>
      </Cell>
    </Row>
  );
}

/** Approves who waits, enables who is disabled; nothing for the others. */
function ActivateButton({ user: { username, status }, activating, onActivate }: UserRowProps) {
  const { t } = useTranslation();
  if (status === "active") return null;
  const label = status === "pending" ? t("users.approve") : t("users.enable");
  return (
    <Button size="sm" saving={activating} aria-label={`${label}: ${username}`} onClick={onActivate}>
      <CheckIcon />
      {label}
    </Button>
  );
}

function RowActions({
  user: { id, username, status },
  isSelf,
  onDisable,
  onDelete,
}: UserRowProps & { isSelf: boolean }) {
  const { t } = useTranslation();
  // Nobody locks himself out by a slip of the hand; the server guards the last administrator besides.
  const forOthers = (label: string) => (isSelf ? t("users.notYourself") : label);
  return (
    <>
      {status === "active" && (
        <Button
          title={forOthers(t("users.disable"))}
          variant="ghost"
          size="icon"
          disabled={isSelf}
          aria-label={`${t("users.disable")}: ${username}`}
          onClick={onDisable}
        >
          <LockIcon />
        </Button>
      )}
      <ButtonLink
        title={t("common.edit")}
        to={paths.user(id)}
        variant="ghost"
        size="icon"
        aria-label={`${t("common.edit")}: ${username}`}
      >
        <EditIcon />
      </ButtonLink>
      <Button
        title={forOthers(t("common.delete"))}
        variant="ghost"
        size="icon"
        disabled={isSelf}
        aria-label={`${t("common.delete")}: ${username}`}
        onClick={onDelete}
      >
        <TrashIcon />
      </Button>
    </>
  );
}
