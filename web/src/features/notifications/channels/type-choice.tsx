import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ChannelIcon } from "../../../ui/channel-icon.tsx";
import { ChoiceCards } from "../../../ui/choice.tsx";
import { Input } from "../../../ui/inputs.tsx";

export type ChoiceOfType = {
  label: string;
  types: readonly ChannelTypeName[];
  onChange: (type: ChannelTypeName) => void;
};
type TypeChoiceProps = ChoiceOfType & { type: ChannelTypeName; disabled: boolean };

/** All of so few are seen at a glance. */
const fewest = 8;

/** The type of a new channel: one of the cards, of which typing leaves those that it names. */
export function TypeChoice({ label, types, type, disabled, onChange }: TypeChoiceProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const sought = typed.trim().toLowerCase();
  const options = types
    .map((value) => ({
      value,
      icon: <ChannelIcon type={value} />,
      name: t(`channelTypes.${value}.name`),
      hint: t(`channelTypes.${value}.purpose`),
    }))
    .filter(({ value, name, hint }) => `${value}\n${name}\n${hint}`.toLowerCase().includes(sought));
  return (
    <div className="flex flex-col gap-2">
      {types.length > fewest && (
        <Input
          type="search"
          aria-label={t("channels.findType")}
          placeholder={t("channels.findType")}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          // Enter takes what is left alone; it saves from anywhere else in the form.
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            const [first] = options;
            if (first !== undefined && sought !== "" && !disabled) onChange(first.value);
          }}
        />
      )}
      {options.length > 0 ? (
        <ChoiceCards {...{ label, value: type, disabled, options, onChange }} />
      ) : (
        <p role="status" className="text-[13px] text-muted">
          {t("channels.noType")}
        </p>
      )}
    </div>
  );
}
