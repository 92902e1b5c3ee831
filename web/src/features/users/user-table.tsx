import type { User } from "@sonde/proto/http/users";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "../../app/errors.ts";
import { Spinner } from "../../ui/spinner.tsx";
import { Cell, HeadCell, Row, SortCell, Table } from "../../ui/table.tsx";
import { useUpdateUserMutation } from "./api.ts";
import { DeleteUserDialog } from "./delete-dialog.tsx";
import { DisableUserDialog } from "./disable-dialog.tsx";
import { withStatus } from "./with-status.ts";
import type { Sort } from "./list-params.ts";
import type { ListNotice } from "./list-screen.tsx";
import { UserRow } from "./user-row.tsx";

type UserTableProps = {
  /** Undefined while the first page is on its way. */
  users: readonly User[] | undefined;
  isFiltered: boolean;
  sort: Sort;
  onSort: (sort: Sort) => void;
  onNotice: (notice: ListNotice) => void;
};

export function UserTable({ users, isFiltered, sort, onSort, onNotice }: UserTableProps) {
  const { t } = useTranslation();
  const [update] = useUpdateUserMutation();
  const [toDelete, setToDelete] = useState<User | null>(null);
  const [toDisable, setToDisable] = useState<User | null>(null);
  const [activating, setActivating] = useState<number | null>(null);

  async function activate(user: User) {
    setActivating(user.id);
    const { error } = await update({ id: user.id, input: withStatus(user, "active") });
    setActivating(null);
    const said = user.status === "pending" ? "approved" : "enabled";
    if (error !== undefined) onNotice({ kind: "error", text: errorText(error, "updateUser") });
    else onNotice({ kind: "success", text: t(`users.${said}`, { name: user.username }) });
  }

  return (
    <>
      <Table label={t("users.title")}>
        <thead>
          <tr>
            <HeadCell className="hidden w-px md:table-cell">{t("users.id")}</HeadCell>
            <SortCell field="username" sort={sort} onSort={onSort}>
              {t("users.username")}
            </SortCell>
            <HeadCell className="hidden md:table-cell">{t("users.email")}</HeadCell>
            <SortCell field="role" sort={sort} onSort={onSort} className="hidden md:table-cell">
              {t("users.role")}
            </SortCell>
            <SortCell field="status" sort={sort} onSort={onSort} className="hidden md:table-cell">
              {t("users.status")}
            </SortCell>
            <SortCell field="createdAt" sort={sort} onSort={onSort} className="hidden lg:table-cell">
              {t("users.createdAt")}
            </SortCell>
            <HeadCell numeric>{t("common.actions")}</HeadCell>
          </tr>
        </thead>
        <tbody>
          {users === undefined ? (
            <WholeRow>
              <span role="status" className="inline-flex items-center gap-2">
                <Spinner />
                {t("common.loading")}
              </span>
            </WholeRow>
          ) : users.length === 0 ? (
            <WholeRow>{isFiltered ? t("users.noMatch") : t("users.none")}</WholeRow>
          ) : (
            users.map((user) => (
              <UserRow
                key={user.id}
                user={user}
                activating={activating === user.id}
                onActivate={() => void activate(user)}
                onDisable={() => setToDisable(user)}
                onDelete={() => setToDelete(user)}
              />
            ))
          )}
        </tbody>
      </Table>
      <DeleteUserDialog
        user={toDelete}
        onClose={() => setToDelete(null)}
        onDeleted={(said) => onNotice({ kind: "success", text: said })}
      />
      <DisableUserDialog
        user={toDisable}
        onClose={() => setToDisable(null)}
        onDisabled={({ username }) => onNotice({ kind: "success", text: t("users.disabled", { name: username }) })}
      />
    </>
  );
}

/** One line over the whole width: loading, or nobody. */
function WholeRow({ children }: { children: ReactNode }) {
  return (
    <Row>
      <Cell colSpan={7} className="h-28 text-center text-muted">
        {children}
      </Cell>
    </Row>
  );
}
