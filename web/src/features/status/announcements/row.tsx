import type { Announcement } from "@sonde/proto/http/status/announcements";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useSession } from "../../../app/hooks.ts";
import { announcementPath } from "../../../app/paths.ts";
import { ImpactBadge, StateBadge } from "./badges.tsx";
import { RowAction } from "../../../lists/row-actions.tsx";
import { ButtonLink } from "../../../ui/button.tsx";
import { EditIcon, TrashIcon } from "../../../ui/icons.tsx";
import { Time } from "../../../ui/time.tsx";

/** One announcement of the list. An update of an open one is a click away. */
export function AnnouncementRow({ announcement, onDelete }: { announcement: Announcement; onDelete: () => void }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const { id, title, impact, state, monitors, agents, updates, createdAt, resolvedAt } = announcement;
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
          <StateBadge state={state} />
          <ImpactBadge impact={impact} />
        </p>
        <p className="flex flex-wrap gap-x-3 text-[13px] text-faint">
          <span>
            {t("announcements.began")} <Time at={createdAt} relative />
          </span>
          {resolvedAt !== undefined ? (
            <span>
              {t("announcements.resolved")} <Time at={resolvedAt} relative />
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
