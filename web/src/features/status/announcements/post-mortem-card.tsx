import type { Announcement } from "@sonde/proto/http/status/announcements";
import { useState } from "react";
import { FormProvider } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useUpdateAnnouncementMutation } from "../../../app/announcements/api.ts";
import { useSession } from "../../../app/hooks.ts";
import { FormButtons, FormMessages, oneOfFields, useSaveForm } from "../../../app/save-form.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { EditIcon } from "../../../ui/icons.tsx";
import { Markdown } from "../../../ui/markdown/markdown.tsx";
import { checkPostMortem } from "./form-values.ts";
import { MarkdownField } from "./markdown-field.tsx";

type PostMortemCardProps = {
  announcement: Announcement;
  onSaved: (notice: string) => void;
  report: (part: "postMortem", unsaved: boolean) => void;
};

/** What went wrong, written when it is over. */
export function PostMortemCard(props: PostMortemCardProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [editing, setEditing] = useState(false);
  const { postMortem } = props.announcement;
  if (postMortem === undefined && !mayChange) return null;
  return (
    <Card title={t("announcements.postMortem")}>
      {editing ? (
        <PostMortemForm {...props} onDone={() => setEditing(false)} />
      ) : (
        <div className="flex flex-col gap-3">
          {postMortem === undefined ? (
            <p className="text-muted">{t("announcements.postMortemLater")}</p>
          ) : (
            <Markdown text={postMortem} />
          )}
          {mayChange && (
            <Button size="sm" className="self-start" onClick={() => setEditing(true)}>
              <EditIcon />
              {t(postMortem === undefined ? "announcements.writePostMortem" : "announcements.changePostMortem")}
            </Button>
          )}
        </div>
      )}
    </Card>
  );
}

function PostMortemForm({ announcement, onSaved, report, onDone }: PostMortemCardProps & { onDone: () => void }) {
  const { t } = useTranslation();
  const [update] = useUpdateAnnouncementMutation();
  const saveForm = useSaveForm<{ postMortem: string }>({
    initial: { postMortem: announcement.postMortem ?? "" },
    check: checkPostMortem,
    fieldOf: oneOfFields("postMortem"),
    fallback: "updateAnnouncement",
    onUnsaved: (unsaved) => report("postMortem", unsaved),
    onSave: async ({ postMortem }) => {
      const input = { postMortem: postMortem.trim() === "" ? null : postMortem };
      const { message } = await update({ id: announcement.id, input }).unwrap();
      onSaved(message ?? t("announcements.saved"));
      onDone();
    },
  });
  return (
    <FormProvider {...saveForm.form}>
      <form noValidate onSubmit={saveForm.submit} className="flex flex-col gap-4">
        <FormMessages of={saveForm} />
        <MarkdownField<{ postMortem: string }>
          name="postMortem"
          label={t("announcements.postMortem")}
          hint={t("announcements.postMortemHint")}
          rows={12}
          autoFocus
        />
        <FormButtons
          labels={{ submit: t("announcements.save"), saving: t("announcements.saving") }}
          isSaving={saveForm.isSaving}
          onCancel={onDone}
          holdsCancel
        />
      </form>
    </FormProvider>
  );
}
