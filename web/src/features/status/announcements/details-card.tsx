import type { Announcement } from "@sonde/proto/http/status/announcements";
import { useState } from "react";
import { FormProvider } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useUpdateAnnouncementMutation } from "../../../app/announcements/api.ts";
import { useSession } from "../../../app/hooks.ts";
import { paths } from "../../../app/paths.ts";
import { targetKey } from "../../../app/targets/api.ts";
import { TargetLine } from "../../../app/targets/target-line.tsx";
import { FormButtons, FormMessages, useSaveForm } from "../../../app/save-form.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card, Entry } from "../../../ui/card.tsx";
import { EditIcon } from "../../../ui/icons.tsx";
import { Time } from "../../../ui/time.tsx";
import { DetailFields } from "./detail-fields.tsx";
import { checkDetails, detailsInput, fieldOf, type DetailValues, toDetails } from "./form-values.ts";

/** Each asks for its target: of hundreds only some are shown. */
const mostShown = 20;

type DetailsCardProps = {
  announcement: Announcement;
  onSaved: (notice: string) => void;
  report: (part: "details", unsaved: boolean) => void;
};

/** What is affected, how much, since when; for those who may, the way to change it. */
export function DetailsCard(props: DetailsCardProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [editing, setEditing] = useState(false);
  return (
    <Card title={t("announcements.details")}>
      {editing ? (
        <DetailsForm {...props} onDone={() => setEditing(false)} />
      ) : (
        <div className="flex flex-col gap-4">
          <Details announcement={props.announcement} />
          {mayChange && (
            <Button size="sm" className="self-start" onClick={() => setEditing(true)}>
              <EditIcon />
              {t("announcements.change")}
            </Button>
          )}
        </div>
      )}
    </Card>
  );
}

function Details({ announcement }: { announcement: Announcement }) {
  const { t } = useTranslation();
  const { createdAt, resolvedAt, incidentId } = announcement;
  const { targets } = toDetails(announcement);
  const more = targets.length - mostShown;
  return (
    <dl className="flex flex-col gap-3">
      <Entry name={t("announcements.began")}>
        <Time at={createdAt} />
      </Entry>
      {resolvedAt !== undefined && (
        <Entry name={t("announcements.resolved")}>
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
            {targets.slice(0, mostShown).map((target) => (
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

function DetailsForm({ announcement, onSaved, report, onDone }: DetailsCardProps & { onDone: () => void }) {
  const { t } = useTranslation();
  const [update] = useUpdateAnnouncementMutation();
  const saveForm = useSaveForm<DetailValues>({
    initial: toDetails(announcement),
    check: checkDetails,
    fieldOf,
    fallback: "updateAnnouncement",
    onUnsaved: (unsaved) => report("details", unsaved),
    onSave: async (values) => {
      const { message } = await update({ id: announcement.id, input: detailsInput(values) }).unwrap();
      onSaved(message ?? t("announcements.saved"));
      onDone();
    },
  });
  return (
    <FormProvider {...saveForm.form}>
      <form noValidate onSubmit={saveForm.submit} className="flex flex-col gap-4">
        <FormMessages of={saveForm} />
        <DetailFields />
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
