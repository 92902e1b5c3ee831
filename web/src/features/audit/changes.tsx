import type { AuditTarget } from "@sonde/proto/http/audit";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Loaded } from "../../app/screen.tsx";
import { Pagination } from "../../lists/list-page.tsx";
import { EmptyState, Skeleton } from "../../ui/states.tsx";
import { pollMs, useAuditQuery } from "./api.ts";
import { EntryTable } from "./entry-table.tsx";

const pageSize = 20;

export default function Changes({ target }: { target: AuditTarget | `${AuditTarget}:${number | string}` }) {
  const { t } = useTranslation();
  const [page, setPage] = useState(1);
  const [openId, setOpenId] = useState<string>();
  const query = useAuditQuery({ target, page, pageSize }, { pollingInterval: pollMs, refetchOnMountOrArgChange: true });
  return (
    <Loaded query={query} header={null} placeholder={<Skeleton className="h-40 w-full" />}>
      {({ entries, total }) =>
        total === 0 ? (
          <EmptyState title={t("audit.changes.none")}>{t("audit.changes.noneText")}</EmptyState>
        ) : (
          <>
            <EntryTable label={t("changes.title")} entries={entries} openId={openId} onOpen={setOpenId} />
            <Pagination page={page} pageSize={pageSize} total={total} onPage={setPage} />
          </>
        )
      }
    </Loaded>
  );
}
