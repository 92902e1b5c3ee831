import type { User } from "@sonde/proto/http/users";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { usePendingUsers } from "../../app/config.ts";
import { errorText, statusOf } from "../../app/errors.ts";
import { paths } from "../../app/paths.ts";
import { AddLink } from "../../lists/add-link.tsx";
import { DataTable } from "../../lists/data-table.tsx";
import { ActionDialog, DeleteDialog } from "../../lists/delete-dialog.tsx";
import { FilterSelect, ListFilters } from "../../lists/list-filters.tsx";
import { ListPage } from "../../lists/list-page.tsx";
import { Button, Spinner } from "../../ui/button.tsx";
import { PendingIcon } from "../../ui/icons.tsx";
import { useDeleteUserMutation, useUpdateUserMutation, useUsersQuery } from "./api.ts";
import { useUserColumns } from "./columns.tsx";
import { InviteButton, OpenInvites } from "./invites.tsx";
import { ServiceAccounts } from "./keys/service-accounts.tsx";
import { type UserList, userStatuses, useUserList, withStatus } from "./list.ts";
import NotAllowedScreen from "./not-allowed-screen.tsx";

/** Poll interval in milliseconds. There are no live events for accounts. */
const pollMs = 30_000;

export default function ListScreen() {
  const list = useUserList();
  const query = useUsersQuery(list.query, { pollingInterval: pollMs, refetchOnMountOrArgChange: true });
  if (statusOf(query.error) === 403) return <NotAllowedScreen />;
  const add = (
    <>
      <InviteButton />
      <AddLink noun="users" to={paths.userCreate} />
    </>
  );
  return (
    <>
      <ListPage
        noun="users"
        list={list}
        query={query}
        fallback="fetchUsers"
        actions={add}
        filters={<UserFilters list={list} />}
      >
        {(page) => <UserTable users={page?.users} list={list} />}
      </ListPage>
      {/* Loads at once, but is hidden until its place is known. */}
      <div hidden={query.data === undefined && query.error === undefined}>
        <ServiceAccounts />
        <OpenInvites />
      </div>
    </>
  );
}

function UserFilters({ list }: { list: UserList }) {
  const { t } = useTranslation();
  const pending = usePendingUsers();
  const { status } = list.params;
  return (
    <ListFilters
      noun="users"
      list={list}
      after={
        pending > 0 &&
        status !== "pending" && (
          <Button
            title={t("nav.waiting", { count: pending })}
            className="tnum ml-auto border-warn/55 bg-warn-soft text-warn-ink hover:bg-warn-soft hover:brightness-95"
            onClick={() => list.change({ search: undefined, status: "pending" })}
          >
            <PendingIcon />
            {t("users.toApprove", { count: pending })}
          </Button>
        )
      }
    >
      <FilterSelect
        label={t("users.fields.status")}
        allLabel={t("users.allStatuses")}
        values={userStatuses}
        value={status}
        nameOf={(each) => t(`users.statuses.${each}`)}
        onChange={(next) => list.change({ status: next })}
      />
    </ListFilters>
  );
}

function UserTable({ users, list }: { users: readonly User[] | undefined; list: UserList }) {
  const { t } = useTranslation();
  const [update] = useUpdateUserMutation();
  const [remove] = useDeleteUserMutation();
  const [toDelete, setToDelete] = useState<User | null>(null);
  const [toDisable, setToDisable] = useState<User | null>(null);
  const [activatingId, setActivatingId] = useState<number | null>(null);
  const succeed = (text: string) => list.setNotice({ kind: "success", text });

  async function activate(user: User) {
    setActivatingId(user.id);
    const { error } = await update({ id: user.id, input: withStatus(user, "active") });
    setActivatingId(null);
    if (error !== undefined) list.setNotice({ kind: "error", text: errorText(error, "updateUser") });
    else succeed(t(user.status === "pending" ? "users.approved" : "users.enabled", { name: user.username }));
  }
  const columns = useUserColumns({
    activatingId,
    onActivate: (user) => void activate(user),
    onDisable: setToDisable,
    onDelete: setToDelete,
  });

  const none = list.isFiltered ? "users.noMatch" : "users.none";
  return (
    <>
      <DataTable
        label={t("users.title")}
        columns={columns}
        items={users}
        sort={list.params.sort}
        onSort={(sort) => list.change({ sort })}
        instead={users === undefined ? <Loading /> : users.length === 0 ? t(none) : undefined}
      />
      <DeleteDialog
        target={toDelete && { id: toDelete.id, name: toDelete.username }}
        onClose={() => setToDelete(null)}
        onDeleted={succeed}
        noun="users"
        fallback="deleteUser"
        remove={remove}
      />
      {/* Disabling also ends all of the user's sessions. */}
      <ActionDialog
        target={toDisable}
        onClose={() => setToDisable(null)}
        onDone={() => succeed(t("users.disabled", { name: toDisable?.username ?? "" }))}
        title={t("users.disableTitle")}
        text={t("users.disableText", { name: toDisable?.username ?? "" })}
        action={t("users.disable")}
        savingLabel={t("users.disabling")}
        act={(user) => update({ id: user.id, input: withStatus(user, "disabled") })}
        fallback="updateUser"
      />
    </>
  );
}

function Loading() {
  const { t } = useTranslation();
  return (
    <span role="status" className="inline-flex items-center gap-2">
      <Spinner />
      {t("common.loading")}
    </span>
  );
}
