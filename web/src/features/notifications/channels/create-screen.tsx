import { type ChannelTypeName, channelTypeNames } from "@sonde/proto/http/notifications/channel-types";
import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router";
import { paths } from "../../../app/paths.ts";
import { Card } from "../../../ui/card.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { emptyValues } from "./form-values.ts";
import { useCreateChannel } from "./save.ts";

const initial = emptyValues();

/** The chosen type stands in the address, so that a link can name it. */
export default function CreateScreen() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [address, setAddress] = useSearchParams();
  const create = useCreateChannel();
  const type = channelTypeNames.find((each) => each === address.get("type")) ?? channelTypeNames[0];
  const choose = (next: ChannelTypeName) => setAddress({ type: next }, { replace: true });
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader title={t("channels.createTitle")} />
      <Card>
        <ChannelForm
          initial={initial}
          type={type}
          choice={{ label: t("channels.type"), types: channelTypeNames, onChange: choose }}
          labels={{
            submit: t("channels.create"),
            test: t("channels.createAndTest"),
            saving: t("channels.creating"),
          }}
          onSave={async (input, after) => {
            const notice = await create(input, after);
            return () => void navigate(paths.notifications, { state: { notice }, replace: true });
          }}
          onCancel={() => void navigate(paths.notifications)}
        />
      </Card>
    </div>
  );
}
