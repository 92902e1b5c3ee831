import type { Language } from "@sonde/proto/http/messages";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { paths } from "../../../app/paths.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { emptyValues } from "./form-values.ts";
import { useCreateChannel } from "./save.ts";

/** What most begin with: that differs by where they work. */
const common: Record<Language, readonly [ChannelTypeName, ...ChannelTypeName[]]> = {
  "zh-CN": ["dingtalk", "feishu", "wecom"],
  "en-US": ["resend", "telegram", "webhook"],
};
const initial = emptyValues();

/** First use: three common types, one field at first; everything else has a good default. */
export function FirstChannel({ onAdded }: { onAdded: (notice: string) => void }) {
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
