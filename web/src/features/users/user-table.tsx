import type { User } from "@sonde/proto/http/users";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { useUpdateUserMutation } from "./api.ts";
import { useUserColumns } from "./columns.tsx";
import { DeleteUserDialog } from "./delete-dialog.tsx";
import { DisableUserDialog } from "./disable-dialog.tsx";
import { type UserList, withStatus } from "./list.ts";
import { DataTable } from "../../lists/data-table.tsx";
import { Spinner } from "../../ui/button.tsx";

type UserTableProps = {
  /** Undefined while the first page is on its way. */
  users: readonly User[] | undefined;
  list: UserList;
};

/** The accounts, and what can be done with each. */
export function UserTable({ users, list }: UserTableProps) {
  const { t } = useTranslation();
  const [update] = useUpdateUserMutation();
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

  return (
    <>
      <DataTable
        label={t("users.title")}
        columns={columns}
        items={users}
        sort={list.params.sort}
        onSort={(sort) => list.change({ sort })}
        instead={users === undefined ? <Loading /> : users.length === 0 ? <NoUsers list={list} /> : undefined}
      />
      <DeleteUserDialog user={toDelete} onClose={() => setToDelete(null)} onDeleted={succeed} />
      <DisableUserDialog
        user={toDisable}
        onClose={() => setToDisable(null)}
        onDisabled={({ username }) => succeed(t("users.disabled", { name: username }))}
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

function NoUsers({ list }: { list: UserList }) {
  const { t } = useTranslation();
  return list.isFiltered ? t("users.noMatch") : t("users.none");
}
