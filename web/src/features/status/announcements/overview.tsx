import { useState } from "react";
import { useTranslation } from "react-i18next";
import { announcePath } from "../../../app/announcements/addresses.ts";
import {
  type Announcement,
  useAnnouncementsQuery,
  useRemoveAnnouncementMutation,
} from "../../../app/announcements/api.ts";
import { errorText } from "../../../app/errors.ts";
import { useNotice } from "../../../app/notice.ts";
import { AddLink } from "../../../lists/add-link.tsx";
import { DeleteDialog } from "../../../lists/delete-dialog.tsx";
import { Alert } from "../../../ui/alert.tsx";
import { Card } from "../../../ui/card.tsx";
import { PageIcon } from "../../../ui/icons.tsx";
import { Pagination } from "../../../ui/pagination.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../../ui/states.tsx";
import { AnnouncementRow } from "./row.tsx";

/** The server allows no more open ones. */
const mostOpen = 100;
const pastPageSize = 20;
const pollingInterval = 30_000;

/** What is announced now, and what was. */
export function Overview() {
  const { t } = useTranslation();
  const [notice, setNotice] = useState(useNotice());
  const [page, setPage] = useState(1);
  const [toDelete, setToDelete] = useState<Announcement | null>(null);
  const [remove] = useRemoveAnnouncementMutation();
  const fresh = { pollingInterval, refetchOnMountOrArgChange: true };
  const open = useAnnouncementsQuery({ open: "true", page: 1, pageSize: mostOpen }, fresh);
  const past = useAnnouncementsQuery({ open: "false", page, pageSize: pastPageSize }, fresh);
  const add = <AddLink noun="announcements" to={announcePath(null)} />;
  const error = open.error ?? past.error;
  const isEmpty = open.data?.total === 0 && past.data?.total === 0;

  if (open.data === undefined || past.data === undefined) {
    if (error === undefined) return <Skeleton className="h-64 w-full" />;
    const retry = () => void Promise.all([open.refetch(), past.refetch()]);
    return (
      <Card>
        <ErrorState
          message={errorText(error, "fetchData")}
          onRetry={retry}
          retrying={open.isFetching || past.isFetching}
        />
      </Card>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      {notice !== undefined && (
        <Alert key={notice} kind="success">
          {notice}
        </Alert>
      )}
      {isEmpty ? (
        <Card>
          <EmptyState icon={<PageIcon />} title={t("announcements.empty.title")} action={add}>
            {t("announcements.empty.text")}
          </EmptyState>
        </Card>
      ) : (
        <>
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p className="min-w-0 flex-1 text-muted">{t("announcements.intro")}</p>
            {add}
          </div>
          <Card title={t("announcements.open")} flush>
            <Rows announcements={open.data.announcements} none={t("announcements.noOpen")} onDelete={setToDelete} />
          </Card>
          <Card title={t("announcements.past")} flush>
            <Rows announcements={past.data.announcements} none={t("announcements.noPast")} onDelete={setToDelete} />
            <Pagination page={page} pageSize={pastPageSize} total={past.data.total} onPage={setPage} />
          </Card>
        </>
      )}
      <DeleteDialog
        target={toDelete && { id: toDelete.id, name: toDelete.title }}
        onClose={() => setToDelete(null)}
        onDeleted={setNotice}
        noun="announcements"
        fallback="deleteAnnouncement"
        remove={remove}
      />
    </div>
  );
}

type RowsProps = { announcements: readonly Announcement[]; none: string; onDelete: (one: Announcement) => void };

function Rows({ announcements, none, onDelete }: RowsProps) {
  if (announcements.length === 0) return <p className="px-4 py-3 text-muted md:px-5">{none}</p>;
  return (
    <ul className="divide-y divide-line">
      {announcements.map((announcement) => (
        <AnnouncementRow key={announcement.id} announcement={announcement} onDelete={() => onDelete(announcement)} />
      ))}
    </ul>
  );
}
