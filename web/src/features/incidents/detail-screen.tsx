import type { Language } from "@sonde/proto/http/messages";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import { errorText, statusOf } from "../../app/errors.ts";
import { paths } from "../../app/paths.ts";
import { usePolling } from "../../app/hooks.ts";
import { DetailPlaceholder, Loaded, Missing } from "../../app/screen.tsx";
import { useTargetQuery } from "../../app/targets/api.ts";
import { NoteCard } from "../../app/targets/target-line.tsx";
import { AcknowledgeCard } from "./acknowledge-card.tsx";
import { type Story, useStoryQuery } from "./api.ts";
import { DetailHeader } from "./detail-header.tsx";
import { isIncidentId } from "./list.ts";
import { TimelineCard } from "./timeline-card.tsx";
import { NotifiedCard } from "./notified-card.tsx";
import { Alert } from "../../ui/alert.tsx";
import { WarnIcon } from "../../ui/icons.tsx";
import { PageHeader } from "../../ui/page-header.tsx";

/** One incident: what is wrong, who works on it, what happened, and who was notified. */
export default function DetailScreen() {
  const { t, i18n } = useTranslation();
  const { id = "" } = useParams();
  const known = isIncidentId(id);
  const query = useStoryQuery(
    { id, language: i18n.language as Language },
    { skip: !known, pollingInterval: usePolling(), refetchOnMountOrArgChange: true },
  );
  const { currentData, data, error } = query;
  // In another language the old words stay until the new ones are here.
  const story = currentData ?? (data?.incident.id === id ? data : undefined);
  const header = <PageHeader title={t("incident.title")} />;
  if (!known || statusOf(error) === 404) {
    const back = { back: t("incident.back"), backTo: paths.incidents };
    return (
      <>
        {header}
        <Missing icon={<WarnIcon />} title={t("incident.missing")} {...back}>
          {t("incident.missingText")}
        </Missing>
      </>
    );
  }
  return (
    <Loaded
      query={{ ...query, data: story }}
      fallback="fetchData"
      placeholder={<DetailPlaceholder last="h-48" />}
      header={header}
    >
      {(shown) => <Detail story={shown} error={error} />}
    </Loaded>
  );
}

function Detail({ story, error }: { story: Story; error: unknown }) {
  return (
    <div className="flex flex-col gap-4">
      <DetailHeader story={story} />
      {error !== undefined && <Alert kind="error">{errorText(error, "fetchData")}</Alert>}
      {/* What can be done comes first, to the keyboard and on a phone; on a wide screen it stands at the right. */}
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-4 lg:order-last">
          <AcknowledgeCard key={story.incident.id} incident={story.incident} />
          <Note story={story} />
          <NotifiedCard story={story} />
        </div>
        <TimelineCard story={story} />
      </div>
    </div>
  );
}

/** What the monitor's people noted for this moment. */
function Note({ story: { incident } }: { story: Story }) {
  const { t } = useTranslation();
  const { type, id, name } = incident.target;
  const { data } = useTargetQuery({ type, id }, { skip: type !== "monitor" });
  return <NoteCard note={data?.note} title={t("incident.noteOf", { name })} />;
}
