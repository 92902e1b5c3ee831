import type { Announcement } from "@sonde/proto/http/status/announcements";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router";
import { useAnnouncementQuery, useRemoveAnnouncementMutation } from "../../../app/announcements/api.ts";
import { useSession } from "../../../app/hooks.ts";
import { useNotice, BackLink, isId, isMissing, Loaded, Missing, Notice } from "../../../app/screen.tsx";
import { announcementsPath } from "../../../app/paths.ts";
import { useLeave } from "../../../app/save-form.tsx";
import { UnsavedGuard, useUnsavedParts } from "../../../app/unsaved-guard.tsx";
import { ImpactBadge, StateBadge } from "./badges.tsx";
import { DetailsCard } from "./details-card.tsx";
import { PostMortemCard } from "./post-mortem-card.tsx";
import { Timeline } from "./timeline.tsx";
import { UpdateForm } from "./update-form.tsx";
import { DeleteDialog } from "../../../lists/delete-dialog.tsx";
import { Button } from "../../../ui/button.tsx";
import { PageIcon, TrashIcon } from "../../../ui/icons.tsx";
import { Skeleton } from "../../../ui/states.tsx";

/** One announcement: its updates, and all that can be changed. */
export function Detail({ id }: { id: number }) {
  const { t } = useTranslation();
  const query = useAnnouncementQuery(id, { skip: !isId(id), refetchOnMountOrArgChange: true });
  const back = t("announcements.back");
  if (isMissing(id, query.error)) {
    return (
      <Missing icon={<PageIcon />} title={t("announcements.missing")} back={back} backTo={announcementsPath}>
        {t("announcements.missingText")}
      </Missing>
    );
  }
  return (
    <>
      <BackLink to={announcementsPath} label={back} />
      <Loaded query={query} fallback="fetchData" placeholder={<Skeleton className="h-96 w-full" />}>
        {(announcement) => <AnnouncementPage announcement={announcement} />}
      </Loaded>
    </>
  );
}

export type AnnouncementPart = "update" | "details" | "postMortem";

function AnnouncementPage({ announcement }: { announcement: Announcement }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { mayChange } = useSession();
  const [params] = useSearchParams();
  const [notice, setNotice] = useState(useNotice());
  const { unsaved, report } = useUnsavedParts<AnnouncementPart>();
  const [remove] = useRemoveAnnouncementMutation();
  const [asksToDelete, setAsksToDelete] = useState(false);
  const { isLeaving, leave } = useLeave();
  const { title, impact, state } = announcement;
  const common = { announcement, onSaved: setNotice, report };
  return (
    <div className="flex flex-col gap-4">
      <Notice text={notice} />
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-[17px] font-semibold break-words">{title}</h2>
          <p className="mt-1 flex flex-wrap gap-2">
            <StateBadge state={state} />
            <ImpactBadge impact={impact} />
          </p>
        </div>
        {mayChange && (
          <Button onClick={() => setAsksToDelete(true)}>
            <TrashIcon />
            {t("announcements.remove.action")}
          </Button>
        )}
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-4">
          {mayChange && <UpdateForm {...common} autoFocus={params.get("update") !== null} />}
          <Timeline announcement={announcement} />
          <PostMortemCard {...common} />
        </div>
        <DetailsCard {...common} />
      </div>
      <UnsavedGuard unsaved={unsaved && !isLeaving} />
      <DeleteDialog
        target={asksToDelete ? { id: announcement.id, name: title } : null}
        onClose={() => setAsksToDelete(false)}
        onDeleted={(text) => leave(() => void navigate(announcementsPath, { state: { notice: text }, replace: true }))}
        noun="announcements"
        fallback="deleteAnnouncement"
        remove={remove}
      />
    </div>
  );
}
