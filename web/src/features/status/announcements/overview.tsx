import type { Announcement } from "@sonde/proto/http/status/announcements";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAnnouncementsQuery, useRemoveAnnouncementMutation } from "../../../app/announcements/api.ts";
import { announcePath } from "../../../app/paths.ts";
import { AnnouncementRow } from "./row.tsx";
import { mostOpen, Overview, pastPageSize, refreshed } from "../overview.tsx";
import { DeleteDialog } from "../../../lists/delete-dialog.tsx";
import { PageIcon } from "../../../ui/icons.tsx";

/** What is announced now, and what was. */
export function AnnouncementsOverview() {
  const { t } = useTranslation();
  const [page, setPage] = useState(1);
  const [toDelete, setToDelete] = useState<Announcement | null>(null);
  const [remove] = useRemoveAnnouncementMutation();
  const open = useAnnouncementsQuery({ open: "true", page: 1, pageSize: mostOpen }, refreshed);
  const past = useAnnouncementsQuery({ open: "false", page, pageSize: pastPageSize }, refreshed);
  const section = (query: typeof open) => ({
    query,
    items: query.data?.announcements,
    total: query.data?.total,
  });
  return (
    <Overview
      noun="announcements"
      icon={<PageIcon />}
      addTo={announcePath(null)}
      sections={[
        { ...section(open), title: t("announcements.open"), none: t("announcements.noOpen") },
        {
          ...section(past),
          title: t("announcements.past"),
          none: t("announcements.noPast"),
          paging: { page, onPage: setPage },
        },
      ]}
      row={(announcement) => (
        <AnnouncementRow key={announcement.id} announcement={announcement} onDelete={() => setToDelete(announcement)} />
      )}
      dialogs={(onDone) => (
        <DeleteDialog
          target={toDelete && { id: toDelete.id, name: toDelete.title }}
          onClose={() => setToDelete(null)}
          onDeleted={onDone}
          noun="announcements"
          fallback="deleteAnnouncement"
          remove={remove}
        />
      )}
    />
  );
}
