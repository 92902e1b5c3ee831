import type { Announcement } from "@sonde/proto/http/status/announcements";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router-dom";
import { useAnnouncementsQuery, useRemoveAnnouncementMutation } from "../../../entities/announcements/api.ts";
import { useSession } from "../../../app/hooks.ts";
import { announcementPath, announcePath } from "../../../app/paths.ts";
import { DeleteDialog } from "../../../lists/delete-dialog.tsx";
import { RowAction } from "../../../lists/row-actions.tsx";
import { ButtonLink } from "../../../ui/button.tsx";
import { EditIcon, PageIcon, TrashIcon } from "../../../ui/icons.tsx";
import { Time } from "../../../ui/time.tsx";
import { maxOpen, Overview, pastPageSize, refreshed } from "../../../lists/overview.tsx";
import { AnnouncementBadges } from "./badges.tsx";
import { Create } from "./create.tsx";
import { Detail } from "./detail.tsx";

/**
 * Shows the list, an announcement (`announcement=7`), or the form for a new one, empty (`announce=new`) or filled in
 * from an incident (`announce=m12`).
 */
export default function AnnouncementsTab() {
  const [params] = useSearchParams();
  const { mayChange } = useSession();
  const announce = params.get("announce");
  const shown = params.get("announcement");
  if (announce !== null && mayChange) {
    const incidentId = /^[ma][1-9]\d{0,9}$/.test(announce) ? announce : null;
    return <Create key={announce} incidentId={incidentId} />;
  }
  if (shown !== null && announce === null) return <Detail key={shown} id={Number(shown)} />;
  return <AnnouncementsOverview />;
}

function AnnouncementsOverview() {
  const { t } = useTranslation();
  const [page, setPage] = useState(1);
  const [toDelete, setToDelete] = useState<Announcement | null>(null);
  const [remove] = useRemoveAnnouncementMutation();
  const open = useAnnouncementsQuery({ open: "true", page: 1, pageSize: maxOpen }, refreshed);
  const past = useAnnouncementsQuery({ open: "false", page, pageSize: pastPageSize }, refreshed);
  const section = (query: typeof open) => ({ query, items: query.data?.announcements, total: query.data?.total });
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

function AnnouncementRow({ announcement, onDelete }: { announcement: Announcement; onDelete: () => void }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const { id, title, monitors, agents, updates, createdAt, resolvedAt } = announcement;
  const last = updates.at(-1);
  const affected = monitors.length + agents.length;
  return (
    <li data-row className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5 md:px-5">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            to={announcementPath(id)}
            className="inline-flex min-h-6 min-w-0 items-center font-medium break-words hover:underline"
          >
            {title}
          </Link>
          <AnnouncementBadges of={announcement} />
        </p>
        <p className="flex flex-wrap gap-x-3 text-[13px] text-faint">
          <span>
            {t("announcements.began")} <Time at={createdAt} relative />
          </span>
          {resolvedAt !== undefined ? (
            <span>
              {t("announcements.fields.resolvedAt")} <Time at={resolvedAt} relative />
            </span>
          ) : (
            last !== undefined && (
              <span>
                {t("announcements.updatedAt")} <Time at={last.at} relative />
              </span>
            )
          )}
          {affected > 0 && <span>{t("announcements.affectedCount", { count: affected })}</span>}
        </p>
      </div>
      {mayChange && (
        <span className="inline-flex items-center gap-1">
          {resolvedAt === undefined && (
            <ButtonLink size="sm" to={`${announcementPath(id)}&update=1`}>
              <EditIcon />
              {t("announcements.postUpdate")}
            </ButtonLink>
          )}
          <RowAction label={t("common.delete")} name={title} onClick={onDelete}>
            <TrashIcon />
          </RowAction>
        </span>
      )}
    </li>
  );
}
