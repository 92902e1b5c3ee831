import type { NotificationChannel } from "@sonde/proto/http/notifications/channels";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../../../app/hooks.ts";
import { useNotice, Notice, QueryError } from "../../../app/screen.tsx";
import { paths } from "../../../app/paths.ts";
import { AddLink } from "../../../lists/add-link.tsx";
import { Card } from "../../../ui/card.tsx";
import { BellIcon } from "../../../ui/icons.tsx";
import { EmptyState, Skeleton } from "../../../ui/states.tsx";
import { useChannelsQuery } from "../api.ts";
import { ChannelCard } from "./channel-card.tsx";
import { DeleteChannelDialog } from "./delete-dialog.tsx";
import { FirstChannel } from "./first-channel.tsx";

export default function ChannelsScreen() {
  const { mayChange } = useSession();
  const [notice, setNotice] = useState(useNotice());
  const query = useChannelsQuery(undefined, { refetchOnMountOrArgChange: true });
  const { data, error } = query;
  return (
    <div className="flex flex-col gap-4">
      <Notice text={notice} />
      {error !== undefined && (
        <Card>
          <QueryError query={query} fallback="fetchData" />
        </Card>
      )}
      {data !== undefined ? (
        data.channels.length > 0 ? (
          <ChannelCards channels={data.channels} onDeleted={setNotice} />
        ) : mayChange ? (
          <FirstChannel onAdded={setNotice} />
        ) : (
          <NoChannels />
        )
      ) : (
        error === undefined && <Loading />
      )}
    </div>
  );
}

function ChannelCards(props: { channels: readonly NotificationChannel[]; onDeleted: (notice: string) => void }) {
  const [toDelete, setToDelete] = useState<NotificationChannel | null>(null);
  return (
    <>
      <div className="flex justify-end empty:hidden">
        <AddLink noun="channels" to={paths.channelCreate} />
      </div>
      <div className="grid items-start gap-3 lg:grid-cols-2">
        {props.channels.map((channel) => (
          <ChannelCard key={channel.id} channel={channel} onDelete={() => setToDelete(channel)} />
        ))}
      </div>
      <DeleteChannelDialog channel={toDelete} onClose={() => setToDelete(null)} onDeleted={props.onDeleted} />
    </>
  );
}

function NoChannels() {
  const { t } = useTranslation();
  return (
    <Card>
      <EmptyState icon={<BellIcon />} title={t("channels.empty")} />
    </Card>
  );
}

function Loading() {
  return (
    <div className="grid gap-3 lg:grid-cols-2">
      <Skeleton className="h-44 w-full" />
      <Skeleton className="h-44 w-full" />
    </div>
  );
}
