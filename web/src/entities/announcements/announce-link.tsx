import { useTranslation } from "react-i18next";
import { useAnnouncementsQuery } from "./api.ts";
import { useSession } from "../../app/hooks.ts";
import { announcementPath, announcePath } from "../../app/paths.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";
import { AnnounceIcon } from "../../ui/icons.tsx";

/** Links an incident to its announcement, or to the form for one, also if it is unknown whether one exists. */
export function AnnounceLink({ incidentId, className }: { incidentId: string; className?: string }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const { currentData, isFetching } = useAnnouncementsQuery(
    { incidentId, page: 1, pageSize: 1 },
    { refetchOnMountOrArgChange: true },
  );
  const announcement = currentData?.announcements[0];
  if (announcement !== undefined) {
    return (
      <ButtonLink to={announcementPath(announcement.id)} className={className}>
        <AnnounceIcon />
        {t("announcements.announced")}
      </ButtonLink>
    );
  }
  if (!mayChange) return null;
  const isUnknown = currentData === undefined && isFetching;
  return (
    <ButtonLink to={announcePath(incidentId)} className={cx(className, isUnknown && "invisible")}>
      <AnnounceIcon />
      {t("announcements.announceIncident")}
    </ButtonLink>
  );
}
