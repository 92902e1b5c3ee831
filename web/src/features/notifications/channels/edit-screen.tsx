import type { NotificationChannel } from "@sonde/proto/http/notifications/channels";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import { paths } from "../../../app/paths.ts";
import { Loaded, Missing } from "../../../app/screen.tsx";
import { Card } from "../../../ui/card.tsx";
import { BellIcon } from "../../../ui/icons.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { useChannelsQuery, useUpdateChannelMutation } from "../api.ts";
import { ChannelForm } from "./channel-form.tsx";
import { ChannelHealth } from "./channel-health.tsx";
import { toValues } from "./form-values.ts";
import { useStartTest } from "./save.ts";

export default function EditScreen() {
  const { t } = useTranslation();
  const id = Number(useParams()["id"]);
  const query = useChannelsQuery();
  const { data, error, isFetching } = query;
  const channel = data?.channels.find((each) => each.id === id);
  const isGone = channel === undefined && data !== undefined && error === undefined && !isFetching;
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader title={t("channels.editTitle")} description={channel?.name} />
      {isGone ? (
        <Missing
          icon={<BellIcon />}
          title={t("channels.missing")}
          back={t("channels.back")}
          backTo={paths.notifications}
        />
      ) : (
        <Loaded
          query={{ ...query, data: channel }}
          fallback="fetchData"
          placeholder={<Skeleton className="h-96 w-full" />}
        >
          {(shown) => <Editing key={id} channel={shown} />}
        </Loaded>
      )}
    </div>
  );
}

function Editing({ channel }: { channel: NotificationChannel }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [update] = useUpdateChannelMutation();
  const startTest = useStartTest();
  return (
    <Card>
      {!channel.healthy && (
        <div className="mb-4">
          <ChannelHealth channel={channel} />
        </div>
      )}
      <ChannelForm
        initial={toValues(channel)}
        type={channel.type}
        labels={{ submit: t("channels.save"), test: t("channels.saveAndTest"), saving: t("channels.saving") }}
        onSave={async (patch, { test }) => {
          const { message } = await update({ id: channel.id, patch }).unwrap();
          if (test) startTest(channel.id);
          const notice = message ?? t("channels.updated");
          return () => void navigate(paths.notifications, { state: { notice }, replace: true });
        }}
        onCancel={() => void navigate(paths.notifications)}
      />
    </Card>
  );
}
