import type { Announcement, announcementPatch } from "@sonde/proto/http/status/announcements";
import { type ReactNode, useState } from "react";
import type { FieldValues } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { z } from "zod";
import { useUpdateAnnouncementMutation } from "../../../entities/announcements/api.ts";
import { useSession } from "../../../app/hooks.ts";
import { paths } from "../../../app/paths.ts";
import { FormButtons, SaveForm, useSaveForm } from "../../../app/forms/save-form.tsx";
import { targetFieldOf, targetKey, targetsOf } from "../../../entities/targets/api.ts";
import { TargetLine } from "../../../entities/targets/target-line.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card, Entry } from "../../../ui/card.tsx";
import { EditIcon } from "../../../ui/icons.tsx";
import { Markdown } from "../../../ui/markdown/markdown.tsx";
import { Time } from "../../../ui/time.tsx";
import { MarkdownField } from "../../../app/forms/markdown-field.tsx";
import { checkDetails, checkPostMortem, DetailFields, detailsInput, toDetails } from "./fields.tsx";

/** Limits requests: each target requests its name. */
const maxShown = 20;

export type AnnouncementPart = "update" | "details" | "postMortem";
export type PartProps = {
  announcement: Announcement;
  onSaved: (notice: string) => void;
  report: (part: AnnouncementPart, unsaved: boolean) => void;
};

export function DetailsCard(props: PartProps) {
  const { t } = useTranslation();
  return (
    <EditableCard
      title={t("announcements.details")}
      change={t("announcements.change")}
      form={(close) => (
        <PartForm
          {...props}
          part="details"
          initial={toDetails(props.announcement)}
          check={checkDetails}
          fieldOf={targetFieldOf}
          inputOf={detailsInput}
          onDone={close}
        >
          <DetailFields />
        </PartForm>
      )}
    >
      <Details announcement={props.announcement} />
    </EditableCard>
  );
}

export function PostMortemCard(props: PartProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const { postMortem } = props.announcement;
  if (postMortem === undefined && !mayChange) return null;
  return (
    <EditableCard
      title={t("announcements.fields.postMortem")}
      change={t(postMortem === undefined ? "announcements.writePostMortem" : "announcements.changePostMortem")}
      form={(close) => (
        <PartForm
          {...props}
          part="postMortem"
          initial={{ postMortem: postMortem ?? "" }}
          check={checkPostMortem}
          inputOf={(values) => ({ postMortem: values.postMortem.trim() === "" ? null : values.postMortem })}
          onDone={close}
        >
          <MarkdownField<{ postMortem: string }>
            name="postMortem"
            label={t("announcements.fields.postMortem")}
            hint={t("announcements.postMortemHint")}
            rows={12}
            autoFocus
          />
        </PartForm>
      )}
    >
      {postMortem === undefined ? (
        <p className="text-muted">{t("announcements.postMortemLater")}</p>
      ) : (
        <Markdown text={postMortem} />
      )}
    </EditableCard>
  );
}

type EditableCardProps = {
  title: string;
  change: string;
  form: (close: () => void) => ReactNode;
  children: ReactNode;
};

function EditableCard({ title, change, form, children }: EditableCardProps) {
  const { mayChange } = useSession();
  const [editing, setEditing] = useState(false);
  return (
    <Card title={title}>
      {editing ? (
        form(() => setEditing(false))
      ) : (
        <div className="flex flex-col gap-4">
          {children}
          {mayChange && (
            <Button size="sm" className="self-start" onClick={() => setEditing(true)}>
              <EditIcon />
              {change}
            </Button>
          )}
        </div>
      )}
    </Card>
  );
}

type PartFormProps<Values extends FieldValues> = PartProps &
  Pick<Parameters<typeof useSaveForm<Values>>[0], "check" | "fieldOf"> & {
    part: AnnouncementPart;
    initial: Values;
    inputOf: (values: Values) => z.input<typeof announcementPatch>;
    onDone: () => void;
    children: ReactNode;
  };

function PartForm<Values extends FieldValues>(props: PartFormProps<Values>) {
  const { announcement, part, initial, check, fieldOf, inputOf, onSaved, report, onDone, children } = props;
  const { t } = useTranslation();
  const [update] = useUpdateAnnouncementMutation();
  const saveForm = useSaveForm<Values>({
    initial,
    check,
    fieldOf,
    fallback: "updateAnnouncement",
    onUnsaved: (unsaved) => report(part, unsaved),
    onSave: async (values) => {
      const { message } = await update({ id: announcement.id, input: inputOf(values) }).unwrap();
      onSaved(message ?? t("announcements.saved"));
      onDone();
    },
  });
  return (
    <SaveForm of={saveForm}>
      {children}
      <FormButtons of={saveForm} onCancel={onDone} holdsCancel />
    </SaveForm>
  );
}

function Details({ announcement }: { announcement: Announcement }) {
  const { t } = useTranslation();
  const { createdAt, resolvedAt, incidentId } = announcement;
  const targets = targetsOf(announcement);
  const more = targets.length - maxShown;
  return (
    <dl className="flex flex-col gap-3">
      <Entry name={t("announcements.began")}>
        <Time at={createdAt} />
      </Entry>
      {resolvedAt !== undefined && (
        <Entry name={t("announcements.fields.resolvedAt")}>
          <Time at={resolvedAt} />
        </Entry>
      )}
      {incidentId !== undefined && (
        <Entry name={t("announcements.aboutIncident")}>
          <Link to={paths.incident(incidentId)} className="inline-flex min-h-6 items-center hover:underline">
            {incidentId}
          </Link>
        </Entry>
      )}
      <Entry name={t("announcements.affected")}>
        {targets.length === 0 ? (
          t("announcements.nothingAffected")
        ) : (
          <ul className="flex flex-col gap-1">
            {targets.slice(0, maxShown).map((target) => (
              <li key={targetKey(target)}>
                <TargetLine target={target} />
              </li>
            ))}
            {more > 0 && <li className="text-muted">+{more}</li>}
          </ul>
        )}
      </Entry>
    </dl>
  );
}
