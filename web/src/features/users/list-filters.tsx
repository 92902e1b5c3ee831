import type { UserStatus } from "@sonde/proto/http/users";
import { useTranslation } from "react-i18next";
import { useWaiting } from "../../app/waiting.ts";
import { Button } from "../../ui/button.tsx";
import { PendingIcon } from "../../ui/icons.tsx";
import { Select } from "../../ui/inputs.tsx";
import { SearchInput } from "../../ui/search-input.tsx";
import { userStatuses } from "./closed-lists.ts";
import type { ListParams } from "./list-params.ts";

type ListFiltersProps = { params: ListParams; change: (part: Partial<ListParams>) => void; isFiltered: boolean };

/** Search by name or address, status, and a short way to those who wait. */
export function ListFilters({ params, change, isFiltered }: ListFiltersProps) {
  const { t } = useTranslation();
  const waiting = useWaiting();
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SearchInput
        label={t("users.searchLabel")}
        value={params.search}
        onSearch={(search) => change({ search })}
        className="w-full sm:w-72"
      />
      <Select
        aria-label={t("users.status")}
        value={params.status ?? ""}
        onChange={({ target }) => change({ status: target.value === "" ? null : (target.value as UserStatus) })}
      >
        <option value="">{t("users.allStatuses")}</option>
        {userStatuses.map((status) => (
          <option key={status} value={status}>
            {t(`users.statuses.${status}`)}
          </option>
        ))}
      </Select>
      {isFiltered && (
        <Button variant="ghost" onClick={() => change({ search: "", status: null })}>
          {t("users.clearFilters")}
        </Button>
      )}
      {waiting > 0 && params.status !== "pending" && (
        <Button
          title={t("nav.waiting", { count: waiting })}
          className="tnum ml-auto border-warn/55 bg-warn-soft text-warn-ink hover:bg-warn-soft hover:brightness-95"
          onClick={() => change({ search: "", status: "pending" })}
        >
          <PendingIcon />
          {t("users.toApprove", { count: waiting })}
        </Button>
      )}
    </div>
  );
}
