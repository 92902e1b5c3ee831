import type { Language } from "@sonde/proto/http/messages";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { NotificationChannel } from "@sonde/proto/http/notifications/channels";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useConfigQuery } from "../../../app/config.ts";
import { useSession } from "../../../app/hooks.ts";
import { paths } from "../../../app/paths.ts";
import { Notice, QueryError, useNotice } from "../../../app/screen.tsx";
import { AddLink } from "../../../lists/add-link.tsx";
import { DeleteDialog } from "../../../lists/delete-dialog.tsx";
import { ButtonLink } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { BellIcon } from "../../../ui/icons.tsx";
import { EmptyState, Skeleton } from "../../../ui/states.tsx";
import { useChannelsQuery, useDeleteChannelMutation, useNotificationSettingsQuery } from "../api.ts";
import { ChannelCard } from "./channel-card.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { failingFirst } from "./channel-health.tsx";
import { emptyValues } from "./form-values.ts";
import { useCreateChannel } from "./save.ts";

export default function ChannelsScreen() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [notice, setNotice] = useState(useNotice());
  const query = useChannelsQuery(undefined, { refetchOnMountOrArgChange: true });
  // Cards show their usage. Waiting for it avoids a layout shift.
  const { isLoading } = useNotificationSettingsQuery();
  const { error } = query;
  const data = isLoading ? undefined : query.data;
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
          <Card>
            <EmptyState icon={<BellIcon />} title={t("channels.empty")} />
          </Card>
        )
      ) : (
        error === undefined && (
          <div className="grid gap-3 lg:grid-cols-2">
            <Skeleton className="h-44 w-full" />
            <Skeleton className="h-44 w-full" />
          </div>
        )
      )}
    </div>
  );
}

function ChannelCards(props: { channels: readonly NotificationChannel[]; onDeleted: (notice: string) => void }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const { data: config } = useConfigQuery();
  const [toDelete, setToDelete] = useState<NotificationChannel | null>(null);
  const [remove] = useDeleteChannelMutation();
  return (
    <>
      <div className="flex flex-wrap items-center justify-end gap-3 empty:hidden">
        {mayChange && config?.publicUrl === null && (
          <p className="min-w-0 flex-1 basis-64 text-muted">{t("channels.noPublicUrl")}</p>
        )}
        <AddLink noun="channels" to={paths.channelCreate} />
      </div>
      <div className="grid items-start gap-3 lg:grid-cols-2">
        {failingFirst(props.channels).map((channel) => (
          <ChannelCard key={channel.id} channel={channel} onDelete={() => setToDelete(channel)} />
        ))}
      </div>
      <DeleteDialog
        target={toDelete}
        onClose={() => setToDelete(null)}
        onDeleted={props.onDeleted}
        noun="channels"
        fallback="deleteChannel"
        remove={remove}
      />
    </>
  );
}

const common: Record<Language, readonly [ChannelTypeName, ...ChannelTypeName[]]> = {
  "zh-CN": ["dingtalk", "feishu", "wecom"],
  "en-US": ["resend", "telegram", "webhook"],
};
const initial = emptyValues();

/** First use: offers three common types and one field. Everything else has a default. */
function FirstChannel({ onAdded }: { onAdded: (notice: string) => void }) {
  const { t, i18n } = useTranslation();
  const create = useCreateChannel();
  const offered = common[i18n.language === "zh-CN" ? "zh-CN" : "en-US"];
  const [chosen, setChosen] = useState<ChannelTypeName | null>(null);
  const type = offered.find((each) => each === chosen) ?? offered[0];
  return (
    <Card
      title={t("channels.first.title")}
      actions={
        <ButtonLink size="sm" to={paths.channelCreate}>
          {t("channels.first.more")}
        </ButtonLink>
      }
    >
      <p className="mb-4 text-muted">{t("channels.first.text")}</p>
      <ChannelForm
        guided
        initial={initial}
        type={type}
        choice={{ label: t("channels.first.fewer"), types: offered, onChange: setChosen }}
        labels={{ submit: t("channels.create"), test: t("channels.createAndTest"), saving: t("channels.creating") }}
        onSave={async (input, after) => {
          onAdded(await create(input, after));
          return () => undefined;
        }}
      />
    </Card>
  );
}
