import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router-dom";
import {
  useAnnouncedIncidentQuery,
  useAnnouncementsQuery,
  useAnnounceMutation,
  usePageContentsQuery,
} from "../../../entities/announcements/api.ts";
import { announcementPath, announcementsPath, paths } from "../../../app/paths.ts";
import { FormButtons, SaveForm, useSaveForm } from "../../../app/forms/save-form.tsx";
import { BackLink } from "../../../app/screen.tsx";
import { isSameTarget, targetFieldOf } from "../../../entities/targets/api.ts";
import { UnsavedGuard } from "../../../app/forms/unsaved-guard.tsx";
import { Alert } from "../../../ui/alert.tsx";
import { Card } from "../../../ui/card.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { MarkdownField } from "../../../app/forms/markdown-field.tsx";
import { checkNew, DetailFields, newInput, type NewValues, StateField } from "./fields.tsx";

const empty: NewValues = { title: "", impact: "minor", targets: [], state: "investigating", text: "" };

export function Create({ incidentId }: { incidentId: string | null }) {
  const { t } = useTranslation();
  const initial = useInitial(incidentId);
  return (
    <>
      <BackLink to={announcementsPath} label={t("announcements.back")} />
      {initial === null ? (
        <Skeleton className="h-96 w-full" />
      ) : (
        <AnnounceForm initial={initial} incidentId={initial === empty ? null : incidentId} />
      )}
    </>
  );
}

/** Initial form values. `null` while the incident is loading. If it cannot be loaded, the form is empty. */
function useInitial(incidentId: string | null): NewValues | null {
  const { t } = useTranslation();
  const { data: incident, error } = useAnnouncedIncidentQuery(incidentId ?? "", { skip: incidentId === null });
  const { data: page, error: pageError } = usePageContentsQuery(undefined, { skip: incidentId === null });
  if (incidentId === null || error !== undefined) return empty;
  if (incident === undefined || (page === undefined && pageError === undefined)) return null;
  const { target, kind, closedAt } = incident;
  const name = page?.names.find((named) => isSameTarget(named, target))?.name ?? target.name;
  const tense = closedAt === undefined ? "is" : "was";
  const isOut = kind === "down" || kind === "offline";
  return {
    ...empty,
    // Details of the incident may not be public.
    title: isOut ? t(`incident.headline.${tense}.${kind}`, { name }) : name,
    impact: isOut ? "major" : "minor",
    targets: [{ type: target.type, id: target.id }],
    state: closedAt === undefined ? "investigating" : "resolved",
  };
}

function AnnounceForm({ initial, incidentId }: { initial: NewValues; incidentId: string | null }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [announce] = useAnnounceMutation();
  const saveForm = useSaveForm<NewValues>({
    initial,
    check: checkNew,
    fieldOf: targetFieldOf,
    fallback: "announce",
    onSave: async (values) => {
      const { message, announcement } = await announce(newInput(values, incidentId)).unwrap();
      const state = { notice: message ?? t("announcements.published") };
      return () => void navigate(`${announcementPath(announcement.id)}&update=1`, { state, replace: true });
    },
  });
  return (
    <div className="flex flex-col gap-4">
      {incidentId !== null && <AlreadyAnnounced incidentId={incidentId} />}
      <SaveForm of={saveForm} draft="announcement">
        <Card title={t("announcements.newTitle")} gap="gap-4">
          {incidentId !== null && (
            <p className="text-muted">
              {t("announcements.aboutIncident")}{" "}
              <Link to={paths.incident(incidentId)} className="text-accent-strong underline">
                {incidentId}
              </Link>
            </p>
          )}
          <DetailFields autoFocus={initial.title === ""} />
        </Card>
        <Card title={t("announcements.firstUpdate")} gap="gap-4">
          <StateField />
          <MarkdownField<NewValues>
            name="text"
            label={t("announcements.text")}
            rows={6}
            required
            autoFocus={initial.title !== ""}
          />
        </Card>
        <FormButtons
          of={saveForm}
          submit={t("announcements.publish")}
          saving={t("announcements.publishing")}
          onCancel={() => void navigate(announcementsPath)}
        />
        <UnsavedGuard unsaved={saveForm.unsaved} />
      </SaveForm>
    </div>
  );
}

function AlreadyAnnounced({ incidentId }: { incidentId: string }) {
  const { t } = useTranslation();
  const { data } = useAnnouncementsQuery({ incidentId, page: 1, pageSize: 1 });
  const known = data?.announcements[0];
  if (known === undefined) return null;
  return (
    <Alert kind="info">
      {t("announcements.alreadyAnnounced")}{" "}
      <Link to={announcementPath(known.id)} className="text-accent-strong underline">
        {t("announcements.showAnnouncement")}
      </Link>
    </Alert>
  );
}
