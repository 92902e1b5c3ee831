import { useTranslation } from "react-i18next";
import { usePendingUsers } from "../../app/config.ts";
import { type UserList, userStatuses } from "./list.ts";
import { FilterSelect, ListFilters } from "../../lists/list-filters.tsx";
import { Button } from "../../ui/button.tsx";
import { PendingIcon } from "../../ui/icons.tsx";

/** Search by name or address, status, and a short way to the accounts that wait for approval. */
export function UserFilters({ list }: { list: UserList }) {
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
        label={t("users.status")}
        allLabel={t("users.allStatuses")}
        values={userStatuses}
        value={status}
        nameOf={(each) => t(`users.statuses.${each}`)}
        onChange={(next) => list.change({ status: next })}
      />
    </ListFilters>
  );
}
