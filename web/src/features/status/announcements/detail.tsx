import type { Announcement } from "@sonde/proto/http/status/announcements";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router-dom";
import {
  useAnnouncementQuery,
  usePostUpdateMutation,
  useRemoveAnnouncementMutation,
} from "../../../entities/announcements/api.ts";
import { useSession } from "../../../app/hooks.ts";
import { announcementsPath } from "../../../app/paths.ts";
import { SaveForm, useLeave, useSaveForm } from "../../../app/forms/save-form.tsx";
import { BackLink, isId, isMissing, Loaded, Missing, Notice, useNotice } from "../../../app/screen.tsx";
import { UnsavedGuard, useUnsavedParts } from "../../../app/forms/unsaved-guard.tsx";
import { DeleteDialog } from "../../../lists/delete-dialog.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { PageIcon, TrashIcon } from "../../../ui/icons.tsx";
import { Markdown } from "../../../ui/markdown/markdown.tsx";
import { Time } from "../../../ui/time.tsx";
import { MarkdownField } from "../../../app/forms/markdown-field.tsx";
import { AnnouncementBadges, StateBadge } from "./badges.tsx";
import { type AnnouncementPart, DetailsCard, type PartProps, PostMortemCard } from "./cards.tsx";
import { checkUpdate, StateField, type UpdateValues } from "./fields.tsx";

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
      <Loaded query={query}>{(announcement) => <AnnouncementPage announcement={announcement} />}</Loaded>
    </>
  );
}

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
  const { id, title } = announcement;
  const common = { announcement, onSaved: setNotice, report };
  return (
    <div className="flex flex-col gap-4">
      <Notice text={notice} />
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-[17px] font-semibold break-words">{title}</h2>
          <p className="mt-1 flex flex-wrap gap-2">
            <AnnouncementBadges of={announcement} />
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
        target={asksToDelete ? { id, name: title } : null}
        onClose={() => setAsksToDelete(false)}
        onDeleted={(text) => leave(() => void navigate(announcementsPath, { state: { notice: text }, replace: true }))}
        noun="announcements"
        fallback="deleteAnnouncement"
        remove={remove}
      />
    </div>
  );
}

function UpdateForm({ announcement, onSaved, report, autoFocus }: PartProps & { autoFocus: boolean }) {
  const { t } = useTranslation();
  const { id, state, resolvedAt } = announcement;
  const [post] = usePostUpdateMutation();
  const saveForm = useSaveForm<UpdateValues>({
    initial: { state, text: "" },
    check: checkUpdate,
    fallback: "postUpdate",
    onUnsaved: (unsaved) => report("update", unsaved),
    onSave: async (values) => {
      const { message } = await post({ id, input: values }).unwrap();
      saveForm.form.reset({ state: values.state, text: "" });
      onSaved(message ?? t("announcements.posted"));
    },
  });
  return (
    <Card title={t("announcements.postUpdate")}>
      <SaveForm of={saveForm}>
        <StateField hint={resolvedAt === undefined ? undefined : t("announcements.reopens")} />
        <MarkdownField<UpdateValues>
          name="text"
          label={t("announcements.text")}
          rows={4}
          required
          autoFocus={autoFocus}
        />
        <div className="flex justify-end">
          <Button type="submit" variant="primary" saving={saveForm.isSaving} savingLabel={t("announcements.posting")}>
            {t("announcements.post")}
          </Button>
        </div>
      </SaveForm>
    </Card>
  );
}

function Timeline({ announcement: { updates } }: { announcement: Announcement }) {
  const { t } = useTranslation();
  return (
    <Card title={t("announcements.fields.updates")}>
      {updates.length === 0 ? (
        <p className="text-muted">{t("announcements.noUpdates")}</p>
      ) : (
        <ol className="flex flex-col gap-4">
          {updates.toReversed().map(({ id, state, text, at }) => (
            <li key={id} className="flex flex-col gap-1.5 border-l-2 border-line pl-3">
              <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <StateBadge state={state} />
                <span className="text-[13px] text-faint">
                  <Time at={at} />
                </span>
              </p>
              <Markdown text={text} />
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
