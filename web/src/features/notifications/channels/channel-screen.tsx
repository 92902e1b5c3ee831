import { type ChannelTypeName, channelTypeNames } from "@sonde/proto/http/notifications/channel-types";
import type { NotificationChannel } from "@sonde/proto/http/notifications/channels";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams, useSearchParams } from "react-router-dom";
import { ChangesSection } from "../../../entities/audit/changes.tsx";
import { ManagedForm } from "../../../entities/managed/managed-form.tsx";
import { paths } from "../../../app/paths.ts";
import { Loaded, Missing } from "../../../app/screen.tsx";
import { Card } from "../../../ui/card.tsx";
import { BellIcon } from "../../../ui/icons.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { useChannelsQuery, useUpdateChannelMutation } from "../api.ts";
import { ChannelForm } from "./channel-form.tsx";
import { ChannelHealth } from "./channel-health.tsx";
import { emptyValues, toValues } from "./form-values.ts";
import { useCreateChannel, useStartTest } from "./save.ts";

const empty = emptyValues();

export default function ChannelScreen() {
  const { id } = useParams();
  return <div className="mx-auto max-w-3xl">{id === undefined ? <Create /> : <Edit key={id} id={Number(id)} />}</div>;
}

function useBack() {
  const navigate = useNavigate();
  return (notice?: string) =>
    void (notice === undefined
      ? navigate(paths.notifications)
      : navigate(paths.notifications, { state: { notice }, replace: true }));
}

/** The selected type is in the URL, so that it can be linked. */
function Create() {
  const { t } = useTranslation();
  const back = useBack();
  const [address, setAddress] = useSearchParams();
  const create = useCreateChannel();
  const type = channelTypeNames.find((each) => each === address.get("type")) ?? channelTypeNames[0];
  const choose = (next: ChannelTypeName) => setAddress({ type: next }, { replace: true });
  return (
    <>
      <PageHeader title={t("channels.createTitle")} />
      <Card>
        <ChannelForm
          initial={empty}
          type={type}
          choice={{ label: t("channels.type"), types: channelTypeNames, onChange: choose }}
          labels={{ submit: t("channels.create"), test: t("channels.createAndTest"), saving: t("channels.creating") }}
          onSave={async (input, after) => {
            const notice = await create(input, after);
            return () => back(notice);
          }}
          onCancel={() => back()}
        />
      </Card>
    </>
  );
}

function Edit({ id }: { id: number }) {
  const { t } = useTranslation();
  const query = useChannelsQuery();
  const { data, error, isFetching } = query;
  const channel = data?.channels.find((each) => each.id === id);
  const isGone = channel === undefined && data !== undefined && error === undefined && !isFetching;
  return (
    <>
      <PageHeader title={t("channels.editTitle")} description={channel?.name} />
      {isGone ? (
        <Missing
          icon={<BellIcon />}
          title={t("channels.missing")}
          back={t("channels.back")}
          backTo={paths.notifications}
        />
      ) : (
        <Loaded query={{ ...query, data: channel }}>{(shown) => <Editing channel={shown} />}</Loaded>
      )}
      <div className="mt-4">
        <ChangesSection target={`channel:${id}`} />
      </div>
    </>
  );
}

function Editing({ channel }: { channel: NotificationChannel }) {
  const { t } = useTranslation();
  const back = useBack();
  const [update] = useUpdateChannelMutation();
  const startTest = useStartTest();
  return (
    <ManagedForm managed={channel.managed} kind="channel">
      <Card>
        {channel.refusal !== undefined && (
          <div className="mb-4">
            <ChannelHealth channel={channel} />
          </div>
        )}
        <ChannelForm
          initial={toValues(channel)}
          type={channel.type}
          labels={{ submit: t("common.saveChanges"), test: t("channels.saveAndTest"), saving: t("common.saving") }}
          onSave={async (input, { test }) => {
            const { message } = await update({ id: channel.id, input }).unwrap();
            if (test) startTest(channel.id);
            return () => back(message ?? t("channels.updated"));
          }}
          onCancel={() => back()}
        />
      </Card>
    </ManagedForm>
  );
}
